import { describe, expect, test } from "vitest";
import { asKind, type Entry, type EntryKind } from "../../../src/cairn/core/log/entry.ts";
import { estimateRaw } from "../../../src/cairn/core/state/prompt-size.ts";
import { RUN_LIMITS } from "../../../src/cairn/core/limits.ts";
import type { ModelFailure, ModelRequest, PromptMessage } from "../../../src/cairn/core/log/model.ts";
import { traceRun } from "../../../src/cairn/core/trace.ts";
import type { TranscriptPolicy } from "../../../src/cairn/core/prompt/transcript.ts";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { REPORT, type Line } from "../platform/fake-model.ts";
import { FakePlatform } from "../platform/platform.ts";

/** Requests of a long run and their contents, through the real loop. */

const look = (name: string): [string, { name: string }] => ["look", { name }];
const stepOf = (request: ModelRequest): number => Number(/s(\d+)$/.exec(request.step)?.[1] ?? 1);
/** A provider that counts the tokens of a request as their text makes them. */
const counting = (script: FakePlatform["script"]): FakePlatform =>
  new FakePlatform((request, index) => ({ inputTokens: estimateRaw(request), ...script(request, index) }));
const platformOf = (line: (step: number, request: ModelRequest) => Line): FakePlatform =>
  counting((request) => line(stepOf(request), request));
const of = <Kind extends EntryKind>(platform: FakePlatform, kind: Kind): Entry<Kind>[] =>
  platform.log.flatMap((entry) => asKind(entry, kind) ?? []);
const ended = (platform: FakePlatform): unknown =>
  of(platform, "run_ended").map(({ body }) => [body.outcome, body.reason]);
const textOf = (messages: readonly PromptMessage[]): string => JSON.stringify(messages);
const callsIn = (messages: readonly PromptMessage[]): readonly string[] =>
  messages.flatMap((message) =>
    message.role === "assistant"
      ? message.parts.flatMap((part) => (part.type === "call" ? [part.call] : []))
      : [],
  );
const resultsIn = (messages: readonly PromptMessage[]): readonly string[] =>
  messages.flatMap((message) => (message.role === "tool" ? message.results.map((one) => one.call) : []));

async function run(platform: FakePlatform, text = "THE REQUEST", steps = 40): Promise<FakePlatform> {
  platform.say(text, { limits: { ...RUN_LIMITS, steps } });
  await platform.settle(3_600_000);
  expect(platform.folded).toEqual(platform.state);
  return platform;
}

/** So many steps that each look at something else, then an answer. */
const looks =
  (steps: number) =>
  (step: number): Line =>
    step <= steps ? { calls: [look(`p${step}`)] } : { text: REPORT };

const TOO_LONG: ModelFailure = {
  class: "context_overflow",
  message: "The conversation is too long for the model.",
  retryAfterMs: null,
  usage: null,
};

describe("scenario 8: a compaction between equal calls resets nothing", () => {
  test("what had been answered before it is caught on the second repeat", async () => {
    const platform = await run(
      platformOf((step) => {
        if (step > 17) return { text: REPORT };
        return { calls: [look(step === 3 || step >= 16 ? "x" : `p${step}`)] };
      }),
    );
    const [summed] = of(platform, "compacted");
    expect(summed?.step).toBe("r1s12");
    const covered = of(platform, "call_settled").filter(
      ({ seq }) => seq >= summed!.body.from && seq <= summed!.body.to,
    );
    expect(covered.map((entry) => entry.body.call)).toEqual(["r1s3c0", "r1s4c0", "r1s5c0", "r1s6c0"]);
    const hints = of(platform, "verdict").filter((entry) => entry.body.code === "LOOP_HINT");
    expect(hints.map((entry) => [entry.step, entry.body.rule])).toEqual([["r1s17", "loop.after_compaction"]]);
  });
});

