import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { PHONE, say, useBrowser, violations } from "./browser.ts";
import { useServer } from "../clients/server.ts";

/** Reading conditions: long conversations, wide tables, code, right-to-left scripts, a narrow window. */

const server = useServer(() => [
  `LIMITS:${JSON.stringify({ messagesPerMinute: 100_000, requestsPerMinute: 100_000 })}`,
]);
const visitors = useBrowser(server);

/** `/say` lines that make up one text. */
const saying = (text: string): string =>
  text
    .split("\n")
    .map((line) => `/say ${line}`.trimEnd())
    .join("\n");

async function tell(page: Page, session: string, text: string): Promise<void> {
  const said = await page.request.post(`/api/sessions/${session}/messages`, {
    data: { text: saying(text) },
    headers: { accept: "text/event-stream" },
  });
  expect(said.status()).toBe(200);
  await said.body();
}

/** The first of these words in each article of the conversation. */
async function orderOf(page: Page, words: RegExp): Promise<readonly (string | undefined)[]> {
  const texts = await page.locator(".messages-inside > article").allTextContents();
  return texts.map((text) => words.exec(text)?.[0]);
}

test("words that wait stand in the queue alone, and in the same place after a reload", async () => {
  const page = await visitors.tab();
  const list = page.getByRole("region", { name: "Conversation" });
  const queue = page.getByRole("region", { name: "Queued messages" });
  await say(page, "/wait 12000\n/say First answer.");
  await page.getByRole("button", { name: "Stop" }).waitFor();
  await say(page, "/say Second answer.");
  await queue.getByText("/say Second answer.").waitFor();
  expect(await list.getByText("/say Second answer.").count()).toBe(0);
  await visitors.visit(page);
  await queue.getByText("/say Second answer.").waitFor();
  expect(await list.getByText("/say Second answer.").count()).toBe(0);
  await list.getByRole("article", { name: "Cairn" }).getByText("Second answer.", { exact: true }).waitFor();
  const order = ["First", "First", "Second", "Second"];
  expect(await orderOf(page, /First|Second/)).toEqual(order);
  await visitors.visit(page);
  await list.getByRole("article", { name: "Cairn" }).getByText("Second answer.", { exact: true }).waitFor();
  expect(await orderOf(page, /First|Second/)).toEqual(order);
});

test("a stop holds what waits until it is let go on", async () => {
  const page = await visitors.tab();
  await say(page, "/wait 20000\n/say Never.");
  const stop = page.getByRole("button", { name: "Stop", exact: true });
  await stop.waitFor();
  await say(page, "/say Afterwards.");
  const queue = page.getByRole("region", { name: "Queued messages" });
  await queue.getByText("/say Afterwards.").waitFor();
  await stop.click();
  await page.getByText("Stopped.", { exact: true }).waitFor();
  await queue.getByText("Queue paused").waitFor();
  await visitors.visit(page);
  await queue.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("article", { name: "Cairn" }).getByText("Afterwards.", { exact: true }).waitFor();
  await expect.poll(() => queue.count()).toBe(0);
});

test("what came before is fetched near the top, and what is read stays where it is", async () => {
  const page = await visitors.tab("#/s/before");
  const lines = (n: number): string =>
    Array.from({ length: 12 }, (_, at) => `Line ${at} of answer ${n}.`).join("\n\n");
  for (let n = 0; n < 130; n++) await tell(page, "before", lines(n));
  await visitors.visit(page);
  const shown = (): Promise<number> => page.locator(".messages-inside > article").count();
  await expect.poll(shown).toBe(200);
  await page.getByRole("article", { name: "Cairn" }).last().getByText("Line 11 of answer 129.").waitFor();
  // Where the first article was in the frame before the others came, and where it is in those after.
  await page.evaluate(`
    const box = document.querySelector(".messages");
    const first = box.querySelector(".messages-inside > article");
    globalThis.places = { before: null, after: [] };
    const look = () => {
      const top = first.getBoundingClientRect().top;
      if (box.querySelector(".messages-inside > article") === first) places.before = top;
      else places.after.push(top);
      if (places.after.length < 20) requestAnimationFrame(look);
    };
    look();
    box.scrollTop = 300;
  `);
  await expect.poll(shown).toBe(260);
  await expect.poll(() => page.evaluate("places.after.length")).toBe(20);
  const places = await page.evaluate<{ before: number; after: number[] }>("places");
  for (const after of places.after) expect(Math.abs(after - places.before)).toBeLessThan(40);
  expect(await page.getByRole("button", { name: "Earlier messages" }).count()).toBe(0);
  // The same page asked for twice at once comes once.
  await visitors.visit(page);
  await expect.poll(shown).toBe(200);
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("before=")) asked.push(request.url());
  });
  await page.evaluate(`
    const earlier = [...document.querySelectorAll("button")].find(({ textContent }) => textContent === "Earlier messages");
    earlier.click();
    earlier.click();
  `);
  await expect.poll(shown).toBeGreaterThan(200);
  expect(await shown()).toBe(260);
  expect(asked).toHaveLength(1);
});

