import { Suspense, useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import type { ApprovalView } from "../../cairn/protocol/approval.ts";
import { sentenceOf } from "../api.ts";
import { Icon } from "../parts/icon.tsx";
import { part } from "../parts/part.ts";
import { Ago } from "../parts/time.tsx";
import { useMay, useWho } from "../who.tsx";
import { BranchLine } from "../branches/branch-line.tsx";
import { homeHref } from "../branches/branch.ts";
import { ApprovalDetails, ApprovalFacts } from "./approval-facts.tsx";
import { hasAgreed, objectionTo, outcomeWords, votesWords } from "./approval-words.ts";
import { isCardKey } from "./card-keys.ts";
import { Choices, type Mode } from "./choices.tsx";
import { TimeLeft } from "./time-left.tsx";
import { useReadThrough } from "./read-through.ts";
import { useDecision } from "./decide.ts";
import type { Decision } from "./decision.ts";
import { keyOf } from "./inbox-cards.ts";
import { holdHeight } from "./press.ts";
import { EARLY_WORDS, useGate } from "./use-gate.ts";
import { Revealed } from "../parts/revealed.tsx";
import { withoutInputMethod } from "../parts/input-method.ts";
import "./approvals.css";

const EditForm = part(() => import("./edit/edit-form.tsx"));

/**
 * One approval: its exact effects, and the decision. A decided card is one line that unfolds.
 *
 * - `approval`: the data of a part `data-approval`, or an item of `GET /api/approvals`. A later one may come at any time,
 *   from this card's own decision or from elsewhere; the newest is shown.
 * - `session`: ID of the session that shows the card, null in the inbox. A card of another session links to it.
 * - `objective`: the objective of the run, if it is not above the card anyway.
 * - `doubtful`: the approval may be outdated, so the card loads it again.
 *
 * The card needs `WhoProvider` only, and no session context. Keys, while it has the focus: y, n, e, r.
 */
export interface ApprovalCardProps {
  readonly approval: ApprovalView;
  readonly session: string | null;
  readonly objective?: string | null;
  readonly doubtful?: boolean;
}

export function ApprovalCard({
  approval: given,
  session,
  objective = null,
  doubtful = false,
}: ApprovalCardProps) {
  const { approval, overdue, gone, busy, failure, decide } = useDecision(given, doubtful);
  const [mode, setMode] = useState<Mode>("look");
  const [reason, setReason] = useState("");
  const card = useRef<HTMLElement>(null);
  const id = useId();
  const { me } = useWho();
  const viewer = { subject: me.subject, mayApprove: useMay("approve"), admin: me.scopes.includes("admin") };
  const objection = objectionTo(approval, viewer);
  const agreed = hasAgreed(approval, me.subject);
  const open = approval.state === "pending" && !overdue && !gone;
  const mine = open && objection === null;
  // The proposal changed while the person was about to approve it: it must be read again first.
  const [read, setRead] = useState(approval.digest);
  const changed = mine && approval.digest !== read && !agreed;
  const decides = mine && !changed;
  const facts = useRef<HTMLDivElement>(null);
  const isRead = useReadThrough(facts, approval.digest);

  const gate = useGate(card, keyOf(approval), decides ? JSON.stringify([approval, mode]) : null);

  const send = async (decision: Decision): Promise<void> => {
    if (!gate.admits()) return;
    const held = holdHeight(card.current);
    const decided = await decide(decision);
    held.done(decided);
    if (!decided) return;
    setMode("look");
    // The buttons are gone; what was decided is read from the card.
    card.current?.focus();
  };
  const back = (): void => {
    setMode("look");
    card.current?.focus();
  };
  const onKey = withoutInputMethod((event: KeyboardEvent<HTMLElement>): void => {
    const { key, ctrlKey, metaKey, altKey, repeat } = event;
    const mayTurn = decides && !repeat;
    if (key === "Escape" && mode !== "look" && mayTurn && !ctrlKey && !metaKey && !altKey) {
      event.preventDefault();
      return back();
    }
    if (!isCardKey(event)) return;
    event.preventDefault();
    if (!mayTurn || mode !== "look") return;
    if (key === "y" && !agreed && isRead) void send({ decision: "approve" });
    // The words that follow would be the reason, and their Enter the no.
    if (key === "n" && gate.admits()) setMode("deny");
    if (key === "e" && approval.editable) setMode("edit");
    if (key === "r" && approval.remember.length > 0 && !agreed && isRead) setMode("remember");
  });

  // A focus inside is the card's once what had it is gone.
  const inside = useRef(false);
  useEffect(() => {
    if (!decides && inside.current && document.activeElement === document.body) card.current?.focus();
  }, [decides]);

  const votes = approval.state === "pending" ? votesWords(approval) : null;
  const link =
    session === approval.sessionId ? null : (
      <a className="approval-home small" href={homeHref(approval.sessionId)}>
        Open its session
      </a>
    );
  const head = (
    <header className="approval-head">
      <span className="tag" data-tone="waits">
        <Icon name="warn" />
        {objection !== null && open ? "Waits for others" : outcomeWords(approval).tag}
      </span>
      {open ? <TimeLeft at={approval.expiresAt} /> : null}
      {link}
    </header>
  );
  return (
    <article
      ref={card}
      className="card approval"
      data-state={approval.state}
      data-approval={approval.id}
      data-ready={decides ? gate.ready : undefined}
      tabIndex={-1}
      aria-labelledby={`${id}-title`}
      aria-busy={busy}
      onKeyDown={onKey}
      onFocus={() => (inside.current = true)}
      onBlur={() => (inside.current = false)}
    >
      {approval.state === "pending" ? (
        <>
          {head}
          <h2 id={`${id}-title`}>
            <Revealed text={approval.title} />
          </h2>
          <BranchLine session={approval.sessionId} />
          {objective === null ? null : (
            <p className="soft small approval-objective">
              For: <Revealed text={objective} />
            </p>
          )}
          <div role="status">
            {agreed ? <p>You approved; waiting for others.</p> : null}
            {gone ? <p>The session was deleted, so nothing was done.</p> : null}
            {overdue && !gone ? <p>This request has expired.</p> : null}
          </div>
          <div ref={facts} className="approval-whole">
            <ApprovalFacts approval={approval} />
          </div>
          <ApprovalDetails approval={approval} />
        </>
      ) : (
        <Decided approval={approval} titleId={`${id}-title`} link={link} />
      )}
      {votes === null ? null : (
        <p className="small">
          <span className="tag">{votes}</span>
        </p>
      )}
      {objection === null || !open ? null : <p className="soft">{objection}</p>}
      {failure === null || failure === undefined || mode === "edit" ? null : (
        <p role="alert">{sentenceOf(failure)}</p>
      )}
      {changed ? (
        <div className="approval-form">
          <p role="alert">This request has changed. Please review it again.</p>
          <div className="row">
            <button
              className="button"
              onClick={() => {
                setRead(approval.digest);
                back();
              }}
            >
              I've reviewed it
            </button>
          </div>
        </div>
      ) : null}
      {decides && mode !== "edit" ? (
        <Choices
          approval={approval}
          agreed={agreed}
          busy={busy}
          isRead={isRead}
          ready={gate.ready}
          mode={mode}
          turn={setMode}
          reason={reason}
          write={setReason}
          send={send}
          back={back}
        />
      ) : null}
      {decides && mode === "edit" ? (
        <Suspense fallback={<div className="approval-edit" aria-busy="true" />}>
          <EditForm approval={approval} busy={busy} failure={failure} send={send} back={back} />
        </Suspense>
      ) : null}
      <div role="status">{decides && gate.early ? <p className="soft small">{EARLY_WORDS}</p> : null}</div>
    </article>
  );
}

/** The outcome in one line, which unfolds to the request. */
function Decided({
  approval,
  titleId,
  link,
}: {
  readonly approval: ApprovalView;
  readonly titleId: string;
  readonly link: ReactNode;
}) {
  const outcome = outcomeWords(approval);
  const reason = approval.result?.reason ?? null;
  return (
    <details className="approval-was">
      <summary>
        <Icon name={outcome.tone === "good" ? "check" : "close"} />
        <span id={titleId} className="approval-was-title">
          <Revealed text={approval.title} />
        </span>
        <span role="status" className="soft small">
          {outcome.text}
        </span>
        {approval.decidedAt === null ? null : (
          <span className="soft small">
            <Ago at={approval.decidedAt} />
          </span>
        )}
      </summary>
      <div className="approval-facts">
        {link}
        {reason === null ? null : (
          <blockquote className="approval-reason">
            <Revealed text={reason} />
          </blockquote>
        )}
        <ApprovalFacts approval={approval} />
        <ApprovalDetails approval={approval} />
      </div>
    </details>
  );
}
