import { useId, useState } from "react";
import type { SiteAnswer } from "../../plugins/cms/protocol/answers.ts";
import { ask, useAnswer } from "../api.ts";
import { useAct } from "../parts/use-act.ts";

/** Which changes of the site are shown: those of one page, one run, one day. */
export interface Only {
  /** slug */
  readonly page: string | null;
  readonly run: string | null;
  /** `2026-11-24`, by the clock of who looks */
  readonly day: string | null;
}

export const ALL: Only = { page: null, run: null, day: null };

export const queryOf = ({ page, run, day }: Only): string =>
  Object.entries({ page, run, day: day === null ? null : day + offsetOf(new Date(`${day}T00:00`)) })
    .flatMap(([key, value]) => (value === null ? [] : `&${key}=${encodeURIComponent(value)}`))
    .join("");

/** How far the clock of who looks is from UTC: `+02:00`. */
function offsetOf(date: Date): string {
  const minutes = -date.getTimezoneOffset() || 0;
  const two = (value: number): string => String(Math.floor(Math.abs(value))).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}

interface FilterProps {
  readonly only: Only;
  readonly choose: (only: Only) => void;
  /** null: the deployment's own, whose pages can be chosen from */
  readonly environment: string | null;
}

export function HistoryFilter({ only, choose, environment }: FilterProps) {
  const outline = useAnswer<SiteAnswer<"SiteOutline">>(environment === null ? "/api/cms/outline" : null);
  const pages = outline.data?.pages ?? [];
  return (
    <form className="site-only" onSubmit={(event) => event.preventDefault()}>
      {pages.length === 0 ? null : (
        <select
          aria-label="Of which page"
          value={only.page ?? ""}
          onChange={({ target }) => choose({ ...only, page: target.value === "" ? null : target.value })}
        >
          <option value="">The whole site</option>
          {pages.map(({ slug, name }) => (
            <option key={slug} value={slug}>
              {name}
            </option>
          ))}
        </select>
      )}
      <input
        type="date"
        aria-label="Of which day"
        value={only.day ?? ""}
        onChange={({ target }) => choose({ ...only, day: target.value === "" ? null : target.value })}
      />
      {only.run === null ? null : <span className="small">Run {only.run.split(".").at(-1)}</span>}
      {queryOf(only) === "" ? null : (
        <button type="button" className="button quiet" onClick={() => choose(ALL)}>
          Show all
        </button>
      )}
    </form>
  );
}

interface PutBackProps {
  /** slug */
  readonly page: string;
  readonly environment: string | null;
  readonly done: (words: string) => Promise<unknown>;
}

/** Puts the draft of a page back as it was at a time. */
export function PutBack({ page, environment, done }: PutBackProps) {
  const { busy, fault, run } = useAct();
  const [time, setTime] = useState("");
  const field = useId();
  const moment = time === "" ? Number.NaN : Date.parse(time);
  const put = (): Promise<boolean> =>
    run(async () => {
      await putPageBack(page, { time: new Date(moment).toISOString() }, environment);
      await done(`The draft is again as it was at ${spoken.format(moment)}.`);
    });
  return (
    <form
      className="site-put-back"
      onSubmit={(event) => {
        event.preventDefault();
        if (!Number.isNaN(moment)) void put();
      }}
    >
      <label htmlFor={field}>Put the draft back as it was at</label>
      <input
        id={field}
        type="datetime-local"
        required
        value={time}
        onChange={({ target }) => setTime(target.value)}
      />
      <button className="button" disabled={busy}>
        Put back
      </button>
      {fault === null ? null : (
        <p className="site-conflict" role="alert">
          {fault}
        </p>
      )}
    </form>
  );
}

/** Restores the draft only: visitors see no change. */
export const putPageBack = (
  page: string,
  how: { readonly time: string } | { readonly revision: string },
  environment: string | null,
): Promise<unknown> =>
  ask("/api/cms/undo", {
    method: "POST",
    headers: { "idempotency-key": crypto.randomUUID() },
    body: {
      target: { type: "page", ref: page },
      ...how,
      ...(environment === null ? {} : { environment }),
    },
  });

const spoken = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
