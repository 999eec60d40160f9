import { useEffect, useRef, useState } from "react";
import type { SessionView } from "../../wire/views.ts";
import { sentenceOf } from "../api.ts";
import { titleOf } from "./list.ts";

/** Asks before a session is deleted, and says what goes and what stays. */
export default function DeleteDialog({
  session,
  remove,
  close,
}: {
  session: SessionView;
  remove: (session: SessionView) => Promise<void>;
  /** `deleted`: it is gone, and so is what had the focus before */
  close: (deleted: boolean) => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const keep = useRef<HTMLButtonElement>(null);
  const deleted = useRef(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    dialog.current?.showModal();
    keep.current?.focus();
  }, []);

  const confirm = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      await remove(session);
      deleted.current = true;
      dialog.current?.close();
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  const { pendingApprovals: waiting, status } = session;
  return (
    <dialog
      ref={dialog}
      className="card"
      aria-labelledby="delete-title"
      onClose={() => close(deleted.current)}
    >
      <div className="stack">
        <h2 id="delete-title">Delete “{titleOf(session)}”?</h2>
        <p>
          What was said in it, its log, its memory and its schedules are gone for good.
          {waiting > 0 ? " What waits for approval is not done." : ""}
          {status === "running" ? " What it works at is stopped." : ""}
        </p>
        <p className="soft">What it has already done stays, such as changes to the site.</p>
        {failure === null ? null : <p role="alert">{sentenceOf(failure)}</p>}
        <div className="row">
          <button className="button danger" disabled={busy} onClick={() => void confirm()}>
            Delete
          </button>
          <button ref={keep} className="button" onClick={() => dialog.current?.close()}>
            Keep it
          </button>
        </div>
      </div>
    </dialog>
  );
}
