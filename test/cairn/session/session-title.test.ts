import { describe, expect, test } from "vitest";
import type { Model, ModelOutcome, ModelRequest } from "../../../src/cairn/core/log/model.ts";
import { createRedactor } from "../../../src/cairn/core/text/redact.ts";
import { SessionTitle } from "../../../src/cairn/session/background/session-title.ts";
import { FakePlatform, type Line } from "../../sim/platform/platform.ts";

/** How a session gets a title by its model: once, paid, and never in the way. */

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;
const USAGE = {
  inputTokens: 100,
  cachedInputTokens: 0,
  outputTokens: 8,
  reasoningTokens: 0,
  estimated: false,
};
const REST_MS = 1_000;

const replied = (text: string, more: { readonly reportedCost?: number } = {}): ModelOutcome => ({
  kind: "replied",
  reply: {
    parts: [{ type: "text", text }],
    finish: "stop",
    usage: { ...USAGE, ...more },
    model: "x",
    ms: 1,
    firstTokenMs: 1,
  },
});

const redact = createRedactor([{ name: "KEY", value: "sk-very-secret-value" }]);

/** A session whose run has ended, and what names it; `outcome` is what the model says to a request for a title. */
async function ended(
  outcome: (platform: FakePlatform) => ModelOutcome | Promise<ModelOutcome>,
  { name = "openai-compatible:x", lines = [{ text: "There are two walks." }] as Line[], cost = 1e9 } = {},
) {
  const platform = new FakePlatform(lines);
  platform.service.admitOrCreate(ADA);
  const asked: ModelRequest[] = [];
  const model: Model = {
    call: async (request) => {
      asked.push(request);
      return outcome(platform);
    },
  };
  const faults: unknown[] = [];
  const make = (): SessionTitle =>
    new SessionTitle({
      session: "ses",
      engine: platform.engine,
      store: platform.store,
      model,
      modelName: name,
      prices: {},
      day: { tokens: 1e9, cost },
      redact,
      clock: () => platform.now,
      report: (error) => faults.push(error),
    });
  platform.say("Which walks are on the site?");
  await platform.settle();
  const title = make();
  const kick = async (): Promise<void> => {
    platform.now += REST_MS;
    await title.kick();
  };
  const shown = (): string => platform.store.loadMeta()?.title ?? "";
  return { platform, asked, faults, make, title, kick, shown };
}

test("what a trusted provider says that the title cost is what it cost", async () => {
  const { platform, kick } = await ended(() => replied("Walks on the site", { reportedCost: 42 }));
  await kick();
  expect(platform.log.at(-1)).toMatchObject({ kind: "titled", body: { usage: { ...USAGE, cost: 42 } } });
  expect(platform.log.at(-1)?.body).not.toHaveProperty("usage.priceEstimated");
});

test("after its first answer the model names it, once, and what that cost counts for the day", async () => {
  const { platform, asked, title, kick, shown } = await ended(() => replied("Walks on the site"));
  expect(title.due(platform.state)).toBe(platform.state.at + REST_MS);
  await title.kick();
  expect(asked).toEqual([]);
  await kick();
  expect(shown()).toBe("Walks on the site");
  expect(asked).toMatchObject([{ model: "openai-compatible:x", tools: [], maxOutputTokens: 32 }]);
  expect(asked[0]?.messages).toEqual([
    {
      role: "user",
      parts: [
        {
          type: "text",
          text: '<untrusted source="request">\nWhich walks are on the site?\n</untrusted>\n\n<untrusted source="answer">\nThere are two walks.\n</untrusted>',
        },
      ],
    },
  ]);
  const paid = 100 * 3 + 8 * 15;
  expect(platform.log.at(-1)).toMatchObject({
    kind: "titled",
    body: { title: "Walks on the site", model: "openai-compatible:x", usage: { cost: paid } },
  });
  const before = 110;
  expect(platform.state.day).toMatchObject({ tokens: before + 108, cost: paid });
  await kick();
  expect([asked.length, title.due(platform.state)]).toEqual([1, null]);
  platform.say("And now?");
  await platform.settle();
  await kick();
  expect(asked.length).toBe(1);
});

test.each<[string, string]>([
  ['"Walks around Lienz."', "Walks around Lienz"],
  ["# Title: Walks around Lienz\n\nBecause …", "Walks around Lienz"],
  ["\n\n**Walks**", "Walks"],
  ["The key sk-very-secret-value", "The key [secret:KEY]"],
  ["long ".repeat(20), "long long long long long long long long long long long long…"],
])("%j becomes a title", async (said, title) => {
  const { kick, shown } = await ended(() => replied(said));
  await kick();
  expect(shown()).toBe(title);
});

describe("the words of the person stand", () => {
  test.each<[string, Parameters<typeof ended>[1]]>([
    ["for the rehearsal model", { name: "rehearsal:" }],
    ["where the day is spent", { cost: 0 }],
    ["where the run has failed", { lines: [{ text: "" }, { text: "" }, { text: "" }, { text: "" }] }],
  ])("%s", async (_why, options) => {
    const { platform, asked, title, kick, shown } = await ended(() => replied("Never"), options);
    const before = shown();
    await kick();
    expect([asked.length, shown(), title.due(platform.state)]).toEqual([0, before, null]);
  });

  test("where the person has named it, also while the model thinks", async () => {
    const { platform, kick, shown } = await ended((at) => {
      const meta = at.store.loadMeta();
      if (meta !== null) at.store.saveMeta({ ...meta, title: "Mine", titleSource: "user" });
      return replied("Never");
    });
    await kick();
    expect(shown()).toBe("Mine");
    expect(platform.log.at(-1)?.kind).toBe("titled");
  });

  test("where the model fails, and it is not asked again, nor after a crash", async () => {
    const { asked, make, kick, shown } = await ended(() => ({ kind: "aborted", partial: partial() }));
    const before = shown();
    await kick();
    await make().kick();
    expect([asked.length, shown()]).toEqual([1, before]);
  });

  test("where the call breaks, which the operator is told", async () => {
    const { asked, faults, kick, make } = await ended(() => Promise.reject(new Error("away")));
    await kick();
    await make().kick();
    expect([asked.length, faults.map(String)]).toEqual([1, ["Error: away"]]);
  });
});

test("a session that was deleted meanwhile gets no entry", async () => {
  const { platform, kick } = await ended((at) => {
    at.store.erase();
    return replied("Never");
  });
  await kick();
  expect(platform.store.loadMeta()).toBe(null);
  expect(platform.store.entriesAfter(0, 10)).toEqual([]);
});

function partial() {
  const outcome = replied("");
  if (outcome.kind !== "replied") throw new Error("it replies");
  return outcome.reply;
}
