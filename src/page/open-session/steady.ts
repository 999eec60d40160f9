import type { UIMessage } from "ai";
import { useCallback, useRef, useState } from "react";
import type { ServerFrame } from "../../cairn/protocol/frames.ts";

/**
 * Freezes the messages on the screen while a lost connection comes back. The server then begins with the list up to
 * the last closed segment and replays the rest: unfrozen, the answer would vanish and grow again.
 */

/** The messages come to the screen so long after their frames, at most. */
const SETTLE_MS = 120;
/** A server that does not finish its replay is shown as it is. */
const HOLD_MS_MAX = 5_000;

export function useSteady(messages: readonly UIMessage[]): {
  readonly shown: readonly UIMessage[];
  readonly lost: () => void;
  readonly receive: (frame: ServerFrame) => void;
} {
  const [held, setHeld] = useState<readonly UIMessage[] | null>(null);
  const current = useRef(messages);
  current.current = messages;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const release = useCallback((afterMs: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setHeld(null), afterMs);
  }, []);
  const lost = useCallback(() => {
    clearTimeout(timer.current);
    setHeld((before) => before ?? (current.current.length > 0 ? current.current : null));
  }, []);
  const receive = useCallback(
    (frame: ServerFrame) => {
      if (frame.type === "cairn:hello") release(HOLD_MS_MAX);
      const caughtUp =
        frame.type === "cf_agent_stream_resume_none" ||
        (frame.type === "cf_agent_use_chat_response" && (frame.replayComplete === true || frame.done));
      if (caughtUp) release(SETTLE_MS);
    },
    [release],
  );
  return { shown: held ?? messages, lost, receive };
}
