import { useCallback, useEffect, useRef, useState } from "react";
import type { ApprovalView } from "../../cairn/protocol/approval.ts";
import type { SessionDetail } from "../../cairn/protocol/views.ts";
import { sentenceOf, useAnswer } from "../api.ts";
import { Icon } from "../parts/icon.tsx";
import { isWriting } from "../parts/keys.ts";
import { useCardMoves } from "./card-moves.ts";
import { useMay, useWho } from "../who.tsx";
import { ApprovalCard } from "./approval-card.tsx";
import { hasAgreed, objectionTo } from "./approval-words.ts";
import { branchOf } from "../branches/branch.ts";
import { ApproveAll } from "./cards/approve-all.tsx";
import { useCards } from "./cards/use-cards.ts";
import { keyOf } from "./inbox-cards.ts";
import "./inbox.css";
import { Revealed } from "../parts/revealed.tsx";
import { TimeLeft } from "./time-left.tsx";
import { useMaySeeInbox, useTitle, useWaiting, WATCH_MS } from "./waiting.ts";
import { FailedRun, WaitingBudget, WaitingQuestion } from "./waiting-items.tsx";

/** Everything that waits for this person, over all sessions, the last asked first; below it what was decided lately. */
export default function Inbox({ openDrawer }: { openDrawer: () => void }) {
  const maySee = useMaySeeInbox();
  useTitle("Needs you");
  return (
    <div className="inbox">
      <header className="bar">
        <button className="button quiet only-narrow" aria-label="Sessions" onClick={openDrawer}>
          <Icon name="menu" />
        </button>
        <h1 className="bar-title">Needs you</h1>
      </header>
      <div className="inbox-cards">
        {maySee ? (
          <Waiting />
        ) : (
          <p className="soft">You can't see this inbox: your token lacks the scopes “read” and “approve”.</p>
        )}
      </div>
    </div>
  );
}

function Waiting() {
  const { data, error } = useWaiting(WATCH_MS);
  const mayApprove = useMay("approve");
  const { me } = useWho();
  const viewer = { subject: me.subject, mayApprove, admin: me.scopes.includes("admin") };
  const decidable = (data?.approvals ?? NONE).filter(
    (approval) => objectionTo(approval, viewer) === null && !hasAgreed(approval, me.subject),
  );
  const cards = useCards(data?.approvals ?? NONE);
  const waiting = new Set((data?.approvals ?? NONE).map(keyOf));
  const list = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const first = cards.find((card) => waiting.has(keyOf(card)));
  // An open card stays open when others arrive; once it is decided, the next one opens.
  const open = chosen !== null && waiting.has(chosen) ? chosen : first === undefined ? null : keyOf(first);
  if (open !== chosen) setChosen(open);
  const [target, setTarget] = useState<{ readonly item: HTMLElement } | null>(null);
  const unfold = useCallback((item: HTMLElement | null | undefined) => {
    if (item == null) return;
    setChosen((before) => item.dataset["key"] ?? before);
    setTarget({ item });
  }, []);
  // The card is drawn before it gets the focus.
  useEffect(() => {
    const card = target?.item.querySelector<HTMLElement>(":scope > .approval");
    card?.focus();
    card?.scrollIntoView({ block: "nearest" });
  }, [target]);
  useCardMoves(list, ".inbox-item", unfold);
  // Keys of cards start from the list, not from a card: a key typed for something else would decide.
  const isKnown = data !== undefined;
  useEffect(() => {
    if (isKnown && !isWriting(document.activeElement)) list.current?.focus();
  }, [isKnown]);
  if (data === undefined)
    return error === undefined ? (
      <div className="place-waits" aria-busy="true" />
    ) : (
      <p role="alert">{sentenceOf(error)}</p>
    );
  const { questions, budgetQuestions, failedRuns, more } = data;
  const count = cards.length + questions.length + budgetQuestions.length + failedRuns.length;
  return (
    <>
      {error === undefined ? null : <p role="alert">Not up to date: {sentenceOf(error)}</p>}
      {count > 1 ? (
        <p className="soft small inbox-keys">
          <kbd>j</kbd> and <kbd>k</kbd> go from one to the next.
        </p>
      ) : null}
      {count === 0 && error === undefined ? (
        <div className="inbox-empty">
          <Icon name="check" />
          <h2>Nothing needs you</h2>
          <p className="soft">Approvals and questions appear here and in their session.</p>
        </div>
      ) : null}
      <ApproveAll approvals={decidable} />
      <div ref={list} className="inbox-list" tabIndex={-1}>
        {questions.map((item) => (
          <div key={`${item.sessionId}/${item.id}`} className="inbox-item">
            <WaitingQuestion item={item} />
          </div>
        ))}
        {budgetQuestions.map((item) => (
          <div key={item.runId} className="inbox-item">
            <WaitingBudget item={item} />
          </div>
        ))}
        {cards.map((approval) => {
          const key = keyOf(approval);
          return (
            <div key={key} className="inbox-item" data-key={key}>
              {waiting.has(key) && key !== open ? (
                <Folded approval={approval} unfold={unfold} />
              ) : (
                <Card approval={approval} listed={waiting.has(key)} />
              )}
            </div>
          );
        })}
        {failedRuns.map((item) => (
          <div key={item.runId} className="inbox-item">
            <FailedRun item={item} />
          </div>
        ))}
      </div>
      {more ? <p className="soft small">More will appear as you clear these.</p> : null}
      {mayApprove ? <Recent shown={cards} /> : null}
    </>
  );
}

