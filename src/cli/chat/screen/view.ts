import { SEND_MESSAGE } from "../../../cairn/core/address.ts";
import { endWords } from "../../../cairn/core/text/cause-words.ts";
import { decisionText, LEADS, type DecisionSection } from "../../../cairn/core/text/decision-text.ts";
import type { ReceiptLine } from "../../../cairn/core/text/receipt-lines.ts";
import { revealHidden } from "../../../cairn/core/text/untrusted.ts";
import { effectWords } from "../../../cairn/protocol/effect-words.ts";
import { verdictWords } from "../../../cairn/protocol/stream/data-parts.ts";
import { sentMessage, sentWords } from "../../../cairn/protocol/stream/sent-message.ts";
import { oneLine, type Piece, type Tone } from "./ansi.ts";
import { budgetEndWords, budgetWords } from "../../../cairn/protocol/stream/budget-question.ts";
import type { Approval, BudgetShown, Chunk, Citation, PlanShown, Question, StepShown } from "../chunks.ts";
import type { RunEnded } from "../frames.ts";

/** The screen as a pure function: events in, output out. Its only state is the cursor's position. */

export interface View {
  /** what the line under the cursor holds: nothing yet, a thought, or text of the answer */
  readonly line: "fresh" | "thought" | "answer";
  /** whether that thought or text ended in the middle of a line */
  readonly midLine: boolean;
  /** whether a thought or text of this step was shown */
  readonly wrote: boolean;
  /** the tools of the calls that were shown, by call id, and the call shown last */
  readonly tools: ReadonlyMap<string, string>;
  readonly lastCall: string | null;
  /** the plan as it was printed last */
  readonly plan: PlanShown | null;
  /** the approvals that were shown, by id: what they were for */
  readonly cards: ReadonlyMap<string, string>;
}

export const NEW_VIEW: View = {
  line: "fresh",
  midLine: false,
  wrote: false,
  tools: new Map(),
  lastCall: null,
  plan: null,
  cards: new Map(),
};

export interface Rendered {
  readonly view: View;
  readonly pieces: readonly Piece[];
}

const ARGUMENTS_CHARS = 160;
const OBSERVATION_CHARS = 160;
const REASON_CHARS = 400;
const RECEIPT_LINE_CHARS = 1_000;
const QUOTE_CHARS = 200;

function outputWords(view: View, { toolCallId, output }: { toolCallId: string; output: unknown }): string {
  const sent = view.tools.get(toolCallId) === SEND_MESSAGE ? sentWords(output) : null;
  return sent === null ? compact(output, OBSERVATION_CHARS) : oneLine(sent, OBSERVATION_CHARS);
}

