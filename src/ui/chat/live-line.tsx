import type { UIMessage } from "ai";
import { durationText, useNow } from "../parts/time.tsx";
import { useChatState } from "../session/live.tsx";
import { readTurn, type Step } from "./turn.ts";

const SECOND = 1_000;

/** What the agent does right now, in one line: step k, its plan so far, what it waits for. */
export function LiveLine({ answer }: { answer: UIMessage | null }) {
  const { activeRunId, recovering } = useChatState();
  const now = useNow(SECOND);
  if (activeRunId === null) return null;
  const mine = answer !== null && answer.id === activeRunId ? readTurn(answer.parts) : null;
  const step = mine?.steps.findLast(({ data }) => data !== null) ?? null;
  const done = mine?.plan?.items.filter(({ status }) => status === "done").length ?? 0;
  const waits = step !== null && isWaiting(step);
  return (
    <p className="live" role="status">
      {waits ? null : <span className="spinner" />}
      <span>{recovering ? "The server was restarted; the work goes on" : doing(step, now)}</span>
      {mine?.plan == null ? null : (
        <span className="soft">
          {done} of {mine.plan.items.length} done
        </span>
      )}
    </p>
  );
}

export function isWaiting({ approvals, questions }: Step): boolean {
  return (
    approvals.some(({ state }) => state === "pending") || questions.some(({ state }) => state === "open")
  );
}

function doing(step: Step | null, now: number): string {
  if (step?.data == null) return "Begins";
  const { n, phase, until } = step.data;
  if (step.approvals.some(({ state }) => state === "pending")) return `Step ${n}: waits for your decision`;
  if (step.questions.some(({ state }) => state === "open")) return `Step ${n}: waits for your answer`;
  if (phase === "retrying") {
    const left = until === null ? 0 : Date.parse(until) - now;
    return left > 0
      ? `Step ${n}: the model failed; tries again in ${durationText(left)}`
      : `Step ${n}: tries again`;
  }
  if (phase === "acting") return `Step ${n}: works`;
  return `Step ${phase === "done" ? n + 1 : n}: thinks`;
}
