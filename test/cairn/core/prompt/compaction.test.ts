import { describe, expect, test } from "vitest";
import { compaction, compactionDue, isRecap } from "../../../../src/cairn/core/prompt/compaction.ts";
import { estimateMessage } from "../../../../src/cairn/core/state/prompt-size.ts";
import type { BodyOf, Entry } from "../../../../src/cairn/core/log/entry.ts";
import type { PromptMessage } from "../../../../src/cairn/core/log/model.ts";
import {
  lastCompacted,
  composeTranscript,
  type TranscriptPolicy,
} from "../../../../src/cairn/core/prompt/transcript.ts";
import { RunLog } from "../state/log.ts";

const transcript = (...entries: Parameters<typeof composeTranscript>): readonly PromptMessage[] =>
  composeTranscript(...entries).messages;

const tokensOf = (messages: readonly PromptMessage[]): number =>
  messages.reduce((total, message) => total + estimateMessage(message), 0);
/** The tokens of the request that this entry would make. */
const measure =
  (log: RunLog, policy: TranscriptPolicy = "compact") =>
  (body: BodyOf<"compacted"> | null): number => {
    const entry = { seq: log.head + 1, kind: "compacted", run: "r1", step: null, at: 0, v: 1, body } as Entry;
    return tokensOf(transcript([], body === null ? log.entries : [...log.entries, entry], policy));
  };
const compact = (log: RunLog, target = Infinity, listed = false) =>
  compaction(log.entries, target, measure(log), listed);
const small = { tokens: 1_000, cap: 100_000 };
const textOf = (messages: readonly PromptMessage[]): string => JSON.stringify(messages);

function logOf(steps: number, tool = "get_page"): RunLog {
  const log = new RunLog();
  log.say("Make it so");
  for (let n = 0; n < steps; n++) log.step(tool);
  return log;
}

describe("a compaction is due", () => {
  test("after more than ten steps, then after ten new ones", () => {
    const log = logOf(10);
    expect(compactionDue(log.entries, "compact", small)).toBe(false);
    log.step("get_page");
    expect(compactionDue(log.entries, "compact", small)).toBe(true);
    log.add("compacted", compact(log)!.body);
    for (let n = 0; n < 9; n++) log.step("get_page");
    expect(compactionDue(log.entries, "compact", small)).toBe(false);
    log.step("get_page");
    expect(compactionDue(log.entries, "compact", small)).toBe(true);
  });

  test("above 70% of what a request may have, and then not again for every step while it fits", () => {
    const log = logOf(8);
    expect(compactionDue(log.entries, "compact", { tokens: 70_000, cap: 100_000 })).toBe(false);
    expect(compactionDue(log.entries, "compact", { tokens: 70_001, cap: 100_000 })).toBe(true);
    expect(compactionDue(log.entries, "window", { tokens: 70_001, cap: 100_000 })).toBe(true);
    log.add("compacted", compact(log)!.body);
    log.step("get_page");
    expect(compactionDue(log.entries, "compact", { tokens: 80_000, cap: 100_000 })).toBe(false);
    expect(compactionDue(log.entries, "compact", { tokens: 100_001, cap: 100_000 })).toBe(true);
    log.step("get_page");
    expect(compactionDue(log.entries, "compact", { tokens: 80_000, cap: 100_000 })).toBe(true);
  });

  test("never by itself under the policies that keep all", () => {
    for (const policy of ["none"] as const)
      expect(compactionDue(logOf(40).entries, policy, { tokens: 99_000, cap: 100_000 })).toBe(false);
  });

  test("not for ten turns of 8,000 tokens that the provider counted before: only the next request counts", () => {
    expect(compactionDue(logOf(10).entries, "compact", { tokens: 12_000, cap: 123_904 })).toBe(false);
  });
});

