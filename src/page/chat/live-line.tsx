import { ownValue } from "../../cairn/core/log/json.ts";
import type { UIMessage } from "ai";
import { endWords } from "../../cairn/core/text/cause-words.ts";
import { durationText, useNow } from "../parts/time.tsx";
import { useChatState, type StepProgress } from "../open-session/live.tsx";
import { isStarter } from "../branches/tree.ts";
import { readTurn, type RunMetadata, type Step, type StepData } from "./turn.ts";
import { noteText } from "./words.ts";

const SECOND = 1_000;

/** Amounts of a budget, as `warning` names them. */
const AMOUNTS: Readonly<Record<string, string>> = {
  steps: "steps",
  tokens: "tokens",
  costUsd: "money",
  activeMs: "time",
  toolCalls: "tool calls",
  messages: "messages",
};

/**
 * The agent's current activity in one line: step k of at most n, its plan so far, what it waits for. Announced by
 * screen readers.
 */
export function LiveLine({ answer, below }: { answer: UIMessage | null; below: number }) {
  const { activeRunId, recovering, budget, progress } = useChatState();
  const live = activeRunId !== null;
  const mine = live && answer?.id === activeRunId ? readTurn(answer.parts) : null;
  const step = mine?.steps.findLast(({ data }) => data !== null) ?? null;
  const done = mine?.plan?.items.filter(({ status }) => status === "done").length ?? 0;
  const waits = below > 0 || (step !== null && isWaiting(step));
  const short = budget?.warning == null ? undefined : ownValue(AMOUNTS, budget.warning);
  return (
    <p className="live" role="status">
      {!live || waits ? null : <span className="spinner" />}
      <span>{live ? (recovering ? "The server restarted; work continues" : doing(step, below)) : ""}</span>
      <span className="visually-hidden">{live ? "" : ended(answer)}</span>
      {live && step?.data?.phase === "acting" ? <Progress data={step.data} reported={progress} /> : null}
      {live && !waits && budget !== null ? <span>of up to {budget.steps.limit}</span> : null}
      {step?.data?.phase === "retrying" ? <Until at={step.data.until} /> : null}
      {mine?.plan == null ? null : (
        <span>
          {done} of {mine.plan.items.length} done
        </span>
      )}
      {live && short !== undefined ? <span className="tag">running low on {short}</span> : null}
    </p>
  );
}

/** How far it is: in the words of a tool while it runs, else in those of the model. Not read out: it may change four times a second. */
function Progress({ data, reported }: { data: StepData; reported: StepProgress | null }) {
  const { note, percent } = reported?.step === data.step && reported.note !== null ? reported : data;
  if (note === null) return null;
  return (
    <span className="soft" aria-hidden="true">
      {noteText(note, percent)}
    </span>
  );
}

/** How long until a call that failed is tried again; it is not read out each second. */
function Until({ at }: { at: string | null }) {
  const left = Date.parse(at ?? "") - useNow(SECOND);
  return left > 0 ? <span aria-hidden="true">in {durationText(left)}</span> : null;
}

/** The announcement when a run has ended; sighted users see the result above. */
function ended(answer: UIMessage | null): string {
  const { outcome, reason, receipt = null } = (answer?.metadata ?? {}) as RunMetadata;
  if (outcome === undefined) return "";
  const lines = receipt?.lines.map(({ text }) => text) ?? [];
  return lines.length === 0 ? `It ${endWords(outcome, reason)}.` : lines.join(" ");
}

export function isWaiting({ approvals, questions }: Step): boolean {
  return (
    approvals.some(({ state }) => state === "pending") || questions.some(({ state }) => state === "open")
  );
}

/** `below`: number of sub-runs that need the person. */
function doing(step: Step | null, below: number): string {
  if (step?.data == null) return "Starting";
  const { n, phase } = step.data;
  if (step.approvals.some(({ state }) => state === "pending")) return "Waiting for your approval";
  if (step.questions.some(({ state }) => state === "open")) return "Waiting for your answer";
  if (below > 0) return "A sub-run needs you";
  if (phase === "retrying") return `Model error. Retrying step ${n}`;
  const others = step.calls.filter(({ state, tool }) => state === "running" && isStarter(tool)).length;
  if (phase === "acting" && others > 0)
    return others === 1
      ? `Waiting for a sub-run in step ${n}`
      : `Waiting for ${others} sub-runs in step ${n}`;
  if (phase === "acting") return `Working on step ${n}`;
  return `Thinking in step ${phase === "done" ? n + 1 : n}`;
}
