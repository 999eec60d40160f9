import type { Limits } from "../../core/log/entry.ts";
import type { Usage } from "../../core/log/model.ts";
import type { Event } from "../../wire/views.ts";
import { limitsOf, notDone } from "./ends.ts";
import { timeOf, type Group } from "./items/item.ts";
import { rowsOfRun, timelineOf } from "./timeline.ts";

/** What a run has used, of what it may; from its rows alone, so that it is as live as they are. */
export interface Totals {
  readonly steps: number;
  /** attempts, also those that came to nothing */
  readonly modelCalls: number;
  /** calls that ran */
  readonly toolCalls: number;
  /** calls that were refused, denied or failed, or of which nobody knows */
  readonly notDone: number;
  readonly tokens: { readonly input: number; readonly output: number; readonly estimated: boolean };
  /** millionths of a US dollar; null where nobody has counted it */
  readonly cost: number | null;
  readonly retries: number;
  readonly workedMs: number;
  readonly waitedMs: number;
  /** null until it has begun */
  readonly limits: Limits | null;
  /** a person gave it more, which is done once */
  readonly extended: boolean;
}

/** `rows` are those of one run (`rowsOfRun`). `now`: milliseconds since the epoch, for a run that is still at work. */
export function totalsOf(rows: readonly Event[], now: number, groups = timelineOf(rows)): Totals {
  const count = (of: (row: Event) => boolean): number => rows.filter(of).length;
  const ended = rows.findLast((row) => row.kind === "run_ended");
  const started = rows.find((row) => row.kind === "run_started");
  const usage = ended?.kind === "run_ended" ? ended.body.usage : usageOf(rows);
  const end = ended === undefined ? now : timeOf(ended);
  const lasted = started === undefined ? 0 : Math.max(0, end - timeOf(started));
  const waitedMs = Math.min(lasted, waitedFor(groups, end));
  return {
    steps: count((row) => row.kind === "step_started"),
    modelCalls: count(
      (row) =>
        row.kind === "model_replied" ||
        row.kind === "model_failed" ||
        (row.kind === "attempt_lost" && row.body.what === "model"),
    ),
    toolCalls: count(
      (row) => row.kind === "call_settled" && row.body.status === "ok" && row.body.reusedFrom === null,
    ),
    notDone: notDone(rows),
    tokens: { input: usage.inputTokens, output: usage.outputTokens, estimated: usage.estimated },
    cost: usage.cost ?? null,
    retries: count(
      (row) =>
        (row.kind === "model_failed" && row.body.then === "retry") ||
        (row.kind === "verdict" && row.body.code === "RETRY_LATER"),
    ),
    workedMs: lasted - waitedMs,
    waitedMs,
    limits: limitsOf(rows),
    extended: rows.some((row) => row.kind === "command_queued" && row.body.command === "extend"),
  };
}

function usageOf(rows: readonly Event[]): Pick<Usage, "inputTokens" | "outputTokens" | "estimated" | "cost"> {
  let [inputTokens, outputTokens, estimated] = [0, 0, false];
  let cost: number | undefined;
  for (const row of rows) {
    const usage = row.kind === "model_replied" || row.kind === "model_failed" ? row.body.usage : null;
    const more = row.kind === "attempt_lost" ? row.body.cost : usage?.cost;
    if (more !== undefined) cost = (cost ?? 0) + more;
    if (usage === null) continue;
    inputTokens += usage.inputTokens;
    outputTokens += usage.outputTokens;
    estimated ||= usage.estimated;
  }
  return { inputTokens, outputTokens, estimated, ...(cost === undefined ? {} : { cost }) };
}

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
  const said = new Map<number, string>();
  for (const row of events) {
    if (row.kind === "user_said")
      said.set(row.seq, row.body.parts.map((part) => (part.type === "text" ? part.text : "")).join(" "));
    if (row.run === null) continue;
    const known = runs.get(row.run);
    if (row.kind === "run_queued")
      runs.set(row.run, {
        run: row.run,
        objective: said.get(row.body.inputSeq) ?? "",
        at: row.at,
        state: "queued",
      });
    if (known === undefined) continue;
    if (row.kind === "run_started") runs.set(row.run, { ...known, state: "live" });
    if (row.kind === "run_ended") runs.set(row.run, { ...known, state: row.body.class });
  }
  return [...runs.values()];
}

/** The run that was asked for, as `r1` or as a step of it; else the one that is live, else the last that began. */
export function chosenRun(runs: readonly RunLine[], asked: string | null): RunLine | null {
  const name = /^r\d+/.exec(asked ?? "")?.[0];
  return (
    runs.find(({ run }) => run === name) ??
    runs.find(({ state }) => state === "live") ??
    runs.findLast(({ state }) => state !== "queued") ??
    runs.at(-1) ??
    null
  );
}

/** The totals of a run by its name, from the rows of its session. */
export const totalsOfRun = (events: readonly Event[], run: string, now: number): Totals =>
  totalsOf(rowsOfRun(events, run), now);
