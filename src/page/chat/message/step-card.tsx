import { memo, Suspense } from "react";
import { verdictWords } from "../../../cairn/protocol/stream/data-parts.ts";
import { useCommands } from "../../open-session/live.tsx";
import { Markdown } from "../../parts/markdown/lazy-markdown.tsx";
import { part } from "../../parts/part.ts";
import { durationText, useNow } from "../../parts/time.tsx";
import { hrefOf } from "../../route.ts";
import { Boundary } from "../../shell/boundary.tsx";
import { CallRow } from "./call-row.tsx";
import type { Step, StepData } from "../turn.ts";
import { noteText } from "../words.ts";
import { tokensText } from "../../parts/amount-text.ts";

const ApprovalCard = part(async () => ({
  default: (await import("../../approvals/approval-card.tsx")).ApprovalCard,
}));
const QuestionCard = part(async () => ({
  default: (await import("../../approvals/question-card.tsx")).QuestionCard,
}));
const BudgetCard = part(async () => ({
  default: (await import("../../approvals/cards/budget-card.tsx")).BudgetCard,
}));

/** One step of a run: what was thought (folded), what was called, and what a person decided; with its time and tokens. */
export const StepCard = memo(function StepCard({ step }: { step: Step }) {
  const { id } = useCommands();
  const { data, thoughts, texts, refused, calls, approvals, questions, budgets, verdicts } = step;
  const name = `Step ${data?.n ?? ""}`;
  const worked = calls.length > 0 || approvals.length > 0 || questions.length + budgets.length > 0;
  const verdictTexts = verdicts.map(verdictWords).filter((words) => words !== null);
  return (
    <section role="group" className="step" aria-label={name} data-phase={data?.phase ?? "done"}>
      {worked || thoughts.length > 0 ? (
        <header className="step-head">
          <a
            className="step-n"
            href={hrefOf({
              at: "session",
              session: id,
              panel: "trace",
              ...(data === null ? {} : { step: data.step }),
            })}
            title="Trace"
          >
            {data?.n ?? "·"}
          </a>
          {thoughts.length === 0 ? (
            <span className="soft">{name}</span>
          ) : (
            <Thought text={thoughts.join("\n\n")} />
          )}
          {data === null ? null : <Facts data={data} />}
        </header>
      ) : null}
      {worked ? texts.map((text, index) => <Markdown key={index} text={text} />) : null}
      {calls.length === 0 ? null : (
        <ul className="calls">
          {calls.map((call) => (
            <CallRow key={call.id} call={call} />
          ))}
        </ul>
      )}
      <Boundary>
        <Suspense fallback={null}>
          {approvals.map((approval) => (
            <ApprovalCard key={approval.id} approval={approval} session={id} />
          ))}
          {questions.map((question) => (
            <QuestionCard key={question.questionId} question={question} />
          ))}
          {budgets.map((question) => (
            <BudgetCard key={question.id} question={question} />
          ))}
        </Suspense>
      </Boundary>
      {refused.length > 0 ? <HeldBack texts={refused} /> : null}
      {data !== null && data.note !== null && worked && NOTED.has(data.phase) ? (
        <p className="soft small">{noteText(data.note, data.percent)}</p>
      ) : null}
      {verdictTexts.map((words, index) => (
        <p key={index} className="soft small">
          {words}
        </p>
      ))}
    </section>
  );
}, isSame);

/** In these phases a note reports progress; in the others, why the model was called again. */
const NOTED: ReadonlySet<StepData["phase"]> = new Set(["acting", "waiting", "done"]);

/** Each piece of an answer makes all of its message anew; the steps before it are as they were. */
function isSame(before: { readonly step: Step }, after: { readonly step: Step }): boolean {
  return before.step === after.step || JSON.stringify(before.step) === JSON.stringify(after.step);
}

function Thought({ text }: { text: string }) {
  const first = text.split("\n", 1)[0] ?? "";
  return first === text && text.length < 120 ? (
    <p className="thought">{text}</p>
  ) : (
    <details className="thought">
      <summary>{first}</summary>
      <div className="thought-whole">{text}</div>
    </details>
  );
}

function HeldBack({ texts }: { texts: readonly string[] }) {
  return (
    <details className="thought">
      <summary>Earlier draft (failed a check)</summary>
      {texts.map((text, index) => (
        <Markdown key={index} text={text} />
      ))}
    </details>
  );
}

function Facts({ data }: { data: StepData }) {
  const { durationMs, waitedMs, inputTokens, outputTokens, attempt } = data;
  const tokens = inputTokens === null || outputTokens === null ? null : inputTokens + outputTokens;
  return (
    <span className="step-facts">
      {attempt > 1 ? <span>attempt {attempt}</span> : null}
      {durationMs === null ? <Elapsed data={data} /> : <span>{durationText(durationMs - waitedMs)}</span>}
      {tokens === null ? null : <span>{tokensText(tokens)}</span>}
    </span>
  );
}

const SECOND = 1_000;

/** The time that a step has taken so far; while it waits for a person its clock is theirs. */
function Elapsed({ data }: { data: StepData }) {
  const now = useNow(SECOND);
  if (data.phase === "waiting") return <span>waiting</span>;
  return <span>{durationText(Math.max(0, now - Date.parse(data.startedAt)))}</span>;
}
