import { ownValue } from "../core/log/json.ts";

const EFFECTS: Readonly<Record<string, string>> = {
  read: "Only reads.",
  keyed: "Runs at most once, even after a crash.",
  once: "Runs once. If it is interrupted, it is not tried again.",
};

/** The meaning of a second run of a tool, in words for a person. */
export const effectWords = (effect: string): string => ownValue(EFFECTS, effect) ?? effect;