/** Renders a chunk of a run's message. Chunks that a person need not see give nothing. */
export function render(view: View, chunk: Chunk): Rendered {
  switch (chunk.type) {
    case "reasoning-delta":
      return stream(view, "thought", chunk.delta);
    case "text-delta":
      return stream(view, "answer", chunk.delta);
    case "reasoning-end":
    case "text-end":
      return lines(view, []);
    case "data-plan":
      return planned(view, chunk.data);
    case "tool-input-available": {
      // The plan itself is printed in place of the call that set it.
      const isPlan = chunk.toolName === "update_plan";
      const message = sentMessage(chunk.toolName, chunk.input);
      const call =
        message === null
          ? `→ ${chunk.toolName} ${compact(chunk.input, ARGUMENTS_CHARS)}`
          : `→ message${message.to === null ? "" : ` to ${oneLine(message.to, ARGUMENTS_CHARS)}`}: ${message.text}`;
      const shown = lines(view, isPlan ? [] : [["call", call]]);
      const tools = new Map(view.tools).set(chunk.toolCallId, chunk.toolName);
      return { ...shown, view: { ...shown.view, tools, lastCall: chunk.toolCallId } };
    }
    case "tool-output-available":
      if (view.tools.get(chunk.toolCallId) === "update_plan") return { view, pieces: [] };
      return lines(view, [["dim", `  ✓ ${owner(view, chunk)}${outputWords(view, chunk)}`]]);
    case "tool-output-error":
    case "tool-input-error":
      return lines(view, [
        ["bad", `  ✗ ${owner(view, chunk)}${oneLine(chunk.errorText, OBSERVATION_CHARS)}`],
      ]);
    case "tool-output-denied":
      return lines(view, [["bad", `  ✗ ${owner(view, chunk)}not approved`]]);
    case "data-approval":
      if (chunk.data.state !== "pending") return lines(view, [decided(chunk.data)]);
      return view.cards.get(chunk.data.id) === chunk.data.digest
        ? lines(view, waiting(chunk.data))
        : card(view, chunk.data);
    case "data-question":
      return lines(view, chunk.data.state === "open" ? questionLines(chunk.data) : [answered(chunk.data)]);
    case "data-client-call": {
      const words = clientWords(chunk.data);
      return words === null ? { view, pieces: [] } : lines(view, [["dim", `  (${words})`]]);
    }
    case "data-budget-question":
      return lines(view, nearlyUsed(chunk.data));
    case "reset-step":
      // No text was shown yet: the reason follows, and is enough.
      if (!view.wrote) return { view, pieces: [] };
      return lines({ ...view, wrote: false }, [["dim", "  (this step's text was withdrawn)"]]);
    case "data-step": {
      const words = retried(chunk.data) ?? (chunk.data.phase === "acting" ? progressWords(chunk.data) : null);
      return words === null ? { view, pieces: [] } : lines(view, [["dim", `  (${words})`]]);
    }
    case "data-verdict": {
      const words = verdictWords(chunk.data);
      return words === null ? { view, pieces: [] } : lines(view, [["dim", `  ${words}`]]);
    }
    case "data-citations":
      return lines(view, sources(chunk.data.items));
    case "abort":
      return lines(view, [["bad", `Cancelled${because(chunk.reason)}`]]);
    case "error":
      return lines(view, [["bad", oneLine(chunk.errorText, REASON_CHARS)]]);
    case "start":
    case "finish-step":
      return { view, pieces: [] };
    case "start-step":
      return { view: { ...view, wrote: false }, pieces: [] };
    case "message-metadata":
    case "finish":
      return lines(view, []);
  }
}

/** Progress of a step or of its tool: `crawling the site, 40 %`; null without a report. */
export function progressWords({ note, percent }: StepShown): string | null {
  if (!note) return null;
  return `${oneLine(revealHidden(note), REASON_CHARS)}${percent == null ? "" : `, ${percent} %`}`;
}

/** Explains why a step's attempt failed and what follows; null for any other step. */
function retried({ phase, note, until: time }: StepShown): string | null {
  const reason = note ? `, because ${oneLine(note, REASON_CHARS)}` : "";
  if (phase === "retrying") return `waiting to try again${until(time)}${reason}`;
  return phase === "thinking" && note ? `tried again at once${reason}` : null;
}

/** A remark of this program, on its own line. */
export function remark(view: View, tone: Tone, text: string): Rendered {
  return lines(
    view,
    text.split("\n").map((line) => [tone, line] as const),
  );
}

/** The end of a run on one line: how it ended and why, steps, cost where it is known, tokens, time. `elapsedMs` is what the person waited, approvals included. */
export function summary(ended: RunEnded, elapsedMs: number): string {
  const { inputTokens, outputTokens, estimated, cost } = ended.usage;
  const about = estimated === true ? "about " : "";
  return [
    endWords(ended.class, ended.reason),
    `${ended.steps} ${ended.steps === 1 ? "step" : "steps"}`,
    ...(cost == null || cost === 0 ? [] : [`${about}$${(cost / 1e6).toFixed(cost < 100_000 ? 4 : 2)}`]),
    `${about}${thousands(inputTokens)} tokens in, ${thousands(outputTokens)} out`,
    `${(elapsedMs / 1000).toFixed(1)} s`,
  ].join(" · ");
}

const RECEIPT_MARKS: Readonly<Record<ReceiptLine["about"], string>> = {
  status: "·",
  changed: "✓",
  nothing: "–",
  failed: "✗",
  unknown: "?",
  more: "…",
};

/** The receipt of the run, for above its answer; null before the end of a run, and where nothing need be shown. */
export function receiptWords(chunk: Chunk): string | null {
  if (chunk.type !== "finish" && chunk.type !== "message-metadata") return null;
  const lines = chunk.messageMetadata?.receipt?.lines ?? [];
  return lines.length === 0 ? null : receiptOnScreen(lines);
}

/** Lines of a receipt, each with its mark. */
export const receiptOnScreen = (lines: readonly ReceiptLine[]): string =>
  lines.map(({ about, text }) => `  ${RECEIPT_MARKS[about]} ${oneLine(text, RECEIPT_LINE_CHARS)}`).join("\n");

