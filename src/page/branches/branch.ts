import { rootOf } from "../../cairn/core/log/names.ts";
import { hrefOf } from "../address.ts";

/** The position of a session below a run, from its name alone. */
export interface Branch {
  /** the conversation at the top */
  readonly root: string;
  /** the step of it in which the branch began */
  readonly step: string;
  /** 1 for one that the conversation itself has started */
  readonly depth: number;
}

/** Null for a session that no run has started. */
export function branchOf(session: string): Branch | null {
  const calls = session.split("~").slice(1);
  const step = /^(r[1-9]\d*s[1-9]\d*)c\d+$/.exec(calls[0] ?? "")?.[1];
  return step === undefined ? null : { root: rootOf(session), step, depth: calls.length };
}

/** Link to its row in the trace of the conversation, where it unfolds. */
export const branchHref = ({ root, step }: Branch): string =>
  hrefOf({ at: "session", session: root, panel: "trace", step });

/** The conversation that a session belongs to: its own, or that at the top of its tree. */
export const homeHref = (session: string): string =>
  hrefOf({ at: "session", session: rootOf(session), panel: null });
