import type { SessionDetail } from "../../wire/views.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { Facts, type Fact } from "../parts/facts.tsx";
import { JsonView } from "../parts/json-view.tsx";
import { Ago } from "../parts/time.tsx";
import { hrefOf } from "../route.ts";

/** What the session is, as the API knows it. */
export function About({ session }: { session: SessionDetail }) {
  const { id, owner, createdAt, updatedAt, runCount, messageCount, forkedFrom, imported, metadata } = session;
  const facts: readonly Fact[] = [
    [
      "Id",
      <span key="id" className="settings-copied">
        <code>{id}</code>
        <CopyButton text={() => id} label="Copy the id" />
      </span>,
    ],
    ["Owner", owner],
    ["Made", <Ago key="made" at={createdAt} />],
    ["Last changed", <Ago key="changed" at={updatedAt} />],
    ["Runs", `${runCount}`],
    ["Messages", `${messageCount}`],
    [
      "Copied from",
      forkedFrom === null ? null : (
        <a key="from" href={hrefOf({ at: "session", session: forkedFrom.sessionId, panel: null })}>
          {forkedFrom.sessionId}
        </a>
      ),
    ],
    ["Imported", imported ? "yes, from a file: whoever made it may have changed what was said" : null],
  ];
  return (
    <section className="settings-part" aria-labelledby="settings-about">
      <h3 id="settings-about">About this session</h3>
      <Facts facts={facts} className="settings-facts" />
      {Object.keys(metadata).length === 0 ? null : <JsonView value={metadata} label="Metadata" />}
    </section>
  );
}
