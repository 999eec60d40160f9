import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { findDifference, holds, replay, type Replayed } from "../../src/cli/replay/fold.ts";
import { parseLog, type Log } from "../../src/cli/replay/log.ts";
import { parseReplayOptions } from "../../src/cli/replay/options.ts";
import { isSqlite, readSessionFile } from "../../src/cli/replay/session-file.ts";
import { checkTrace } from "../../src/cli/replay/trace.ts";
import { viewReplay, viewTrace } from "../../src/cli/replay/view.ts";
import { digestOf } from "../../src/cairn/core/log/digest.ts";
import type { Entry } from "../../src/cairn/core/log/entry.ts";
import { fold } from "../../src/cairn/core/state/apply.ts";
import { EMPTY_STATE } from "../../src/cairn/core/state/state.ts";
import { traceLines } from "../../src/cairn/core/trace.ts";
import { sealOf } from "../../src/cairn/protocol/session-file.ts";
import { eventOf } from "../../src/cairn/protocol/views.ts";

interface Frozen {
  readonly entries: readonly Entry[];
  readonly state: { readonly schema: number; readonly [field: string]: unknown };
  readonly digest: string;
}
const frozenText = readFileSync(
  path.join(import.meta.dirname, "../fixtures/persisted/v1-waiting.json"),
  "utf8",
);
const frozen = JSON.parse(frozenText) as Frozen;
const { entries } = frozen;
const lastSeq = entries.length;

function logOf(text: string): Log {
  const log = parseLog(text);
  if (log.kind !== "log") throw new Error(JSON.stringify(log));
  return log;
}
function replayed(text: string, at: number | null = null): Replayed {
  const result = replay(logOf(text), at);
  if (result.kind !== "replayed") throw new Error(result.problem);
  return result;
}
/** Problem of a text, at whichever step it shows. */
function problemOf(text: string, at: number | null = null): string {
  const log = parseLog(text);
  const result = log.kind === "log" ? replay(log, at) : log;
  if (result.kind !== "problem") throw new Error(`no problem: ${result.kind}`);
  return result.problem;
}
const withEntries = (entries: readonly unknown[]): string => JSON.stringify({ items: entries });
const changed = (seq: number, change: object): string =>
  withEntries(entries.map((entry) => (entry.seq === seq ? { ...entry, ...change } : entry)));

describe("a log that holds", () => {
  test("folds to the state that is frozen beside it", () => {
    const { comparison, digest } = replayed(frozenText);
    expect(comparison).toMatchObject({ equal: true, difference: null, sealed: true, digest });
  });

  test("comes to one digest as a fixture, as a page of events, as pages joined by hand and as rows", () => {
    const events = entries.map(eventOf);
    const page = (from: number, to: number) => ({
      items: events.slice(from, to),
      lastSeq,
      more: to < lastSeq,
    });
    const forms = [
      JSON.stringify(page(0, lastSeq)),
      `${JSON.stringify(page(0, 10))}\n${JSON.stringify(page(10, lastSeq))}\n`,
      events.map((event) => `${JSON.stringify(event)}\n`).join(""),
      JSON.stringify(entries),
    ];
    expect(events[0]?.at).toMatch(/^\d{4}-.*Z$/);
    expect(forms.map((form) => replayed(form).digest)).toEqual(forms.map(() => frozen.digest));
  });

  test("stops behind a row: what followed is not there, and the stored state is of another row", () => {
    const early = replayed(frozenText, 5);
    expect(early).toMatchObject({ entries: 5, missing: 0, comparison: null });
    expect(early.state.head).toBe(5);
    expect(replayed(frozenText, lastSeq).comparison).toMatchObject({ equal: true });
  });

  test("says what became of each run", () => {
    expect(replayed(frozenText).runs).toEqual([
      { run: "r1", outcome: "completed", logLines: [] },
      { run: "r2", outcome: "waiting_approval", logLines: [] },
      { run: "r3", outcome: "queued", logLines: [] },
    ]);
  });

  test("shows what the tools of a run have logged", () => {
    const logged = entries.map((entry) =>
      entry.kind === "call_settled" ? { ...entry, body: { ...entry.body, logs: ["read\n12 pages"] } } : entry,
    );
    const result = replayed(withEntries(logged));
    const logLines = result.runs[0]?.logLines ?? [];
    expect(logLines.length).toBeGreaterThan(0);
    expect(logLines[0]).toMatch(/^r1s\dc\d \w+: read\n12 pages$/);
    expect(viewReplay(result, null).some((line) => /^ {2}r1s\dc\d \w+: read.*12 pages$/.test(line))).toBe(
      true,
    );
  });

  test("says when it is only the beginning of what the session had", () => {
    const half = replayed(JSON.stringify({ items: entries.slice(0, 9), lastSeq, more: true }));
    expect(half.missing).toBe(lastSeq - 9);
    expect(viewReplay(half, null).join("\n")).toContain(
      `The file holds the beginning only: the session had ${lastSeq - 9} more entries`,
    );
  });

  test("reads for a person: entries, runs, hashes, equal", () => {
    expect(viewReplay(replayed(frozenText), null)).toEqual([
      `${lastSeq} log entries replayed`,
      "r1  completed",
      "r2  waiting_approval",
      "r3  queued",
      `replayed state  ${frozen.digest}`,
      `state in file   ${frozen.digest}  (schema 1, at entry ${lastSeq})`,
      "equal",
    ]);
  });
});

