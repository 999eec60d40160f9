import { useEffect, useId, useMemo, useState, type ReactNode } from "react";
import type { SiteAnswer } from "../../plugins/cms/protocol/answers.ts";
import { ask, sentenceOf, useAnswer } from "../api.ts";
import { ChangeList } from "../approvals/change-list.tsx";
import { useAct } from "../parts/use-act.ts";
import { hrefOf } from "../route.ts";
import { useWho } from "../who.tsx";
import { ALL, HistoryFilter, PutBack, putPageBack, queryOf, type Only } from "./history-filter.tsx";

type Listed = SiteAnswer<"SiteHistory">;
type Item = Listed["items"][number];

/** operations at once */
const PAGE = 50;

interface HistoryProps {
  readonly session: string;
  /** null: the deployment's own */
  readonly environment: string | null;
  /** the newest change that the chat knows: another one, and the list is asked for again */
  readonly newest: string | null;
}

/**
 * History of the site by day: who, in which run, before and after; and one button that undoes a change. A single
 * page's draft can be restored to an earlier state.
 */
export function History({ session, environment, newest }: HistoryProps) {
  const of = environment === null ? "" : `&environment=${environment}`;
  const [cursor, setCursor] = useState<string | null>(null);
  const [only, setOnly] = useState<Only>(ALL);
  const [message, setMessage] = useState("");
  const choose = (next: Only): void => {
    setOnly(next);
    setCursor(null);
  };
  const list = useAnswer<Listed>(
    `/api/cms/history?limit=${PAGE}${cursor === null ? "" : `&cursor=${cursor}`}${queryOf(only)}${of}`,
    { keepPreviousData: true },
  );
  const { mutate } = list;
  useEffect(() => void mutate(), [newest, mutate]);
  const days = useMemo(() => byDay(list.data?.items ?? []), [list.data]);
  if (list.data === undefined)
    return list.error === undefined ? (
      <div className="place-waits" aria-busy="true" />
    ) : (
      <p className="site-fault" role="alert">
        {sentenceOf(list.error)}
      </p>
    );
  const { page } = only;
  const done = (words: string): Promise<unknown> => {
    setMessage(words);
    return mutate();
  };
  return (
    <div className="site-history" tabIndex={0} role="region" aria-label="What was changed">
      <HistoryFilter {...{ only, choose, environment }} />
      {page === null ? null : <PutBack key={page} {...{ page, environment, done }} />}
      <p className="visually-hidden" role="status">
        {message}
      </p>
      {days.length === 0 ? (
        <p className="soft">
          {queryOf(only) === "" ? "Nothing was changed yet." : "Nothing was changed there."}
        </p>
      ) : null}
      {days.map(({ day, items }) => (
        <section key={day} aria-label={day}>
          <h2>{day}</h2>
          <ol>
            {items.map((item) => (
              <Operation
                key={item.operation}
                {...{ item, session, environment, page, done }}
                onlyRun={(run) => choose({ ...only, run })}
              />
            ))}
          </ol>
        </section>
      ))}
      <p className="site-older">
        {cursor === null ? null : (
          <button className="button" onClick={() => setCursor(null)}>
            Newest
          </button>
        )}
        {list.data.nextCursor === null ? null : (
          <button className="button" onClick={() => setCursor(list.data?.nextCursor ?? null)}>
            Older
          </button>
        )}
      </p>
    </div>
  );
}

interface OperationProps {
  readonly item: Item;
  readonly session: string;
  readonly environment: string | null;
  /** slug; null where the changes of several are shown */
  readonly page: string | null;
  readonly done: (words: string) => Promise<unknown>;
  readonly onlyRun: (run: string) => void;
}

function Operation({ item, session, environment, page, done, onlyRun }: OperationProps) {
  const { busy, fault, run } = useAct();
  const [open, setOpen] = useState(false);
  const what = useId();
  const verb = item.isUndo ? "Redo" : "Undo";
  const takeBack = (): Promise<boolean> =>
    run(async () => {
      await ask("/api/cms/undo", {
        method: "POST",
        headers: { "idempotency-key": crypto.randomUUID() },
        body: { operation: item.operation, ...(environment === null ? {} : { environment }) },
      });
      await done(item.isUndo ? "Redone." : "Undone.");
    });
  const { revision, run: ofRun } = item;
  const putBack = (slug: string, to: string): Promise<boolean> =>
    run(async () => {
      await putPageBack(slug, { revision: to }, environment);
      await done("Draft restored.");
    });
  return (
    <li data-undone={item.undoneBy !== null}>
      <div className="site-operation">
        <p id={what}>{item.summary}</p>
        {item.undoable ? (
          <button className="button" disabled={busy} aria-describedby={what} onClick={() => void takeBack()}>
            {verb}
          </button>
        ) : item.undoneBy === null ? null : (
          <span className="small soft">Undone</span>
        )}
      </div>
      <p className="small soft">
        <Who item={item} session={session} />
        {" · "}
        <time dateTime={item.at}>{clock.format(new Date(item.at))}</time>
        {ofRun === null || ofRun === "" ? null : (
          <button className="link-button" aria-describedby={what} onClick={() => onlyRun(ofRun)}>
            Only this run
          </button>
        )}
        {page === null || revision === null ? null : (
          <button
            className="link-button"
            disabled={busy}
            aria-describedby={what}
            onClick={() => void putBack(page, revision)}
          >
            Restore this version
          </button>
        )}
      </p>
      {fault === null ? null : (
        <p className="site-conflict" role="alert">
          {fault}
        </p>
      )}
      {item.tool === "seed" ? null : (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            Before and after<span className="visually-hidden"> of: {item.summary}</span>
          </summary>
          {open ? <Changes operation={item.operation} environment={environment} /> : null}
        </details>
      )}
    </li>
  );
}

/** The author of a change, and its run; a run of this session is a link. */
function Who({ item, session }: { readonly item: Item; readonly session: string }): ReactNode {
  const { me } = useWho();
  const [kind = "", name = ""] = item.actor.split(/:(.*)/s);
  if (kind === "user") return name === me.subject ? "You" : name;
  if (kind !== "agent") return "Cairn";
  const step = item.run?.split(".").at(-1) ?? "";
  if (item.session !== session || step === "") return "The agent, in another session";
  return (
    <>
      The agent, in <a href={hrefOf({ at: "session", session, panel: "trace", step })}>run {step}</a>
    </>
  );
}

function Changes({ operation, environment }: { operation: string; environment: string | null }) {
  const of = environment === null ? "" : `&environment=${environment}`;
  const { data, error } = useAnswer<Listed>(
    `/api/cms/history?operation=${encodeURIComponent(operation)}${of}`,
    { revalidateOnFocus: false },
  );
  if (error !== undefined) return <p role="alert">{sentenceOf(error)}</p>;
  const changes = data?.items[0]?.changes ?? null;
  if (changes === null) return <div aria-busy="true" />;
  return changes.length === 0 ? <p className="soft">No differences.</p> : <ChangeList changes={changes} />;
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: "full" });

/** By days in the reader's time zone. */
function byDay(items: readonly Item[]): readonly { readonly day: string; readonly items: readonly Item[] }[] {
  const days = new Map<string, Item[]>();
  for (const item of items) {
    const day = date.format(new Date(item.at));
    days.set(day, [...(days.get(day) ?? []), item]);
  }
  return [...days].map(([day, own]) => ({ day, items: own }));
}
