import { useEffect, useMemo, useRef, useState } from "react";
import type { Event } from "../../cairn/protocol/views.ts";
import { useChatState, useCommands } from "../open-session/live.tsx";
import { useToast } from "../parts/toasts.tsx";
import { useHasSite } from "../who.tsx";

/** An answer that has not come by then may never come. */
const ANSWER_MS_MAX = 10_000;

/** The log entry is the confirmation: until it arrives the view does not report success. */
export function Clear({ events }: { events: readonly Event[] }) {
  const { clear } = useCommands();
  const hasSite = useHasSite();
  const { connection } = useChatState();
  const showToast = useToast();
  const dialog = useRef<HTMLDialogElement>(null);
  const [pending, setPending] = useState<{ readonly after: number } | null>(null);
  const [late, setLate] = useState(false);
  const isOpen = connection === "open";
  const cleared = useMemo(
    () => events.findLast(({ kind }) => kind === "session_cleared")?.seq ?? 0,
    [events],
  );
  useEffect(() => {
    if (pending === null || cleared <= pending.after) return;
    setPending(null);
    showToast("The conversation is cleared.");
  }, [pending, cleared, showToast]);
  useEffect(() => {
    setLate(false);
    if (pending === null) return;
    const timer = setTimeout(() => setLate(true), ANSWER_MS_MAX);
    return () => clearTimeout(timer);
  }, [pending]);
  return (
    <div className="settings-act">
      <p className="small">
        Clearing stops the current run, hides messages and clears the memory. The log stays.
      </p>
      <button
        className="button danger"
        disabled={(pending !== null && !late) || !isOpen}
        onClick={() => dialog.current?.showModal()}
      >
        Clear the conversation
      </button>
      {late ? (
        <p role="alert">There was no reply, so the conversation may not be cleared. Try again.</p>
      ) : null}
      <dialog ref={dialog} className="card" aria-labelledby="clear-title">
        <div className="stack">
          <h2 id="clear-title">Clear the conversation?</h2>
          <p>This stops the current run, hides messages from you and the model, and clears the memory.</p>
          <p className="soft">
            The log, the schedules and {hasSite ? "the changes to the site" : "what was done"} stay.
          </p>
          {isOpen ? null : <p role="alert">There is no connection. You can clear it once it is back.</p>}
          <form method="dialog" className="row">
            <button
              className="button danger"
              disabled={!isOpen}
              onClick={() => {
                setPending({ after: cleared });
                clear();
              }}
            >
              Clear
            </button>
            <button className="button" autoFocus>
              Cancel
            </button>
          </form>
        </div>
      </dialog>
    </div>
  );
}
