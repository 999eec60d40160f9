import { useEffect, useRef } from "react";

/** A connection without frames for this long is pinged. The platform answers without waking the session. */
const QUIET_MS = 3_000;
/**
 * A connection without a response for this long is dead, whatever the browser reports: an unplugged cable sends no
 * event.
 */
const ANSWER_MS = 6_000;
const LOOK_MS = 500;

interface Line {
  readonly readyState: number;
  readonly send: (data: string) => void;
  readonly reconnect: () => void;
}

/** Opens a new line where the old one has died without a word, within ten seconds. Returns what is called with each frame. */
export function useHeartbeat(line: Line): () => void {
  const receivedAt = useRef(Date.now());
  const pingedAt = useRef<number | null>(null);
  const latest = useRef(line);
  latest.current = line;
  const onFrame = useRef(() => {
    receivedAt.current = Date.now();
    pingedAt.current = null;
  });
  useEffect(() => {
    const look = (): void => {
      const { readyState, send, reconnect } = latest.current;
      if (readyState !== WebSocket.OPEN) return onFrame.current();
      const now = Date.now();
      if (pingedAt.current === null) {
        if (document.hidden || now - receivedAt.current < QUIET_MS) return;
        pingedAt.current = now;
        send.call(latest.current, "ping");
      } else if (now - pingedAt.current > ANSWER_MS) {
        onFrame.current();
        reconnect.call(latest.current);
      }
    };
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  return onFrame.current;
}
