import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChainReport } from "./chain-worker.ts";
import { say } from "../clients/log.ts";
import { useServer } from "../clients/server.ts";

/**
 * From alarm to alarm in a real runtime, 2 500 times. An alarm that is set for the very time of the one being handled is
 * lost there, and the session would stand still for ever; vitest's own runtime never shows that. Each wake is one more try
 * of the same race, and nothing that is asserted depends on the length of the chain. 10 000 wakes took four times as long and
 * found no more: alarms lay 4 ms apart or more, as they do here.
 */
const WAKES = 2_500;
/** about ten times what it takes on two idle cores */
const CHAIN_MS_MAX = 240_000;

/** between two signs of life, of which there is one every 500 wakes */
const SILENCE_MS_MAX = 60_000;

let report: (value: ChainReport) => void = () => {};
let giveUp: (error: Error) => void = () => {};
const reported = new Promise<ChainReport>((resolve, reject) => {
  report = resolve;
  giveUp = reject;
});
let silence: NodeJS.Timeout | undefined;

/** From now on the chain has its time to get further than this. */
function expectNews(wakes: number): void {
  clearTimeout(silence);
  silence = setTimeout(() => giveUp(new Error(`the chain stood still after ${wakes} wakes`)), SILENCE_MS_MAX);
}

const listener = createServer((incoming, response) => {
  void text(incoming).then((body) => {
    const news = JSON.parse(body) as ChainReport | { readonly wakes: number };
    if ("armed" in news) report(news);
    else expectNews(news.wakes);
    response.end();
  });
});
let url = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("the listener has no port");
  url = `http://127.0.0.1:${address.port}/`;
});
afterAll(() => {
  clearTimeout(silence);
  listener.close();
  listener.closeAllConnections();
});

// The test sends more messages per second than people may per minute.
const LIMITS = JSON.stringify({ messagesPerMinute: 1_000_000 });
const server = useServer(() => [`CHAIN_URL:${url}`, `LIMITS:${LIMITS}`], "test/e2e/crashes/chain-worker.ts");

test(
  `a chain of ${WAKES} wakes never stalls, and no two alarms have the same time`,
  async () => {
    await say(server.url, "chain", JSON.stringify({ wakes: WAKES }));
    expectNews(0);
    // Nobody touches the session until it says itself that it is done: a touch would make up for a lost alarm.
    const { armed, began, modelCalls, ended } = await reported;

    expect(armed.length).toBeGreaterThanOrEqual(WAKES);
    expect(armed.filter((at, hop) => at <= (armed[hop - 1] ?? 0))).toEqual([]);
    expect(began.filter((at, hop) => at < (armed[hop] ?? Infinity))).toEqual([]);
    // One step a wake: none was woken by a dead man's alarm, or for nothing.
    expect(modelCalls).toBe(armed.length);

    const gaps = armed.slice(1).map((at, hop) => at - (armed[hop] ?? 0));
    const seconds = (ended - (began[0] ?? 0)) / 1_000;
    console.log(
      [
        "Alarm chain",
        `  wakes              ${armed.length}`,
        `  hops per second    ${(armed.length / seconds).toFixed(0)} (${seconds.toFixed(1)} s)`,
        `  between alarms     at least ${Math.min(...gaps)} ms, at most ${Math.max(...gaps)} ms`,
        `  1 ms apart         ${gaps.filter((gap) => gap === 1).length}`,
      ].join("\n"),
    );
  },
  CHAIN_MS_MAX,
);
