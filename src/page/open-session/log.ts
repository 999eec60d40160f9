import { createContext, use, useSyncExternalStore } from "react";
import type { Log, LogEntries } from "./session-log.ts";

/** The log of the open session, for components below `LiveSession`. */

const LogContext = createContext<Log | null>(null);
export const LogProvider = LogContext;

export function useLog(): Log {
  const log = use(LogContext);
  if (log === null) throw new Error("useLog outside of LiveSession");
  return log;
}

/** The entries of the open session's log, newest last; from the first look on they follow it. */
export function useLogEntries(): LogEntries {
  const log = useLog();
  return useSyncExternalStore(log.watch, log.entries);
}