/** The same card again: there is a new vote, or more people may vote. */
function waiting({ votes, needed, escalated, expiresAt }: Approval): (readonly [Tone, string])[] {
  const agreed = (votes ?? []).map(({ subject }) => flat(subject));
  if (agreed.length > 0)
    return [["good", `  ${agreed.length} of ${needed ?? 1} agreed (${agreed.join(", ")})`]];
  return escalated === true ? [["dim", `  asked of more people${until(expiresAt)}`]] : [];
}

function card(before: View, approval: Approval): Rendered {
  const view = { ...before, cards: new Map(before.cards).set(approval.id, approval.digest) };
  const { needed, votes } = approval;
  const several = (needed ?? 1) > 1 ? `${votes?.length ?? 0} of ${needed} people agreed` : "";
  const text = decisionText(approval);
  const facts = [several, until(approval.expiresAt).trim()].filter((each) => each !== "");
  // The text has no line break inside a line, so it cannot imitate a line of the card.
  return lines(view, [
    ["ask", `┌ ${before.cards.has(approval.id) ? "Changed: may I?" : "May I?"} ${text.title}`],
    ...text.sections.flatMap(({ kind, heading, lines: shown }): (readonly [Tone, string])[] => [
      ...(heading === null ? [] : [["dim", `│ ${heading}`] as const]),
      ...shown.map((line) => [TONES[kind] ?? "plain", `│ ${LEADS[kind]}${line}`] as const),
    ]),
    ...(approval.effect ? [["dim", `│ ${effectWords(approval.effect)}`] as const] : []),
    ["ask", `└ ${facts.join(" · ")}`],
  ]);
}

const TONES: Partial<Record<DecisionSection["kind"], Tone>> = { warnings: "bad", summary: "strong" };

const MARKS = { open: "○", doing: "●", done: "✓", failed: "✗", dropped: "–" } as const;

/** The whole plan where it is new, else the items that changed. */
function planned(view: View, plan: PlanShown): Rendered {
  const before = new Map((view.plan?.items ?? []).map((item) => [item.id, item]));
  const isNew = plan.items.some((item) => before.get(item.id)?.text !== item.text);
  const changed = plan.items.filter((item) => isNew || before.get(item.id)?.status !== item.status);
  const rows = changed.map(({ id, text, status, reason }): [Tone, string] => [
    status === "failed" ? "bad" : "dim",
    `  ${MARKS[status]} ${flat(id)} ${oneLine(text, ARGUMENTS_CHARS)}${because(reason)}`,
  ]);
  if (rows.length === 0) return { view: { ...view, plan }, pieces: [] };
  const head: [Tone, string] = ["plain", `Plan: ${oneLine(plan.goal, ARGUMENTS_CHARS)}`];
  const shown = lines(view, isNew ? [head, ...rows] : rows);
  return { ...shown, view: { ...shown.view, plan } };
}

/** The sources of an answer: `[e12] The title, https://… (read 22 Nov 2026, 10:00)`, and the quoted words. */
function sources(items: readonly Citation[]): (readonly [Tone, string])[] {
  if (items.length === 0) return [];
  return [
    ["plain", "Sources"],
    ...items.flatMap(({ id, title, url, quote, fetchedAt }): [Tone, string][] => {
      const read = timeWords(fetchedAt);
      const from = [title, url].filter((each) => each !== "").map((each) => flat(revealHidden(each)));
      return [
        ["dim", `  [${flat(id)}] ${from.join(", ")}${read === "" ? "" : ` (read ${read})`}`],
        ["dim", `    “${oneLine(revealHidden(quote), QUOTE_CHARS)}”`],
      ];
    }),
  ];
}

function questionLines(question: Question): (readonly [Tone, string])[] {
  const { context, options, default: taken, expiresAt } = question;
  const unanswered = taken ? `without an answer: ${flat(taken)}` : "";
  const facts = [unanswered, until(expiresAt).trim()].filter((each) => each !== "");
  return [
    ["ask", `┌ ${flat(question.question)}`],
    ...(context ? [["plain", `│ ${flat(context)}`] as const] : []),
    ...options.map((each, at) => ["plain", `│ ${at + 1}. ${flat(each)}`] as const),
    ["ask", `└ ${facts.join(" · ")}`],
  ];
}

