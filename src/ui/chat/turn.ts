import type { ApprovalView } from "../../wire/approval.ts";
import type { CitationView, ReceiptView } from "../../wire/receipt.ts";
import type { BudgetQuestionView } from "../../wire/stream/budget-question.ts";
import type { Place } from "../open-session/place.ts";

/**
 * An assistant's message, read for people: the steps that its run took, each with what was thought, said, called and asked,
 * its plan, and how it ended. The parts are those of docs/protocol.md, "Data parts"; what is not known is left out.
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
  readonly state: "running" | "asked" | "done" | "failed" | "denied";
  readonly input: unknown;
  /** what the model was given of the result */
  readonly output: unknown;
  readonly error: string | null;
}

export interface Question {
  readonly questionId: string;
  readonly question: string;
  readonly kind: string;
  readonly options: readonly string[] | null;
  readonly expiresAt: string;
  readonly default: string | null;
  readonly state: "open" | "answered" | "expired";
  readonly by: string | null;
  readonly context?: string;
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
  readonly texts: readonly string[];
  readonly calls: readonly Call[];
  readonly approvals: readonly ApprovalView[];
  readonly questions: readonly Question[];
  readonly budgets: readonly BudgetQuestionView[];
  readonly verdicts: readonly Verdict[];
  /** the review did not let its text be the answer */
  readonly held: boolean;
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
  /** what the marks of its answer stand for, in their order */
  readonly citations: readonly CitationView[];
}

/** What `metadata` of an assistant's message holds; `outcome`, `usage` and `receipt` once its run has ended. */
export interface RunNote {
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

/** What `metadata` of a person's message holds. */
export interface SaidNote {
  readonly seq?: number;
  readonly createdAt?: string;
  readonly author?: string;
  readonly source?: string;
}

interface Draft {
  data: StepData | null;
  readonly thoughts: string[];
  readonly texts: string[];
  readonly calls: Call[];
  readonly approvals: ApprovalView[];
  readonly questions: Question[];
  readonly budgets: BudgetQuestionView[];
  readonly verdicts: Verdict[];
}

interface Part {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A list of parts is never changed, so that what was read of one holds: many ask for it at each drawing. */
const known = new WeakMap<readonly unknown[], Turn>();

export function readTurn(parts: readonly unknown[]): Turn {
  const before = known.get(parts);
  if (before !== undefined) return before;
  const turn = read(parts);
  known.set(parts, turn);
  return turn;
}

function read(parts: readonly unknown[]): Turn {
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
      budgets: [],
      verdicts: [],
    };
    drafts.push(draft);
    return draft;
  };
  for (const part of parts as readonly Part[]) {
    const last = part.type === "step-start" ? open() : (drafts.at(-1) ?? open());
    if (part.type === "data-step") last.data = part["data"] as StepData;
    else if (part.type === "reasoning") pushText(last.thoughts, part["text"]);
    else if (part.type === "text") pushText(last.texts, part["text"]);
    else if (part.type === "data-approval") last.approvals.push(part["data"] as ApprovalView);
    else if (part.type === "data-question") last.questions.push(part["data"] as Question);
    else if (part.type === "data-budget-question") last.budgets.push(part["data"] as BudgetQuestionView);
    else if (part.type === "data-verdict") last.verdicts.push(part["data"] as Verdict);
    else if (part.type === "data-plan") plan = part["data"] as Plan;
    else if (part.type === "data-citations")
      citations = (part["data"] as { readonly items: readonly CitationView[] }).items;
    else if (typeof part["toolCallId"] === "string") last.calls.push(callOf(part, part["toolCallId"]));
  }
  const held = new Set(
    drafts.flatMap(({ verdicts }) =>
      verdicts.filter(({ level }) => level === "block").map(({ refersTo }) => refersTo),
    ),
  );
  const steps = drafts.map((draft, index) => {
    const step = draft.data?.step ?? null;
    const calls = draft.calls.map((call) => withDecision(call, draft.approvals));
    return { ...draft, calls, key: step ?? `at-${index}`, held: step !== null && held.has(step) };
  });
  return { steps, plan, citations };
}

function pushText(texts: string[], text: unknown): void {
  if (typeof text === "string" && text !== "") texts.push(text);
}

const NOT_RUN: ReadonlySet<ApprovalView["state"]> = new Set(["denied", "expired", "cancelled"]);

/** The stock client that follows a stream leaves a denied call as it was while it waited; its approval knows better. */
function withDecision(call: Call, approvals: readonly ApprovalView[]): Call {
  const approval = approvals.find(({ callId }) => callId === call.id);
  const waits = call.state === "running" || call.state === "asked";
  return waits && approval !== undefined && NOT_RUN.has(approval.state) ? { ...call, state: "denied" } : call;
}

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
    state: STATES[String(state)] ?? "running",
    input,
    output,
    error: typeof errorText === "string" ? errorText : null,
  };
}

/** The words of a message without its steps, as one would copy them. */
export function plainText(parts: readonly unknown[]): string {
  return readTurn(parts)
    .steps.filter(({ held }) => !held)
    .flatMap(({ texts }) => texts)
    .join("\n\n");
}

/** What was shown on the site by the newest call that changed it, or null. */
export function shownOnSite(call: Call): Place | null {
  const preview = (call.output as { preview?: { path?: unknown; section?: unknown } } | null | undefined)
    ?.preview;
  if (typeof preview?.path !== "string" || !preview.path.startsWith("/site")) return null;
  return { path: preview.path, section: typeof preview.section === "string" ? preview.section : null };
}
