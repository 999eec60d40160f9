import { useEffect, useRef } from "react";
import type { SessionView } from "../../cairn/protocol/views.ts";
import { useAct } from "../parts/use-act.ts";
import { useHasSite } from "../who.tsx";
import { titleOf } from "./list.ts";

interface DeleteDialogProps {
  readonly session: SessionView;
  readonly remove: (session: SessionView) => Promise<void>;
  /** `deleted`: it is gone, and so is what had the focus before */
  readonly close: (deleted: boolean) => void;
}

/** Confirms before a session is deleted, and lists what goes and what stays. */
export default function DeleteDialog({ session, remove, close }: DeleteDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  const deleted = useRef(false);
  const hasSite = useHasSite();
  const { busy, fault, run } = useAct();
  useEffect(() => {
    dialog.current?.showModal();
    cancel.current?.focus();
  }, []);

  const confirm = async (): Promise<void> => {
    if (!(await run(() => remove(session)))) return;
    deleted.current = true;
    dialog.current?.close();
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
          Its messages, log, memory and schedules are deleted for good.
          {waiting > 0 ? " Pending approvals are cancelled." : ""}
          {status === "running" ? " The current run stops." : ""}
        </p>
        <p className="soft">Completed changes stay{hasSite ? ", such as changes to the site" : ""}.</p>
        {fault === null ? null : <p role="alert">{fault}</p>}
        <div className="row">
          <button className="button danger" disabled={busy} onClick={() => void confirm()}>
            Delete
          </button>
          <button ref={cancel} className="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </div>
    </dialog>
  );
}
