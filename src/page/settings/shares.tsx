import { useRef, useState } from "react";
import type { Answer } from "../../cairn/protocol/api.ts";
import type { SessionDetail } from "../../cairn/protocol/views.ts";
import { ask, useAnswer } from "../api.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { Failed } from "../parts/failed.tsx";
import { dateText } from "../parts/time.tsx";
import { useAct } from "../parts/use-act.ts";
import { useToast } from "../parts/toasts.tsx";

type Share = Answer<"Share">;

/** Links by which others read the conversation, or one run of it: made, copied, taken back. */
export function Shares({ session }: { session: SessionDetail }) {
  const path = `/api/sessions/${session.id}/shares`;
  const { data, error, mutate } = useAnswer<Answer<"Shares">>(path);
  const showToast = useToast();
  const { busy, fault, run } = useAct();
  const heading = useRef<HTMLHeadingElement>(null);
  const remove = async ({ id }: Share): Promise<void> => {
    if (!(await run(() => ask(`${path}/${id}`, { method: "DELETE" })))) return;
    await mutate();
    heading.current?.focus();
    showToast("The link no longer works.");
  };
  return (
    <section
      className="settings-part"
      aria-labelledby="settings-shares"
      aria-busy={data === undefined && error === undefined}
    >
      <h3 id="settings-shares" ref={heading} tabIndex={-1}>
        Share
      </h3>
      <p className="soft small">
        Anyone with a link can read messages, answers and receipts, but cannot write or see approvals and
        memory.
      </p>
      {error === undefined ? null : <Failed failure={error} again={() => void mutate()} />}
      {fault === null ? null : <p role="alert">{fault}</p>}
      <ul className="settings-list settings-shares">
        {(data?.items ?? []).map((share) => (
          <li key={share.id}>
            <span className="settings-copied">
              <input readOnly aria-label={`Link to ${sharedWords(share)}`} value={share.url} />
              <CopyButton text={() => share.url} label="Copy the link" />
            </span>
            <span className="soft small settings-under">
              {sharedWords(share)}, until <time dateTime={share.expiresAt}>{dateText(share.expiresAt)}</time>
            </span>
            <button className="button" disabled={busy} onClick={() => void remove(share)}>
              Stop sharing
            </button>
          </li>
        ))}
      </ul>
      <NewShare session={session} path={path} made={() => mutate()} />
    </section>
  );
}

const WHOLE = "the whole conversation";

/** `run 3`, of `ses_demo.r3` */
const runWords = (run: string): string => `run ${run.slice(run.lastIndexOf("r") + 1)}`;
const sharedWords = ({ run }: Share): string => (run === null ? WHOLE : runWords(run));

const DAY_SECONDS = 86_400;
const SPANS: readonly (readonly [seconds: number, words: string])[] = [
  [DAY_SECONDS, "a day"],
  [7 * DAY_SECONDS, "a week"],
  [30 * DAY_SECONDS, "30 days"],
];
/** Older ones are shared with the whole conversation. */
const RUNS_OFFERED = 20;

interface NewShareProps {
  readonly session: SessionDetail;
  readonly path: string;
  readonly made: () => Promise<unknown>;
}

function NewShare({ session: { id, runCount }, path, made }: NewShareProps) {
  const showToast = useToast();
  const { busy, fault, run } = useAct();
  const [what, setWhat] = useState("");
  const [seconds, setSeconds] = useState(SPANS[1]?.[0] ?? DAY_SECONDS);
  const runs = Array.from({ length: Math.min(runCount, RUNS_OFFERED) }, (_, at) => `${id}.r${runCount - at}`);
  const make = async (): Promise<void> => {
    const body = { ...(what === "" ? {} : { run: what }), ttlSeconds: seconds };
    const done = await run(async () => {
      await ask<Share>(path, { method: "POST", body });
      await made();
    });
    if (done) showToast("The link is ready to copy.");
  };
  return (
    <form
      className="settings-extend"
      aria-label="New link"
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <div className="settings-numbers">
        <label>
          Shows
          <select value={what} onChange={({ target }) => setWhat(target.value)}>
            <option value="">{WHOLE}</option>
            {runs.map((each) => (
              <option key={each} value={each}>
                {runWords(each)} only
              </option>
            ))}
          </select>
        </label>
        <label>
          Works for
          <select value={seconds} onChange={({ target }) => setSeconds(Number(target.value))}>
            {SPANS.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </div>
      {fault === null ? null : <p role="alert">{fault}</p>}
      <button className="button" disabled={busy}>
        Create a read-only link
      </button>
    </form>
  );
}
