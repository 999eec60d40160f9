import { useId, useRef, useState, type ReactNode } from "react";
import { mutate } from "swr";
import {
  budgetEndWords,
  budgetWords,
  type BudgetQuestionView,
} from "../../../cairn/protocol/stream/budget-question.ts";
import { ApiError, ask } from "../../api.ts";
import { Icon } from "../../parts/icon.tsx";
import { Revealed } from "../../parts/revealed.tsx";
import { useAct } from "../../parts/use-act.ts";
import { useMay } from "../../who.tsx";
import { isCardKey } from "../card-keys.ts";
import { holdHeight } from "../press.ts";
import { EARLY_WORDS, useGate } from "../use-gate.ts";
import { isInbox, useInboxFollows } from "../waiting.ts";
import "../approvals.css";
import { withoutInputMethod } from "../../parts/input-method.ts";

/**
 * A run that may get a larger budget. It continues meanwhile. `home`: the heading above it, if that is not its
 * session.
 */
export function BudgetCard({ question, home = null }: { question: BudgetQuestionView; home?: ReactNode }) {
  const [answered, setAnswered] = useState<BudgetQuestionView | null>(null);
  const { busy, fault, run } = useAct();
  const mayAnswer = useMay("approve");
  const id = useId();
  // A later view from the session is newer than the answer given here.
  const shown = question.state === "open" && answered !== null ? answered : question;
  useInboxFollows(`${shown.id} ${shown.state}`);
  const words = budgetWords(shown);
  const became = budgetEndWords(shown);
  const card = useRef<HTMLElement>(null);
  const gated = became === null && mayAnswer ? JSON.stringify([shown.id, words]) : null;
  const gate = useGate(card, shown.id, gated);

  const give = (decision: "extend" | "finish"): void => {
    if (busy || !gate.admits()) return;
    const held = holdHeight(card.current);
    void answer(decision).then(held.done);
  };
  const answer = (decision: "extend" | "finish"): Promise<boolean> =>
    run(async () => {
      try {
        const path = `/api/sessions/${shown.sessionId}/budget-questions/${shown.id}`;
        setAnswered(
          await ask<BudgetQuestionView>(path, { method: "POST", body: { decision, askedAt: shown.askedAt } }),
        );
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const { budgetQuestion } = (error.answer ?? {}) as { budgetQuestion?: BudgetQuestionView };
        if (budgetQuestion !== undefined) setAnswered(budgetQuestion);
        // If another person decided first or the question is over, the new state explains it.
        if (budgetQuestion === undefined || error.code !== "budget_closed") throw error;
      } finally {
        await mutate(isInbox);
      }
    });

  return (
    <article
      ref={card}
      className="card approval question"
      data-ready={gated === null ? undefined : gate.ready}
      data-state={became === null ? "open" : "answered"}
      tabIndex={-1}
      aria-labelledby={`${id}-budget`}
      aria-busy={busy}
      onKeyDown={withoutInputMethod((event) => {
        if (isCardKey(event)) event.preventDefault();
      })}
    >
      <header className="approval-head">
        <span className="tag" data-tone={became === null ? "waits" : "none"}>
          <Icon name={became === null ? "warn" : "check"} />
          {became === null ? "Nearly used up" : "Limits of this run"}
        </span>
        {home}
      </header>
      <h2 id={`${id}-budget`}>{words.title}</h2>
      <p>
        {words.adds} {words.cost}
      </p>
      <div role="status">
        {became === null ? null : (
          <p>
            <Revealed text={`${became}.`} />
          </p>
        )}
      </div>
      {fault === null ? null : <p role="alert">{fault}</p>}
      {became !== null ? null : mayAnswer ? (
        <>
          <div className="row approval-choices">
            <button
              className="button primary"
              aria-disabled={busy || !gate.ready}
              onClick={() => give("extend")}
            >
              Extend by half
            </button>
            <button className="button" aria-disabled={busy || !gate.ready} onClick={() => give("finish")}>
              Finish with what there is
            </button>
          </div>
          <div role="status">{gate.early ? <p className="soft small">{EARLY_WORDS}</p> : null}</div>
          <p className="soft small">
            The run continues meanwhile. Without an answer it ends with a partial result.
          </p>
        </>
      ) : (
        <p className="soft">Your token may not answer: it lacks the scope “approve”.</p>
      )}
    </article>
  );
}
