import type { Json } from "../../../cairn/core/log/json.ts";
import type { SentMessage } from "../../../cairn/protocol/stream/sent-message.ts";
import type { Event } from "../../../cairn/protocol/views.ts";

/** The actions of a run in order: each item has the log entries that belong to it. */

export const KINDS = ["run", "model", "tool", "child", "person", "check", "retry", "plan", "memory"] as const;
export type Kind = (typeof KINDS)[number];

export const KIND_WORDS: Readonly<Record<Kind, string>> = {
  run: "Run",
  model: "Model",
  tool: "Tools",
  child: "Sub-runs",
  person: "People",
  check: "Checks",
  retry: "Retries",
  plan: "Plan",
  memory: "Memory",
};

export interface Item {
  /** constant while the log grows: from its first entry */
  readonly id: string;
  readonly kind: Kind;
  readonly title: string;
  /** a second line: who, why, how it ended */
  readonly note: string | null;
  readonly tone: "plain" | "good" | "bad" | "waits";
  /** milliseconds since the epoch */
  readonly from: number;
  /** null: it goes on */
  readonly to: number | null;
  /** nothing works meanwhile: a person or the clock is waited for */
  readonly waits: boolean;
  readonly tokens: { readonly input: number; readonly output: number; readonly estimated: boolean } | null;
  /** millionths of a US dollar */
  readonly cost: number | null;
  /** the arguments of the call that it is about; null where it is about none */
  readonly input: Json;
  /** the message to a person; absent for other items */
  readonly message?: SentMessage;
  /** the session of the run that it has started; absent where it has started none, or that is not there yet */
  readonly child?: string;
  readonly entries: readonly Event[];
}

/** A step of the run with all that happened in it; `step` is null before the first one. */
export interface Group {
  readonly step: string | null;
  readonly title: string;
  readonly from: number;
  readonly to: number | null;
  readonly items: readonly Item[];
}

export const timeOf = (entry: Event): number => Date.parse(entry.at);

/** Something that happened at once. */
export function moment(kind: Kind, entry: Event, title: string, more: Partial<Item> = {}): Item {
  const at = timeOf(entry);
  const none = { note: null, tone: "plain", waits: false, tokens: null, cost: null, input: null } as const;
  return { id: String(entry.seq), kind, title, ...none, from: at, to: at, entries: [entry], ...more };
}