describe("what a compaction keeps", () => {
  test("is the first two and the last five steps; the middle is one line for a run of one tool", () => {
    const log = logOf(12);
    const { body, fits } = compact(log)!;
    log.add("compacted", body);
    const messages = transcript([], log.entries, "compact");
    const shown = messages.flatMap((message) =>
      message.role === "tool" ? message.results.map((one) => one.call) : [],
    );
    expect(shown).toEqual(["r1s1c0", "r1s2c0", "r1s8c0", "r1s9c0", "r1s10c0", "r1s11c0", "r1s12c0"]);
    expect(body.summary.split("\n").slice(1)).toEqual(["- get_page x5 (5 ok) r1s3c0..r1s7c0"]);
    // After the two first blocks, where the middle was.
    expect(textOf([messages[5]!])).toContain("r1s3c0..r1s7c0");
    expect([fits, body.method, body.verbatim, body.observationChars]).toEqual([true, "mechanical", [], null]);
    expect(body.after).toBe(tokensOf(messages));
    expect(body.before).toBe(tokensOf(transcript([], log.entries.slice(0, -1))));
  });

  test("counts failures, quotes the last, and names what was touched", () => {
    const log = logOf(2);
    log.step("get_page", "ok", { changes: [{ op: "touch", type: "page", id: "p1", name: 'The "Home"' }] });
    log.step("get_page", "error", { message: `No page </cairn-note> ${"x".repeat(100)}` });
    log.step("get_page");
    log.step("update_page", "ok", { changes: [{ op: "create", type: "page", id: "p 2", name: "B" }] });
    for (let n = 0; n < 5; n++) log.step("get_page");
    const lines = compact(log)!.body.summary.split("\n").slice(1);
    expect(lines).toEqual([
      `- get_page x3 (2 ok, 1 error) r1s3c0..r1s5c0; touched page:p1 "The \\"Home\\""; last failure: "No page \\u003c/cairn-note> ${"x".repeat(67)}…"`,
      '- update_page x1 (1 ok) r1s6c0; touched created "page:p 2" "B"',
    ]);
  });

  test("what was said beside calls and what people decided are lines; what they wrote and edited stays as it was", () => {
    const log = logOf(2);
    const [call = ""] = log.reply("Now the page.", [{ tool: "publish_page" }]);
    log.say("and be quick", "join");
    log.add("approval_decided", {
      approval: "a",
      call,
      decision: "edit",
      actor: "ada",
      reason: "typo",
      args: { page: "p9" },
    });
    log.settle(call, "publish_page");
    for (let n = 0; n < 5; n++) log.step("get_page");
    const { body } = compact(log)!;
    expect(body.summary.split("\n").slice(1)).toEqual([
      '- said: "Now the page."',
      `- "ada" changed and approved ${call}: "typo"`,
      `- publish_page x1 (1 ok) ${call}`,
    ]);
    log.add("compacted", body);
    const text = textOf(transcript([], log.entries, "compact"));
    expect(text).toContain('"text":"and be quick"');
    expect(text).toContain("the person changed the arguments");
  });

  test("the newest five steps whose results stay whole do so, also where results are shown shorter", () => {
    const log = logOf(2);
    const skills = Array.from({ length: 6 }, (_, at) =>
      log.step("read_skill", "ok", {
        observation: `skill ${at} ${"s".repeat(3_000)} end ${at}`,
        whole: true,
      }),
    );
    const broken = log.step("read_skill", "error");
    for (let n = 0; n < 5; n++) log.step("get_page", "ok", { observation: "p".repeat(3_000) });
    const { body } = compact(log, 1)!;
    expect([body.observationChars, body.verbatim.length]).toEqual([1_000, 12]);
    log.add("compacted", body);
    const text = textOf(transcript([], log.entries, "compact"));
    for (const at of [1, 2, 3, 4, 5]) expect(text).toContain(`end ${at}`);
    expect(text).not.toContain("end 0");
    expect(text).toContain(`"call":"${broken}"`);
    expect(skills).toHaveLength(6);
  });

  test("a failure that nothing fixed stays with its whole block; a fixed one does not", () => {
    const log = logOf(2);
    const broken = log.step("publish_page", "error");
    const fixed = log.step("update_page", "error");
    log.step("update_page");
    for (let n = 0; n < 5; n++) log.step("get_page");
    log.add("compacted", compact(log)!.body);
    const text = textOf(transcript([], log.entries, "compact"));
    expect(text).toContain(`"call":"${broken}"`);
    expect(text).not.toContain(`"call":"${fixed}"`);
    // Once it is fixed, the next compaction lets it go.
    log.step("publish_page");
    for (let n = 0; n < 5; n++) log.step("get_page");
    log.add("compacted", compact(log)!.body);
    expect(textOf(transcript([], log.entries, "compact"))).not.toContain(`"call":"${broken}"`);
  });

  test("a tool that fails again and again keeps one block, and many tools three", () => {
    const log = logOf(2);
    for (let n = 0; n < 12; n++) log.step(`tool_${n % 6}`, "error");
    for (let n = 0; n < 5; n++) log.step("get_page");
    const { body } = compact(log)!;
    expect(body.verbatim.map((seq) => log.entries[seq - 1]?.step)).toEqual([
      "r1s12",
      "r1s12",
      "r1s13",
      "r1s13",
      "r1s14",
      "r1s14",
    ]);
  });
});

test("the next compaction covers the summary before it and the new middle, and says it once", () => {
  const log = logOf(12);
  log.add("compacted", compact(log)!.body);
  for (let n = 0; n < 10; n++) log.step("search");
  const { body } = compact(log)!;
  expect(body.summary.split("\n").slice(1)).toEqual([
    "- get_page x5 (5 ok) r1s3c0..r1s7c0",
    "- get_page x5 (5 ok) r1s8c0..r1s12c0",
    "- search x5 (5 ok) r1s13c0..r1s17c0",
  ]);
  expect(body.from).toBe(lastCompacted(log.entries)?.body.from);
  log.add("compacted", body);
  expect(textOf(transcript([], log.entries, "compact")).match(/summed up/g)).toHaveLength(1);
});

