import { useEffect, useId, useState } from "react";
import type { SiteAnswer } from "../../plugins/cms/protocol/answers.ts";
import { ask, sentenceOf, useAnswer } from "../api.ts";
import { BatchList } from "../approvals/change-list.tsx";
import { useAct } from "../parts/use-act.ts";
import { useMay, useWho } from "../who.tsx";
import { Compare, type Compared } from "./compare.tsx";

type Brief = SiteAnswer<"ChangeSetBrief">;
type Shown = SiteAnswer<"ChangeSet">;

interface ChangeSetsProps {
  /** null: the session is empty, so there are no changes to collect */
  readonly session: string | null;
  /** null: the deployment's own */
  readonly environment: string | null;
  /** the newest change that the chat knows: another one, and the sets are asked for again */
  readonly newest: string | null;
}

/** Open change sets: each as one difference, with the decision about it. */
export function ChangeSets({ session, environment, newest }: ChangeSetsProps) {
  const of = environment === null ? "" : `&environment=${environment}`;
  const list = useAnswer<SiteAnswer<"ChangeSets">>(`/api/cms/change-sets?state=open${of}`);
  const { mutate } = list;
  useEffect(() => void mutate(), [newest, mutate]);
  const [message, setMessage] = useState("");
  if (list.data === undefined)
    return list.error === undefined ? (
      <div className="place-waits" aria-busy="true" />
    ) : (
      <p className="site-fault" role="alert">
        {sentenceOf(list.error)}
      </p>
    );
  const { items } = list.data;
  const done = (words: string): Promise<unknown> => {
    setMessage(words);
    return mutate();
  };
  return (
    <div className="site-history" tabIndex={0} role="region" aria-label="Change sets">
      <p className="visually-hidden" role="status">
        {message}
      </p>
      {session === null || items.some((one) => one.session === session) ? null : (
        <Begin {...{ session, environment, done }} />
      )}
      {items.map((set) => (
        <ChangeSet key={set.id} {...{ set, environment, newest, done }} isHere={set.session === session} />
      ))}
    </div>
  );
}

interface BeginProps {
  readonly session: string;
  readonly environment: string | null;
  readonly done: (words: string) => Promise<unknown>;
}

function Begin({ session, environment, done }: BeginProps) {
  const { busy, fault, run } = useAct();
  const begin = (): Promise<boolean> =>
    run(async () => {
      await ask("/api/cms/change-sets", {
        method: "POST",
        headers: { "idempotency-key": crypto.randomUUID() },
        body: { session, ...(environment === null ? {} : { environment }) },
      });
      await done("What this session changes is collected from now on.");
    });
  return (
    <section className="set-begin">
      <p>
        No change set here. Start one to keep this session's edits private until you publish them together.
      </p>
      <button className="button" disabled={busy} onClick={() => void begin()}>
        Start a change set
      </button>
      {fault === null ? null : (
        <p className="site-conflict" role="alert">
          {fault}
        </p>
      )}
    </section>
  );
}

interface ChangeSetProps {
  readonly set: Brief;
  readonly environment: string | null;
  readonly newest: string | null;
  readonly isHere: boolean;
  readonly done: (words: string) => Promise<unknown>;
}

function ChangeSet({ set, environment, newest, isHere, done }: ChangeSetProps) {
  const { me } = useWho();
  const mayDecide = useMay("approve");
  const title = useId();
  const query = environment === null ? "" : `?environment=${environment}`;
  const path = `/api/cms/change-sets/${set.id}`;
  const { data, error, mutate } = useAnswer<Shown>(`${path}${query}`);
  useEffect(() => void mutate(), [newest, set.version, mutate]);
  const [compared, compare] = useState<Compared | null>(null);
  const who = set.by === `user:${me.subject}` ? "you" : set.by.startsWith("agent:") ? "the agent" : set.by;
  return (
    <section className="set" aria-labelledby={title}>
      <h2 id={title}>{set.name}</h2>
      <p className="small soft">
        Started by {who}
        {isHere ? "" : ", in another session"}
        {set.publishAt === null ? "" : `. It is published at ${when.format(new Date(set.publishAt))}`}
      </p>
      {set.publishFailure === null ? null : (
        <p className="site-conflict" role="alert">
          Scheduled publishing failed. {set.publishFailure}
        </p>
      )}
      {error === undefined ? null : (
        <p className="site-conflict" role="alert">
          {sentenceOf(error)}
        </p>
      )}
      {data === undefined ? (
        error === undefined ? (
          <div aria-busy="true" />
        ) : null
      ) : (
        <>
          {data.items.length === 0 ? <p className="soft">Nothing is in it yet.</p> : null}
          <Faults shown={data} />
          <BatchList
            items={data.items}
            look={({ draft, what }) =>
              draft === null ? null : (
                <button
                  className="button quiet"
                  onClick={() => compare({ set: set.id, what, environment, draft })}
                >
                  Compare<span className="visually-hidden"> before and after: {what}</span>
                </button>
              )
            }
          />
          {mayDecide ? (
            <Decide {...{ set, shown: data, path, query, environment, done }} reread={mutate} />
          ) : null}
        </>
      )}
      {compared === null ? null : <Compare compared={compared} close={() => compare(null)} />}
    </section>
  );
}

