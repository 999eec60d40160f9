import * as z from "zod";
import type { Entry, EntryKind } from "../../cairn/core/log/entry.ts";
import type { Json } from "../../cairn/core/log/json.ts";
import { parseJson } from "../../cairn/protocol/json.ts";
import { EXPORT_FORMAT, exportSchema, sealOf } from "../../cairn/protocol/session-file.ts";

/** A log that can be replayed. Everything here is from outside: entries are parsed, never trusted. */

export interface Log {
  readonly kind: "log";
  readonly entries: readonly Entry[];
  /** the state that was stored with the entries, unparsed; null if the file has none */
  readonly stored: Stored | null;
  /** seq of the session's last entry, if the file has it */
  readonly lastSeq: number | null;
  /** facts about an export; null if the log is none */
  readonly exported: Exported | null;
}

export interface Exported {
  /** `sha256:` and the hash of the state after the last entry, from the file */
  readonly digest: string;
  /** whether the seal is that of what the file holds */
  readonly sealed: boolean;
}

export interface Stored {
  readonly schema: number;
  readonly state: Json;
  /** the digest next to it, if there is one */
  readonly digest: string | null;
}

export interface Trace {
  readonly kind: "trace";
  readonly lines: readonly string[];
}

export interface Problem {
  readonly kind: "problem";
  readonly problem: string;
}

/** The version of an entry's shape that this code knows. */
const ROW_VERSION = 1;

/** Every kind of entry, held against the type by the compiler. */
const KINDS: Readonly<Record<EntryKind, true>> = {
  user_message: true,
  command_queued: true,
  run_queued: true,
  label_asked: true,
  run_labelled: true,
  run_started: true,
  step_started: true,
  attempt_lost: true,
  model_replied: true,
  model_failed: true,
  call_intended: true,
  call_deferred: true,
  child_reported: true,
  child_stopped: true,
  call_settled: true,
  approval_requested: true,
  approval_voted: true,
  approval_escalated: true,
  approval_decided: true,
  approval_cancelled: true,
  approval_explained: true,
  policy_remembered: true,
  policy_revoked: true,
  human_asked: true,
  human_answered: true,
  client_asked: true,
  client_answered: true,
  budget_asked: true,
  budget_answered: true,
  memory_changed: true,
  verdict: true,
  review: true,
  plan_changed: true,
  progress_noted: true,
  tools_found: true,
  compacted: true,
  answer: true,
  run_ended: true,
  session_cleared: true,
  queue_held: true,
  titled: true,
  answer_hidden: true,
  note: true,
};

const seq = z.int().positive();
const milliseconds = z.union([z.int().nonnegative(), z.iso.datetime().transform((text) => Date.parse(text))]);
/** An entry as it is stored, or as the events list shows it, with its time as text. */
const entrySchema = z.object({
  seq,
  at: milliseconds,
  run: z.string().nullable(),
  step: z.string().nullable(),
  kind: z.string(),
  v: z.int(),
  body: z.record(z.string(), z.json()),
});
const pageSchema = z.object({ items: z.array(z.unknown()), lastSeq: z.int().nonnegative().optional() });
const fixtureSchema = z.object({
  entries: z.array(z.unknown()),
  state: z.record(z.string(), z.json()),
  digest: z.string(),
});
const exportFrame = z.looseObject({ format: z.literal(EXPORT_FORMAT) });
const traceLineSchema = z.looseObject({ line: z.enum(["run", "step", "end"]), hash: z.string() });

const problem = (text: string): Problem => ({ kind: "problem", problem: text });
const NOT_A_LOG =
  "This file is not the log of a session. It must be the SQLite file of a session, its export, its events or a trace (npm run replay -- --help).";

/**
 * Reads a text as a log: an export, a page of events, pages or entries one after another as JSON lines, a fixture, or a trace. An entry of
 * a newer version, an unknown kind or a wrong shape is a problem that names it.
 */
export function parseLog(text: string): Log | Trace | Problem {
  const documents = parseDocuments(text);
  if (documents === null) return problem(NOT_A_LOG);
  const [first] = documents;
  if (traceLineSchema.safeParse(first).success)
    return { kind: "trace", lines: text.split("\n").filter((line) => line.trim() !== "") };
  if (documents.length === 1 && exportFrame.safeParse(first).success) return parseExport(first);
  const fixture = fixtureSchema.safeParse(first);
  if (fixture.success && documents.length === 1) {
    const { entries, state, digest } = fixture.data;
    const { schema } = state;
    if (typeof schema !== "number") return problem("The state in the file does not say its schema.");
    return parseEntries(entries, { schema, state, digest }, null);
  }
  let lastSeq: number | null = null;
  const found: unknown[] = [];
  for (const document of documents) {
    const page = pageSchema.safeParse(document);
    if (page.success) {
      lastSeq = page.data.lastSeq ?? lastSeq;
      found.push(...page.data.items);
    } else if (looksLikeEntry(document)) found.push(document);
    else return problem(NOT_A_LOG);
  }
  return parseEntries(found, null, lastSeq);
}

function parseExport(document: unknown): Log | Problem {
  const file = exportSchema.safeParse(document);
  if (!file.success) {
    const [issue] = file.error.issues;
    return problem(
      `This export is not complete, at ${issue?.path.join(".") ?? "its root"}: ${issue?.message ?? ""}`,
    );
  }
  const { entries, stateHash, seal } = file.data;
  const log = parseEntries(entries, null, null);
  if (log.kind === "problem") return log;
  return { ...log, exported: { digest: `sha256:${stateHash}`, sealed: sealOf(file.data) === seal } };
}

/** Entries of a log, each parsed; the first that is none is a problem. */
export function parseEntries(
  found: readonly unknown[],
  stored: Stored | null,
  lastSeq: number | null,
): Log | Problem {
  const entries: Entry[] = [];
  for (const [index, value] of found.entries()) {
    const parsed = entrySchema.safeParse(value);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const where = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.join(".")}`;
      return problem(`The ${ordinal(index)} entry is not an entry of a log${where}: ${issue?.message ?? ""}`);
    }
    const entry = parsed.data;
    if (entry.v > ROW_VERSION)
      return problem(
        `Entry ${entry.seq} (${entry.kind}) was written by a newer version of Cairn (${entry.v}). Replay it with that version.`,
      );
    if (!Object.hasOwn(KINDS, entry.kind))
      return problem(
        `Entry ${entry.seq} is of a kind that this version does not know: ${JSON.stringify(entry.kind)}.`,
      );
    // The envelope is checked; whether the body is one of its kind shows when it is applied.
    entries.push(entry as Entry);
  }
  return { kind: "log", entries, stored, lastSeq, exported: null };
}

/** One JSON text, or one a line; null when it is neither. */
function parseDocuments(text: string): readonly unknown[] | null {
  const whole = parseJson(text);
  if (whole !== undefined) return Array.isArray(whole) ? (whole as unknown[]) : [whole];
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const documents = lines.map(parseJson);
  return documents.length === 0 || documents.includes(undefined) ? null : documents;
}

const looksLikeEntry = (value: unknown): boolean =>
  z.looseObject({ seq: z.unknown(), kind: z.unknown(), body: z.unknown() }).safeParse(value).success;

const ordinal = (index: number): string => {
  const n = index + 1;
  const ending = n % 100 >= 11 && n % 100 <= 13 ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th");
  return `${n}${ending}`;
};
