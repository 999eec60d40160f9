import { describe, expect, test } from "vitest";
import { plainText, readTurn, shownOnSite } from "../../src/page/chat/turn.ts";
import { endSentence, gist, noteText } from "../../src/page/chat/words.ts";
import { spanWords } from "../../src/page/parts/duration.ts";
import { addressOf, environmentOf, newestChange, pathOf, rootOf } from "../../src/page/site/changes.ts";

const step = (n: number, more = {}) => ({
  type: "data-step",
  id: `r1s${n}`,
  data: { step: `r1s${n}`, n, attempt: 1, phase: "done", ...more },
});
const tool = (id: string, more: object) => ({ type: "tool-page_update", toolCallId: id, input: {}, ...more });
const text = (words: string) => ({ type: "text", text: words });
const verdict = (refersTo: string, accepted: boolean) => ({
  type: "data-verdict",
  data: { source: "review", level: accepted ? "hint" : "block", codes: [], accepted, refersTo },
});

test("how far something is stands in words, with its percentage where there is one", () => {
  expect([noteText("Reading", 40), noteText("Reading", 0), noteText("Reading", null)]).toEqual([
    "Reading, 40 %",
    "Reading, 0 %",
    "Reading",
  ]);
});

describe("a message of the assistant is read", () => {
  test("as steps, each with its own parts, and a plan of the whole", () => {
    const { steps, plan } = readTurn([
      { type: "step-start" },
      step(1),
      { type: "reasoning", text: "First I look." },
      { type: "data-plan", data: { goal: "Look", items: [] } },
      tool("r1s1c0", { title: "Change a page", state: "output-available", output: { ok: true } }),
      { type: "step-start" },
      step(2),
      text("Done."),
    ]);
    expect(
      steps.map(({ key, thoughts, texts, calls }) => ({ key, thoughts, texts, calls: calls.length })),
    ).toEqual([
      { key: "r1s1", thoughts: ["First I look."], texts: [], calls: 1 },
      { key: "r1s2", thoughts: [], texts: ["Done."], calls: 0 },
    ]);
    expect(plan).toEqual({ goal: "Look", items: [] });
  });

  test("also without its beginning, and with parts that nobody knows", () => {
    const { steps } = readTurn([text("Half."), { type: "data-later", data: 1 }]);
    expect(steps.map(({ key, texts }) => ({ key, texts }))).toEqual([{ key: "at-0", texts: ["Half."] }]);
    expect(readTurn([])).toEqual({ steps: [], plan: null, citations: [] });
  });

  test("with a call that waits for the page that brought its tool, until it has answered", () => {
    const stateOf = (state: string) =>
      readTurn([
        tool("c", { state: "input-available" }),
        { type: "data-client-call", id: "c", data: { callId: "c", tool: "where", expiresAt: "t", state } },
      ]).steps[0]?.calls[0]?.state;
    expect(["waiting", "answered", "expired"].map(stateOf)).toEqual(["client", "running", "running"]);
  });

  test.each([
    ["input-available", "running"],
    ["approval-requested", "asked"],
    ["approval-responded", "running"],
    ["output-available", "done"],
    ["output-error", "failed"],
    ["output-denied", "denied"],
  ])("a call in state %s %s", (state, read) => {
    expect(readTurn([tool("c", { state })]).steps[0]?.calls[0]).toMatchObject({
      tool: "page_update",
      title: "page_update",
      state: read,
    });
  });

  test.each([
    ["approval-responded", "denied", "denied"],
    ["approval-requested", "expired", "denied"],
    ["approval-responded", "cancelled", "denied"],
    ["approval-responded", "approved", "running"],
    ["approval-requested", "pending", "asked"],
    ["output-available", "denied", "done"],
  ])("a call in state %s whose approval is %s: %s", (state, decided, read) => {
    const approval = { type: "data-approval", id: "a", data: { callId: "c", state: decided } };
    const other = { type: "data-approval", id: "b", data: { callId: "d", state: "denied" } };
    expect(readTurn([tool("c", { state }), other, approval]).steps[0]?.calls[0]?.state).toBe(read);
  });

  test("an answer that the review held back is no answer, and is not copied", () => {
    const parts = [
      { type: "step-start" },
      step(1),
      text("I have begun."),
      verdict("r1s1", false),
      { type: "step-start" },
      step(2),
      text("It is done."),
      verdict("r1s2", true),
    ];
    expect(readTurn(parts).steps.map(({ refused, texts }) => [refused, texts])).toEqual([
      [[expect.any(String)], []],
      [[], ["It is done."]],
    ]);
    expect(plainText(parts)).toBe("It is done.");
  });

  test("an answer that was delivered is shown and copied, whatever the review had against it", () => {
    const spent = [
      { type: "step-start" },
      step(1),
      text("All is well."),
      verdict("r1s1", false),
      { type: "step-start" },
      step(2),
      text("Everything is done."),
      verdict("r1s2", false),
      text("I could not show that everything is done."),
    ];
    const [first, second] = readTurn(spent, "partial").steps;
    expect([first?.refused, first?.texts]).toEqual([["All is well."], []]);
    expect([second?.refused, second?.texts]).toEqual([
      ["Everything is done."],
      ["I could not show that everything is done."],
    ]);
    expect(plainText(spent, "partial")).toBe("I could not show that everything is done.");
    // The very text that was refused is the one that was delivered.
    const same = spent.slice(0, -1);
    expect(readTurn(same, "partial").steps.map(({ texts }) => texts)).toEqual([[], ["Everything is done."]]);
    expect(plainText(same, "answered")).toBe("Everything is done.");
    // While the run works, and when it was stopped, there is no answer yet.
    for (const outcome of [undefined, "cancelled", "failed"] as const)
      expect(plainText(same, outcome)).toBe("");
  });

  test("a text that stands before the calls of its step is said, and is no answer that was refused", () => {
    const parts = [step(1), text("First I look."), tool("c", { state: "output-available" })];
    expect(readTurn(parts).steps[0]).toMatchObject({ texts: ["First I look."], refused: [] });
  });

  test("what the model was asked anew for is no answer either", () => {
    const data = { source: "guard", level: "block", codes: ["TEXT_CALL"], accepted: null, refersTo: "r1s1" };
    const call = text('{"name":"page_list","arguments":{}}');
    const parts = [
      step(1),
      call,
      { type: "data-verdict", data },
      { type: "step-start" },
      step(2),
      text("Two."),
    ];
    expect(plainText(parts)).toBe("Two.");
  });
});

