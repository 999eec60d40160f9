import { useState } from "react";
import { ask } from "../api.ts";
import { Icon } from "../parts/icon.tsx";
import { useAct } from "../parts/use-act.ts";
import { useMay } from "../who.tsx";

interface StopProps {
  readonly session: string;
  /** its objective, for a screen reader */
  readonly objective: string;
  /** a stop was requested, and it has not ended yet */
  readonly stopping?: boolean;
  /** without words, where there is little room */
  readonly small?: boolean;
}

/** Stops one run with all runs below it. The others go on, and the parent run is notified. */
export function StopBranch({ session, objective, stopping = false, small = false }: StopProps) {
  const maySend = useMay("send");
  const { busy, fault, run } = useAct();
  const [sent, setSent] = useState(false);
  const isStopping = stopping || busy || sent;
  const stop = async (): Promise<void> => {
    setSent(await run(() => ask(`/api/sessions/${session}/cancel`, { method: "POST", body: {} })));
  };
  if (!maySend && !isStopping) return null;
  return (
    <>
      <button
        className={small ? "button quiet" : "button small"}
        title={small ? "Stop this branch" : undefined}
        // Keeps the focus on the pressed button, whose label now shows the state.
        aria-disabled={isStopping}
        aria-label={`${isStopping ? "Stopping…" : "Stop this branch"}: ${objective}`}
        onClick={() => (isStopping ? undefined : void stop())}
      >
        {isStopping ? <span className="spinner" /> : <Icon name="stop" />}
        <span aria-live="polite" className={small ? "visually-hidden" : undefined}>
          {isStopping ? "Stopping…" : small ? "" : "Stop this branch"}
        </span>
      </button>
      {fault === null ? null : (
        <p role="alert" className="small">
          {fault}
        </p>
      )}
    </>
  );
}