describe("an export", () => {
  const parts = {
    format: "cairn.session/1" as const,
    session: { id: "ses_demo", title: "Demo", titleSource: "auto" as const, metadata: {} },
    entries: entries.map((entry) => ({ ...eventOf(entry), v: 1 as const, body: { ...entry.body } })),
    blobs: { r1s1c0: "a long text" },
    stateHash: frozen.digest.slice("sha256:".length),
  };
  const file = { ...parts, seal: sealOf(parts) };
  const textOfExport = (change: object = {}): string => JSON.stringify({ ...file, ...change });

  test("folds to the state whose hash it holds, under a seal that holds", () => {
    const result = replayed(textOfExport());
    expect([result.digest, holds(result)]).toEqual([frozen.digest, true]);
    expect(viewReplay(result, null)).toEqual([
      `${lastSeq} log entries replayed`,
      "r1  completed",
      "r2  waiting_approval",
      "r3  queued",
      `replayed state  ${frozen.digest}`,
      `state in file   ${frozen.digest}`,
      "equal",
      "The file is as it was exported.",
    ]);
  });

  test("that was changed is told: its text, its state, its rows", () => {
    const blob = replayed(textOfExport({ blobs: { r1s1c0: "another text" } }));
    expect([holds(blob), viewReplay(blob, null).at(-1)]).toEqual([
      false,
      "The file was changed after it was exported.",
    ]);
    const other = { ...parts, stateHash: "0".repeat(64) };
    const state = replayed(JSON.stringify({ ...other, seal: sealOf(other) }));
    expect([holds(state), viewReplay(state, null).slice(-2)]).toEqual([
      false,
      ["NOT EQUAL", "The file is as it was exported."],
    ]);
    expect(problemOf(textOfExport({ entries: file.entries.slice(1) }))).toContain("entry 1 is missing");
    expect(problemOf(textOfExport({ seal: undefined }))).toMatch(/^This export is not complete, at seal: /);
  });

  test("up to an earlier row is held against nothing", () => {
    const early = replayed(textOfExport(), 5);
    expect([early.exported, holds(early)]).toEqual([null, true]);
  });
});

