import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startOpenAiServer, type OpenAiServer } from "../../clients/openai-server.ts";
import { useServer } from "../../clients/server.ts";
import { say, useBrowser } from "../browser.ts";
import { typed, watchKeys } from "./typing.ts";

/** How soon a key shows while a long answer streams in. The promise is 50 ms at the median and 120 ms at p95; the bounds are loose. */

const WORDS = 10_000;
const WORDS_PER_PIECE = 10;
const PIECE_MS = 15;
const BOUND_MS = { median: 200, p95: 500 } as const;

/** Paragraphs, a list and code, as a long answer has them. */
function* words(): Generator<string> {
  const block = [
    "\n\n## A heading of its own\n\n",
    ..."A paragraph with **bold** words, some `code`, a [link](https://example.com/) and what goes on behind it. "
      .repeat(6)
      .split(/(?<= )/),
    "\n\n- a first item\n- a second one\n\n```ts\nconst answer = 42;\n```\n\n",
  ];
  for (let at = 0; ; at++) yield block[at % block.length] ?? "";
}

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: WORDS, text: WORDS, reasoning: 0 },
};

/** The answer goes on until all keys are typed, however long a busy machine takes for them, but not without an end. */
const typing = { goesOn: true };
const WORDS_MAX = 6 * WORDS;

function* parts(): Generator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] };
  yield { type: "text-start", id: "t" };
  const text = words();
  for (let at = 0; at < WORDS || (typing.goesOn && at < WORDS_MAX); at += WORDS_PER_PIECE) {
    const delta = Array.from({ length: WORDS_PER_PIECE }, () => text.next().value).join("");
    yield { type: "text-delta", id: "t", delta };
  }
  yield { type: "text-delta", id: "t", delta: "\n\nThat is all." };
  yield { type: "text-end", id: "t" };
  yield { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage };
}

const talker: LanguageModelV4 = {
  specificationVersion: "v4",
  provider: "test",
  modelId: "talker",
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error("it streams")),
  doStream: async () => {
    const left = parts();
    const stream = new ReadableStream<LanguageModelV4StreamPart>({
      pull: (controller) => {
        const next = left.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
    });
    return { stream };
  },
};

let model: OpenAiServer;
beforeAll(async () => {
  const gate = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PIECE_MS));
  model = await startOpenAiServer({ model: talker, gate });
});
afterAll(() => model.close());

const server = useServer(() => [
  "MODEL:openai-compatible:test",
  // The test holds and times model requests, so turn titles off.
  "TITLES:0",
  `OPENAI_COMPATIBLE_BASE_URL:${model.baseUrl}`,
]);
const visitors = useBrowser(server);

/** Seconds that the page's main thread has worked. */
async function worked(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
  };
}

test(`a key shows soon while ${WORDS} words stream in`, async () => {
  const page = await visitors.tab();
  const busy = await worked(page);
  await say(page, "Tell me everything.");
  await page.getByRole("article", { name: "Cairn" }).getByText("A heading of its own").first().waitFor();
  await watchKeys(page);
  const [from, before] = [Date.now(), await busy()];
  const keys = await typed(page, 20);
  const isStreaming = (await page.getByText("That is all.").count()) === 0;
  typing.goesOn = false;
  const idle = 1 - ((await busy()) - before) / ((Date.now() - from) / 1_000);
  expect(isStreaming).toBe(true);
  await page.getByText("That is all.").waitFor();
  console.log(
    `A key typed while ${WORDS} words stream in shows after ${keys.median.toFixed(1)} ms at the median, ${keys.p95.toFixed(1)} ms at p95, ` +
      `${keys.worst.toFixed(1)} ms at worst; the main thread is idle for ${(idle * 100).toFixed(0)} % of the time`,
  );
  expect(keys.median).toBeLessThan(BOUND_MS.median);
  expect(keys.p95).toBeLessThan(BOUND_MS.p95);
});
