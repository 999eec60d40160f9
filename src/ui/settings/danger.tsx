import { Suspense, useEffect, useMemo, useRef, useState } from "react";
import type { Event, SessionDetail } from "../../wire/views.ts";
import { useChatState, useCommands } from "../open-session/live.tsx";
import { part } from "../parts/part.ts";
import { useActs } from "../session-list/use-acts.ts";
import { useSay } from "../shell/toasts.tsx";

const DeleteDialog = part(() => import("../session-list/delete-dialog.tsx"));

/** What cannot be taken back. */
export function Danger({ session, events }: { session: SessionDetail; events: readonly Event[] }) {
  const { remove } = useActs(session.id);
  const [deleting, setDeleting] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  return (
    <section className="settings-part" aria-labelledby="settings-danger">
      <h3 id="settings-danger">What cannot be taken back</h3>
      <Clear events={events} />
      <div className="settings-act">
        <p className="small">
          Deleting it takes everything away: what was said, its log, its memory and its schedules.
        </p>
        <button ref={opener} className="button danger" onClick={() => setDeleting(true)}>
          Delete this session
        </button>
      </div>
      {deleting ? (
        <Suspense fallback={null}>
          <DeleteDialog
            session={session}
            remove={remove}
            close={(deleted) => {
              setDeleting(false);
              if (!deleted) opener.current?.focus();
            }}
          />
        </Suspense>
      ) : null}
    </section>
  );
}

/** An answer that has not come by then may never come. */
const ANSWER_MS_MAX = 10_000;

/** The entry of the log is the answer: until it is there nothing is said to be done. */
function Clear({ events }: { events: readonly Event[] }) {
  const { clear } = useCommands();
  const { connection } = useChatState();
  const say = useSay();
  const dialog = useRef<HTMLDialogElement>(null);
  const [asked, setAsked] = useState<{ readonly after: number } | null>(null);
  const [late, setLate] = useState(false);
  const isOpen = connection === "open";
  const cleared = useMemo(
    () => events.findLast(({ kind }) => kind === "session_cleared")?.seq ?? 0,
    [events],
  );
  useEffect(() => {
    if (asked === null || cleared <= asked.after) return;
    setAsked(null);
    say("The conversation is cleared.");
  }, [asked, cleared, say]);
  useEffect(() => {
    setLate(false);
    if (asked === null) return;
    const timer = setTimeout(() => setLate(true), ANSWER_MS_MAX);
    return () => clearTimeout(timer);
  }, [asked]);
  return (
    <div className="settings-act">
      <p className="small">
        Clearing the conversation stops what runs, hides what was said and empties the memory. The log stays.
      </p>
      <button
        className="button danger"
        disabled={(asked !== null && !late) || !isOpen}
        onClick={() => dialog.current?.showModal()}
      >
        Clear the conversation
      </button>
      {late ? (
        <p role="alert">No answer has come: the conversation may not be cleared. Try it once more.</p>
      ) : null}
      <dialog ref={dialog} className="card" aria-labelledby="clear-title">
        <div className="stack">
          <h2 id="clear-title">Clear the conversation?</h2>
          <p>
            What runs is stopped, what was said is hidden from you and from the model, and the memory is
            emptied.
          </p>
          <p className="soft">The log, the schedules and what was done on the site stay.</p>
          {isOpen ? null : <p role="alert">There is no connection. Once it is back you can clear it.</p>}
          <form method="dialog" className="row">
            <button
              className="button danger"
              disabled={!isOpen}
              onClick={() => {
                setAsked({ after: cleared });
                clear();
              }}
            >
              Clear it
            </button>
            <button className="button" autoFocus>
              Keep it
            </button>
          </form>
        </div>
      </dialog>
    </div>
  );
}