describe("scenario 40: a result of 5 MB", () => {
  test("is in rows under 1 MB, 8,192 characters inline, and slices of it join to the whole", async () => {
    const whole = JSON.stringify(`${"é1€😀".repeat(1_000_000)}the end`);
    const slices: string[] = [];
    const platform = platformOf((step, request) => {
      if (step === 1) return { calls: [["bulk", { name: "x" }]] };
      const newest = request.messages.findLast((message) => message.role === "tool")?.results[0];
      const read = JSON.parse((step > 2 ? newest?.observation : null) ?? "null") as {
        text?: string;
        next?: number | null;
      } | null;
      if (step > 2) slices.push(read?.text ?? "");
      const offset = step === 2 ? whole.length - 40_002 : read?.next;
      if (offset === null || offset === undefined) return { text: REPORT };
      return { calls: [["read_observation", { id: "r1s1c0", offset, limit: 16_000 }]] };
    });
    platform.effects.bulk = JSON.parse(whole) as string;
    await run(platform);
    // Said by its length first: two texts of this size are not printed.
    expect([slices.join("").length, slices.join("") === whole.slice(-slices.join("").length)]).toEqual([
      40_002,
      true,
    ]);
    expect(of(platform, "call_settled")[0]!.body.observation.length).toBeLessThanOrEqual(8_192);
    for (const table of ["blobs", "entries"]) {
      const [entry] = platform.disk.exec(`SELECT max(length(CAST(body AS BLOB))) AS bytes FROM ${table}`);
      expect(Number(entry?.["bytes"])).toBeLessThan(1_000_000);
    }
  });
});

describe.each(["compact", "window", "none"] as const)(
  "scenario 41: twelve old messages and a run of 15 steps, policy %s",
  (policy: TranscriptPolicy) => {
    test("the request is in every request, no result is orphaned, and the next run has none of them", async () => {
      const platform = platformOf((step, request) => {
        if (/^r[1-6]s/.test(request.step)) return { text: `Answer of ${request.step}.` };
        return request.step.startsWith("r7s") ? looks(15)(step) : { text: "Next." };
      });
      platform.transcript = policy;
      for (let n = 1; n <= 6; n++) await run(platform, `Old message ${n}`);
      await run(platform, "THE REQUEST");
      const requests = platform.requests.filter((request) => request.step.startsWith("r7s"));
      expect(requests).toHaveLength(16);
      for (const { messages } of requests) {
        expect(textOf(messages)).toContain("THE REQUEST");
        expect(resultsIn(messages)).toEqual(callsIn(messages));
        expect(messages[0]?.role).toBe("user");
      }
      await run(platform, "And now?");
      const next = platform.requests.at(-1)!;
      expect([callsIn(next.messages), resultsIn(next.messages)]).toEqual([[], []]);
      expect(of(platform, "compacted").map((entry) => entry.step)).toEqual(
        policy === "compact" ? ["r7s12"] : [],
      );
    });
  },
);

describe("scenario 42: each step sees what the one before it came to", () => {
  test("in the order of its calls, failures marked, without any time between", async () => {
    const platform = platformOf((step) =>
      step <= 3
        ? { calls: [look(`a${step}`), ["put", { name: `b${step}` }], look(`c${step}`)] }
        : { text: "Some of it failed: put could not be done." },
    );
    const began = platform.now;
    platform.effects.broken.set("put", new ToolError("permission", "not_yours", "That is not yours."));
    await run(platform);
    // One alarm a step, a millisecond later each: no pause is built in.
    expect(platform.now - began).toBeLessThan(20);
    for (const [index, { messages }] of platform.requests.slice(1).entries()) {
      const tools = messages.filter((message) => message.role === "tool");
      const calls = [0, 1, 2].map((n) => `r1s${index + 1}c${n}`);
      const newest = tools.at(-1);
      expect(newest?.results.map((one) => one.call)).toEqual(calls);
      expect(newest?.results.map((one) => one.failed)).toEqual([false, true, false]);
      expect(newest?.results[1]?.observation).toContain('"ok":false');
      expect(messages.indexOf(newest!)).toBe(messages.length - 2);
    }
  });
});

