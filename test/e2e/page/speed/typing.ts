import type { Page } from "playwright-core";
import { expect } from "vitest";

const KEYS = 120;

/** From the key's own time to the frame after it was drawn, for each of many keys. */
const MEASURE = `
  globalThis.waits = [];
  document.addEventListener("keydown", (event) => {
    const pressed = event.timeStamp;
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => waits.push(performance.now() - pressed);
      port2.postMessage(null);
    });
  }, true);
`;

/** Milliseconds. */
export interface Typed {
  readonly median: number;
  readonly p95: number;
  readonly worst: number;
}

/** Measures each key from now on, until the page is loaded anew. */
export async function watchKeys(page: Page): Promise<void> {
  await page.evaluate(MEASURE);
}

/** Types into the box, and empties it again. `pauseMs`: between two keys. */
export async function typed(page: Page, pauseMs = 0): Promise<Typed> {
  const box = page.getByRole("textbox", { name: "Message" });
  await box.focus();
  await page.evaluate("waits.length = 0");
  const words = "the quick brown fox jumps over the lazy dog and on ";
  for (let n = 0; n < KEYS; n += 1)
    await page.keyboard.press(words[n % words.length] === " " ? "Space" : words[n % words.length]!, {
      delay: pauseMs,
    });
  await expect.poll(() => page.evaluate("waits.length")).toBe(KEYS);
  expect((await box.inputValue()).length).toBe(KEYS);
  const waits: number[] = await page.evaluate("waits.toSorted((a, b) => a - b)");
  await box.fill("");
  return { median: waits[KEYS / 2]!, p95: waits[Math.floor(KEYS * 0.95)]!, worst: waits.at(-1)! };
}