/** Nothing waits for the answer: two terminal commands give it. */
function nearlyUsed(question: BudgetShown): (readonly [Tone, string])[] {
  const became = budgetEndWords(question);
  // An ended run reports itself.
  if (became !== null) return question.state === "ended" ? [] : [["good", `  ${flat(became)}`]];
  const { title, adds, cost } = budgetWords(question);
  return [
    ["ask", `┌ ${flat(title)}`],
    ["plain", `│ ${flat(adds)} ${flat(cost)}`],
    ["ask", "└ /extend gives it more · /enough lets it finish with what there is"],
  ];
}

function answered({ state, by }: Question): readonly [Tone, string] {
  if (state !== "answered") return ["bad", "  the question expired without an answer"];
  return ["good", `  answered${by === null || by === undefined ? "" : ` by ${flat(by)}`}`];
}

const DECIDED: Readonly<Record<Approval["state"], string>> = {
  pending: "waiting for a decision",
  approved: "approved",
  denied: "denied",
  expired: "expired, so nothing was done",
  cancelled: "not done, because the run was stopped",
};

function decided(approval: Approval): readonly [Tone, string] {
  const by = approval.result?.by ?? null;
  const reason = approval.result?.reason ?? null;
  const tone = approval.state === "approved" ? "good" : "bad";
  const isRemembered = (approval.votes ?? []).some(({ via }) => via === "policy");
  if (isRemembered)
    return [tone, `  ${DECIDED[approval.state]}, because a decision is remembered (/forget revokes it)`];
  return [tone, `  ${DECIDED[approval.state]}${by === null ? "" : ` by ${flat(by)}`}${because(reason)}`];
}

function stream(view: View, line: "thought" | "answer", delta: string): Rendered {
  if (delta === "") return { view, pieces: [] };
  const tone = line === "thought" ? "dim" : "plain";
  const pieces: Piece[] = [];
  if (view.line !== line && view.midLine) pieces.push({ tone: "plain", text: "\n" });
  const opens = view.line !== line || !view.midLine;
  const text = line === "thought" ? delta.replace(/\n(?=[^\n])/g, "\n  ") : delta;
  pieces.push({
    tone,
    text: line === "thought" && opens ? `${view.line === line ? "  " : "· "}${text}` : text,
  });
  return { view: { ...view, line, midLine: !delta.endsWith("\n"), wrote: true }, pieces };
}

function lines(view: View, content: readonly (readonly [Tone, string])[]): Rendered {
  const pieces = content.map(([tone, text]): Piece => ({ tone, text }));
  const broken = view.midLine ? [{ tone: "plain", text: "\n" } satisfies Piece] : [];
  const newline: Piece = { tone: "plain", text: "\n" };
  return {
    view: { ...view, line: "fresh", midLine: false },
    pieces: [...broken, ...pieces.flatMap((piece) => [piece, newline])],
  };
}

/** Names the call of a result if it is not the call right above: reads run in parallel. */
function owner(view: View, chunk: { readonly toolCallId: string }): string {
  const tool = view.tools.get(chunk.toolCallId);
  return chunk.toolCallId === view.lastCall || tool === undefined ? "" : `${tool}: `;
}

function compact(value: unknown, max: number): string {
  return oneLine(typeof value === "string" ? value : (JSON.stringify(value) ?? ""), max);
}

function flat(text: string): string {
  return oneLine(text, 1_000);
}

function because(reason: string | null | undefined): string {
  return reason === null || reason === undefined || reason === "" ? "" : `: ${oneLine(reason, REASON_CHARS)}`;
}

function until(time: string | number | null | undefined): string {
  const words = timeWords(time);
  return words === "" ? "" : ` until ${words}`;
}

function timeWords(time: string | number | null | undefined): string {
  if (time === null || time === undefined) return "";
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? "" : CLOCK.format(date);
}

/** `22 Nov 2026, 10:00`, by the clock of the person's own machine. */
const CLOCK = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

function thousands(count: number): string {
  return count.toLocaleString("en-US");
}

/** The answer itself is the result of the call, which has its own line. */
function clientWords({ tool, state }: { readonly tool: string; readonly state: string }): string | null {
  if (state === "waiting") return `${tool} runs on the page that brought it: waiting for that page`;
  return state === "expired" ? "that page did not answer in time" : null;
}
