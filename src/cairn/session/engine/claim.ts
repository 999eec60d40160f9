import { callText } from "../../call-prompts.ts";
import { promptNote } from "../../prompt-notes.ts";
import { admitCall, DAY_CAPS } from "../../core/guards/budget/admit.ts";
import { accountOf, leftOf, type Account } from "../../core/guards/budget/amounts.ts";
import { finalWallMs, timeoutFor, type Charging } from "../../core/guards/budget/reserve.ts";
import { RECOVERY_MS, RECOVERY_MS_MAX, MODEL_CALL_MS, TOOL_TIMEOUT_MS } from "../../core/limits.ts";
import { approvalDigest, digestOf } from "../../core/log/digest.ts";
import type { EntryDraft } from "../../core/log/entry.ts";
import { ownValue } from "../../core/log/json.ts";
import type { ModelFailure, ModelRequest } from "../../core/log/model.ts";
import { callKey, runId, stepName } from "../../core/log/names.ts";
import type { CallOrder } from "../../core/log/tool.ts";
import { labelCall } from "../../core/loop/class-label.ts";
import type { CallModel } from "../../core/loop/next.ts";
import { lookAgain } from "../../core/loop/retry.ts";
import { priceOf, type WindowList } from "../../core/model-tables.ts";
import { measurePrompt } from "../../core/prompt/measure.ts";
import { stepNotes } from "../../core/prompt/prompt.ts";
import { grantFailure, grantOf } from "../../core/entries/grant.ts";
import { ASK_HUMAN } from "../../core/entries/question.ts";
import { argumentsOf, failedResult, settleCall } from "../../core/entries/settle.ts";
import { decisionOf, openStep, workingPhase, waitsForPerson, type Call } from "../../core/state/run/phase.ts";
import { MODEL_UNAVAILABLE } from "../../core/state/run/failures.ts";
import { UPDATE_PLAN } from "../../core/state/plan.ts";
import type { LiveRun, QueuedRun, State } from "../../core/state/state.ts";
import { compactEntries, composeRequest, type Composed } from "./compose-request.ts";
import { loadFiles } from "./files.ts";
import type { ChildOrder, Ports } from "./ports.ts";
import { beginsAttempts, openAttempts } from "./family/attempts.ts";
import { patchOf } from "./run-hooks.ts";
import type { Transaction } from "./transaction.ts";

/** A claimed effect, with everything needed to perform it. */
export type Claimed = { readonly no: number; readonly step: string } & (
  | {
      readonly kind: "model";
      readonly request: ModelRequest;
      /** the reason not to send it, or null */
      readonly fault: ModelFailure | null;
      readonly run: string;
      readonly base: number;
      readonly readTo: number;
      readonly call: Pick<CallModel, "n" | "purpose">;
      /** for computing the charge */
      readonly charge: Charging;
    }
  /** the answer is the class of the run that begins next */
  | {
      readonly kind: "label";
      readonly request: ModelRequest;
      readonly run: string;
      readonly charge: Charging;
    }
  | { readonly kind: "tools"; readonly orders: readonly CallOrder[]; readonly tools: Ports["tools"] }
  | { readonly kind: "preview"; readonly order: CallOrder; readonly tools: Ports["tools"] }
  | { readonly kind: "child"; readonly call: string; readonly wait: boolean; readonly order: ChildOrder }
);

/**
 * No model is available in this deployment: the run notes it once and waits. The wait is no phase, so the run continues
 * with the next message once a model is available.
 */
export function awaitModel(tx: Transaction, run: LiveRun): null {
  const last = tx.entriesOf(run).current.at(-1);
  const isReported = last?.kind === "note" && last.body.code === NO_MODEL.code;
  if (!isReported) tx.append([{ kind: "note", run: run.run, step: null, body: NO_MODEL }]);
  tx.release();
  tx.arm(lookAgain(isReported ? last.at : tx.at, tx.at));
  return null;
}

const NO_MODEL = {
  code: MODEL_UNAVAILABLE,
  text: "No model can be called, so this run waits: GET /healthz names the variable to fix. It goes on by itself then.",
};

/**
 * Claims a model call that its run can pay: writes step_started once, with the reservation, and composes the prompt
 * from the entries of this very transaction. Null if something else comes first, which is then written.
 */