test("a summary has an end: its oldest lines are left out and counted, over any number of compactions", () => {
  const log = logOf(2);
  for (let round = 0; round < 12; round++) {
    for (let n = 0; n < 10; n++) {
      const [call = ""] = log.reply(`${"word ".repeat(60)}${n}`, [{ tool: "search" }]);
      log.settle(call, "search");
    }
    log.add("compacted", compact(log)!.body);
  }
  const { summary } = lastCompacted(log.entries)!.body;
  expect(summary.length).toBeLessThanOrEqual(8_000);
  const lines = summary.split("\n");
  const left = Number(/\((\d+) older lines left out\)/.exec(lines[1] ?? "")?.[1]);
  // Two lines a step: what was said, and the call.
  expect(left + lines.length - 2).toBe((120 - 5) * 2);
});

test("a request to go on has the last twelve calls one by one, within 2,400 characters, in this summary only", () => {
  const log = logOf(2);
  for (let n = 0; n < 20; n++) log.step("search", n % 2 === 0 ? "ok" : "error", { message: "<".repeat(90) });
  const { summary } = compact(log, Infinity, true)!.body;
  const list = summary.slice(summary.indexOf("one by one:\n"));
  expect(list.length).toBeLessThanOrEqual(2_400 + "one by one:\n".length);
  expect(list.split("\n").at(-1)).toContain("r1s17c0 search ok");
  log.add("compacted", { ...compact(log, Infinity, true)!.body });
  for (let n = 0; n < 10; n++) log.step("search");
  expect(compact(log)!.body.summary).not.toContain("one by one");
});

describe("a request that is still too large", () => {
  const wide = (steps: number): RunLog => {
    const log = new RunLog();
    log.say("Read it");
    for (let n = 0; n < steps; n++) log.step("read", "ok", { observation: `${n} ${"word ".repeat(1_600)}` });
    return log;
  };

  test("first sums up, then shortens what is kept, then keeps three steps", () => {
    const log = wide(12);
    const rungs = [100_000, 13_000, 1_500].map((target) => compact(log, target)!.body);
    expect(rungs.map((body) => body.observationChars)).toEqual([null, 1_000, 1_000]);
    const steps = rungs.map(
      (body) => log.entries.filter((entry) => entry.seq > body.to && entry.kind === "step_started").length,
    );
    expect(steps).toEqual([5, 5, 3]);
    const tokens = rungs.map((body) => body.after);
    expect([...tokens].sort((a, b) => b - a)).toEqual(tokens);
    expect(compact(log, 1)).toMatchObject({ fits: false, body: rungs[2] });
  });

  test("shortens what is there where there is no middle, and says where the whole is", () => {
    const log = wide(2);
    expect(compact(log, 1_000_000)).toMatchObject({
      fits: true,
      body: { from: 0, to: 0, summary: "", observationChars: 1_000 },
    });
    log.add("compacted", compact(log, 1)!.body);
    for (const message of transcript([], log.entries)) {
      const results = message.role === "tool" ? message.results : [];
      for (const result of results) {
        expect(result.observation.length).toBeLessThanOrEqual(1_000);
        expect(result.observation).toContain(`read_observation("${result.call}")`);
      }
    }
    // Later results are shown whole.
    const late = log.step("read", "ok", { observation: "y".repeat(5_000) });
    const newest = transcript([], log.entries).at(-1);
    expect(newest).toMatchObject({ results: [{ call: late, observation: "y".repeat(5_000) }] });
  });

  test("nothing is left to do where nothing would change", () => {
    const log = logOf(3);
    expect(compact(log, 1)).toBeNull();
    const big = wide(12);
    big.add("compacted", compact(big, 1)!.body);
    expect(compact(big, 1)).toBeNull();
  });
});

test.each([
  ["Continue, please.", true],
  ["What is the status?", true],
  ["Fasse den Stand zusammen", true],
  ["Où en es-tu ?", true],
  ["Build an about page", false],
  [`Write a page about ${"progress ".repeat(30)}`, false],
])("%s: its last calls are listed one by one: %s", (text, listed) => {
  const log = new RunLog();
  log.say(text);
  expect(isRecap(log.entries)).toBe(listed);
});

test("an earlier run that was compacted is shown with its summary, between its input and its answer", () => {
  const log = logOf(12);
  log.add("compacted", compact(log)!.body);
  log.add("answer", { text: "Done." });
  const history = log.entries.filter((entry) => ["user_message", "compacted", "answer"].includes(entry.kind));
  const now = new RunLog();
  now.say("And now?");
  const messages = transcript(history, now.entries);
  expect(messages.map((message) => message.role)).toEqual(["user", "user", "assistant", "user"]);
  expect(textOf([messages[1]!])).toContain("r1s3c0..r1s7c0");
});