describe("scenario 43: tokens are those of the next request, not a sum", () => {
  test("ten turns of 8,000 tokens in a window of 128,000 are no reason to sum up", async () => {
    const platform = await run(platformOf((step) => ({ ...looks(10)(step), inputTokens: 8_000 })));
    expect(platform.state.run).toBeNull();
    expect(of(platform, "compacted")).toEqual([]);
    const sizes = of(platform, "step_started").map((entry) => entry.body.promptTokens ?? 0);
    expect(Math.max(...sizes)).toBeLessThan(9_000);
  });

  test("a run that was summed up is so once, and the next run reads that summary and makes none", async () => {
    const platform = platformOf((step, request) => looks(request.step.startsWith("r1s") ? 14 : 3)(step));
    await run(platform);
    await run(platform, "And now?");
    expect(of(platform, "compacted").map((entry) => [entry.run, entry.body.method])).toEqual([
      ["r1", "mechanical"],
    ]);
    const later = platform.requests.filter(({ step }) => /^r1s1[2-5]$|^r2s/.test(step));
    expect(later).toHaveLength(8);
    for (const { messages } of later) expect(textOf(messages)).toContain("look x4 (4 ok) r1s3c0..r1s6c0");
    // Made once: every later request of the run has the same text in the same place.
    const places = later
      .filter(({ step }) => step.startsWith("r1s"))
      .map(({ messages }) => messages.findIndex((message) => textOf([message]).includes("look x4")));
    expect(new Set(places).size).toBe(1);
  });

  test("at 70% of what a request may have it is summed up whatever its steps", async () => {
    const platform = platformOf((step) =>
      step <= 6 ? { calls: [["bulk", { name: `b${step}` }]] } : { text: REPORT },
    );
    platform.effects.bulk = "a word and another ".repeat(1_000);
    platform.windows = { "rehearsal:": 16_000 };
    await run(platform);
    const entries = of(platform, "compacted");
    expect(entries.length).toBeGreaterThan(0);
    for (const { body } of entries) expect(body.before).toBeGreaterThan(0.7 * (16_000 - 4_096));
    expect(ended(platform)).toEqual([["completed", null]]);
  });
});

describe("scenario 44: the provider says that a request is too large", () => {
  const bulky = (more: (step: number, attempts: number) => Line | null, steps = 8): FakePlatform => {
    const platform = counting((request) => {
      const step = stepOf(request);
      const line = more(step, platform.requests.filter((one) => one.step === request.step).length + 1);
      if (line !== null) return line;
      return step <= steps && request.tools.length > 0
        ? { calls: [["bulk", { name: `b${step}` }]] }
        : { text: REPORT };
    });
    platform.effects.bulk = "a word and another ".repeat(300);
    return platform;
  };

  test("the prefix stays as it is, the history is summed up, and the step is tried once more", async () => {
    const platform = await run(
      bulky((step, attempt) => (step === 9 && attempt === 1 ? { fail: TOO_LONG } : null)),
    );
    const [before, after] = platform.requests.filter((request) => request.step === "r1s9");
    expect(after!.instructions).toBe(before!.instructions);
    expect(after!.tools).toEqual(before!.tools);
    expect(textOf(after!.messages).length).toBeLessThan(textOf(before!.messages).length / 2);
    expect(resultsIn(after!.messages).at(-1)).toBe("r1s8c0");
    expect(textOf(after!.messages)).toContain("THE REQUEST");
    const [entry] = of(platform, "compacted");
    expect(entry!.body.after).toBeLessThanOrEqual(entry!.body.before / 2);
    expect(of(platform, "model_failed").map(({ body }) => body.then)).toEqual(["compact"]);
    expect(ended(platform)).toEqual([["completed", null]]);
  });

  test("a second time, the answer is forced without tools", async () => {
    const platform = await run(bulky((step) => (step === 9 ? { fail: TOO_LONG } : null)));
    expect(of(platform, "model_failed").map(({ body }) => body.then)).toEqual(["compact", "force"]);
    expect(platform.requests.at(-1)!.tools).toEqual([]);
    expect(ended(platform)).toEqual([["completed_partial", "context"]]);
    expect(of(platform, "answer")[0]?.body.source).toBe("forced");
  });

  test("what fits no window ends the run and says so, with what was done", async () => {
    const platform = await run(bulky((step) => (step >= 9 ? { fail: TOO_LONG } : null)));
    expect(of(platform, "model_failed").map(({ body }) => body.then)).toEqual([
      "compact",
      "force",
      "compact",
      "end",
    ]);
    expect(ended(platform)).toEqual([["completed_partial", "context"]]);
    expect(of(platform, "answer")[0]?.body.text).toContain("grown too large for the model");
  });

  test("a run of a few short steps, whose summary would be longer than they are, is not sent again", async () => {
    const long = async (steps: number): Promise<FakePlatform> => {
      const line = looks(steps);
      const failing = (step: number): Line => (step > steps ? { fail: TOO_LONG } : line(step));
      return run(platformOf(failing));
    };
    const platforms = await Promise.all([2, 3, 6, 7, 8, 9].map(long));
    for (const platform of platforms)
      for (const { body } of of(platform, "compacted")) expect(body.after).toBeLessThan(body.before);
    const first = platforms.map((platform) => of(platform, "model_failed")[0]?.body.then);
    expect(first).toContain("compact");
    expect(first).not.toEqual(first.map(() => "compact"));
  });

  test("nothing but the request, and too large: failed_internal, reason context", async () => {
    const platform = await run(platformOf(() => ({ fail: TOO_LONG })));
    expect(ended(platform)).toEqual([["failed_internal", "context"]]);
    expect(platform.requests).toHaveLength(2);
  });

  test("a fallback that is known to hold no more is passed over, a larger one answers", async () => {
    const platform = new FakePlatform((request) =>
      request.model === "openai-compatible:large" ? { text: "Here you are." } : { fail: TOO_LONG },
    );
    platform.windows = {
      "rehearsal:": 32_000,
      "openai-compatible:same": 32_000,
      "openai-compatible:large": 200_000,
    };
    platform.say("THE REQUEST", { fallbacks: ["openai-compatible:same", "openai-compatible:large"] });
    await platform.settle();
    expect(platform.requests.map((request) => request.model)).toEqual([
      "rehearsal:",
      "openai-compatible:large",
    ]);
    expect(of(platform, "model_failed")[0]?.body).toMatchObject({ then: "fallback", passed: 1 });
    expect(ended(platform)).toEqual([["completed", null]]);
    expect(platform.folded).toEqual(platform.state);
  });

  test("a fallback with a smaller window gets a request that fits it", async () => {
    const limited: ModelFailure = { class: "auth", message: "refused", retryAfterMs: null, usage: null };
    const platform = bulky((step) => (step === 7 ? { fail: limited } : null));
    platform.script = (
      (script) => (request, index) =>
        request.model === "openai-compatible:small" ? { text: REPORT } : script(request, index)
    )(platform.script);
    platform.windows = { "openai-compatible:small": 12_000 };
    platform.say("THE REQUEST", { fallbacks: ["openai-compatible:small"] });
    await platform.settle();
    expect(of(platform, "compacted")).toHaveLength(1);
    expect(of(platform, "compacted")[0]!.body.after).toBeLessThan(12_000 - 4_096);
    expect(platform.requests.at(-1)?.model).toBe("openai-compatible:small");
    expect(ended(platform)).toEqual([["completed", null]]);
  });
});

