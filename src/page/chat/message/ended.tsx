import { sentenceOf } from "../../api.ts";
import { useChatState, useCommands } from "../../open-session/live.tsx";
import { Icon } from "../../parts/icon.tsx";
import { hrefOf } from "../../route.ts";
import { useToast } from "../../parts/toasts.tsx";
import { useMay } from "../../who.tsx";
import type { RunMetadata } from "../turn.ts";

/** the most that a message may ask for (docs/api.md, Messages and runs) */
const STEPS_MAX = 200;

interface EndedProps {
  readonly note: RunMetadata;
  /** how it ended, where it has not simply answered */
  readonly sentence: string;
  readonly steps: number;
  readonly retry: (() => void) | null;
}

/** How a run ended that has not simply answered, and what one can do about it. */
export function Ended({ note, sentence, steps, retry }: EndedProps) {
  const { id, goOn } = useCommands();
  const { activeRunId } = useChatState();
  const maySend = useMay("send");
  const showToast = useToast();
  const spent = note.reason?.startsWith("budget") === true;
  const outOfSteps = note.reason === "budget:steps";
  const more = (): void => {
    const wanted = outOfSteps ? Math.min(STEPS_MAX, steps * 2) : null;
    void goOn(wanted).catch((thrown: unknown) => showToast(sentenceOf(thrown), "bad"));
  };
  const run = note.runId?.slice(note.runId.lastIndexOf(".") + 1);
  return (
    <div className="ended" data-outcome={note.outcome}>
      <p>
        <Icon name="warn" /> {sentence}
      </p>
      <div className="ended-acts">
        {retry === null || note.outcome === "partial" ? null : (
          <button className="button" onClick={retry}>
            Try again
          </button>
        )}
        {spent && maySend && activeRunId === null ? (
          <button className="button" onClick={more}>
            {outOfSteps ? "Continue with more steps" : "Continue"}
          </button>
        ) : null}
        {run === undefined || note.outcome === "cancelled" ? null : (
          <a className="button" href={hrefOf({ at: "session", session: id, panel: "trace", step: run })}>
            Why?
          </a>
        )}
      </div>
    </div>
  );
}
