/**
 * Picks out of the output of `wrangler dev` what a person has to see: errors, with the lines that belong to them, and the lines
 * that the worker logs by itself where LOG_LEVEL asks for them.
 */

export interface LogFilter {
  /** inside an error, whose further lines have no mark of their own */
  readonly inError: boolean;
}

export const LOG_START: LogFilter = { inError: false };

// Wrangler marks errors `✘ [ERROR]` or `[wrangler:error]`, and everything else in ways that end an error.
const ERROR = /^(✘|\[wrangler:err)/;
/** Error that workerd prints when a browser closes its connection. */
const HUNG_UP = /kj\/\S+: disconnected: /;
/** A worker that throws while loading: the server prints one sentence about it and ends. */
const LOAD_FAULT = /(service core:user:\S+: Uncaught |Error reloading local server)/;
const OTHER = /^(▲|⎔|ℹ|✨|🌀|\[wrangler:|\[mf:|Your Worker|\S+ +Resource)/u;
// eslint-disable-next-line no-control-regex
const COLOUR = /\u001b\[[0-9;]*m/g;

const OWN_LINE_CHARS_MAX = 100_000;

/** True for a line that the worker logs by itself at LOG_LEVEL=info or debug: one JSON object with its level and event. */
function isOwnLine(text: string): boolean {
  if (!text.startsWith('{"level":"') || text.length > OWN_LINE_CHARS_MAX) return false;
  try {
    const line: unknown = JSON.parse(text);
    if (typeof line !== "object" || line === null || !("level" in line) || !("event" in line)) return false;
    return (line.level === "info" || line.level === "debug") && typeof line.event === "string";
  } catch {
    return false;
  }
}

/** One line in, whether it is shown out. Lines of colour are understood too. */
export function sift(
  filter: LogFilter,
  line: string,
): { readonly filter: LogFilter; readonly show: boolean } {
  const text = plainText(line).trimStart();
  const begins = ERROR.test(text);
  // A line of the worker's own log is separate, and ends an error of wrangler.
  if (isOwnLine(text)) return { filter: LOG_START, show: true };
  const inError = begins
    ? !HUNG_UP.test(text) && !LOAD_FAULT.test(text)
    : filter.inError && !OTHER.test(text);
  return { filter: { inError }, show: inError };
}

/** True for the line with which wrangler reports a loaded build: later requests are answered by the new build. */
export const isReloaded = (line: string): boolean =>
  plainText(line).includes("Local server updated and ready");

/** A line of a starting server that begins a step → the step, as a person reads it. In the order in which they come. */
const STEPS: readonly (readonly [mark: string, step: string])[] = [
  ["[custom build] Running:", "building the page"],
  ["Your Worker has access", "bundling the worker"],
  ["Starting local server", "starting the runtime, and loading the worker in it"],
  // Wrangler goes on after such a fault, and builds again when a file changes.
  ["Build failed", "the worker does not build, for the reason above; waiting for a change of its files"],
];

/** The step that a line begins, or null. */
export const stepOf = (line: string): string | null =>
  STEPS.find(([mark]) => line.includes(mark))?.[1] ?? null;

/** The line without its colours. */
export function plainText(line: string): string {
  return line.replace(COLOUR, "");
}