describe.each(["compact", "window", "none"] as const)("a window of 16,000 tokens, policy %s", (policy) => {
  const small = (script: (step: number, request: ModelRequest) => Line): FakePlatform => {
    const platform = platformOf(script);
    platform.transcript = policy;
    platform.windows = { "rehearsal:": 16_000 };
    return platform;
  };
  const expectFitting = (platform: FakePlatform): void => {
    for (const request of platform.requests)
      expect(estimateRaw(request)).toBeLessThanOrEqual(16_000 - request.maxOutputTokens);
  };
  const LONG = "some words of a talk ".repeat(700);

  test("long steps are summed up before they fill it", async () => {
    const platform = small((step) =>
      step <= 6 ? { calls: [["bulk", { name: `b${step}` }]] } : { text: REPORT },
    );
    platform.effects.bulk = "a word and another ".repeat(1_000);
    await run(platform);
    expectFitting(platform);
    expect(ended(platform)).toEqual([["completed", null]]);
    for (const { messages } of platform.requests) expect(textOf(messages)).toContain("THE REQUEST");
  });

  test("of long earlier runs the newest are shown", async () => {
    const platform = small(() => ({ text: LONG }));
    for (let n = 1; n <= 6; n++) await run(platform, `Message ${n}: ${LONG}`);
    await run(platform, "THE REQUEST");
    expectFitting(platform);
    const last = textOf(platform.requests.at(-1)!.messages);
    expect(last).toContain("Message 6");
    expect(last).not.toContain("Message 1");
    expect(last).toContain("THE REQUEST");
  });

  test("with long earlier runs, long steps and many words at once", async () => {
    const platform = small((step, request) =>
      request.step.startsWith("r7s") && step <= 8
        ? { calls: [["bulk", { name: `b${step}` }]], text: "I look. ".repeat(100) }
        : { text: LONG },
    );
    platform.effects.bulk = "a word and another ".repeat(1_000);
    for (let n = 1; n <= 6; n++) await run(platform, `Message ${n}: ${LONG}`);
    await run(platform, `THE REQUEST ${LONG}`);
    expectFitting(platform);
    expect(platform.requests.length).toBeGreaterThan(14);
  });

  test("eight long messages that join one run share it", async () => {
    let joined = false;
    const platform: FakePlatform = small((step) => {
      if (!joined) for (let n = 1; n <= 8; n++) platform.say(`Joined ${n}: ${LONG}`, { mode: "join" });
      joined = true;
      return step <= 2 ? { calls: [look(`p${step}`)] } : { text: REPORT };
    });
    await run(platform, `THE REQUEST ${LONG}`);
    expectFitting(platform);
    const last = textOf(platform.requests.at(-1)!.messages);
    for (let n = 1; n <= 8; n++) expect(last).toContain(`Joined ${n}: some words`);
    expect(last).toContain("THE REQUEST");
  });

  test("long thoughts and results in Chinese are summed up, all but the newest step", async () => {
    const platform = small((step) =>
      step <= 8 ? { calls: [["bulk", { name: `b${step}` }]], thought: LONG } : { text: REPORT },
    );
    platform.effects.bulk = "漢".repeat(3_000);
    await run(platform);
    expectFitting(platform);
    expect(ended(platform)).toEqual([["completed", null]]);
    const last = platform.requests.at(-1)!.messages;
    expect(callsIn(last)).toEqual(resultsIn(last));
    expect(textOf(last)).toContain("r1s1c0");
  });

  test("twelve long results of one step fit it", async () => {
    const platform = small((step) =>
      step <= 2
        ? { calls: Array.from({ length: 12 }, (_, at) => ["bulk", { name: `b${step}-${at}` }]) }
        : { text: REPORT },
    );
    platform.effects.bulk = "a word and another ".repeat(1_000);
    await run(platform);
    expectFitting(platform);
    expect(ended(platform)).toEqual([["completed", null]]);
  });
});

