import { requestTokensOf } from "../../core/guards/budget/profiles.ts";
import { mayOffer } from "../../core/guards/permissions.ts";
import { quarantineFailure } from "../../core/guards/quarantine.ts";
import { EARLIER_SHARE, COMPACT_SHARE, OVERFLOW_SHARE } from "../../core/limits.ts";
import type { BodyOf, Entry, EntryDraft } from "../../core/log/entry.ts";
import type {
  PromptSize,
  PromptMessage,
  StepPatch,
  ToolOffer,
  ModelFailure,
  Usage,
} from "../../core/log/model.ts";
import { FIND_TOOL, stepName } from "../../core/log/names.ts";
import { finderOffer, hiddenCards, namesFound, taughtNames } from "../../core/loop/find-tools.ts";
import type { CallModel } from "../../core/loop/next.ts";
import { modelFailed } from "../../core/loop/retry.ts";
import { requestCap, windowOf } from "../../core/model-tables.ts";
import { compaction, compactionDue, isRecap } from "../../core/prompt/compaction.ts";
import { plainMessages } from "../../core/prompt/plain.ts";
import { isSpare } from "../../core/guards/budget/spare.ts";
import { modulesOf } from "../../core/prompt/modules.ts";
import { composeMessages } from "../../core/prompt/prompt.ts";
import { inputTokensFor } from "../../core/prompt/transcript.ts";
import { offerPrompt } from "../../core/dialects/offer.ts";
import { renderMessages } from "../../core/dialects/render.ts";
import { requestOf } from "../../core/guards/review/decide.ts";
import type { Check } from "../../core/loop/answer.ts";
import { dialectFor } from "../../core/loop/start-run.ts";
import type { Dialect } from "../../core/log/model.ts";
import { asksForCode } from "../../core/loop/written-call.ts";
import { grantFailure, grantOf, specOf, unknownTool, type Grant } from "../../core/entries/grant.ts";
import { forceEntry } from "../../core/entries/verdict.ts";
import { openStep } from "../../core/state/run/phase.ts";
import { guardConfig } from "../../core/state/loop-memory.ts";
import { mayPlan, UPDATE_PLAN } from "../../core/state/plan.ts";
import { estimateRequest, sizeOf } from "../../core/state/prompt-size.ts";
import type { LiveRun } from "../../core/state/state.ts";
import type { RunSpec } from "../../core/log/run-spec.ts";
import type { ToolCard } from "../../core/log/tool.ts";
import type { Profile } from "../../core/log/verdict.ts";
import type { Redact } from "../../core/text/redact.ts";
import { promptNote } from "../../prompt-notes.ts";
import type { Ports } from "./ports.ts";
import { patchOf } from "./run-hooks.ts";
import type { RunEntries, Transaction } from "./transaction.ts";

/** A request as it would be sent now, with its size. */
export interface Composed {
  readonly model: string;
  readonly dialect: Dialect;
  readonly takesWritten: boolean;
  readonly reasoningAlways?: boolean;
  readonly instructions: string;
  /** the block that changes every step last */
  readonly messages: readonly PromptMessage[];
  readonly tools: readonly ToolOffer[];
  /** tokens of the whole, estimated */
  readonly tokens: number;
  readonly size: PromptSize;
  /** tokens that a request of this model may have */
  readonly cap: number;
  /** seq of the first entry that it is made of */
  readonly from: number;
}

/** The instructions of a deployment's agents hardly change, and are long: they are scrubbed once for a redactor. */
const instructionsOf = new WeakMap<Redact, Map<string, string>>();
const INSTRUCTIONS_CACHED = 8;

function scrubbed(text: string, redact: Redact): string {
  const known = instructionsOf.get(redact) ?? new Map<string, string>();
  const found = known.get(text);
  if (found !== undefined) return found;
  if (known.size >= INSTRUCTIONS_CACHED) known.clear();
  const made = redact(text);
  instructionsOf.set(redact, known.set(text, made));
  return made;
}

