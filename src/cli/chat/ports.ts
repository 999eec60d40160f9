import type { ApprovalPrompt } from "./approvals/choose.ts";
import type { Acknowledged } from "./connection.ts";
import type { Fault, RunEnded } from "./frames.ts";
import type { Piece } from "./screen/ansi.ts";

/** The ports of a conversation (connection and terminal), and how a run ends. */

/** The part of a connection that a conversation uses. */
export interface ConnectionPort {
  request(type: string, fields: { readonly [name: string]: unknown }): Promise<Acknowledged>;
  follow(runId: string): void;
}

/** The part of a terminal that a conversation uses. */
export interface TerminalPort extends Omit<ApprovalPrompt, "showChanged"> {
  show(pieces: readonly Piece[]): void;
  /** what a person has to see who is asked */
  showRequest(pieces: readonly Piece[]): void;
  /** a remark about the connection or the run; `print` answers the person's own input */
  note(text: string): void;
  /** what is going on now, on a line that is drawn over; null when nothing is */
  busy(words: string | null): void;
  /** milliseconds that never go back */
  now(): number;
  /** whether there is such a line */
  readonly interactive: boolean;
  /** one event for a script */
  record(event: { readonly type: string; readonly [name: string]: unknown }): void;
}

export type Ending =
  | {
      readonly kind: "ended";
      readonly ended: RunEnded;
      readonly answer: string | null;
      /** true if somebody denied a request of the run, or nobody decided in time */
      readonly denied: boolean;
    }
  /** the run stays where it is: a person is needed, and there is none here */
  | { readonly kind: "waits"; readonly for: string }
  /** the run may go on; this side cannot do what is needed */
  | { readonly kind: "refused"; readonly error: Fault };
