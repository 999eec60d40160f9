import { CLAIMS_MAX, FALLBACK_CLAIMS_MIN } from "../limits.ts";
import { digestOf } from "../log/digest.ts";
import type { BodyOf, Entry, ProposedCall } from "../log/entry.ts";
import { addUsage, reservedUsage, type Usage } from "../log/model.ts";
import { endingOf, OUTCOMES } from "../log/run.ts";
import { changeApproval } from "./apply-approval.ts";
import { isPassing } from "./breakers.ts";
import { callOf, callsOf, changeCall, PhaseError, working } from "./calls.ts";
export { PhaseError, working } from "./calls.ts";
import { measured } from "./prompt-size.ts";
import type { OpenQuestion, Acting, Call, LiveRun, Once, OpenStep, Phase, Thinking } from "./state.ts";

/** What an entry of a live run does to it: one case for each kind. */

export const THINKING: Thinking = { at: "thinking", why: "step", reason: null, empty: 0, open: null };

/** The run after one of its entries. Throws PhaseError where the table has no such change. */
export function changeRun(run: LiveRun, entry: Entry): LiveRun {
  const phase = working(run.phase);
  switch (entry.kind) {
    case "step_started": {
      if (phase.at !== "thinking" || phase.open !== null) throw new PhaseError(entry, run.phase.at);
      const { size, reservedCost, maxOut } = entry.body;
      const open = {
        n: entry.body.n,
        attempt: 1,
        base: entry.seq,
        interruptions: 0,
        tries: 0,
        reserved: entry.body.reservedTokens,
        reservedCost,
        maxOut,
        asked: { model: entry.body.model, size },
      };
      return { ...run, step: entry.body.n, phase: { ...phase, open } };
    }
    case "attempt_lost":
      return {
        ...run,
        interruptions: run.interruptions + 1,
        usage: addUsage(run.usage, lostUsage(run, entry)),
        phase: loseAttempt(run.phase, entry),
      };
    case "model_replied":
      return applyReply(run, entry);
    case "model_failed":
      if (phase.at !== "thinking" || phase.open === null) throw new PhaseError(entry, run.phase.at);
      return failAttempt(run, { ...phase, open: phase.open }, entry);
    case "call_intended": {
      const { attempts, traits } = callOf(run, entry);
      const counts = attempts === 0 && (traits?.kind ?? "work") === "work";
      const changed = changeCall(run, entry, (call) => ({ running: true, attempts: call.attempts + 1 }));
      return { ...changed, toolCalls: run.toolCalls + (counts ? 1 : 0) };
    }
    case "call_settled": {
      const failed = entry.body.status !== "ok";
      const changed = changeCall(run, entry, () => ({
        running: false,
        settled: true,
        failed,
        status: entry.body.status,
      }));
      const acting = working(changed.phase);
      const over = acting.at === "acting" && acting.calls.every((call) => call.settled);
      const sent = callOf(run, entry).traits?.kind === "send" && isDelivered(entry);
      return {
        ...changed,
        anyOk: run.anyOk || !failed,
        sends: run.sends + (sent ? 1 : 0),
        phase: over ? THINKING : changed.phase,
      };
    }
    case "approval_requested":
    case "approval_voted":
    case "approval_escalated":
    case "approval_decided":
    case "approval_cancelled":
      return changeApproval(run, entry);
    case "human_asked": {
      if (phase.at !== "acting" && phase.at !== "thinking") throw new PhaseError(entry, run.phase.at);
      const question = openQuestion(entry.seq, entry.body);
      return { ...run, phase: { at: "waiting_human", calls: callsOf(run), question } };
    }
    case "human_answered": {
      if (phase.at !== "waiting_human" || phase.question.question !== entry.body.question)
        throw new PhaseError(entry, run.phase.at);
      const { calls, question } = phase;
      if (entry.body.expired && question.ends)
        return { ...run, phase: { at: "ending", outcome: "expired", reason: "question_expired", calls } };
      const request = entry.body.request ?? run.request;
      return { ...run, request, phase: question.call === null ? THINKING : { at: "acting", calls } };
    }
    case "verdict":
      return applyGuard(run, entry);
    case "plan_changed":
      return run;
    case "compacted":
      if (phase.at !== "thinking") throw new PhaseError(entry, run.phase.at);
      return run;
    case "answer":
      return { ...run, answer: entry.seq };
    default:
      throw new PhaseError(entry, run.phase.at);
  }
}

