import { shortened } from "../text/cut.ts";
import { specOf } from "../entries/grant.ts";
import { accountOf, belowOf } from "../guards/budget/amounts.ts";
import { budgetLine } from "../guards/budget/exhaust.ts";
import { isSpare } from "../guards/budget/spare.ts";
import { isRead, nudge } from "../guards/nudges.ts";
import { GUARD_HINT_CHARS_MAX, LEAN_MEMORY, LEAN_MESSAGES, NOTES_PER_STEP_MAX } from "../limits.ts";
import type { Entry, EntryDraft } from "../log/entry.ts";
import type { PromptMessage } from "../log/model.ts";
import type { Plan } from "../log/plan.ts";
import type { RunSpec } from "../log/run-spec.ts";
import type { Profile, Verdict } from "../log/verdict.ts";
import { planOf, writtenPlan } from "../entries/plan.ts";
import { activeGap } from "../state/apply.ts";
import { guardConfig } from "../state/loop-memory.ts";
import { renderFacts, type ValueOf, renderMemory } from "../state/memory.ts";
import { renderPlan, planDue } from "../state/plan.ts";
import type { LiveRun, State } from "../state/state.ts";
import type { NoteText } from "../prompt-note.ts";
import { noteText as marked, textPart } from "./notes.ts";
import { composeTranscript, type Transcript, type TranscriptPolicy } from "./transcript.ts";
import { guardEntryOf } from "../entries/verdict.ts";

/** Parts of a request that are not entries. */
interface StepAsk {
  readonly n: number;
  readonly purpose: "step" | "final";
  readonly transcript: TranscriptPolicy;
  readonly inputTokensMax: number;
  /** tokens of earlier runs that are shown */
  readonly earlierTokensMax: number;
  /** words of a hook for this step */
  readonly added: string | null;
  /** what the person's clock shows, where that is known */
  readonly local?: string | null;
  readonly spec: Pick<RunSpec, "objectiveTemplate" | "previous">;
}

/** The messages of one model call: the conversation, then the one block that changes every step, last. */
export function composeMessages(
  state: State,
  run: LiveRun,
  entries: {
    readonly history: readonly Entry[];
    readonly current: readonly Entry[];
    readonly valueOf: ValueOf;
  },
  step: StepAsk,
  at: number,
): Transcript {
  const request = { seq: run.request.inputSeq, ...step.spec };
  const isLean = isSpare(guardConfig(run).profile);
  const bounds = {
    inputTokensMax: step.inputTokensMax,
    earlierTokensMax: step.earlierTokensMax,
    request,
    ...(isLean ? { earlierMax: LEAN_MESSAGES } : {}),
  };
  const { messages, earlier } = composeTranscript(entries.history, entries.current, step.transcript, bounds);
  const notes = notesFor(entries.current);
  const plan = planOf(run, entries.current);
  const parts = [...notes.map(marked), situation(state, run, plan, entries.valueOf, step, at)].map(textPart);
  const tail: PromptMessage = { role: "user", parts };
  return { messages: [...messages, tail], earlier };
}

/** Date, working memory, stored facts, the plan and what is left of the budget. */
function situation(
  state: State,
  run: LiveRun,
  plan: Plan | null,
  valueOf: ValueOf,
  step: Pick<StepAsk, "n" | "added" | "local">,
  at: number,
): string {
  const { memory } = state;
  const isLean = isSpare(guardConfig(run).profile);
  const { facts, entities } = isLean ? leanMemory(memory) : memory;
  const { used, limit } = accountOf(state, run, at);
  // Steps that children have, or have had, are none of this run.
  const below = belowOf(run);
  const steps = limit.steps - below.used.steps - below.open.steps;
  const budget = budgetLine({ used, limit: { ...limit, steps } }, step.n);
  return [
    "<cairn-situation>",
    `date: ${new Date(at).toISOString()}`,
    ...(step.local == null ? [] : [`local: ${step.local}`]),
    "memory:",
    renderMemory({ ...memory, entities }),
    ...renderFacts(facts, valueOf),
    ...(plan === null ? [] : [renderPlan(plan)]),
    `budget: ${budget}`,
    ...(step.added === null ? [] : [step.added]),
    "</cairn-situation>",
  ].join("\n");
}

/** The newest of what is known. */
const leanMemory = ({ facts, entities }: State["memory"]): Pick<State["memory"], "facts" | "entities"> => ({
  facts: facts.slice(0, LEAN_MEMORY),
  entities: entities.slice(0, LEAN_MEMORY),
});

/**
 * One-time notes of the runtime for the model, in the block that changes every step: at most three. Those about loops
 * come first, then the others in order of arrival, then those of a new step in the order of `before_model`.
 */

const LAST = ["LAST_STEP", "WRAP_UP", "REPLAN", "PLAN_WANTED", "NUDGE_HARD", "NUDGE_SOFT"] as const;

