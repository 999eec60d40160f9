import { useEffect, useMemo, useRef, useState } from "react";
import type { ApprovalView } from "../../wire/approval.ts";
import type { SessionDetail } from "../../wire/views.ts";
import { sentenceOf, useAnswer } from "../api.ts";
import { Icon } from "../parts/icon.tsx";
import { isWriting } from "../parts/keys.ts";
import { useCardMoves } from "./card-moves.ts";
import { useMay } from "../who.tsx";
import { ApprovalCard } from "./approval-card.tsx";
import { keyOf, mergeCards } from "./inbox-cards.ts";
import "./inbox.css";
import { useTitle, useWaiting, WATCH_MS } from "./waiting.ts";

/** Everything that waits for this person's yes, over all sessions, the last asked first; below it what was decided lately. */
export default function Inbox({ openDrawer }: { openDrawer: () => void }) {
  const mayApprove = useMay("approve");
  useTitle("Approvals");
  return (
    <div className="inbox">
      <header className="bar">
        <button className="button quiet only-narrow" aria-label="Sessions" onClick={openDrawer}>
          <Icon name="menu" />
        </button>
        <h1 className="bar-title">Approvals</h1>
      </header>
      <div className="inbox-cards">
        {mayApprove ? (
          <Cards />
        ) : (
          <p className="soft">Your token may not decide approvals: it lacks the scope “approve”.</p>
        )}
      </div>
    </div>
  );
}

function Cards() {
  const { data, error } = useWaiting(WATCH_MS);
  const cards = useCards(data?.items ?? NONE);
  const waiting = new Set((data?.items ?? NONE).map(keyOf));
  const list = useRef<HTMLDivElement>(null);
  useCardMoves(list);
  // The keys of its cards go from there. No card itself: a key meant for elsewhere would decide.
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
  return (
    <>
      {error === undefined ? null : <p role="alert">Not up to date: {sentenceOf(error)}</p>}
      {cards.length > 0 ? (
        <p className="soft small inbox-keys">
          <kbd>j</kbd> and <kbd>k</kbd> go from one to the next.
        </p>
      ) : error === undefined ? (
        <div className="inbox-empty">
          <Icon name="check" />
          <h2>Nothing waits for you</h2>
          <p className="soft">When the agent needs a yes, it stands here and in its session.</p>
        </div>
      ) : null}
      <div ref={list} className="inbox-list" tabIndex={-1}>
        {cards.map((approval) => (
          <Card key={keyOf(approval)} approval={approval} listed={waiting.has(keyOf(approval))} />
        ))}
      </div>
      {data.nextCursor === null ? null : (
        <p className="soft small">There are more. They come up as these are decided.</p>
      )}
      <Recent shown={cards} />
    </>
  );
}

const NONE: readonly ApprovalView[] = [];

/** Cards stay where they are while one looks: what was decided says so in its place, and new ones come on top. */
function useCards(items: readonly ApprovalView[]): readonly ApprovalView[] {
  const [cards, setCards] = useState<readonly ApprovalView[]>(items);
  const merged = useMemo(() => mergeCards(cards, items), [cards, items]);
  if (merged !== cards) setCards(merged);
  return merged;
}

/** `listed`: the list of what waits has it, as far as is known. */
function Card({ approval, listed }: { approval: ApprovalView; listed: boolean }) {
  const { sessionId, runId, approvers } = approval;
  const isAdmin = useMay("admin");
  // Whoever is named beside the owner sees the approval, and nothing of its session.
  const maySee = useMay("read") && (isAdmin || approvers.includes("owner"));
  const { data } = useAnswer<SessionDetail>(maySee ? `/api/sessions/${sessionId}` : null, {
    revalidateOnFocus: false,
    revalidateIfStale: false,
  });
  const objective = data?.activeRun?.id === runId ? data.activeRun.objective : null;
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
      <summary>Decided lately</summary>
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
