import type { Json } from "./core/log/json.ts";

/**
 * Log output for the operator, in the tail of the worker. Complaints are text with a stack; everything else is one JSON
 * object per line. Callers scrub their text: nothing here knows a secret.
 */

export const LOG_LEVELS = ["off", "error", "info", "debug"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Log level of the isolate, which has one environment. */
let level: LogLevel = "error";

/** LOG_LEVEL of the environment. */
export function setLogLevel(to: LogLevel): void {
  level = to;
}

export const isLogged = (at: LogLevel): boolean => LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(at);

/** Something failed that the session survives. */
export function logError(...words: readonly string[]): void {
  if (isLogged("error")) console.error(`cairn: ${words[0] ?? ""}`, ...words.slice(1));
}

/** One event as a line of JSON. */
export function logEvent(
  at: "info" | "debug",
  event: string,
  fields: { readonly [name: string]: Json },
): void {
  if (isLogged(at)) console.log(JSON.stringify({ level: at, event, ...fields }));
}