/** Entries since the last reply: what no model call has been shown yet. */
function unseen(entries: readonly Entry[]): readonly Entry[] {
  return entries.slice(entries.findLastIndex((entry) => entry.kind === "model_replied") + 1);
}

/** Returns how many more notes fit the next request. A rejected answer has its own note, which counts. */
function notesLeft(entries: readonly Entry[]): number {
  const fresh = unseen(entries);
  const refused = fresh.some((entry) => entry.kind === "review" && !entry.body.accept) ? 1 : 0;
  const noted = fresh.filter((entry) => entry.kind === "verdict" && entry.body.act === "note").length;
  return Math.max(0, NOTES_PER_STEP_MAX - refused - noted);
}

/** The notes of the next request, each of at most 300 characters. */
function notesFor(entries: readonly Entry[]): readonly string[] {
  const fresh = unseen(entries);
  const refused = fresh.some((entry) => entry.kind === "review" && !entry.body.accept) ? 1 : 0;
  const rank = ({ rule, code }: { readonly rule: string; readonly code: string }): number =>
    rule.startsWith("loop") ? -1 : 1 + LAST.findIndex((one) => one === code);
  return fresh
    .flatMap((entry) => (entry.kind === "verdict" && entry.body.act === "note" ? [entry.body] : []))
    .map((body, index) => ({ body, index }))
    .sort((a, b) => rank(a.body) - rank(b.body) || a.index - b.index)
    .slice(0, NOTES_PER_STEP_MAX - refused)
    .map(({ body: { hint } }) => shortened(hint, GUARD_HINT_CHARS_MAX));
}

/** Deployment facts that these notes depend on. */
interface NoteFacts {
  /** update_plan is granted */
  readonly canPlan: boolean;
  /** a tool that sends messages is granted */
  readonly canSend: boolean;
  /** a socket shows the steps to somebody */
  readonly isLive: boolean;
  readonly noteText: NoteText;
}

/**
 * The entries that come right before a step begins: the notes of `before_model`, in their order and as many as the
 * request has room for, and the plan that the core writes where the model has set none.
 */
export function stepNotes(
  state: State,
  run: LiveRun,
  entries: readonly Entry[],
  { n, step }: { readonly n: number; readonly step: string },
  at: number,
  facts: NoteFacts,
): readonly EntryDraft[] {
  const { profile } = guardConfig(run);
  const due = planDue(profile, run.plan ?? null, n - 1, facts.canPlan);
  const verdicts = [
    answerFirst(run, facts),
    planVerdict(run, due, specOf(entries).planFirst, facts),
    nudgeVerdict(state, run, profile, n, at, facts),
  ]
    .filter((verdict) => verdict !== null)
    .slice(0, notesLeft(entries));
  return [
    ...(due === "write" ? [writtenPlan(run, entries, step)] : []),
    ...verdicts.map((verdict) => noteEntry(run, step, verdict)),
  ];
}

export const ANSWER_FIRST = "ANSWER_FIRST";

/** In a capsule, if a person has written meanwhile. */
function answerFirst({ profile, input, request }: LiveRun, { noteText }: NoteFacts): Verdict | null {
  const seqs = profile === "time_capsule" ? input.unread.filter((seq) => seq !== request.inputSeq) : [];
  if (seqs.length === 0) return null;
  const hint = noteText("answer-first");
  return { code: ANSWER_FIRST, rule: "capsule.message", evidence: { seqs }, hint };
}

function planVerdict(
  { plan }: LiveRun,
  due: ReturnType<typeof planDue>,
  isAlone: boolean,
  { noteText }: NoteFacts,
): Verdict | null {
  if (due === "want") {
    const hint = noteText(isAlone ? "plan-alone" : "plan-wanted");
    return { code: "PLAN_WANTED", rule: "plan.wanted", evidence: { seqs: [] }, hint };
  }
  if (due !== "replan" || plan === null) return null;
  const failed = plan.items.filter((item) => item.status === "failed");
  const evidence = { seqs: failed.flatMap((item) => item.seqs), names: failed.map((item) => item.id) };
  const hint = noteText("replan", { failed: evidence.names.join(", ") });
  return { code: "REPLAN", rule: "plan.failed", evidence, hint };
}

function nudgeVerdict(
  state: State,
  run: LiveRun,
  profile: Profile,
  n: number,
  at: number,
  { canSend, isLive, noteText }: NoteFacts,
): Verdict | null {
  const { step, activeMs, any, nudged, skipped } = run.output.lastMessage;
  return nudge(
    {
      profile,
      step: n,
      silentSteps: n - 1 - step,
      quietMs: run.used.activeMs + activeGap(state, at) - activeMs,
      anyDelivery: any,
      isLive,
      isRead: isRead(run.request, isLive),
      sendSkipped: skipped > 0 && skipped === n - 1,
      nudged,
      canSend,
    },
    noteText,
  );
}

/** The entry belongs to the step that it precedes. */
function noteEntry(run: LiveRun, step: string, verdict: Verdict): EntryDraft {
  return guardEntryOf(run, step, "before_model", verdict, "note");
}
