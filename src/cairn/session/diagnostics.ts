import { channel, subscribe, unsubscribe, type Channel } from "node:diagnostics_channel";
import type { BodyOf, CallStatus, Entry, OutcomeClass, RunSource } from "../core/log/entry.ts";
import type { FinishReason, ModelErrorClass, Usage } from "../core/log/model.ts";
import { runId } from "../core/log/names.ts";

/**
 * Events of a session on channels of `node:diagnostics_channel`, for code in the same Worker: metrics, traces. They are made of
 * entries of the log, after these are stored, and hold ids, names, states, durations and usage, no texts and no arguments.
 * Every entry is published at most once: one that is stored by an isolate which ends before it publishes is never published.
 */

/** Fields of every event. */
interface EventAddress {
  readonly session: string;
  /** of the entry in the log of the session */
  readonly seq: number;
  /** milliseconds since the epoch */
  readonly at: number;
  /** public id of the run: `<session>.r3` */
  readonly run: string;
}

export type RunEvent = EventAddress &
  (
    | {
        readonly state: "queued";
        readonly agent: string;
        readonly model: string;
        readonly source: RunSource;
        readonly traceId: string | null;
      }
    | { readonly state: "started"; readonly model: string }
    | {
        readonly state: "ended";
        readonly outcome: OutcomeClass;
        /** null of a run that was plainly answered */
        readonly reason: string | null;
        readonly steps: number;
        readonly usage: Usage;
        /** without its waits */
        readonly activeMs: number;
      }
  );

export type StepEvent = EventAddress & { readonly step: string; readonly model: string } & (
    | { readonly state: "started"; readonly promptTokens: number }
    | {
        readonly state: "replied";
        readonly attempt: number;
        readonly finish: FinishReason;
        readonly calls: number;
        readonly usage: Usage;
        readonly ms: number;
        readonly firstTokenMs: number | null;
      }
    | {
        readonly state: "failed";
        readonly attempt: number;
        readonly class: ModelErrorClass;
        readonly then: BodyOf<"model_failed">["then"];
        readonly usage: Usage | null;
      }
  );

export type CallEvent = EventAddress & { readonly call: string; readonly tool: string } & (
    | { readonly state: "intended"; readonly attempt: number }
    | {
        readonly state: "settled";
        readonly attempt: number;
        readonly status: CallStatus;
        readonly ms: number;
        /** millionths of a US dollar; null where it costs nothing */
        readonly cost: number | null;
      }
  );

export type ApprovalEvent = EventAddress & { readonly approval: string; readonly call: string } & (
    | { readonly state: "requested"; readonly tool: string; readonly expiresAt: number }
    | { readonly state: "voted" }
    | { readonly state: "escalated"; readonly expiresAt: number }
    | { readonly state: "decided"; readonly decision: BodyOf<"approval_decided">["decision"] }
    | { readonly state: "cancelled" }
  );

/** The message of each channel. */
export interface DiagnosticEvents {
  readonly "cairn:run": RunEvent;
  readonly "cairn:step": StepEvent;
  readonly "cairn:call": CallEvent;
  readonly "cairn:approval": ApprovalEvent;
}

/**
 * Subscribes to a channel, for this isolate; the answer ends it. The listener runs while the session works: a throw is
 * reported and harms no run, but the listeners after it do not get that event.
 *
 *     onDiagnostics("cairn:call", (call) => {
 *       if (call.state === "settled") metrics.writeDataPoint({ blobs: [call.tool, call.status], doubles: [call.ms] });
 *     });
 */
export function onDiagnostics<Name extends keyof DiagnosticEvents>(
  name: Name,
  listener: (event: DiagnosticEvents[Name]) => void,
): () => void {
  const listen = (event: unknown): void => listener(event as DiagnosticEvents[Name]);
  subscribe(name, listen);
  return () => {
    unsubscribe(name, listen);
  };
}

type Makers<Event> = { readonly [Kind in Entry["kind"]]?: (body: BodyOf<Kind>) => Event };
type Fields<Event> = Event extends EventAddress ? Omit<Event, keyof EventAddress | "step"> : never;

const RUN: Makers<Fields<RunEvent>> = {
  run_queued: ({ spec, model, source }) => ({
    state: "queued",
    agent: spec.agent,
    model,
    source,
    traceId: spec.traceId,
  }),
  run_started: ({ model }) => ({ state: "started", model }),
  run_ended: ({ class: outcome, reason, steps, usage, activeMs }) => ({
    state: "ended",
    outcome,
    reason,
    steps,
    usage: { ...usage },
    activeMs,
  }),
};

const STEP: Makers<Fields<StepEvent>> = {
  step_started: ({ model, promptTokens }) => ({ state: "started", model, promptTokens }),
  model_replied: ({ model, attempt, finish, calls, usage, ms, firstTokenMs }) => ({
    state: "replied",
    model,
    attempt,
    finish,
    calls: calls.length,
    usage: { ...usage },
    ms,
    firstTokenMs,
  }),
  model_failed: ({ model, attempt, class: fault, then, usage }) => ({
    state: "failed",
    model,
    attempt,
    class: fault,
    then,
    usage: usage === null ? null : { ...usage },
  }),
};

const CALL: Makers<Fields<CallEvent>> = {
  call_intended: ({ call, tool, attempt }) => ({ state: "intended", call, tool, attempt }),
  call_settled: ({ call, tool, attempt, status, ms, cost = null }) => ({
    state: "settled",
    call,
    tool,
    attempt,
    status,
    ms,
    cost,
  }),
};

const APPROVAL: Makers<Fields<ApprovalEvent>> = {
  approval_requested: ({ approval, call, tool, expiresAt }) => ({
    state: "requested",
    approval,
    call,
    tool,
    expiresAt,
  }),
  approval_voted: ({ approval, call }) => ({ state: "voted", approval, call }),
  approval_escalated: ({ approval, call, expiresAt }) => ({ state: "escalated", approval, call, expiresAt }),
  approval_decided: ({ approval, call, decision }) => ({ state: "decided", approval, call, decision }),
  approval_cancelled: ({ approval, call }) => ({ state: "cancelled", approval, call }),
};

const CHANNELS: readonly (readonly [Channel, Makers<object>])[] = [
  [channel("cairn:run"), RUN],
  [channel("cairn:step"), STEP],
  [channel("cairn:call"), CALL],
  [channel("cairn:approval"), APPROVAL],
];

/**
 * Publishes entries that have just been stored. Makes nothing for a channel without a subscriber. Never throws: workerd passes on
 * the throw of a subscriber, and it is reported here.
 */
export function publishDiagnostics(
  session: string,
  entries: readonly Entry[],
  report: (error: unknown) => void,
): void {
  const watched = CHANNELS.filter(([each]) => each.hasSubscribers);
  if (watched.length === 0) return;
  for (const { kind, body, seq, at, run, step } of entries) {
    for (const [each, makers] of watched) {
      const make = makers[kind] as ((body: unknown) => object) | undefined;
      if (make === undefined || run === null) continue;
      const address = { session, seq, at, run: runId(session, run) };
      try {
        each.publish(step === null ? { ...address, ...make(body) } : { ...address, step, ...make(body) });
      } catch (error) {
        report(error);
      }
    }
  }
}