export function openModelCall(
  tx: Transaction,
  run: LiveRun,
  call: CallModel,
  ports: Ports,
): (Claimed & { readonly kind: "model" }) | null {
  if (beginsAttempts(tx.entriesOf(run).current, call)) {
    openAttempts(tx, run, call, ports);
    return null;
  }
  const patch = patchOf(tx, run, call, ports);
  const { prices, day = DAY_CAPS, session } = ports.facts;
  const compose = (): Composed => composeRequest(tx, run, call, patch, ports);
  let composed = compose();
  const price = priceOf(composed.model, prices);
  const { outputTokens } = run.limits;
  const wanted = {
    estimate: composed.tokens,
    maxOut: patch.maxOutputTokens ?? outputTokens,
    price,
    contextCap: composed.cap,
  };
  const admitted = admitCall(tx.state, run, call, wanted, tx.at, day);
  if (admitted.do === "record") {
    tx.append([admitted.entry]);
    return null;
  }
  const before = [
    ...compactEntries(tx, run, call, patch, composed, ports),
    ...admitted.notes,
    ...notesBefore(tx, run, call, ports),
  ];
  if (before.length > 0) {
    tx.append(before);
    composed = composeRequest(tx, liveRunOf(tx.state), call, patch, ports);
  }
  const { model, dialect, takesWritten, reasoningAlways, instructions, messages, tools } = composed;
  const { reserved, maxOut } = admitted;
  const readTo = tx.state.head;
  if (!call.opened) {
    const body = {
      purpose: call.purpose,
      model,
      ...(dialect === "native" ? {} : { dialect }),
      n: call.n,
      window: { from: composed.from, to: readTo },
      ...measurePrompt(instructions, messages),
      promptTokens: composed.tokens,
      size: composed.size,
      reservedTokens: reserved.tokens,
      reservedCost: reserved.cost,
      maxOut,
      ...(Object.keys(patch).length === 0 ? {} : { patch }),
    };
    tx.append([{ kind: "step_started", run: run.run, step: call.step, body }]);
  }
  const open = openStep(tx.state.run ?? run);
  if (open === null) throw new Error(`step ${call.step} is not open`);
  const { attempt, base } = open;
  const claim = tx.take(call.step);
  tx.armRecovery(recoveryDelay(attempt));
  const request: ModelRequest = {
    model,
    session,
    step: call.step,
    attempt,
    instructions,
    messages: loadFiles(ports.store, messages),
    dialect,
    takesWritten,
    ...(reasoningAlways === undefined ? {} : { reasoningAlways }),
    tools,
    maxOutputTokens: maxOut,
    temperature: patch.temperature ?? run.request.temperature,
    timeoutMs: timeFor(accountOf(tx.state, run, tx.at), call.purpose),
  };
  const charge = { estimate: composed.tokens, price, reserved };
  const address = { no: claim.no, step: call.step, run: run.run, base, readTo };
  const fault = windowFault(composed, ports.facts.windows);
  return { ...address, kind: "model", request, fault, call: { n: call.n, purpose: call.purpose }, charge };
}

/**
 * Returns the failure of a request that exceeds its model's configured window (`MODEL_WINDOWS`): a server may truncate
 * silently, and the instructions come first. Null if it fits, or if no window is configured.
 */
function windowFault({ model, tokens }: Composed, windows: WindowList = {}): ModelFailure | null {
  const window = ownValue(windows, model);
  if (window === undefined || tokens <= window) return null;
  return {
    class: "context_overflow",
    message: `The request needs about ${tokens} tokens, and MODEL_WINDOWS says that ${model} takes ${window}: offer it fewer tools, shorten the instructions, or name a model that takes more.`,
    retryAfterMs: null,
    usage: null,
  };
}

/**
 * Claims the call that labels the class of the run that begins next: it is on disk before it is made. Null if none is
 * needed.
 */
export function openLabel(
  tx: Transaction,
  queued: QueuedRun,
  messages: Parameters<typeof labelCall>[2],
  { tools, facts }: Pick<Ports, "tools" | "facts">,
): Claimed | null {
  const { prices, day = DAY_CAPS, session } = facts;
  const price = priceOf(queued.request.model, prices);
  const call = labelCall(tx.state, queued, messages, tools.cards(), {
    instructions: callText("sort-request"),
    price,
    day,
    at: tx.at,
    words: facts.words,
  });
  if (call === null) return null;
  const { entry, request, charge } = call;
  tx.append([entry]);
  const { no } = tx.take(request.step);
  tx.armRecovery(recoveryDelay(1));
  const address = { no, step: request.step, run: queued.run };
  return { ...address, kind: "label", request: { ...request, session }, charge };
}

/** Returns notes that precede a step: once, because their entry follows in the same transaction. */
function notesBefore(tx: Transaction, run: LiveRun, call: CallModel, ports: Ports): readonly EntryDraft[] {
  if (call.opened || call.purpose !== "step") return [];
  const entries = tx.entriesOf(run).current;
  const grant = grantOf(entries);
  // A question is no progress report.
  const sends = ports.tools
    .cards()
    .filter(({ name, traits }) => traits.kind === "send" && name !== ASK_HUMAN);
  return stepNotes(tx.state, run, entries, call, tx.at, {
    canPlan: grant.has(UPDATE_PLAN),
    canSend: sends.some((card) => grant.has(card.name)),
    isLive: ports.audience.watched?.() ?? false,
    noteText: promptNote,
  });
}

export function liveRunOf(state: State): LiveRun {
  if (state.run === null) throw new Error("no run is live");
  return state.run;
}

