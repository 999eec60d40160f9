import { useEffect, useRef, useState } from "react";
import { mutate } from "swr";
import type { Answer } from "../../../cairn/protocol/api.ts";
import type { ApprovalView } from "../../../cairn/protocol/approval.ts";
import { ask } from "../../api.ts";
import { Revealed } from "../../parts/revealed.tsx";
import { useAct } from "../../parts/use-act.ts";
import { ApprovalFacts } from "../approval-facts.tsx";
import { keyOf } from "../inbox-cards.ts";
import { useReadThrough } from "../read-through.ts";
import { EARLY_WORDS, useGate } from "../use-gate.ts";
import { isInbox } from "../waiting.ts";

/**
 * Several approvals by one act: the effect of each is shown first, each is sent with its own digest, and the result
 * of each is shown. `approvals`: those that this person may decide.
 */
export function ApproveAll({ approvals }: { approvals: readonly ApprovalView[] }) {
  const [chosen, setChosen] = useState<readonly ApprovalView[] | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const { busy, fault, setFault: say, run } = useAct();
  const approve = (those: readonly ApprovalView[]): void =>
    void run(async () => {
      const decisions = those.map(({ sessionId, id: approvalId, digest }) => {
        return { sessionId, approvalId, decision: "approve", digest };
      });
      const { items } = await ask<Answer<"Decisions">>("/api/approvals/decisions", {
        method: "POST",
        body: { decisions },
      });
      setOutcome({
        all: those.length,
        faults: items.flatMap(({ decided, error }, at) =>
          decided ? [] : [`Not approved: ${those[at]?.title ?? ""}. ${error?.message ?? ""}`],
        ),
      });
      setChosen(null);
      await mutate(isInbox);
    });
  const choose = (those: readonly ApprovalView[] | null): void => {
    say(null);
    setOutcome(null);
    setChosen(those);
  };
  if (approvals.length < 2 && chosen === null && outcome === null) return null;
  return (
    <section className="approve-all" aria-label="Several at once" aria-busy={busy}>
      {outcome === null ? null : <OutcomeView outcome={outcome} />}
      {chosen !== null ? (
        <Chosen those={chosen} busy={busy} fault={fault} approve={approve} leave={() => choose(null)} />
      ) : approvals.length < 2 ? null : (
        <button className="button" onClick={() => choose(approvals)}>
          Approve all {approvals.length}…
        </button>
      )}
    </section>
  );
}

interface Outcome {
  readonly all: number;
  readonly faults: readonly string[];
}

/** The result takes the focus, because the pressed button is gone. */
function OutcomeView({ outcome: { all, faults } }: { outcome: Outcome }) {
  return (
    <div className="approve-all-told" tabIndex={-1} ref={intoFocus}>
      <p role="status">
        Approved: {all - faults.length} of {all}.
      </p>
      {faults.map((words) => (
        <p key={words} role="alert">
          <Revealed text={words} />
        </p>
      ))}
    </div>
  );
}

interface ChosenProps {
  /** Approvals that were shown when the dialog opened: later ones are not approved unseen. */
  readonly those: readonly ApprovalView[];
  readonly busy: boolean;
  readonly fault: string | null;
  readonly approve: (those: readonly ApprovalView[]) => void;
  readonly leave: () => void;
}

/** As much of each as its own card shows. */
function Chosen({ those, busy, fault, approve, leave }: ChosenProps) {
  const card = useRef<HTMLElement>(null);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => intoFocus(card.current), []);
  const isRead = useReadThrough(list, those.map(({ digest }) => digest).join(" "));
  const gate = useGate(card, "all", JSON.stringify(those));
  return (
    <article
      className="card approval"
      data-state="pending"
      data-ready={gate.ready}
      tabIndex={-1}
      ref={card}
      aria-labelledby="approve-all-these"
    >
      <h2 id="approve-all-these">Approve these {those.length}?</h2>
      <ol ref={list} className="batch" aria-label="What is approved">
        {those.map((approval) => (
          <li key={keyOf(approval)} className="approve-all-one">
            <h3>
              <Revealed text={approval.title} />
            </h3>
            <ApprovalFacts approval={approval} />
          </li>
        ))}
      </ol>
      {fault === null ? null : <p role="alert">{fault}</p>}
      <div className="row approval-choices">
        {isRead ? null : (
          <p className="soft small approval-unread" role="note">
            Scroll through all of it to approve it.
          </p>
        )}
        <button
          className="button primary"
          disabled={!isRead}
          aria-disabled={busy || !gate.ready}
          onClick={() => (!busy && gate.admits() ? approve(those) : undefined)}
        >
          Approve these {those.length}
        </button>
        <button className="button" onClick={leave}>
          Back
        </button>
      </div>
      <div role="status">{gate.early ? <p className="soft small">{EARLY_WORDS}</p> : null}</div>
    </article>
  );
}

function intoFocus(element: HTMLElement | null): void {
  // The list replaces the button: if it is longer than the screen, it is read from its top.
  element?.focus({ preventScroll: true });
}
