import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Locator } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freePort } from "../../../../src/cli/start/dev-server.ts";
import { run } from "../../clients/command.ts";
import { DESK, PHONE, say, useBrowser, violations } from "../browser.ts";

/** Research in the page of `npm start -- --demo-web`: a mark opens its words in the page that says them. */

const server = { url: "" };
const visitors = useBrowser(server);

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "cairn-cited-"));
});
afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }));

test("a mark of an answer opens the passage in its page, which is read on from there", async () => {
  const port = await freePort();
  const script = ["--require", "./src/cli/require-node.cjs", "src/cli/start/start.ts"];
  const options = ["--demo-web", "--port", String(port), "--persist-to", directory];
  const cairn = run(process.execPath, [...script, ...options]);
  await cairn.saw("Cairn is running");
  server.url = `http://127.0.0.1:${port}`;

  const page = await visitors.tab("", DESK);
  await say(page, "Research which of the passes is open in May, with sources");
  const answer = page.getByRole("article", { name: "Cairn" });
  await answer.getByRole("region", { name: "Sources" }).waitFor();
  const dialog = page.getByRole("dialog", { name: "All passes and when they are open: season 2026" });
  const text = dialog.getByRole("region", { name: "Text of the page" });
  const cited = text.locator("mark");
  const open = async (pass: string): Promise<Locator> => {
    const mark = answer.getByRole("listitem").filter({ hasText: pass }).getByRole("button");
    await mark.focus();
    await page.keyboard.press("Enter");
    await text.waitFor();
    expect(await cited.innerText()).toContain(pass);
    return mark;
  };

  const first = await open("Arvenna Pass");
  const link = dialog.getByRole("link", { name: "https://passes.example/season-2026" });
  expect(await link.getAttribute("rel")).toBe("noreferrer noopener");
  expect(await text.getByRole("button").allInnerTexts()).toEqual(["More below"]);
  expect(await violations(page)).toEqual([]);
  expect(await text.innerText()).not.toContain("Zwingfluh");
  await text.getByRole("button", { name: "More below" }).press("Enter");
  await text.getByRole("button").waitFor({ state: "detached" });
  const whole = await text.innerText();
  expect(await isFocused(text)).toBe(true);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(await isFocused(first)).toBe(true);

  await open("Zirbenjoch Pass");
  expect(await text.innerText()).not.toContain("Last changed");
  const above = text.getByRole("button", { name: "More above" });
  await above.scrollIntoViewIfNeeded();
  const before = await cited.boundingBox();
  await above.click();
  await text.getByText("Last changed").waitFor();
  // The same text, and what was read has not moved.
  expect(await text.innerText()).toBe(whole);
  expect((await cited.boundingBox())?.y).toBeCloseTo(before?.y ?? NaN, -1);

  const phone = await visitors.tab(new URL(page.url()).hash, { ...PHONE, colorScheme: "dark" });
  await phone
    .getByRole("button", { name: /^Source 1/ })
    .first()
    .tap();
  await phone.getByRole("dialog").locator("mark").waitFor();
  expect(await violations(phone)).toEqual([]);
  const box = await phone.getByRole("dialog").boundingBox();
  expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 0) <= PHONE.viewport.width).toBe(true);
  expect((box?.height ?? Infinity) <= PHONE.viewport.height).toBe(true);
});

const isFocused = (locator: Locator): Promise<boolean> =>
  locator.evaluate((element) => element === element.ownerDocument.activeElement);