describe("a log that does not hold", () => {
  test("is told by the first place where the stored state differs", () => {
    const state = { ...frozen.state, messages: 99 };
    const result = replayed(JSON.stringify({ entries, state, digest: digestOf(state) }));
    expect(result.comparison).toMatchObject({
      equal: false,
      sealed: true,
      difference: { path: "messages", folded: result.state.messages, stored: 99 },
    });
    const lines = viewReplay(result, null);
    expect(lines).toContain("NOT EQUAL");
    expect(lines).toContain("first difference: messages");
  });

  test("is told by a digest that is not that of its state", () => {
    const { comparison } = replayed(JSON.stringify({ ...frozen, digest: "sha256:0" }));
    expect(comparison).toMatchObject({ equal: true, sealed: false });
  });

  test("names a row that is missing, that comes again, and rows missing at the beginning", () => {
    expect(problemOf(withEntries(entries.filter(({ seq }) => seq !== 7)))).toBe(
      `After entry 6 comes entry 8 (${entries[7]?.kind}): entry 7 is missing.`,
    );
    expect(problemOf(withEntries([...entries.slice(0, 4), ...entries.slice(3)]))).toContain("Entry 4");
    expect(problemOf(withEntries(entries.slice(3)))).toContain("The log begins at entry 4");
    expect(problemOf(withEntries(entries.slice(3)))).toContain("entries 1 to 3 are missing");
  });

  test("names a row that does not fit the phase of the log", () => {
    const reply = entries.find((entry) => entry.kind === "model_replied");
    const broken = entries.slice(0, 3).concat({ ...reply, seq: 4 } as Entry);
    expect(problemOf(withEntries(broken))).toMatch(/^Entry 4 \(model_replied\) cannot be replayed: .*phase/);
  });

  test("names a row whose body is not that of its kind", () => {
    const queued = entries.find((entry) => entry.kind === "model_replied")?.seq ?? 0;
    expect(problemOf(changed(queued, { body: {} }))).toContain(
      `Entry ${queued} (model_replied) cannot be replayed:`,
    );
  });

  test("names a row of a newer version, of an unknown kind, and of a wrong shape", () => {
    expect(problemOf(changed(2, { v: 2 }))).toContain("Entry 2");
    expect(problemOf(changed(2, { v: 2 }))).toContain("newer version");
    expect(problemOf(changed(2, { kind: "toString" }))).toContain('does not know: "toString"');
    expect(problemOf(changed(2, { at: "yesterday" }))).toContain(
      "The 2nd entry is not an entry of a log at at",
    );
  });

  test("names a stored state of a newer version", () => {
    const state = { ...frozen.state, schema: 2 };
    expect(problemOf(JSON.stringify({ entries, state, digest: digestOf(state) }))).toContain(
      "newer version (schema 2)",
    );
  });

  test("has no row behind its end, and none when it is empty", () => {
    expect(problemOf(frozenText, 1_000)).toBe(`The log ends at entry ${lastSeq}: there is no entry 1000.`);
    expect(problemOf(withEntries([]))).toBe("The log is empty.");
  });

  test.each(["", "hello", "null", "{}", '{"name":"cairn"}', "[1]", '{"seq":1}', "SQLite"])(
    "is not a log at all: %j",
    (text) => {
      expect(problemOf(text)).toMatch(/not the log of a session|log is empty/);
    },
  );
});

describe("the first difference of two values", () => {
  test("is found in depth, in lists, and where one has a field more", () => {
    expect(findDifference({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] })).toEqual({
      path: "a.1.b",
      folded: 2,
      stored: 3,
    });
    expect(findDifference({ a: 1 }, { a: 1, b: null })).toEqual({
      path: "b",
      folded: undefined,
      stored: null,
    });
    expect(findDifference([1], { 0: 1 })).toMatchObject({ path: "" });
    expect(findDifference({ a: [1] }, { a: [1] })).toBeNull();
  });
});