test.each([
  [{}, null],
  [{ outcome: "answered" }, null],
  [{ outcome: "partial", reason: "budget:steps" }, "Partly answered, because it hit the step limit."],
  [
    { outcome: "failed", reason: "provider:auth" },
    "It could not be finished, because the model did not answer.",
  ],
  [{ outcome: "failed", reason: "a word of a later version" }, "It could not be finished."],
  [{ outcome: "cancelled", reason: "cancelled" }, "Stopped."],
  [{ outcome: "cancelled", reason: "superseded" }, "Stopped, because a newer message took its place."],
] as const)("the end %j is told as %j", (note, sentence) => {
  expect(endSentence(note)).toBe(sentence);
});

test("a run says how long it worked and how long it waited, apart", () => {
  const steps = [
    { durationMs: 4_000, waitedMs: 0 },
    { durationMs: 3_725_000, waitedMs: 3_720_000 },
    { durationMs: null, waitedMs: 0 },
  ];
  expect(spanWords(steps)).toEqual(["worked 9.0 s", "waited 1 h 2 min"]);
  expect(spanWords(steps.slice(0, 1))).toEqual(["worked 4.0 s"]);
});

test.each([
  [{ name: "About", list: [{ type: "page", ref: "about" }], empty: "", on: true }, "About · page · about"],
  [undefined, ""],
  ["words", "words"],
  [{ text: "x".repeat(200) }, `${"x".repeat(89)}…`],
])("the gist of %j", (input, line) => {
  expect(gist(input)).toBe(line);
});

describe("the site beside the chat", () => {
  const answer = (...calls: object[]) => ({ id: "s.r1", role: "assistant", parts: calls });
  const wrote = (id: string, preview?: object) =>
    tool(id, {
      state: "output-available",
      output: { ok: true, op: "o", ...(preview === undefined ? {} : { preview }) },
    });

  test("goes to the newest write, wherever it can be seen", () => {
    const first = answer(wrote("a", { path: "/site/", section: "sc_1" }));
    const read = answer(tool("b", { state: "output-available", output: { items: [] } }));
    expect(newestChange([first, read])).toEqual({
      call: "s.r1.a",
      page: { path: "/site/", section: "sc_1" },
    });
    expect(newestChange([first, answer(wrote("c"))])).toEqual({ call: "s.r1.c", page: null });
    expect(newestChange([answer(tool("d", { state: "output-error", output: { ok: true } }))])).toBeNull();
  });

  test("goes nowhere else, whatever a tool says", () => {
    const call = (path: unknown) => readTurn([wrote("a", { path })]).steps[0]!.calls[0]!;
    expect(
      ["https://example.com/", "//example.com", "javascript:1", "/api/me", 5].map((path) =>
        shownOnSite(call(path)),
      ),
    ).toEqual([null, null, null, null, null]);
  });

  test.each([
    ["/site/about", "/site/about"],
    ["blog/winter", "/site/blog/winter"],
    ["/", "/site/"],
    ["", "/site/"],
    ["../api/me", null],
    ["about?preview=x", null],
    ["https://example.com", null],
  ])("what is typed as %j is the path %j", (typed, path) => {
    expect(pathOf(typed, "/site/about")).toBe(path);
  });

  test.each([
    ["about", "/site/~env_staging/about"],
    ["/site/about", "/site/about"],
    ["", "/site/~env_staging/"],
  ])("beside another environment %j is the path %j", (typed, path) => {
    expect(pathOf(typed, "/site/~env_staging/de/team")).toBe(path);
  });

  test.each([
    ["/site/~env_staging/about", "env_staging"],
    ["/site/~env_staging", "env_staging"],
    ["/site/about", null],
    ["/site/~/about", null],
    ["/site/~a b/about", null],
  ])("%j is of the environment %j", (path, environment) => {
    expect(environmentOf(path)).toBe(environment);
  });

  test("begins at the root of the session's site", () => {
    expect([rootOf(null), rootOf("env_main"), rootOf("env_staging")]).toEqual([
      "/site/",
      "/site/",
      "/site/~env_staging/",
    ]);
  });

  test("has an address with the token of drafts and the section", () => {
    const page = { path: "/site/about", section: "sc_1" };
    expect(addressOf(page, "a.b")).toBe("/site/about?preview=a.b#s-sc_1");
    expect(addressOf({ ...page, section: null }, null)).toBe("/site/about");
  });
});
