import { expect, test } from "vitest";
import { isTooDeep, JSON_DEPTH_MAX } from "../../../src/cairn/core/log/json.ts";
import { startOf } from "../../../src/cairn/core/text/cut.ts";
import { foldWords, tokenize } from "../../../src/plugins/rehearsal/text/tokens.ts";
import { parseScript } from "../../../src/cairn/models/script/script.ts";
import { createReplyTape } from "../../../src/cairn/models/reply.ts";
import { Peer, type PeerState } from "../../../src/cairn/session/sockets/connection.ts";
import { slugify } from "../../../src/plugins/cms/model/slugs.ts";
import { isVisible, parseInput } from "../../../src/cairn/protocol/chat-body.ts";
import { parseFrame } from "../../../src/cairn/protocol/frames.ts";
import { ISSUES_MAX } from "../../../src/cairn/protocol/issues.ts";

/** Input validation, piece by piece. For the entry points themselves see test/worker/bad-input*.test.ts. */

const lists = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
const nested = (levels: number): string => '{"a":'.repeat(levels) + "1" + "}".repeat(levels);
const objects = (levels: number): unknown => JSON.parse(nested(levels));

test("depth is counted to the level, however deep it goes", () => {
  for (const of of [lists, objects]) {
    expect([JSON_DEPTH_MAX, JSON_DEPTH_MAX + 1, 200_000].map((levels) => isTooDeep(of(levels)))).toEqual([
      false,
      true,
      true,
    ]);
  }
  expect([1, null, "[[[", undefined, [], {}].map(isTooDeep)).toEqual([
    false,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test("arguments that a model nests too deep are malformed, and reach nothing that walks them", () => {
  const tape = createReplyTape({ dialect: "native", offers: [], takesWritten: false }, () => {});
  const call = (input: string) =>
    tape.call({ type: "tool-call", toolCallId: "c", toolName: "page_create", input });
  call(nested(100_000));
  call(nested(JSON_DEPTH_MAX));
  expect(tape.parts()).toEqual([
    {
      type: "call",
      tool: "page_create",
      input: null,
      malformed: `(nested more than ${JSON_DEPTH_MAX} levels deep)`,
    },
    { type: "call", tool: "page_create", input: objects(JSON_DEPTH_MAX) },
  ]);
});

test("a frame that fails does not take the turn of the next", async () => {
  let state: PeerState | null = null;
  const actor = { subject: "ada", scopes: [], via: "socket" as const };
  const peer = Peer.introduce(
    {
      id: "1",
      get state() {
        return state;
      },
      setState(next) {
        state = next;
      },
      send() {},
      close() {},
    },
    actor,
    { openedAt: 0 },
  );
  const heard: string[] = [];
  const first = peer.inTurn(() => Promise.reject(new Error("a bug")));
  const second = peer.inTurn(() => {
    heard.push("second");
  });
  await expect(first).rejects.toThrow("a bug");
  await second;
  expect(heard).toEqual(["second"]);
});

test("a text says something when a person would see it", () => {
  const seen = ["a", "会", "ن", "🏳️‍🌈", "42", ".", "\u200bx", "\u0301e"];
  const unseen = [
    "",
    " \n\t",
    "\u3000\u00a0",
    "\u200b\u200f\u2060\ufeff",
    "\u0000\u0007",
    "\ud800",
    "\ufffd",
    "\u00ad",
  ];
  expect(seen.filter((text) => !isVisible(text))).toEqual([]);
  expect(unseen.filter(isVisible)).toEqual([]);
});

test("half a character becomes the sign for a broken one, and counts as three bytes", () => {
  expect(parseInput([{ type: "text", text: "a\ud800" }])).toEqual([{ type: "text", text: "a\ufffd" }]);
  expect(parseInput([{ type: "text", text: "a\ud800" }], 3)).toMatchObject({ code: "message_too_large" });
});

test("a frame with many faults names some, and says how many it leaves out", () => {
  const fields = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`k${at}`, at]));
  const parsed = parseFrame(JSON.stringify({ type: "cairn:send", eventId: "e1", text: "a", ...fields }));
  if (parsed.kind !== "bad") throw new Error("it was taken");
  expect(parsed).toMatchObject({
    eventId: "e1",
    code: "unknown_field",
    message: "The field k0 is not known.",
  });
  expect(parsed.issues).toHaveLength(ISSUES_MAX + 1);
  expect(parsed.issues.at(-1)).toEqual({ path: "", code: "more_issues", message: "30 more are not listed." });
});

test("a slug is made of what a name decomposes to, capitals of other alphabets included", () => {
  expect(["𝒳ℝ", "ＡＢＣ", "İstanbul", "Straße", "Ǆ", "会社概要", "🎉"].map(slugify)).toEqual([
    "xr",
    "abc",
    "istanbul",
    "strasse",
    "dz",
    "",
    "",
  ]);
});

test("names that differ by a mark of their script are two names; accents of Latin letters are none", () => {
  expect(foldWords("ガス")).not.toEqual(foldWords("カス"));
  expect(foldWords("कि")).not.toEqual(foldWords("क"));
  expect(foldWords("Café Ölé")).toEqual(["cafe", "ole"]);
});

test("a cut never tears a character in two", () => {
  expect([0, 1, 2, 3, 4].map((max) => startOf("a𝒳b", max))).toEqual(["", "a", "a", "a𝒳", "a𝒳b"]);
});

test("a slash between two words joins them, before a word it begins a path, and alone it is a word", () => {
  expect(tokenize("News/Events /careers a / b").map(({ kind, text }) => [kind, text])).toEqual([
    ["word", "News/Events"],
    ["path", "careers"],
    ["word", "a"],
    ["word", "/"],
    ["word", "b"],
  ]);
});

test("a script quotes what it cannot read, but not at any length", () => {
  const { problems, say } = parseScript(`/call page_create ${"[".repeat(20_000)}\n/say`) ?? {
    problems: [],
    say: "",
  };
  expect([say, problems.length, problems.every((problem) => problem.length < 400)]).toEqual([null, 2, true]);
  expect(problems.at(-1)).toBe('"/say" needs a text');
});
