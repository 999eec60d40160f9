import type { Event, SessionDetail } from "../../cairn/protocol/views.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { Facts, type Fact } from "../parts/facts.tsx";
import { JsonView } from "../parts/json-view.tsx";
import { Ago } from "../parts/time.tsx";
import { hrefOf } from "../route.ts";
import { Clear } from "./clear.tsx";

interface AboutProps {
  readonly session: SessionDetail;
  readonly events: readonly Event[];
  readonly mayClear: boolean;
}

/** Facts about the session, and clearing it. It is deleted from the list of sessions. */
export function About({ session, events, mayClear }: AboutProps) {
  const { id, owner, createdAt, updatedAt, runCount, messageCount, forkedFrom, imported, metadata } = session;
  const facts: readonly Fact[] = [
    ["Owner", owner],
    ["Created", <Ago key="made" at={createdAt} />],
    ["Last change", <Ago key="changed" at={updatedAt} />],
    ["Messages", `${messageCount}`],
    ["Runs", `${runCount}`],
    [
      "Copied from",
      forkedFrom === null ? null : (
        <a key="from" href={hrefOf({ at: "session", session: forkedFrom.sessionId, panel: null })}>
          another session
        </a>
      ),
    ],
    ["Imported", imported ? "Yes, from a file. Its author may have changed the messages." : null],
  ];
  return (
    <section className="settings-part" aria-labelledby="settings-about">
      <h3 id="settings-about">About this session</h3>
      <Facts facts={facts} className="settings-facts" />
      <details className="small">
        <summary>Developer details</summary>
        <p className="settings-copied">
          <span className="soft">Id</span> <code>{id}</code>
          <CopyButton text={() => id} label="Copy the id" />
        </p>
        {Object.keys(metadata).length === 0 ? null : <JsonView value={metadata} label="Metadata" />}
      </details>
      {mayClear ? <Clear events={events} /> : null}
    </section>
  );
}