test("an input above a quarter of the window is shown by its head and tail, and read on by its name", async () => {
  const platform = platformOf((step) =>
    step === 1
      ? { calls: [["read_observation", { id: "input-1-0", offset: 20_000, limit: 200 }]] }
      : { text: REPORT },
  );
  platform.windows = { "rehearsal:": 16_000 };
  await run(platform, `Begin ${"long words ".repeat(4_000)} end.`);
  const first = textOf(platform.requests[0]!.messages);
  expect(first.length).toBeLessThan(12_000);
  expect(first).toContain("Begin long words");
  expect(first).toContain('read_observation(\\"input-1-0\\"');
  expect(textOf(platform.requests[1]!.messages)).toContain("long words");
  expect(of(platform, "call_settled")[0]?.body.status).toBe("ok");
});

describe("a request that is larger than the stated window", () => {
  test("is not sent, and the run ends with what to do", async () => {
    const platform = platformOf(looks(3));
    platform.windows = { "rehearsal:": 300 };
    await run(platform);
    expect(platform.requests.filter((request) => estimateRaw(request) > 300)).toEqual([]);
    const failures = of(platform, "model_failed").map(({ body }) => [body.class, body.message]);
    expect(failures[0]).toEqual([
      "context_overflow",
      expect.stringMatching(
        /^The request needs about \d+ tokens, and MODEL_WINDOWS says that rehearsal: takes 300: /,
      ),
    ]);
    expect(of(platform, "run_ended")).toHaveLength(1);
    expect(ended(platform)).toEqual([[expect.stringMatching(/^(partial|failed)/), "context"]]);
  });

  test("is sent where nobody has stated the window, whatever its size", async () => {
    const platform = platformOf(looks(3));
    platform.windows = { "other:": 300 };
    await run(platform);
    expect(platform.requests).toHaveLength(4);
    expect(ended(platform)).toEqual([["completed", null]]);
  });
});

test("notes are in the last block of one request, and never again", async () => {
  const platform = await run(platformOf((step) => (step <= 4 ? { calls: [look("a")] } : { text: REPORT })));
  const hint = of(platform, "verdict").find((entry) => entry.body.code === "LOOP_HINT")!.body.hint;
  const places = platform.requests.map(({ messages }) =>
    messages.flatMap((message, index) =>
      textOf([message]).includes(JSON.stringify(hint).slice(1, -1)) ? [index - messages.length] : [],
    ),
  );
  expect(places.flat()).toEqual([-1]);
});

test("the size of each prompt is in the trace, by section", async () => {
  const platform = await run(platformOf(looks(2)));
  const items = traceRun(
    "ses",
    platform.log.filter((entry) => entry.run === "r1"),
  );
  expect(items).toHaveLength(3);
  for (const item of items) {
    const sections = item["prompt_sections"] as Record<string, number>;
    expect(Object.keys(sections)).toEqual(["instructions", "tools", "earlier", "run", "tail", "messages"]);
    expect(item["prompt_tokens"]).toBeGreaterThan(0);
  }
});
