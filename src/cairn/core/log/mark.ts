import type { MessageKind } from "../address.ts";
import type { ErrorClass } from "./tool.ts";

/** A call and its result as digests: what is stored of them for the guards, who never see an argument. */

/** A call of the run, newest last. `status` pending until it is settled. */
export interface CallRecord {
  readonly id: string;
  /** seq of the entry that settled it; of its proposal while it is pending */
  readonly seq: number;
  readonly step: number;
  readonly tool: string;
  readonly effect: "read" | "keyed" | "once";
  readonly kind: "work" | "bookkeeping" | "send";
  /** of tool and canonical arguments */
  readonly sig: string;
  /** the same with numbers and cursors masked */
  readonly mask: string;
  /** of the result without its volatile fields; an error as class, code and masked message */
  readonly res: string | null;
  /** the thing that an effect works on, such as `page:p1` */
  readonly target: string | null;
  /** digest of what an effect writes */
  readonly value: string | null;
  /** hashed words of the declared query field */
  readonly query: readonly string[] | null;
  /** hashed ids of the result, where the tool declares them; null where it does not */
  readonly ids: readonly string[] | null;
  /** the result holds nothing (an empty list, an empty text) */
  readonly empty: boolean;
  readonly status: "pending" | "ok" | "error" | "unknown" | "skipped" | "reused";
  readonly error: ErrorClass | null;
  /** ok, not empty, new in this run, and with a new id where ids are declared */
  readonly fresh: boolean;
  readonly at: number;
  /** code of the verdict that skipped it */
  readonly skip?: string;
  /** share of its ids that the run had seen before, 0 to 1; absent without ids */
  readonly known?: number;
  /** of a polling tool, until it is settled: its declaration */
  readonly polling?: { readonly minIntervalMs: number; readonly maxPolls: number };
  /** of a settled poll: spaced as declared, sooner than that, or past `maxPolls` with equal results */
  readonly poll?: "spaced" | "hasty" | "spent";
  /** host or target that a refused key is bad for; absent where the call names none */
  readonly scope?: string;
  /** of a call that sends a message; `target` is where it goes, `value` its text */
  readonly message?: MessageMark;
}

/** A message that a call sends. */
export interface MessageMark {
  readonly kind: MessageKind;
  readonly chars: number;
  /** hashed words longer than three characters; null where it is too long, or too much of a list, to be compared by words */
  readonly words: readonly string[] | null;
  /** what was left to be filled in; absent where there is nothing */
  readonly placeholders?: readonly string[];
}

/** A proposed call as digests: what is stored of it for the guards. */
export type CallMark = Pick<
  CallRecord,
  "tool" | "effect" | "kind" | "sig" | "mask" | "target" | "value" | "query" | "scope" | "polling" | "message"
>;

/** A settled result as digests: what is stored of it for the guards. */
export interface ResultMark {
  readonly res: string;
  /** digests of tool and id; null where the tool declares none */
  readonly ids: readonly string[] | null;
  readonly empty: boolean;
}
