import { ownValue } from "../../cairn/core/log/json.ts";
import type { ApprovalView } from "../../cairn/protocol/approval.ts";
import type { CitationView, ReceiptView } from "../../cairn/protocol/receipt.ts";
import type { Question } from "../approvals/question.ts";
import type { BudgetQuestionView } from "../../cairn/protocol/stream/budget-question.ts";
import type { SitePage } from "../open-session/site-page.ts";

/**
 * An assistant's message for display: the steps of its run, each with its thoughts, texts, calls and approvals, its
 * plan, and how it ended. The parts are those of docs/protocol.md, "Data parts"; unknown parts are left out.
 */

export interface StepData {
  readonly step: string;
  readonly n: number;
  readonly attempt: number;
  readonly phase: "thinking" | "acting" | "waiting" | "retrying" | "done";
  readonly model: string;
  readonly startedAt: string;
  readonly durationMs: number | null;
  /** of it, until a person had decided or answered */
  readonly waitedMs: number;
  /** when a call that failed is tried again */
  readonly until: string | null;
  readonly note: string | null;
  readonly percent: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

export interface Call {
  readonly id: string;
  readonly tool: string;
  readonly title: string;
  /** `client`: the page that registered the tool runs it */
  readonly state: "running" | "client" | "asked" | "done" | "failed" | "denied";
  readonly input: unknown;
  /** what the model was given of the result */
  readonly output: unknown;
  readonly error: string | null;
}

export interface Verdict {
  readonly source: "guard" | "review";
  readonly level: "hint" | "block" | "stop";
  readonly codes: readonly string[];
  readonly accepted: boolean | null;
  readonly refersTo: string | null;
}

export interface Step {
  readonly key: string;
  readonly data: StepData | null;
  readonly thoughts: readonly string[];
  /** the answer among them, once it is delivered */
  readonly texts: readonly string[];
  /** texts that the review did not let be the answer */
  readonly refused: readonly string[];
  readonly calls: readonly Call[];
  readonly approvals: readonly ApprovalView[];
  readonly questions: readonly Question[];
  readonly budgets: readonly BudgetQuestionView[];
  readonly verdicts: readonly Verdict[];
}

export interface PlanItem {
  readonly id: string;
  readonly text: string;
  readonly status: "open" | "doing" | "done" | "failed" | "dropped";
  readonly reason: string | null;
}

export interface Plan {
  readonly goal: string | null;
  readonly items: readonly PlanItem[];
}

export interface Turn {
  readonly steps: readonly Step[];
  readonly plan: Plan | null;
  /** the sources of the answer's marks, in order */
  readonly citations: readonly CitationView[];
}

/** `metadata` of an assistant's message; `outcome`, `usage` and `receipt` once its run has ended. */
export interface RunMetadata {
  readonly runId?: string;
  readonly model?: string;
  readonly createdAt?: string;
  readonly outcome?: "answered" | "partial" | "failed" | "cancelled";
  readonly reason?: string | null;
  readonly usage?: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly costUsd: number | null;
  };
  readonly receipt?: ReceiptView | null;
}

/** `metadata` of a person's message. */
export interface MessageMetadata {
  readonly seq?: number;
  readonly createdAt?: string;
  readonly author?: string;
  readonly source?: string;
}

/** `data-client-call` */
interface ClientCall {
  readonly callId: string;
  readonly state: "waiting" | "answered" | "expired" | "stopped";
}

interface Draft {
  data: StepData | null;
  readonly thoughts: string[];
  /** each with its place among the parts */
  readonly texts: { readonly text: string; readonly at: number }[];
  readonly calls: Call[];
  readonly approvals: ApprovalView[];
  readonly questions: Question[];
  readonly clientCalls: ClientCall[];
  readonly budgets: BudgetQuestionView[];
  readonly verdicts: Verdict[];
}

