import { canonicalJson, type Json } from "../../../src/cairn/core/log/json.ts";
import type { LoopTrace, ToolTraitsOfTrace, TraceEvent } from "./loop-format.ts";

/** A call of a trace, with all that the definitions say of it, written out instead of hashed. */
export interface Call {
  readonly turn: number;
  readonly tool: string;
  readonly cls: "read" | "keyed" | "once";
  readonly sig: string;
  readonly mask: string;
  readonly res: string;
  /** it ran; a call that a guard skipped did not */
  readonly executed: boolean;
  /** class and code of its failure */
  readonly error: string | null;
  readonly code: string | null;
  readonly empty: boolean;
  readonly ids: { readonly all: number; readonly fresh: number } | null;
  readonly query: readonly string[] | null;
  readonly target: string | null;
  readonly value: string | null;
  readonly fresh: boolean;
  /** an ok effect with a signature that the trace has not had */
  readonly newEffect: boolean;
  /** a poll that kept its distance, within the number that is allowed */
  readonly pollExempt: boolean;
}

export interface Turn {
  readonly n: number;
  readonly calls: readonly Call[];
  /** words longer than three letters; of a turn that ran nothing */
  readonly words: readonly string[];
  /** ran nothing, and was not taken as the answer */
  readonly refused: boolean;
  readonly onlyBookkeeping: boolean;
  /** ran a call that is neither bookkeeping nor a send, and is no poll in its time */
  readonly worked: boolean;
  readonly progress: boolean;
  readonly identity: string;
  /** counts the stretches between two inputs of a person */
  readonly stretch: number;
}

export interface Compaction {
  readonly from: number;
  readonly to: number;
  /** the last turn before it */
  readonly after: number;
}

const BOOKKEEPING: ReadonlySet<string> = new Set([
  "update_plan",
  "store_memory",
  "retrieve_memory",
  "log_progress",
  "read_observation",
]);
const SENDS: ReadonlySet<string> = new Set(["send_message", "ask_human"]);

type ReplyEvent = Extract<TraceEvent, { t: "reply" }>;
type ResultEvent = Extract<TraceEvent, { t: "result" }>;

/** The turns of a trace; throws on a call without a result. */
export function turnsOf(trace: LoopTrace): { turns: Turn[]; compactions: Compaction[] } {
  const results = new Map<string, ResultEvent>();
  for (const event of trace.events) if (event.t === "result") results.set(event.call, event);
  const replies = trace.events.filter((event) => event.t === "reply");
  const reader = new Reader(trace, results);
  const turns: Turn[] = [];
  const compactions: Compaction[] = [];
  let stretch = 0;
  for (const event of trace.events) {
    if (event.t === "human") stretch++;
    else if (event.t === "compact") compactions.push({ from: event.from, to: event.to, after: turns.length });
    else if (event.t === "reply")
      turns.push(reader.turn(event, turns.length + 1, stretch, event === replies.at(-1)));
  }
  return { turns, compactions };
}

class Reader {
  readonly #trace: LoopTrace;
  readonly #results: ReadonlyMap<string, ResultEvent>;
  readonly #seen = new Set<string>();
  readonly #ids = new Set<string>();
  readonly #effects = new Set<string>();
  readonly #polls = new Map<string, { at: number; res: string; times: number }>();

  constructor(trace: LoopTrace, results: ReadonlyMap<string, ResultEvent>) {
    this.#trace = trace;
    this.#results = results;
  }

  turn(reply: ReplyEvent, n: number, stretch: number, last: boolean): Turn {
    const calls = reply.calls.map((call) => this.#call(call, n));
    const executed = calls.filter((call) => call.executed);
    const words = executed.length > 0 ? [] : wordsOf(reply.text).filter((word) => word.length > 3);
    const work = executed.filter((call) => !BOOKKEEPING.has(call.tool) && !SENDS.has(call.tool));
    const ids = calls.map((call, index) =>
      call.pollExempt ? `poll ${n}.${index}` : `${call.sig} ${call.res}`,
    );
    return {
      n,
      calls,
      words: [...new Set(words)].toSorted(),
      refused: executed.length === 0 && !(last && calls.length === 0),
      onlyBookkeeping:
        calls.length > 0 &&
        calls.every((call) => BOOKKEEPING.has(call.tool)) &&
        !calls.some((call) => call.tool === "read_observation" && call.fresh),
      worked: work.some((call) => !call.pollExempt),
      progress: executed.some(
        (call) =>
          call.newEffect || (call.fresh && (!BOOKKEEPING.has(call.tool) || call.tool === "read_observation")),
      ),
      identity:
        ids.length > 0 ? [...new Set(ids)].toSorted().join(" | ") : [...new Set(words)].toSorted().join(" "),
      stretch,
    };
  }

  #call(call: ReplyEvent["calls"][number], turn: number): Call {
    const traits = this.#trace.tools[call.tool] ?? { cls: "read" };
    const result = this.#results.get(call.id);
    if (result === undefined) throw new Error(`${this.#trace.id}: ${call.id} has no result`);
    const sig = canonicalJson([call.tool, cleaned(call.args as Json, traits)]);
    const mask = canonicalJson([call.tool, masked(cleaned(call.args as Json, traits), traits)]);
    const executed = result.ok || result.error.class !== "policy";
    const output = result.ok ? stripped(result.output as Json, traits) : null;
    const res = result.ok ? canonicalJson(output) : errorText(result.error);
    const empty = result.ok && isEmpty(output);
    const ids = result.ok && traits.ids !== undefined ? this.#idsOf(result.output as Json, traits.ids) : null;
    const fresh = result.ok && !empty && !this.#seen.has(res) && (ids === null || ids.fresh > 0);
    if (result.ok) this.#seen.add(res);
    const newEffect = result.ok && traits.cls !== "read" && !this.#effects.has(sig);
    if (newEffect) this.#effects.add(sig);
    const args = call.args as Record<string, Json>;
    const query = traits.query === undefined ? null : wordsOf(String(args[traits.query] ?? ""));
    return {
      turn,
      tool: call.tool,
      cls: traits.cls,
      sig,
      mask,
      res,
      executed,
      error: result.ok ? null : result.error.class,
      code: result.ok ? null : result.error.code,
      empty,
      ids,
      query,
      target: traits.target === undefined ? null : canonicalJson([call.tool, args[traits.target]]),
      value: traits.value === undefined ? null : canonicalJson(args[traits.value]),
      fresh,
      newEffect,
      pollExempt: this.#pollExempt(sig, res, result.at, traits),
    };
  }

