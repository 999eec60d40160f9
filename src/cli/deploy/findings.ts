import { loadFault } from "../start/load-fault.ts";

/** Findings of the preflight, in sentences for the person who deploys. */
export interface Finding {
  /** `stop`: the deployment would fail or be unusable. `note`: worth knowing */
  readonly kind: "stop" | "note";
  /** the file, variable or binding that it is about */
  readonly about: string;
  readonly what: string;
  /** what to do about it; null where nothing has to be done */
  readonly fix: string | null;
}

export const stop = (about: string, what: string, fix: string): Finding => ({
  kind: "stop",
  about,
  what,
  fix,
});
export const note = (about: string, what: string, fix: string | null = null): Finding => ({
  kind: "note",
  about,
  what,
  fix,
});

export const stops = (findings: readonly Finding[]): boolean => findings.some((each) => each.kind === "stop");

/** One finding as lines of text; faults are marked. */
export function viewFinding({ kind, about, what, fix }: Finding): string {
  const head = `${kind === "stop" ? "✗" : "·"} ${about}: ${what}`;
  return fix === null ? head : `${head}\n    → ${fix}`;
}

const LAST_LINES = 20;

/** The end of a program's output, indented. */
export function lastLines(...texts: readonly string[]): string {
  const lines = texts.join("\n").split("\n");
  return lines
    .filter((line) => line.trim() !== "")
    .slice(-LAST_LINES)
    .map((line) => `    ${line}`)
    .join("\n");
}

/** A worker that does not load, from what wrangler printed; null for other output. */
export function loadFinding(...texts: readonly string[]): Finding | null {
  const fault = loadFault(...texts);
  return fault === null ? null : stop("worker", fault.what, fault.fix);
}
