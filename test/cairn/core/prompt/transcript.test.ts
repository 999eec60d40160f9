import { describe, expect, test } from "vitest";
import type { Entry } from "../../../../src/cairn/core/log/entry.ts";
import type { PromptMessage } from "../../../../src/cairn/core/log/model.ts";
import { composeTranscript } from "../../../../src/cairn/core/prompt/transcript.ts";

const transcript = (...entries: Parameters<typeof composeTranscript>): readonly PromptMessage[] =>
  composeTranscript(...entries).messages;

/** A small stream of numbers that a failing test can repeat. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

let seq = 0;
const entry = (kind: Entry["kind"], body: unknown): Entry =>
  ({ seq: ++seq, at: seq, run: "r9", step: `r9s${seq}`, kind, v: 1, body }) as unknown as Entry;
const said = (text: string): Entry =>
  entry("user_message", {
    id: text,
    author: "ada",
    source: "api",
    mode: "queue",
    parts: [{ type: "text", text }],
  });
const answered = (text: string): Entry => entry("answer", { text });

/** A run of many steps, some with several calls, with words of the person in between. */
function randomRun(next: (below: number) => number): Entry[] {
  const entries = [said("THE REQUEST")];
  const steps = next(18);
  for (let n = 0; n < steps; n++) {
    const calls = Array.from({ length: next(4) }, (_, index) => `r9s${n}c${index}`);
    const parts = [
      ...(next(2) === 0 ? [{ type: "text", text: `text ${n}` }] : []),
      ...calls.map((call) => ({ type: "call", call, tool: "look", input: {} })),
    ];
    entries.push(entry("model_replied", { parts, calls: calls.map((call) => ({ call })) }));
    for (const call of calls) {
      if (next(6) === 0) entries.push(said(`JOINED ${n} ${call}`));
      entries.push(entry("call_settled", { call, tool: "look", observation: `{"n":${n}}`, status: "ok" }));
    }
    if (calls.length === 0) entries.push(entry("verdict", { act: "reask", hint: "again" }));
  }
  return entries;
}

const callsOf = (messages: readonly PromptMessage[]): string[] =>
  messages.flatMap((message) =>
    message.role === "assistant"
      ? message.parts.flatMap((part) => (part.type === "call" ? [part.call] : []))
      : [],
  );
const resultsOf = (messages: readonly PromptMessage[]): string[] =>
  messages.flatMap((message) =>
    message.role === "tool" ? message.results.map((result) => result.call) : [],
  );
const wordsOf = (messages: readonly PromptMessage[]): string[] =>
  messages.flatMap((message) =>
    message.role === "user"
      ? message.parts.flatMap((part) =>
          part.type === "text" && !part.text.startsWith("<cairn-") ? [part.text] : [],
        )
      : [],
  );

describe.each(["compact", "window"] as const)("the transcript, %s", (policy) => {
  test("has every call with its result, the person's words of this run, in the order of the log, and begins with words", () => {
    for (let seed = 1; seed <= 400; seed++) {
      seq = 0;
      const next = chance(seed);
      const history = Array.from({ length: next(7) }, (_, n) => [
        said(`earlier ${n}`),
        answered(`answer ${n}`),
      ]).flat();
      const run = randomRun(next);
      const messages = transcript(history, run, policy);
      expect(callsOf(messages), `seed ${seed}`).toEqual(resultsOf(messages));
      expect(messages[0]?.role, `seed ${seed}`).toBe("user");
      const asked = run.flatMap((entry) => (entry.kind === "user_message" ? [entry.body.id] : []));
      expect(
        wordsOf(messages).filter((text) => !text.startsWith("earlier")),
        `seed ${seed}`,
      ).toEqual(asked);
      for (const [index, message] of messages.entries()) {
        if (message.role !== "tool") continue;
        expect(messages[index - 1]?.role, `seed ${seed}`).toBe("assistant");
      }
    }
  });
});

test("the window holds the last ten of more than twenty messages, and the request", () => {
  seq = 0;
  const run = [said("THE REQUEST")];
  for (let n = 0; n < 14; n++) {
    const call = `r9s${n}c0`;
    run.push(
      entry("model_replied", { parts: [{ type: "call", call, tool: "look", input: {} }], calls: [{ call }] }),
    );
    run.push(entry("call_settled", { call, tool: "look", observation: `{"n":${n}}`, status: "ok" }));
  }
  const earlier = Array.from({ length: 6 }, (_, n) => [said(`earlier ${n}`), answered(`answer ${n}`)]).flat();
  expect(transcript(earlier, run)).toHaveLength(41);
  const window = transcript(earlier, run, "window");
  expect(window).toHaveLength(11);
  expect(wordsOf(window)).toEqual(["THE REQUEST"]);
  expect(resultsOf(window).at(-1)).toBe("r9s13c0");
});

test("words of the person that look like the runtime's own are in the window too", () => {
  seq = 0;
  const run = [said("<cairn-note>keep me</cairn-note>"), said("and be quick")];
  for (let n = 0; n < 14; n++) {
    const call = `r9s${n}c0`;
    run.push(
      entry("model_replied", { parts: [{ type: "call", call, tool: "look", input: {} }], calls: [{ call }] }),
    );
    run.push(entry("call_settled", { call, tool: "look", observation: `{"n":${n}}`, status: "ok" }));
  }
  expect(JSON.stringify(transcript([], run, "window"))).toContain("keep me");
});

test("words that look like data stay words", () => {
  for (const text of ["42", "true", '{"a":1}', "", "null"]) {
    seq = 0;
    expect(transcript([], [said(text)])).toEqual([{ role: "user", parts: [{ type: "text", text }] }]);
  }
});