interface Part {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A list of parts is never changed, so that what was read of one holds: many ask for it at each drawing. */
const known = new WeakMap<readonly unknown[], Turn>();
const knownEnded = new WeakMap<readonly unknown[], Turn>();

/** `outcome` of the run, once it has ended: an answer that was delivered is shown, whatever the review had against it. */
export function readTurn(parts: readonly unknown[], outcome?: RunMetadata["outcome"]): Turn {
  const answered = outcome === "answered" || outcome === "partial";
  const turns = answered ? knownEnded : known;
  const before = turns.get(parts);
  if (before !== undefined) return before;
  const turn = read(parts, answered);
  turns.set(parts, turn);
  return turn;
}

function read(parts: readonly unknown[], answered: boolean): Turn {
  const drafts: Draft[] = [];
  let plan: Plan | null = null;
  let citations: readonly CitationView[] = [];
  const open = (): Draft => {
    const draft: Draft = {
      data: null,
      thoughts: [],
      texts: [],
      calls: [],
      approvals: [],
      questions: [],
      clientCalls: [],
      budgets: [],
      verdicts: [],
    };
    drafts.push(draft);
    return draft;
  };
  /** step → place of the last verdict that refused its text */
  const refusedAt = new Map<string, number>();
  for (const [at, part] of (parts as readonly Part[]).entries()) {
    const last = part.type === "step-start" ? open() : (drafts.at(-1) ?? open());
    if (part.type === "data-step") last.data = part["data"] as StepData;
    else if (part.type === "reasoning") last.thoughts.push(...textOf(part));
    else if (part.type === "text") last.texts.push(...textOf(part).map((text) => ({ text, at })));
    else if (part.type === "data-approval") last.approvals.push(part["data"] as ApprovalView);
    else if (part.type === "data-client-call") last.clientCalls.push(part["data"] as ClientCall);
    else if (part.type === "data-question") last.questions.push(part["data"] as Question);
    else if (part.type === "data-budget-question") last.budgets.push(part["data"] as BudgetQuestionView);
    else if (part.type === "data-verdict") {
      const verdict = part["data"] as Verdict;
      last.verdicts.push(verdict);
      if (verdict.level === "block" && verdict.refersTo !== null) refusedAt.set(verdict.refersTo, at);
    } else if (part.type === "data-plan") plan = part["data"] as Plan;
    else if (part.type === "data-citations")
      citations = (part["data"] as { readonly items: readonly CitationView[] }).items;
    else if (typeof part["toolCallId"] === "string") last.calls.push(callOf(part, part["toolCallId"]));
  }
  const lastWithText = drafts.findLastIndex(({ texts }) => texts.length > 0);
  const steps = drafts.map((draft, index) => {
    const step = draft.data?.step ?? null;
    const calls = draft.calls.map((call) => atClient(withDecision(call, draft.approvals), draft.clientCalls));
    const until = (step === null ? undefined : refusedAt.get(step)) ?? -1;
    let refused = draft.texts.filter(({ at }) => at < until);
    // The refusals were spent, and what was refused last was delivered all the same.
    if (answered && index === lastWithText && refused.length === draft.texts.length)
      refused = refused.slice(0, -1);
    const texts = draft.texts.filter((text) => !refused.includes(text));
    return {
      ...draft,
      calls,
      key: step ?? `at-${index}`,
      texts: texts.map(({ text }) => text),
      refused: refused.map(({ text }) => text),
    };
  });
  return { steps, plan, citations };
}

const textOf = ({ text }: Part): string[] => (typeof text === "string" && text !== "" ? [text] : []);

const NOT_RUN: ReadonlySet<ApprovalView["state"]> = new Set(["denied", "expired", "cancelled"]);

/** The stock client that follows a stream leaves a denied call as it was while it waited; its approval knows better. */
function withDecision(call: Call, approvals: readonly ApprovalView[]): Call {
  const approval = approvals.find(({ callId }) => callId === call.id);
  const waits = call.state === "running" || call.state === "asked";
  return waits && approval !== undefined && NOT_RUN.has(approval.state) ? { ...call, state: "denied" } : call;
}

const atClient = (call: Call, clientCalls: readonly ClientCall[]): Call =>
  call.state === "running" &&
  clientCalls.some(({ callId, state }) => callId === call.id && state === "waiting")
    ? { ...call, state: "client" }
    : call;

const STATES: Readonly<Record<string, Call["state"]>> = {
  "approval-requested": "asked",
  "output-available": "done",
  "output-error": "failed",
  "output-denied": "denied",
};

function callOf(part: Part, id: string): Call {
  const tool = part.type === "dynamic-tool" ? String(part["toolName"]) : part.type.replace(/^tool-/, "");
  const { title, state, input, output, errorText } = part;
  return {
    id,
    tool,
    title: typeof title === "string" && title !== "" ? title : tool,
    state: ownValue(STATES, String(state)) ?? "running",
    input,
    output,
    error: typeof errorText === "string" ? errorText : null,
  };
}

/** The words of a message without its steps, as one would copy them. */
export function plainText(parts: readonly unknown[], outcome?: RunMetadata["outcome"]): string {
  return readTurn(parts, outcome)
    .steps.flatMap(({ texts }) => texts)
    .join("\n\n");
}

/** The page of the site that the newest change of this call shows, or null. */
export function shownOnSite(call: Call): SitePage | null {
  const preview = (call.output as { preview?: { path?: unknown; section?: unknown } } | null | undefined)
    ?.preview;
  if (typeof preview?.path !== "string" || !preview.path.startsWith("/site")) return null;
  return { path: preview.path, section: typeof preview.section === "string" ? preview.section : null };
}
