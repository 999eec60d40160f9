import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useServer } from "../../clients/server.ts";
import { DESK, PHONE, say, useBrowser, violations } from "../browser.ts";

/** Site history next to the chat: read by day, undone and redone. */

const server = useServer();
const visitors = useBrowser(server);

const edit = (content: object): string =>
  `/call section_update ${JSON.stringify({ section: "sc_home_hero", content })}\n/then\n/say Done.`;
const openHistory = async (page: Page): Promise<void> => {
  await page.getByRole("navigation", { name: "Beside the chat" }).getByText("Site").click();
  await page.getByText("History", { exact: true }).click();
  await page.getByRole("region", { name: "What was changed" }).waitFor();
};
const entry = (page: Page, text: string) => page.getByRole("listitem").filter({ hasText: text });
const titleNow = (page: Page) =>
  page.frameLocator('iframe[data-shown="true"]').getByRole("heading", { level: 1 }).textContent();

test("a change stands in the history with its fields, is taken back by its button and done again", async () => {
  const page = await visitors.tab();
  await say(page, edit({ title: "Tea at seven" }));
  await openHistory(page);
  const first = entry(page, "Change title of Hero").first();
  await first.getByText("The agent, in run r1").waitFor();
  await first.getByText("Before and after").click();
  await first.getByText("Tea at seven").waitFor();
  expect(await first.locator("del").textContent()).toContain("Walk with someone who knows the way");
  expect(await violations(page)).toEqual([]);
  if (process.env["SHOTS"] !== undefined)
    await page.screenshot({ path: `${process.env["SHOTS"]}/history-desk.png` });

  // By the keys alone.
  await first.getByRole("button", { name: "Undo" }).focus();
  await page.keyboard.press("Enter");
  const undone = entry(page, "Undo: Change title of Hero").first();
  await undone.getByText("You").waitFor();
  await page.getByText("Undone", { exact: true }).waitFor();
  await page.getByText("Draft", { exact: true }).click();
  await expect.poll(() => titleNow(page)).toBe("Walk with someone who knows the way");
  await page.getByText("History", { exact: true }).click();
  await undone.getByRole("button", { name: "Redo" }).click();
  await entry(page, "Redo: Change title of Hero").first().waitFor();
  await page.getByText("Draft", { exact: true }).click();
  await expect.poll(() => titleNow(page)).toBe("Tea at seven");
});

test("a later change of the same field is said in plain words, and nothing is changed", async () => {
  const page = await visitors.tab();
  await say(page, edit({ subtitle: "First words" }));
  await openHistory(page);
  const changes = entry(page, "Change subtitle of Hero");
  await changes.waitFor();
  await say(page, edit({ subtitle: "Second words" }));
  await expect.poll(() => changes.count()).toBe(2);
  await changes.nth(1).getByRole("button", { name: "Undo" }).click();
  const alert = changes.nth(1).getByRole("alert");
  await alert.waitFor();
  expect(await alert.textContent()).toContain(
    "subtitle (en) of the Hero section on “Home” was changed later",
  );
  expect(await violations(page)).toEqual([]);
  if (process.env["SHOTS"] !== undefined)
    await page.screenshot({ path: `${process.env["SHOTS"]}/history-conflict.png` });
  await page.getByText("Draft", { exact: true }).click();
  await page.frameLocator('iframe[data-shown="true"]').getByText("Second words").waitFor();
});

test("of one page alone, its draft is put back as it was after a change, and as it was at a time", async () => {
  const page = await visitors.tab("", { ...DESK, viewport: { width: 1600, height: 900 } });
  const about = (title: string): string =>
    `/call section_update ${JSON.stringify({ section: "sc_about_hero", content: { title } })}\n/then\n/say Done.`;
  await say(page, about("First of all"));
  await openHistory(page);
  const changes = entry(page, "on the draft of “About”");
  await expect.poll(() => changes.count()).toBe(1);
  await say(page, about("Second to none"));
  await expect.poll(() => changes.count()).toBe(2);
  await page.getByRole("combobox", { name: "Of which page" }).selectOption({ label: "About" });
  await expect.poll(() => entry(page, "on the draft of “Home”").count()).toBe(0);
  await changes.nth(1).getByRole("button", { name: "Restore this version" }).click();
  await entry(page, "Put the draft of “About” back").first().waitFor();
  expect(await violations(page)).toEqual([]);
  if (process.env["SHOTS"] !== undefined)
    await page.screenshot({ path: `${process.env["SHOTS"]}/history-page.png` });
  await page.getByText("Draft", { exact: true }).click();
  await expect.poll(() => titleNow(page)).toBe("First of all");

  await page.getByText("History", { exact: true }).click();
  await page.getByRole("combobox", { name: "Of which page" }).selectOption({ label: "About" });
  await page.getByLabel("Put the draft back as it was at").fill("2020-01-01T08:00");
  await page.getByRole("button", { name: "Put back", exact: true }).click();
  await page.getByRole("alert").getByText("There was no “About” then").waitFor();
  // Visually hidden elements do not make the page longer than its window.
  expect(await page.evaluate("document.scrollingElement.scrollHeight - innerHeight")).toBe(0);

  // Filters: one run, then a day without a change.
  await changes.last().getByRole("button", { name: "Only this run" }).click();
  await page.getByText("Run r1", { exact: true }).waitFor();
  await expect.poll(() => changes.count()).toBe(1);
  await page.getByLabel("Of which day").fill("2020-01-01");
  await page.getByText("Nothing was changed there.").waitFor();
  await page.getByRole("button", { name: "Show all" }).click();
  await entry(page, "on the draft of “Home”").first().waitFor();
});

test("on a phone, and in the dark, nothing is cut off", async () => {
  const page = await visitors.tab("", { ...DESK, ...PHONE, colorScheme: "dark" });
  await say(page, edit({ ctaText: "Come" }));
  await openHistory(page);
  const button = entry(page, "Change ctaText").first().getByRole("button", { name: "Undo" });
  await button.waitFor();
  const box = await button.boundingBox();
  expect((box?.x ?? 999) + (box?.width ?? 999)).toBeLessThanOrEqual(PHONE.viewport.width);
  expect(await violations(page)).toEqual([]);
  if (process.env["SHOTS"] !== undefined)
    await page.screenshot({ path: `${process.env["SHOTS"]}/history-phone.png` });
});