/** Returns the remaining time of the run; its reserve belongs to the answer. */
function timeFor(account: Account, purpose: "step" | "final"): number {
  if (purpose === "step") return timeoutFor(MODEL_CALL_MS, account);
  return Math.min(MODEL_CALL_MS, Math.max(finalWallMs(account.limit), leftOf(account).wall));
}

/**
 * Claims a batch of calls: an intent entry for each before any of them runs. First the arguments of an approved call
 * are compared with the digest that was shown; a difference settles the call and returns null.
 */
export function openTools(
  tx: Transaction,
  run: LiveRun,
  calls: readonly Call[],
  ports: Ports,
): Claimed | null {
  const step = stepName(run.run, run.step);
  const orders: CallOrder[] = [];
  const intents: EntryDraft[] = [];
  for (const call of calls) {
    const order = orderOf(tx, run, call, ports, call.attempts + 1);
    if (order === null) return null;
    orders.push(order);
    const { key, attempt } = order;
    const body = {
      call: call.call,
      tool: call.tool,
      effect: call.effect,
      argsDigest: call.argsDigest,
      key,
      attempt,
    };
    intents.push({ kind: "call_intended", run: run.run, step, body });
  }
  tx.append(intents);
  const claim = tx.take(calls[0]?.call ?? step);
  tx.armRecovery(recoveryDelay(Math.max(...orders.map((order) => order.attempt))));
  return { no: claim.no, step, kind: "tools", orders, tools: ports.tools };
}

export function openPreview(tx: Transaction, run: LiveRun, call: Call, ports: Ports): Claimed | null {
  const order = orderOf(tx, run, call, ports, call.previewInterruptions + 1);
  if (order === null) return null;
  const claim = tx.take(`${call.call}.preview`);
  tx.armRecovery(recoveryDelay(order.attempt));
  const step = stepName(run.run, run.step);
  return { no: claim.no, step, kind: "preview", order, tools: ports.tools };
}

type NamedSession = Pick<Ports, "facts" | "createdAt">;

/** Returns the digest that an approval of this call is bound to. */
export function digestOfCall(
  { facts, createdAt }: NamedSession,
  run: LiveRun,
  tool: string,
  args: unknown,
): string {
  return approvalDigest({
    args,
    run: runId(facts.session, run.run),
    step: stepName(run.run, run.step),
    tool,
    sessionAt: createdAt?.() ?? null,
  });
}

/** True for a decision on these arguments. A request by an earlier release has a digest of version 1. */
const isDecided = (ports: NamedSession, run: LiveRun, tool: string, args: unknown, digest: string): boolean =>
  digest === digestOfCall(ports, run, tool, args) ||
  digest === digestOfCall({ facts: ports.facts }, run, tool, args);

/** The idempotency key of a call, the same for each of its attempts. */
export const keyOf = ({ facts, createdAt }: NamedSession, { call }: Call): string =>
  callKey(facts.session, createdAt?.() ?? null, call);

/** Returns the call as it runs now; null if it must not run, and its result is then written. */
export function orderOf(
  tx: Transaction,
  run: LiveRun,
  call: Call,
  ports: Ports,
  attempt: number,
): CallOrder | null {
  const { session } = ports.facts;
  const entries = tx.entriesOf(run).current;
  const args = argumentsOf(entries, call);
  const decision = decisionOf(call);
  const changed = args === null || digestOf(args.input) !== call.argsDigest;
  const unapproved =
    args !== null && decision !== null && !isDecided(ports, run, args.tool, args.input, decision.digest);
  const card = ports.tools.cards().find((item) => item.name === call.tool);
  const notGranted = grantFailure(grantOf(entries), call.tool, card);
  if (notGranted !== null) {
    tx.append(settleCall(run, activeCalls(run), call, failedResult("refused", notGranted)));
    return null;
  }
  if (args === null || changed || unapproved) {
    const failure = {
      class: "conflict",
      code: "approval_mismatch",
      message: "The arguments are not the ones that were decided on, so nothing was done.",
      retryable: false,
      hint: "Propose the call again.",
    } as const;
    tx.append(settleCall(run, activeCalls(run), call, failedResult("error", failure)));
    return null;
  }
  return {
    call: call.call,
    tool: call.tool,
    input: args.input,
    key: keyOf(ports, call),
    run: runId(session, run.run),
    subject: run.request.actor,
    attempt,
    at: tx.at,
    timeMs: timeoutFor(card?.timeoutMs ?? TOOL_TIMEOUT_MS, accountOf(tx.state, run, tx.at)),
    approved: decision === null ? null : { approval: decision.approval, basis: decision.basis },
  };
}

/** Returns the active calls of a step; none if the run is ending. */
export function activeCalls(run: LiveRun): readonly Call[] {
  const phase = workingPhase(run.phase);
  return phase.at === "acting" || waitsForPerson(phase) ? phase.calls : [];
}

/** Returns the delay of recovery after a crash without a restart: grows with the attempt, up to a cap. */
export function recoveryDelay(attempt: number): number {
  return Math.min(RECOVERY_MS_MAX, RECOVERY_MS * 2 ** (attempt - 1));
}