describe("the file of a session", () => {
  function fileOf(entries: readonly Entry[], state: object | null): string {
    const directory = mkdtempSync(path.join(tmpdir(), "cairn-replay-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const file = path.join(directory, "session.sqlite");
    const database = new DatabaseSync(file);
    database.exec(
      "CREATE TABLE entries (seq INTEGER PRIMARY KEY, at INTEGER, run TEXT, step TEXT, kind TEXT, v INTEGER, body TEXT); CREATE TABLE cursor (one INTEGER PRIMARY KEY, head INTEGER); CREATE TABLE snapshot (one INTEGER PRIMARY KEY, schema INTEGER, state TEXT)",
    );
    const insert = database.prepare("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)");
    for (const { seq, at, run, step, kind, v, body } of entries)
      insert.run(seq, at, run, step, kind, v, JSON.stringify(body));
    if (state !== null)
      database
        .prepare("INSERT INTO snapshot VALUES (1, ?, ?)")
        .run("schema" in state ? Number(state.schema) : 0, JSON.stringify(state));
    database.close();
    return file;
  }

  test("is folded and compared like any log, and read without being changed", () => {
    const file = fileOf(entries, frozen.state);
    const before = readFileSync(file);
    const log = readSessionFile(file);
    expect(isSqlite(before)).toBe(true);
    expect(log.kind === "log" ? replay(log, null) : log).toMatchObject({
      kind: "replayed",
      digest: frozen.digest,
      comparison: { equal: true, sealed: null },
    });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("is compared at the place of its snapshot, which may be further back than its last entry", () => {
    const half = fold(EMPTY_STATE, entries.slice(0, 4));
    const log = readSessionFile(fileOf(entries, half));
    expect(log.kind === "log" ? replay(log, null) : log).toMatchObject({
      comparison: { at: 4, equal: true },
      digest: frozen.digest,
    });
    const other = readSessionFile(fileOf(entries, { ...half, messages: 9 }));
    expect(other.kind === "log" ? replay(other, null) : other).toMatchObject({
      comparison: { equal: false, difference: { path: "messages", stored: 9 } },
    });
  });

  test("may hold no state, another database, or no database", () => {
    const log = readSessionFile(fileOf(entries, null));
    expect(log).toMatchObject({ kind: "log", stored: null });
    const other = fileOf([], null);
    const database = new DatabaseSync(other);
    database.exec("DROP TABLE entries");
    database.close();
    expect(readSessionFile(other)).toMatchObject({ kind: "problem" });
    const broken = fileOf([], null);
    writeFileSync(broken, "SQLite format 3\u0000 and then nothing of it");
    expect(readSessionFile(broken)).toMatchObject({ kind: "problem" });
    expect(isSqlite(new TextEncoder().encode("SQLite form"))).toBe(false);
  });
});

describe("a trace", () => {
  const lines = traceLines(
    "ses",
    entries.filter((entry) => entry.run === "r1"),
  );

  test("is told from a log, and its chain and its seal are checked", () => {
    const trace = parseLog(lines.map((line) => `${line}\n`).join(""));
    const verdict = checkTrace(trace.kind === "trace" ? trace.lines : []);
    const { hash } = JSON.parse(lines.at(-1) ?? "") as { readonly hash: string };
    expect(verdict).toMatchObject({ lines: lines.length, outcome: "completed", seal: hash, fault: null });
    expect(viewTrace(verdict).join("\n")).toContain("cannot be replayed");
  });

  test("that was altered, reordered or cut at either end is found out, with its line", () => {
    const [first = "", second = "", ...rest] = lines;
    const fault = (changedLines: readonly string[]): string => checkTrace(changedLines).fault ?? "";
    expect(rest.length).toBeGreaterThan(0);
    expect(fault([first, second.replace('"iteration":1', '"iteration":2'), ...rest])).toContain("line 2");
    expect(fault([second, first, ...rest])).toContain("line 1");
    expect(fault([second, ...rest])).toContain("line 1");
    expect(fault([first, ...rest])).toContain("line 2");
    expect(fault(lines.slice(0, -1))).toContain("its last line is missing");
    expect(fault([first, "not json", ...rest])).toContain("line 2");
  });
});

describe("the arguments of npm run replay", () => {
  test("are a file, a row to stop behind, and whether to print the state", () => {
    expect(parseReplayOptions(["a.sqlite", "--at", "12", "--state"])).toEqual({
      kind: "options",
      options: { file: "a.sqlite", at: 12, state: true },
    });
    expect(parseReplayOptions(["--help"])).toEqual({ kind: "help" });
  });

  test.each([[[]], [["a", "b"]], [["a", "--at", "0"]], [["a", "--at", "x"]], [["a", "--what"]]])(
    "are refused when they are not understood: %j",
    (argv) => {
      expect(parseReplayOptions(argv).kind).toBe("usage");
    },
  );
});
