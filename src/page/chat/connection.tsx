import { ownValue } from "../../cairn/core/log/json.ts";
import { useEffect, useState } from "react";
import { Icon } from "../parts/icon.tsx";
import { useChatState } from "../open-session/live.tsx";

/** A connection that comes back sooner is not worth a word. */
const SILENT_MS = 1_500;

const CLOSED: Readonly<Record<string, string>> = {
  unauthenticated: "You are signed out. Reload the page to sign in.",
  not_found: "This session was deleted, or it belongs to someone else.",
  rate_limited: "Too many requests. Reload the page in a minute.",
  too_many_sockets: "This session is open in too many places. Close some and reload the page.",
};

/** Shows that the connection is lost, if it is lost for longer than a moment; the content stays on the screen. */
export function Connection() {
  const { connection, closedAs } = useChatState();
  const [isShown, setIsShown] = useState(false);
  const lost = connection === "lost";
  useEffect(() => {
    if (!lost) return setIsShown(false);
    const timer = setTimeout(() => setIsShown(true), SILENT_MS);
    return () => clearTimeout(timer);
  }, [lost]);
  if (connection === "closed")
    return (
      <p className="connection" role="alert">
        <Icon name="warn" />{" "}
        {ownValue(CLOSED, closedAs ?? "") ?? "The connection was closed. Reload the page to reconnect."}
      </p>
    );
  if (!isShown) return null;
  return (
    <p className="connection" role="status">
      <Icon name="warn" /> Connection lost. Reconnecting… Your run continues.
    </p>
  );
}
