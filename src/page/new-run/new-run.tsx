import { useTitle } from "../approvals/waiting.ts";
import { Icon } from "../parts/icon.tsx";
import { useMay } from "../who.tsx";
import "./new-run.css";
import { RunRequestForm } from "./run-form.tsx";

/** A job as a form: what it is, who works on it and within which bounds. */
export default function NewRun({ openDrawer }: { openDrawer: () => void }) {
  const maySend = useMay("send");
  useTitle("New run");
  return (
    <div className="new-run">
      <header className="bar">
        <button className="button quiet only-narrow" aria-label="Sessions" onClick={openDrawer}>
          <Icon name="menu" />
        </button>
        <h1 className="bar-title">New run</h1>
      </header>
      <div className="new-run-inside" tabIndex={0} role="region" aria-label="New run">
        {maySend ? (
          <RunRequestForm />
        ) : (
          <p className="soft">Your token may not start runs: it lacks the scope “send”.</p>
        )}
      </div>
    </div>
  );
}