function applyReply(run: LiveRun, entry: Entry<"model_replied">): LiveRun {
  const phase = working(run.phase);
  if (phase.at !== "thinking" || phase.open === null) throw new PhaseError(entry, run.phase.at);
  const { calls, parts, finish } = entry.body;
  const said = parts.some((part) => part.type === "text" && part.text.trim() !== "");
  const usable =
    finish === "aborted" || (calls.length === 0 ? said : calls.some((call) => call.refused === null));
  const next: Phase =
    calls.length > 0
      ? { at: "acting", calls: calls.map((call): Call => proposed(call, entry.seq)) }
      : { ...phase, open: null, empty: phase.why === "final" ? phase.empty + 1 : 0 };
  const asked = askedFor(run, entry);
  const mark = asked === null ? null : measured(asked.model, asked.size, entry.body.usage);
  const { measured: _before, ...rest } = run;
  return {
    ...rest,
    ...(mark === null ? {} : { measured: mark }),
    usage: addUsage(run.usage, entry.body.usage),
    unusableReplies: usable ? 0 : run.unusableReplies + 1,
    truncatedReplies: finish === "length" || finish === "content-filter" ? run.truncatedReplies + 1 : 0,
    unread: run.unread.filter((seq) => seq > entry.body.readTo),
    latestText: calls.length > 0 && said ? entry.seq : run.latestText,
    phase: next,
  };
}

/** The request that a reply answers, where it is the one that the step's row tells of: what is said later may add to it. */
export function askedFor(run: LiveRun | null, { body }: Entry<"model_replied">): OpenStep["asked"] | null {
  const phase = run === null ? null : working(run.phase);
  const open = phase?.at === "thinking" ? phase.open : null;
  return open?.attempt === 1 && body.attempt === 1 ? open.asked : null;
}

/** A send of unknown outcome counts as delivered, one that was answered from the log does not. */
function isDelivered({ body }: Entry<"call_settled">): boolean {
  return (body.status === "ok" || body.status === "unknown") && body.reusedFrom === null;
}

/** The run with its models in another order; with the first one again, it is away from it no more. */
function withModels(run: LiveRun, models: readonly string[] | undefined, at: number): LiveRun {
  const [model, ...fallbacks] = models ?? [];
  if (model === undefined || model === run.model) return run;
  const { fallbackSince = { model: run.model, since: at }, ...rest } = run;
  return { ...rest, model, fallbacks, ...(model === fallbackSince.model ? {} : { fallbackSince }) };
}

/** Nobody knows what a lost attempt has cost: it is charged with all that it reserved. */
function lostUsage(run: LiveRun, entry: Entry<"attempt_lost">): Usage | null {
  const phase = working(run.phase);
  if (phase.at !== "thinking" || phase.open === null) return null;
  return reservedUsage(phase.open.reserved, entry.body.cost);
}

function loseAttempt(before: Phase, entry: Entry<"attempt_lost">): Phase {
  const phase = working(before);
  const { what, effect } = entry.body;
  if (what === "model") {
    if (phase.at !== "thinking" || phase.open === null) throw new PhaseError(entry, before.at);
    const open = {
      ...phase.open,
      attempt: phase.open.attempt + 1,
      interruptions: phase.open.interruptions + 1,
      base: entry.seq,
    };
    return { ...phase, open };
  }
  if (phase.at !== "acting") throw new PhaseError(entry, before.at);
  const calls = phase.calls.map((call) => {
    if (call.call !== effect) return call;
    return what === "preview"
      ? { ...call, previewInterruptions: call.previewInterruptions + 1 }
      : { ...call, running: false, interruptions: call.interruptions + 1 };
  });
  return { at: "acting", calls };
}