  #idsOf(output: Json, path: string): { all: number; fresh: number } {
    const found = [...new Set(valuesAt(output, path).map((id) => canonicalJson(id)))];
    const fresh = found.filter((id) => !this.#ids.has(id)).length;
    for (const id of found) this.#ids.add(id);
    return { all: found.length, fresh };
  }

  #pollExempt(sig: string, res: string, at: number, traits: ToolTraitsOfTrace): boolean {
    if (traits.polling === undefined) return false;
    const before = this.#polls.get(sig);
    const changed = before === undefined || before.res !== res;
    const times = changed ? 1 : before.times + 1;
    this.#polls.set(sig, { at, res, times });
    const spaced = before === undefined || at - before.at >= traits.polling.minIntervalMs;
    return spaced && times <= traits.polling.maxPolls;
  }
}

function wordsOf(text: string): string[] {
  return (
    text
      .normalize("NFC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Arguments as they are compared: trimmed, in NFC, without volatile keys, with plain addresses. */
function cleaned(value: Json, traits: ToolTraitsOfTrace): Json {
  if (typeof value === "string") return plainAddress(value.normalize("NFC").trim());
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item: Json) => cleaned(item, traits));
  const pairs = Object.entries(value as Record<string, Json>);
  return Object.fromEntries(
    pairs
      .filter(([key]) => !traits.volatile?.includes(key))
      .map(([key, item]) => [key, cleaned(item, traits)]),
  );
}

function plainAddress(text: string): string {
  if (!/^https?:\/\/\S+$/i.test(text)) return text;
  const url = new URL(text);
  url.hash = "";
  for (const key of Array.from(url.searchParams.keys()))
    if (key.startsWith("utm_")) url.searchParams.delete(key);
  return url.toString();
}

function masked(value: Json, traits: ToolTraitsOfTrace, key = ""): Json {
  if (typeof value === "number" || traits.cursors?.includes(key)) return "#";
  if (typeof value === "string") return value.replace(/\d+/g, "#");
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item: Json) => masked(item, traits, key));
  return Object.fromEntries(
    Object.entries(value as Record<string, Json>).map(([name, item]) => [name, masked(item, traits, name)]),
  );
}

function stripped(value: Json, traits: ToolTraitsOfTrace): Json {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item: Json) => stripped(item, traits));
  const pairs = Object.entries(value as Record<string, Json>);
  return Object.fromEntries(
    pairs
      .filter(([key]) => !traits.volatile?.includes(key))
      .map(([key, item]) => [key, stripped(item, traits)]),
  );
}

function errorText({ class: kind, code, message }: { class: string; code: string; message: string }): string {
  return `error ${kind} ${code} ${message.replace(/\d+/g, "#")}`;
}

/** Nothing in it: no text, no items, or a count of none beside them. */
function isEmpty(value: Json): boolean {
  if (value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value !== "object") return false;
  const items = Object.values(value as Record<string, Json>);
  const lists = items.filter((item) => Array.isArray(item));
  return lists.length > 0 && lists.every((list) => list.length === 0) && items.every(saysNothing);
}

function saysNothing(item: Json): boolean {
  return item === null || item === "" || item === 0 || item === false || Array.isArray(item);
}

/** Values at a path such as `items[].id`. */
function valuesAt(value: Json, path: string): Json[] {
  let found: Json[] = [value];
  for (const part of path.split(".")) {
    const name = part.replace(/\[\]$/, "");
    found = found.flatMap((item): Json[] => {
      const inner =
        item !== null && typeof item === "object" ? (item as Record<string, Json>)[name] : undefined;
      if (inner === undefined) return [];
      return part.endsWith("[]") ? (Array.isArray(inner) ? (inner as Json[]) : []) : [inner];
    });
  }
  return found;
}
