import { asKind, type Entry, type RunSource, type EntryKind } from "../core/log/entry.ts";
import type { JsonObject } from "../core/log/json.ts";
import { runId } from "../core/log/names.ts";
import type { Profile } from "../core/log/verdict.ts";
import { addUsage, NO_USAGE, type Usage } from "../core/log/model.ts";
import { endWords } from "../core/text/cause-words.ts";
import { waitsForPerson } from "../core/state/run/phase.ts";
import type { State } from "../core/state/state.ts";
import type { Answer } from "./api.ts";
import { childRunsOf } from "./children.ts";
import type { PolicyView } from "./approval.ts";
import { citationsView, receiptView } from "./receipt.ts";
import { resultOf } from "./run-result.ts";
import { budgetView, usageView } from "./stream/data-parts.ts";
import { isoTime } from "./stream/ui-chunk.ts";

/** A run as every interface shows it. */
export type RunView = Omit<Answer<"Run">, "source"> & {
  readonly source: RunSource;
  /** null until it has begun */
  readonly profile: Profile | null;
};

/** A run from its own entries and the words that asked for it; null when it was never queued. */
export function runView(
  session: string,
  state: State,
  entries: readonly Entry[],
  objective: string,
): RunView | null {
  const queued = entries.map((entry) => asKind(entry, "run_queued")).find((entry) => entry !== null);
  if (queued?.run == null) return null;
  const started = entries.map((entry) => asKind(entry, "run_started")).find((entry) => entry !== null);
  const ended = entries.map((entry) => asKind(entry, "run_ended")).find((entry) => entry !== null) ?? null;
  const answer = entries.map((entry) => asKind(entry, "answer")).findLast((entry) => entry !== null) ?? null;
  const progress =
    entries.map((entry) => asKind(entry, "progress_noted")).findLast((entry) => entry !== null) ?? null;
  const live = state.run?.run === queued.run ? state.run : null;
  const face = ended?.body.class ?? null;
  const waits = live === null ? null : waitOf(live.phase);
  const { spec, parent } = queued.body;
  const children = treeUsageOf(entries, ended, live);
  return {
    id: runId(session, queued.run),
    sessionId: session,
    status: face !== null ? RUN_STATUS[face] : live === null ? "queued" : liveStatus(live),
    partial: face === "partial",
    outcome: face,
    reason: ended?.body.reason ?? null,
    objective,
    source: queued.body.source,
    requester: queued.body.actor,
    agent: spec.agent,
    model: queued.body.model,
    profile: live?.profile ?? started?.body.profile ?? null,
    receipt:
      ended === null || answer === null
        ? null
        : receiptView(answer.body, { outcome: ended.body.class, reason: ended.body.reason }),
    answer: answer?.body.text ?? null,
    result: ended === null || answer === null ? null : resultOf(queued.body, answer.body),
    citations: ended === null || answer === null ? null : citationsView(answer.body),
    warnings: spec.warnings,
    waitingFor: waits,
    progress: progress === null ? null : { text: progress.body.text, percent: progress.body.percent },
    steps: ended?.body.steps ?? live?.step ?? 0,
    usage:
      ended === null && live === null ? null : usageView(ended?.body.usage ?? live?.used.usage ?? NO_USAGE),
    budgets: live === null ? null : budgetView(live),
    previousRunId: spec.previous?.run ?? null,
    parentRunId: parent === undefined ? null : runId(parent.session, parent.run),
    childRuns: [...childRunsOf(entries)],
    treeUsage: children === null ? null : usageView(children),
    metadata: spec.metadata,
    traceId: spec.traceId,
    firstSeq: queued.seq,
    lastSeq: ended?.seq ?? entries.at(-1)?.seq ?? queued.seq,
    createdAt: isoTime(queued.at),
    startedAt: started === undefined ? null : isoTime(started.at),
    endedAt: ended === null ? null : isoTime(ended.at),
    error:
      face === "failed"
        ? {
            code: ended?.body.reason ?? "failed",
            message: `The run ${endWords(face, ended?.body.reason)}.`,
          }
        : null,
  };
}

/** Returns usage of a run and its descendants, if the run started any. */
function treeUsageOf(
  entries: readonly Entry[],
  ended: Entry<"run_ended"> | null,
  live: State["run"],
): Usage | null {
  if (!entries.some(({ kind }) => kind === "call_deferred")) return null;
  if (ended !== null) return ended.body.tree?.usage ?? ended.body.usage;
  return live === null ? null : addUsage(live.used.usage, live.children?.usage ?? NO_USAGE);
}

/** Only a person can go on with a run that is paused; a wait for a provider ends by itself. */
export function liveStatus({ phase }: NonNullable<State["run"]>): "running" | "paused" {
  return waitsForPerson(phase) ? "paused" : "running";
}

function waitOf(phase: NonNullable<State["run"]>["phase"]): RunView["waitingFor"] {
  if (phase.at === "waiting_approval") {
    const { approval, expiresAt } = phase.approval;
    return { kind: "approval", id: approval, until: isoTime(expiresAt) };
  }
  if (phase.at === "waiting_human") {
    const { question, expiresAt } = phase.question;
    return { kind: "answer", id: question, until: isoTime(expiresAt) };
  }
  if (phase.at === "waiting_client") {
    const { call, expiresAt } = phase.client;
    return { kind: "client", id: call, until: isoTime(expiresAt) };
  }
  if (phase.at === "waiting_retry") return { kind: "provider", id: null, until: isoTime(phase.until) };
  return null;
}

/** A session in a list. */
export type SessionView = Answer<"Session">;

/** One session, whole. */
export interface SessionDetail extends SessionView {
  readonly activeRun: RunView | null;
  /** the queue waits until somebody lets it go on */
  readonly held: boolean;
  /** the next one first: people, webhooks, schedules and time capsules, the heartbeat; equal ones by age */
  readonly queue: readonly {
    readonly runId: string;
    readonly position: number;
    readonly text: string;
    readonly source: RunSource;
  }[];
  readonly policies: readonly PolicyView[];
}

/** A passage of a page that was read, and the position of a citation in the page. */
export type SourcePageView = Answer<"SourcePage">;
export type FactView = Answer<"Fact">;

/** The session's memory as its next prompt shows it, with each fact in full. */
export interface MemoryView {
  /** newest first */
  readonly entities: readonly EntityView[];
  /** newest first */
  readonly facts: readonly FactView[];
  /** what it takes of a prompt */
  readonly tokens: number;
  /** seq of the last entry of the log */
  readonly seq: number;
}

export interface EntityView {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  /** `slug` and `parent {type, id}`, where it has them */
  readonly fields: JsonObject;
  /** it is what "it" and "that page" mean */
  readonly focus: boolean;
  /** null where no tool put it there */
  readonly tool: string | null;
  readonly step: string | null;
  readonly seq: number;
}

/** An entry as the events list, its stream and the socket show it: the entry, its time as ISO 8601. */
export type Event<Kind extends EntryKind = EntryKind> = {
  [K in Kind]: Omit<Entry<K>, "at"> & { readonly at: string };
}[Kind];

export function eventOf(entry: Entry): Event {
  return { ...entry, at: new Date(entry.at).toISOString() };
}

/** The status of a run that has ended, by the class of its outcome. */
export const RUN_STATUS = {
  answered: "completed",
  partial: "completed",
  failed: "failed",
  cancelled: "cancelled",
} as const;
