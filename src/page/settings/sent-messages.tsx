import { useState } from "react";
import type { Event } from "../../cairn/protocol/views.ts";
import { Failed } from "../parts/failed.tsx";
import { SentList } from "../sent/sent-list.tsx";
import { useSent } from "../sent/use-sent.ts";

const SHOWN = 5;

/** Messages that went to people outside this page, and the state of each. */
export function SentMessages({ id, events }: { id: string; events: readonly Event[] }) {
  const { items, error, again } = useSent(id, events);
  const [all, setAll] = useState(false);
  return (
    <section
      className="settings-part"
      aria-labelledby="settings-sent"
      aria-busy={items === null && error === undefined}
    >
      <h3 id="settings-sent">Notifications</h3>
      {error === undefined ? null : <Failed failure={error} again={again} />}
      {items?.length === 0 ? (
        <p className="soft small">
          None yet. Messages to chats and mailboxes are listed here with their delivery state.
        </p>
      ) : null}
      {items === null || items.length === 0 ? null : (
        <>
          <SentList items={all ? items : items.slice(0, SHOWN)} label="Notifications, newest first" />
          {items.length <= SHOWN ? null : (
            <button className="button" aria-expanded={all} onClick={() => setAll(!all)}>
              {all ? "Show the newest only" : `Show all ${items.length}`}
            </button>
          )}
        </>
      )}
    </section>
  );
}