/** The request of a step, made anew from the entries of this transaction, or from these. */
export function composeRequest(
  tx: Pick<Transaction, "state" | "at" | "entriesOf" | "valueOf">,
  run: LiveRun,
  call: Pick<CallModel, "n" | "purpose">,
  patch: StepPatch,
  { facts, tools, redact }: Pick<Ports, "facts" | "tools" | "redact">,
  entries: RunEntries = tx.entriesOf(run),
): Composed {
  const model = patch.model ?? run.models.current;
  const spec = specOf(entries.current);
  const found = namesFound(entries.current);
  const taught = taughtNames(tools.cards(), spec.tools, found);
  const modules = modulesOf(tools.prompts(taught), spec, guardConfig(run).profile);
  const dialect = dialectFor(spec.dialect, model, run.models.withoutTools, facts.dialect);
  const words = scrubbed(facts.instructions(modules, spec.instructions, spec.options), redact);
  const { n, purpose } = call;
  const { windows = {} } = facts;
  const added = patch.instructions ?? null;
  const window = windowOf(windows, model);
  const inputTokensMax = inputTokensFor(window, entries.current);
  const earlierTokensMax = Math.floor(window * EARLIER_SHARE);
  const transcript = facts.transcript(model, spec.transcript);
  const local = facts.localTime?.(tx.at) ?? null;
  const step = { n, purpose, transcript, inputTokensMax, earlierTokensMax, added, local, spec };
  const composed = composeMessages(tx.state, run, { ...entries, valueOf: tx.valueOf }, step, tx.at);
  const isOffered = purpose !== "final" && patch.toolChoice !== "none";
  const granted = isOffered
    ? offered(offersFor(tools, run, entries.current, [...found, ...(patch.tools ?? [])]), patch)
    : [];
  const offer = offerPrompt(dialect, granted, spec, promptNote);
  const instructions = offer === "" ? words : `${words}\n\n${offer}`;
  const isPlain = run.models.plain?.includes(model) === true;
  const written = (of: readonly PromptMessage[]): readonly PromptMessage[] =>
    renderMessages(dialect, isPlain ? plainMessages(of) : of);
  const messages = written(composed.messages);
  const earlier = written(composed.earlier);
  const request = { model, instructions, messages, tools: dialect === "native" ? granted : [] };
  return {
    ...request,
    ...(run.models.reasoning?.includes(model) === true ? { reasoningAlways: true } : {}),
    tools: granted,
    dialect,
    takesWritten: granted.length > 0 && !asksForCode(requestOf(run, entries.current)),
    tokens: estimateRequest(request, tx.state.factors, run.models.measured),
    size: sizeOf(request, earlier),
    cap: Math.min(
      requestCap(windows, model, patch.maxOutputTokens ?? run.limits.outputTokens),
      spec.requestTokens ?? requestTokensOf(run.profile) ?? Infinity,
    ),
    from: entries.history[0]?.seq ?? run.request.inputSeq,
  };
}

/** Made once for a run in an isolate: who asks and what was granted stay as they are, and whatever was read takes away no tool. */
const offersOf = new WeakMap<
  Grant,
  {
    readonly run: string;
    readonly profile: Profile;
    readonly found: string;
    readonly offers: readonly ToolOffer[];
  }
>();

/** Returns the tools that the run was granted and the requester may use: the short list, then found tools. */
export function offersFor(
  tools: Ports["tools"],
  run: LiveRun,
  entries: readonly Entry[],
  names: readonly string[] = namesFound(entries),
): readonly ToolOffer[] {
  const grant = grantOf(entries);
  const known = offersOf.get(grant);
  const { profile } = guardConfig(run);
  const found = names.join();
  if (known?.run === run.run && known.profile === profile && known.found === found) return known.offers;
  const hidden = hiddenCards(tools.cards(), run, entries);
  const offers = withFound(chooseOffers(tools, run, grant, specOf(entries).tools), hidden, names, profile);
  offersOf.set(grant, { run: run.run, profile, found, offers });
  return offers;
}

/** The offers of the first step stay as they are, and those that were found come behind them: the prefix is the same. */
function withFound(
  offers: readonly ToolOffer[],
  hidden: readonly ToolCard[],
  found: readonly string[],
  profile: Profile,
): readonly ToolOffer[] {
  // A lean run has its few tools, and finds none.
  if (isSpare(profile)) return offers;
  const names = new Set(hidden.map(({ name }) => name));
  const byName = new Map(offers.map((offer) => [offer.name, offer]));
  const first = offers.flatMap((offer) => {
    if (offer.name === FIND_TOOL) return hidden.length === 0 ? [] : [finderOffer(offer, hidden)];
    return names.has(offer.name) ? [] : [offer];
  });
  const later = found.flatMap((name) => (names.has(name) ? (byName.get(name) ?? []) : []));
  return [...first, ...later];
}

function chooseOffers(
  tools: Ports["tools"],
  run: LiveRun,
  grant: Grant,
  named: RunSpec["tools"],
): readonly ToolOffer[] {
  const cards = new Map(tools.cards().map((card) => [card.name, card]));
  const { profile } = guardConfig(run);
  const plans = mayPlan(profile);
  /** A lean run has few tools, and those that were asked for by their names. */
  const isLeftOut = (card: ToolCard): boolean =>
    isSpare(profile) &&
    card.lean !== true &&
    card.traits.kind !== "send" &&
    named?.includes(card.name) !== true;
  return tools.offers().filter(({ name }) => {
    const card = cards.get(name);
    if (name === UPDATE_PLAN && !plans) return false;
    return grant.has(name) && card !== undefined && !isLeftOut(card) && mayOffer(run, card);
  });
}

function offered(granted: readonly ToolOffer[], patch: StepPatch): readonly ToolOffer[] {
  return patch.tools === undefined ? granted : granted.filter((offer) => patch.tools?.includes(offer.name));
}

/**
 * Creates the check of proposed calls. It refuses those not granted, unknown, withheld in quarantine, or not matching
 * their schema.
 */