const RICH = [
  "# One",
  "## Two",
  "A paragraph beside headings, with a bidirectional \u202etrick and a family 👨‍👩‍👧.",
  "",
  "| Route | Difficulty | Elevation | Accommodation | Recommendation |",
  "| --- | --- | --- | --- | --- |",
  "| Hochschober | intermediate | 1250 metres | Lienzerhütte | Recommended without reservations |",
  "",
  "```ts",
  'const answer: string = "forty-two";',
  "```",
  "",
  "שלום לכולם, זה טקסט בעברית.",
].join("\n");

describe("an answer", () => {
  test("has headings, tables that scroll, code with its language and colours, and what is not seen in sight", async () => {
    const page = await visitors.tab("", { ...PHONE, viewport: { width: 320, height: 640 } });
    await say(page, saying(RICH));
    const answer = page.getByRole("article", { name: "Cairn" });
    await answer.getByRole("button", { name: "Copy the answer" }).waitFor();
    await answer.locator(".prose h1").waitFor();
    const sizes = await page.evaluate<number[]>(
      `["h1", "h2", "p"].map((name) => parseFloat(getComputedStyle(document.querySelector(".prose " + name)).fontSize))`,
    );
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    expect(new Set(sizes).size).toBe(3);
    const table = answer.getByRole("region", { name: "table" });
    await table.waitFor();
    expect(
      await page.evaluate(
        `(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector(".table"))`,
      ),
    ).toBe(true);
    // A word is on one line.
    const lines = await page.evaluate<number[]>(`[...document.querySelectorAll(".prose th")].map((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return range.getClientRects().length;
    })`);
    expect(lines).toEqual([1, 1, 1, 1, 1]);
    await answer.locator(".hljs-keyword", { hasText: "const" }).waitFor();
    expect(await answer.locator(".code-head").textContent()).toContain("ts");
    await answer.getByRole("button", { name: "Copy the code" }).waitFor();
    expect(await answer.locator("mark.unseen").allTextContents()).toEqual(["\\u202e"]);
    const hebrew = answer.getByText("שלום");
    expect(await hebrew.getAttribute("dir")).toBe("auto");
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    for (const name of ["Copy the answer", "Try again"]) {
      const box = await answer.getByRole("button", { name }).boundingBox();
      expect(box!.x).toBeGreaterThanOrEqual(0);
      expect(box!.x + box!.width).toBeLessThanOrEqual(320);
      expect(Math.min(box!.width, box!.height)).toBeGreaterThanOrEqual(44);
    }
    expect(await violations(page)).toEqual([]);
  });
});

test("a panel is closed by its button and by Esc, and its tab has the focus then", async () => {
  const page = await visitors.tab("#/s/panels/memory");
  const panel = page.getByRole("complementary", { name: "memory" });
  await panel.getByRole("button", { name: "Close the panel" }).click();
  await panel.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Memory" }).click();
  await panel.getByRole("button", { name: "Close the panel" }).focus();
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  expect(await page.evaluate("document.activeElement.getAttribute('data-panel')")).toBe("memory");
});