/** Faults that block publishing, then warnings. */
function Faults({ shown }: { readonly shown: Shown }) {
  const { blockers, conflicts, warnings, deadLinks } = shown;
  const stop = [
    ...blockers.map(({ owner, message, fix }) => `${owner.name}: ${message} ${fix}`),
    ...conflicts.map(({ name, field, summary }) =>
      field === "deletion"
        ? `${name} was deleted meanwhile.`
        : `${field} of ${name} has changed meanwhile${summary === null ? "." : `: ${summary}`}`,
    ),
  ];
  const doubts = [...warnings.map(({ owner, message }) => `${owner.name}: ${message}`), ...deadLinks];
  return (
    <>
      {stop.length === 0 ? null : (
        <ul className="set-faults" aria-label="It cannot be published yet">
          {stop.map((text, index) => (
            <li key={index}>{text}</li>
          ))}
        </ul>
      )}
      {doubts.length === 0 ? null : (
        <details className="small">
          <summary>{doubts.length === 1 ? "1 warning" : `${doubts.length} warnings`}</summary>
          <ul>
            {doubts.map((text, index) => (
              <li key={index}>{text}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

interface DecideProps {
  readonly set: Brief;
  readonly shown: Shown;
  readonly path: string;
  readonly query: string;
  readonly environment: string | null;
  readonly done: (words: string) => Promise<unknown>;
  readonly reread: () => Promise<unknown>;
}

/** Publish all of it, or discard it. Asks once more before what cannot be undone. */
function Decide({ set, shown, path, query, environment, done, reread }: DecideProps) {
  const { busy, fault, run } = useAct();
  const [throws, setThrows] = useState(false);
  const overwrite = [...new Set(shown.conflicts.map((one) => one.id))];
  const key = () => ({ "idempotency-key": crypto.randomUUID() });
  const publish = async (at: string | null): Promise<void> => {
    const isDone = await run(async () => {
      await ask(`${path}/publish`, {
        method: "POST",
        headers: key(),
        body: {
          digest: shown.digest,
          ...(at === null ? {} : { at }),
          ...(overwrite.length === 0 ? {} : { overwrite }),
          ...(environment === null ? {} : { environment }),
        },
      });
      await done(
        at === null
          ? `“${set.name}” is published.`
          : `“${set.name}” is published at ${when.format(new Date(at))}.`,
      );
    });
    // A refusal usually means that the set has changed meanwhile.
    if (!isDone) await reread();
  };
  const discard = (): Promise<boolean> =>
    run(async () => {
      await ask(`${path}${query}`, { method: "DELETE", headers: key() });
      await done(`“${set.name}” is thrown away.`);
    });
  const mayNot = busy || shown.blockers.length > 0 || (shown.items.length === 0 && overwrite.length === 0);
  return (
    <>
      <div className="row">
        <button className="button primary" disabled={mayNot} onClick={() => void publish(null)}>
          {overwrite.length === 0 ? "Publish all" : "Publish and overwrite newer changes"}
        </button>
        {throws ? (
          <>
            <button className="button danger" disabled={busy} onClick={() => void discard()}>
              Discard permanently
            </button>
            <button className="button quiet" onClick={() => setThrows(false)}>
              Keep it
            </button>
          </>
        ) : (
          <button className="button" disabled={busy} onClick={() => setThrows(true)}>
            Discard…
          </button>
        )}
      </div>
      <Later disabled={mayNot} publish={(at) => void publish(at)} />
      {fault === null ? null : (
        <p className="site-conflict" role="alert">
          {fault}
        </p>
      )}
    </>
  );
}

/** The same decision, for a time. */
function Later({
  disabled,
  publish,
}: {
  readonly disabled: boolean;
  readonly publish: (at: string) => void;
}) {
  const [time, setTime] = useState("");
  const field = useId();
  return (
    <details className="small">
      <summary>Schedule…</summary>
      <form
        className="site-put-back"
        onSubmit={(event) => {
          event.preventDefault();
          const moment = Date.parse(time);
          if (!Number.isNaN(moment)) publish(new Date(moment).toISOString());
        }}
      >
        <label htmlFor={field}>At</label>
        <input
          id={field}
          type="datetime-local"
          required
          value={time}
          onChange={({ target }) => setTime(target.value)}
        />
        <button className="button" disabled={disabled}>
          Schedule
        </button>
      </form>
    </details>
  );
}

const when = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
