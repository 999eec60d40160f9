import type { Profile } from "../../log/verdict.ts";

/**
 * True for runs whose requests leave out most of what others carry: they are offered the small tools alone, are taught only those,
 * and read the newest of the history and of the memory. A look of the heartbeat is one, because it mostly ends in silence.
 */
export const isSpare = (profile: Profile | null): boolean => profile === "lean" || profile === "heartbeat";