function applyGuard(run: LiveRun, entry: Entry<"verdict">): LiveRun {
  const { act, call, code, rule, until } = entry.body;
  switch (act) {
    case "note":
      return { ...run, ...noted(run, entry) };
    case "reask":
      return run;
    case "retry": {
      const changed = changeCall(run, { ...entry, body: { ...entry.body, call: call ?? "" } }, (item) => ({
        running: false,
        tries: item.tries + 1,
      }));
      const back: Acting = { at: "acting", calls: callsOf(changed) };
      return {
        ...changed,
        retries: run.retries + 1,
        phase: { at: "waiting_retry", until: until ?? entry.at, back },
      };
    }
    case "wait": {
      const phase = working(run.phase);
      const back = phase.at === "thinking" ? phase : ({ at: "acting", calls: callsOf(run) } as const);
      const waiting = { at: "waiting_retry", until: until ?? entry.at, back } as const;
      return { ...withModels(run, entry.body.models, entry.at), phase: waiting };
    }
    case "force":
      return { ...run, phase: { ...THINKING, why: "final", reason: rule } };
    case "end": {
      return { ...run, phase: { at: "ending", ...endingOf(code, rule), calls: callsOf(run) } };
    }
  }
}

const ONCE: readonly Once[] = ["EXTENDED", "PROMOTED", "WRAP_UP"];

/** What a note about the budget does: it may bring the run more, and most are said once. */
function noted(run: LiveRun, { body }: Entry<"verdict">): Partial<LiveRun> {
  const { limits = run.limits, profile = run.profile } = body;
  const code = ONCE.find((one) => one === body.code);
  return { limits, profile, ...(code === undefined ? {} : { once: [...run.once, code] }) };
}

/** The run after a model call that failed: its step stays open for the next attempt, or the run comes to its end. */
function failAttempt(
  run: LiveRun,
  phase: Thinking & { readonly open: OpenStep },
  entry: Entry<"model_failed">,
): LiveRun {
  const open: OpenStep = {
    ...phase.open,
    attempt: phase.open.attempt + 1,
    base: entry.seq,
    tries: phase.open.tries + 1,
  };
  const usage = addUsage(run.usage, entry.body.usage);
  switch (entry.body.then) {
    case "retry": {
      const back = { ...phase, open };
      const until = entry.body.until ?? entry.at;
      return { ...run, usage, retries: run.retries + 1, phase: { at: "waiting_retry", until, back } };
    }
    case "compact":
      return { ...run, usage, phase: { ...phase, open: { ...open, overflowed: true } } };
    case "force":
      return { ...run, usage, phase: { ...phase, open } };
    case "fallback": {
      const [model, ...fallbacks] = run.fallbacks.slice(entry.body.passed ?? 0);
      const { overflowed: _other, ...next } = open;
      const interruptions = Math.min(open.interruptions, CLAIMS_MAX[phase.why] - FALLBACK_CLAIMS_MIN);
      // A provider that is down may come back; one that refuses is not asked again.
      const fallbackSince = run.fallbackSince ?? { model: run.model, since: entry.at };
      return {
        ...run,
        usage,
        model: model ?? run.model,
        fallbacks,
        ...(isPassing(entry.body.class) ? { fallbackSince } : {}),
        phase: { ...phase, open: { ...next, tries: 0, interruptions } },
      };
    }
    case "end": {
      const outcome = OUTCOMES[entry.body.class] ?? "failed_provider";
      const reason = entry.body.class === "context_overflow" ? "context" : `provider:${entry.body.class}`;
      return { ...run, usage, phase: { at: "ending", outcome, reason, calls: [] } };
    }
  }
}

/** A call of a reply, before anything was done about it. `seq`: of the reply. */
export function proposed(call: ProposedCall, seq: number): Call {
  return {
    call: call.call,
    tool: call.tool,
    effect: call.effect,
    gate: call.gate,
    argsDigest: digestOf(call.input),
    argsAt: seq,
    duplicateOf: call.duplicateOf,
    running: false,
    settled: false,
    failed: false,
    status: null,
    attempts: 0,
    interruptions: 0,
    previewInterruptions: 0,
    tries: 0,
    asked: 0,
    decision: null,
    ...(call.traits === undefined ? {} : { traits: call.traits }),
    ...(call.access === undefined ? {} : { access: call.access }),
  };
}

/** What the state keeps of an open question; its words are in its row. */
export function openQuestion(seq: number, body: BodyOf<"human_asked">): OpenQuestion {
  const { question, call, expiresAt, otherwise } = body;
  return { question, call, expiresAt, seq, ends: otherwise === "end" && body.default === null };
}