export function checkIn(tx: Transaction, run: LiveRun, { tools }: Pick<Ports, "tools">): Check {
  const entries = tx.entriesOf(run).current;
  const grant = grantOf(entries);
  const spec = specOf(entries);
  return (call) => {
    const checked = tools.check(call.tool, call.input, call.malformed);
    const withheld = quarantineFailure(spec, run, tx.state.ended, call, tools.notOffered());
    if (withheld !== null) return { ok: false, card: checked.card, failure: withheld };
    if (checked.card === null) {
      const offered = offersFor(tools, run, entries).map((offer) => offer.name);
      const hidden = hiddenCards(tools.cards(), run, entries).map(({ name }) => name);
      return { ok: false, card: null, failure: unknownTool(call.tool, [...offered, ...hidden]) };
    }
    const failure = grantFailure(grant, call.tool, checked.card);
    return failure === null ? checked : { ok: false, card: checked.card, failure };
  };
}

/** Sums up the middle of a run where its next request would be too large: one entry, made once. */

/**
 * The entry that comes before the request of this step; none while there is no need, or nothing to sum up. A step that has begun
 * is compacted only where it does not fit the model that it went on with.
 */
export function compactEntries(
  tx: Transaction,
  run: LiveRun,
  call: CallModel,
  patch: StepPatch,
  composed: Composed,
  ports: Ports,
): readonly EntryDraft[] {
  const entries = tx.entriesOf(run).current;
  const policy = ports.facts.transcript(composed.model, specOf(entries).transcript);
  const due = call.opened ? composed.tokens > composed.cap : compactionDue(entries, policy, composed);
  return due
    ? compactTo(tx, run, call, patch, [Math.floor(composed.cap * COMPACT_SHARE), composed.cap], ports)
    : [];
}

/**
 * The entries of a request that its provider called too large: it is compacted to half of what there is room for and sent once
 * more; then the next model that may hold more; then the answer without tools; then the end.
 */
export function overflowEntries(
  tx: Transaction,
  run: LiveRun,
  call: Pick<CallModel, "n" | "purpose">,
  failure: ModelFailure<Usage>,
  ports: Ports,
): readonly EntryDraft[] {
  const open = openStep(run);
  const step = { ...call, step: stepName(run.run, call.n), opened: true };
  const patch = patchOf(tx, run, step, ports);
  const { model, tokens } = composeRequest(tx, run, call, patch, ports);
  const { windows = {} } = ports.facts;
  // The real window is smaller than this request, whatever is configured.
  const target = Math.floor(Math.min(windowOf(windows, model), tokens) * OVERFLOW_SHARE);
  const made = open?.overflowed === true ? [] : compactTo(tx, run, step, patch, [target, target], ports);
  // A summary of a few short steps may be longer than they are.
  const entries = made.filter(({ body }) => body.after < body.before);
  const isKnown = (name: string): boolean => Object.hasOwn(windows, name);
  const larger = run.models.fallbacks.findIndex(
    (next) => !(isKnown(next) && isKnown(model)) || windowOf(windows, next) > windowOf(windows, model),
  );
  const failed = modelFailed(tx.state, failure, tx.at, { shrinks: entries.length > 0, larger });
  if (failed.body.then === "force") return [failed, forceEntry(run, "CONTEXT_OVERFLOW", "context")];
  return failed.body.then === "compact" ? [failed, ...entries] : [failed];
}

/** The entry of a request that its provider called invalid: its plain form is sent once, where it has one. */
export function refusalEntry(
  tx: Transaction,
  run: LiveRun,
  call: Pick<CallModel, "n" | "purpose">,
  failure: ModelFailure<Usage>,
  ports: Ports,
): EntryDraft {
  const patch = patchOf(tx, run, { ...call, step: stepName(run.run, call.n), opened: true }, ports);
  const { messages } = composeRequest(tx, run, call, patch, ports);
  return modelFailed(tx.state, failure, tx.at, { plainer: plainMessages(messages) !== messages });
}

function compactTo(
  tx: Transaction,
  run: LiveRun,
  call: Pick<CallModel, "n" | "purpose" | "step">,
  patch: StepPatch,
  [target, cap]: readonly [number, number],
  ports: Ports,
): readonly EntryDraft<"compacted">[] {
  const entries = tx.entriesOf(run);
  const measure = (body: BodyOf<"compacted"> | null): number => {
    if (body === null) return composeRequest(tx, run, call, patch, ports).tokens;
    const address = { seq: tx.state.head + 1, at: tx.at, v: 1, run: run.run, step: call.step } as const;
    const entry: Entry = { ...address, kind: "compacted", body };
    const current = [...entries.current, entry];
    return composeRequest(tx, run, call, patch, ports, { ...entries, current }).tokens;
  };
  const made = compaction(entries.current, target, measure, isRecap(entries.current), cap);
  return made === null ? [] : [{ kind: "compacted", run: run.run, step: call.step, body: made.body }];
}
