import { expect, test } from "vitest";
import { say, useBrowser } from "../browser.ts";
import { typed, watchKeys } from "./typing.ts";
import { useServer } from "../../clients/server.ts";

/** How soon a key shows that is typed beside a long conversation. The promise is 50 ms at the median; the bound is loose. */

const MESSAGES = 500;
const PROMISED_MS = 50;
const BOUND_MS = 200;

const server = useServer(() => [
  `LIMITS:${JSON.stringify({ messagesPerMinute: 100_000, requestsPerMinute: 100_000 })}`,
]);
const visitors = useBrowser(server);

/** Each tenth is a wish with a step and a list in its answer, the others are marked up text. */
const wish = (n: number): string =>
  n % 10 === 0
    ? "Which pages are on the site?"
    : `/say Answer **${n}**: a [link](https://example.com/), \`code\` and ~~some~~ more words, as an answer has them.`;

test(`a key shows within ${PROMISED_MS} ms at the median beside ${MESSAGES} messages, also while a run is at work`, async () => {
  const page = await visitors.tab("#/s/long");
  for (let n = 0; n < MESSAGES / 2; n += 1) {
    const said = await page.request.post("/api/sessions/long/messages", {
      data: { text: wish(n) },
      headers: { accept: "text/event-stream" },
    });
    expect(said.status()).toBe(200);
    await said.body();
  }
  await visitors.visit(page);
  // The socket brings the newest; the others are fetched by pages.
  const shown = (): Promise<number> => page.locator(".messages-inside > article").count();
  await expect.poll(shown).toBeGreaterThan(0);
  const goUp = async (): Promise<number> => {
    await page.evaluate('document.querySelector(".messages").scrollTop = 0');
    return shown();
  };
  await expect.poll(goUp).toBe(MESSAGES);
  await watchKeys(page);
  const idle = await typed(page);
  const steps = Array.from({ length: 10 }, () => "/call page_list {}\n/wait 3000").join("\n/then\n");
  await say(page, `${steps}\n/then\n/say Listed.`);
  await page.getByRole("button", { name: "Stop" }).waitFor();
  const working = await typed(page);
  // The run was active throughout.
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped.", { exact: true }).waitFor();
  console.log(
    `A key typed beside ${MESSAGES} messages shows after\n` +
      `  at rest          ${idle.median.toFixed(1)} ms at the median, ${idle.worst.toFixed(1)} ms at worst\n` +
      `  while it works   ${working.median.toFixed(1)} ms at the median, ${working.worst.toFixed(1)} ms at worst`,
  );
  expect(idle.median).toBeLessThan(BOUND_MS);
  expect(working.median).toBeLessThan(BOUND_MS);
});
