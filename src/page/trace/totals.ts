import type { Limits } from "../../cairn/core/log/entry.ts";
import type { Usage } from "../../cairn/core/log/model.ts";
import type { Event } from "../../cairn/protocol/views.ts";
import { limitsOf, notDone } from "../log-text/ends.ts";
import { timeOf, type Group } from "./items/item.ts";
import { entriesOfRun, timelineOf } from "./timeline.ts";

/** Usage and limits of a run; from its entries alone, so that it is as live as they are. */
export interface Totals {
  readonly steps: number;
  /** attempts, also those that came to nothing */
  readonly modelCalls: number;
  /** calls that ran */
  readonly toolCalls: number;
  /** calls that were refused, denied or failed, or whose outcome is unknown */
  readonly notDone: number;
  readonly tokens: { readonly input: number; readonly output: number; readonly estimated: boolean };
  /** millionths of a US dollar; null if unknown */
  readonly cost: number | null;
  readonly retries: number;
  readonly workedMs: number;
  readonly waitedMs: number;
  /** null until it has begun */
  readonly limits: Limits | null;
  /** a person gave it more, which is done once */
  readonly extended: boolean;
}

/** `entries` are those of one run (`entriesOfRun`). `now`: milliseconds since the epoch, for a run that is still at work. */
export function totalsOf(entries: readonly Event[], now: number, groups = timelineOf(entries)): Totals {
  const count = (of: (entry: Event) => boolean): number => entries.filter(of).length;
  const ended = entries.findLast((entry) => entry.kind === "run_ended");
  const started = entries.find((entry) => entry.kind === "run_started");
  const usage = ended?.kind === "run_ended" ? ended.body.usage : usageOf(entries);
  const end = ended === undefined ? now : timeOf(ended);
  const lasted = started === undefined ? 0 : Math.max(0, end - timeOf(started));
  const waitedMs = Math.min(lasted, waitedFor(groups, end));
  return {
    steps: count((entry) => entry.kind === "step_started"),
    modelCalls: count(
      (entry) =>
        entry.kind === "model_replied" ||
        entry.kind === "model_failed" ||
        (entry.kind === "attempt_lost" && entry.body.what === "model"),
    ),
    toolCalls: count(
      (entry) =>
        entry.kind === "call_settled" && entry.body.status === "ok" && entry.body.reusedFrom === null,
    ),
    notDone: notDone(entries),
    tokens: { input: usage.inputTokens, output: usage.outputTokens, estimated: usage.estimated },
    cost: usage.cost,
    retries: count(
      (entry) =>
        (entry.kind === "model_failed" && entry.body.then === "retry") ||
        (entry.kind === "verdict" && entry.body.code === "RETRY_LATER"),
    ),
    workedMs: lasted - waitedMs,
    waitedMs,
    limits: limitsOf(entries),
    extended: entries.some((entry) => entry.kind === "command_queued" && entry.body.command === "extend"),
  };
}

function usageOf(
  entries: readonly Event[],
): Pick<Usage, "inputTokens" | "outputTokens" | "estimated" | "cost"> {
  let [inputTokens, outputTokens, estimated] = [0, 0, false];
  let cost: number | null = null;
  for (const entry of entries) {
    const usage = entry.kind === "model_replied" || entry.kind === "model_failed" ? entry.body.usage : null;
    const more = isPaid(entry) ? entry.body.cost : usage?.cost;
    if (typeof more === "number") cost = (cost ?? 0) + more;
    if (usage === null) continue;
    inputTokens += usage.inputTokens;
    outputTokens += usage.outputTokens;
    estimated ||= usage.estimated;
  }
  return { inputTokens, outputTokens, estimated, cost };
}

/** Entries with their own cost: lost attempts, and those of tools. */
const isPaid = (entry: Event): entry is Event & { body: { cost?: number } } =>
  entry.kind === "attempt_lost" || entry.kind === "call_settled" || entry.kind === "verdict";

/** Milliseconds in which people or the clock were waited for, each counted once. */
function waitedFor(groups: readonly Group[], end: number): number {
  const waits = groups
    .flatMap((group) => group.items)
    .filter((item) => item.waits)
    .toSorted((a, b) => a.from - b.from);
  let [sum, until] = [0, 0];
  for (const { from, to } of waits) {
    const last = Math.min(to ?? end, end);
    sum += Math.max(0, last - Math.max(from, until));
    until = Math.max(until, last);
  }
  return sum;
}

/** A run of the session, for choosing it. */
export interface RunLine {
  readonly run: string;
  /** the words that asked for it */
  readonly objective: string;
  readonly at: string;
  readonly state: "queued" | "live" | "answered" | "partial" | "failed" | "cancelled";
}

/** The session's runs, oldest first. */
export function runsOf(events: readonly Event[]): readonly RunLine[] {
  const runs = new Map<string, RunLine>();
  const reported = new Map<number, string>();
  for (const entry of events) {
    if (entry.kind === "user_message")
      reported.set(
        entry.seq,
        entry.body.parts.map((part) => (part.type === "text" ? part.text : "")).join(" "),
      );
    if (entry.run === null) continue;
    const known = runs.get(entry.run);
    if (entry.kind === "run_queued")
      runs.set(entry.run, {
        run: entry.run,
        objective: reported.get(entry.body.inputSeq) ?? "",
        at: entry.at,
        state: "queued",
      });
    if (known === undefined) continue;
    if (entry.kind === "run_started") runs.set(entry.run, { ...known, state: "live" });
    if (entry.kind === "run_ended") runs.set(entry.run, { ...known, state: entry.body.class });
  }
  return [...runs.values()];
}

/** The run that was asked for, as `r1` or as a step of it; else the one that is live, else the last that began. */
export function chosenRun(runs: readonly RunLine[], requested: string | null): RunLine | null {
  const name = /^r\d+/.exec(requested ?? "")?.[0];
  return (
    runs.find(({ run }) => run === name) ??
    runs.find(({ state }) => state === "live") ??
    runs.findLast(({ state }) => state !== "queued") ??
    runs.at(-1) ??
    null
  );
}

/** The totals of a run by its name, from the entries of its session. */
export const totalsOfRun = (events: readonly Event[], run: string, now: number): Totals =>
  totalsOf(entriesOfRun(events, run), now);