/** One of several that wait: a line that opens it and folds the other. */
function Folded({
  approval,
  unfold,
}: {
  approval: ApprovalView;
  unfold: (item: HTMLElement | null | undefined) => void;
}) {
  return (
    <article className="card approval approval-folded" data-state="pending" tabIndex={-1}>
      <button
        className="approval-unfold"
        aria-expanded="false"
        onClick={({ currentTarget }) => unfold(currentTarget.closest<HTMLElement>(".inbox-item"))}
      >
        <Icon name="warn" />
        <span>
          <Revealed text={approval.title} />
        </span>
        <TimeLeft at={approval.expiresAt} />
      </button>
    </article>
  );
}

const NONE: readonly ApprovalView[] = [];

/** `listed`: the list of what waits has it, as far as is known. */
function Card({ approval, listed }: { approval: ApprovalView; listed: boolean }) {
  const { sessionId, runId, approvers } = approval;
  const isAdmin = useMay("admin");
  // An approver who is not the owner sees the approval, and nothing of its session.
  const maySee = useMay("read") && (isAdmin || approvers.includes("owner"));
  const { data } = useAnswer<SessionDetail>(maySee ? `/api/sessions/${sessionId}` : null, {
    revalidateOnFocus: false,
    revalidateIfStale: false,
  });
  // For a run below a conversation the card itself shows the request.
  const isOwn = branchOf(sessionId) === null && data?.activeRun?.id === runId;
  const objective = isOwn ? data.activeRun.objective : null;
  return <ApprovalCard approval={approval} session={null} objective={objective} doubtful={!listed} />;
}

const RECENT = 10;

function Recent({ shown }: { shown: readonly ApprovalView[] }) {
  const [open, setOpen] = useState(false);
  const all = useAnswer<{ items: readonly ApprovalView[] }>(
    open ? `/api/approvals?state=all&limit=${RECENT * 3}` : null,
  );
  const here = new Set(shown.map(keyOf));
  const items = (all.data?.items ?? [])
    .filter((approval) => approval.state !== "pending" && !here.has(keyOf(approval)))
    .slice(0, RECENT);
  return (
    <details className="inbox-recent" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Recent decisions</summary>
      {all.error === undefined ? null : <p role="alert">{sentenceOf(all.error)}</p>}
      {open && all.isLoading ? <div aria-busy="true" /> : null}
      {all.data !== undefined && items.length === 0 ? <p className="soft">Nothing yet.</p> : null}
      <div className="inbox-list">
        {items.map((approval) => (
          <ApprovalCard key={keyOf(approval)} approval={approval} session={null} />
        ))}
      </div>
    </details>
  );
}
