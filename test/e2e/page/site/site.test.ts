import type { FrameLocator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { DESK, say, useBrowser, violations } from "../browser.ts";
import { useServer } from "../../clients/server.ts";

const server = useServer();
const visitors = useBrowser(server);

const call = (tool: string, input: object): string => `/call ${tool} ${JSON.stringify(input)}`;
const frame = (page: Page): FrameLocator => page.frameLocator('iframe[data-shown="true"]');
const openSite = (page: Page): Promise<void> =>
  page.getByRole("navigation", { name: "Beside the chat" }).getByText("Site").click();

test("the site stands beside the chat, goes to what was changed, as a draft and as visitors see it", async () => {
  const page = await visitors.tab();
  await openSite(page);
  await frame(page).getByText("This is a preview").waitFor();
  await say(
    page,
    `${call("section_update", { section: "sc_home_cta", content: { heading: "Soup at eight" } })}\n/then\n/say Done.`,
  );
  const changed = frame(page).locator("#s-sc_home_cta");
  await changed.getByText("Soup at eight").waitFor();
  await expect
    .poll(() => changed.evaluate((section) => section.getBoundingClientRect().top))
    .toBeLessThan(400);
  // The preview frame scrolls to the changed section.
  await page.getByText("Published", { exact: true }).click();
  await frame(page).getByText("This is a preview").waitFor({ state: "detached" });
  await frame(page).getByRole("heading", { level: 1 }).waitFor();
  expect(await frame(page).getByText("Soup at eight").count()).toBe(0);
  expect(await violations(page)).toEqual([]);
});

test("a link in the preview is followed, and an address can be typed; images are there", async () => {
  const page = await visitors.tab("", { ...DESK, viewport: { width: 1600, height: 900 } });
  await openSite(page);
  const shown = frame(page);
  await shown.getByRole("navigation").getByRole("link", { name: "About" }).first().click();
  const path = page.getByRole("textbox", { name: "Path on the site" });
  await expect.poll(() => path.inputValue()).toBe("/site/about");
  await path.fill("blog");
  await path.press("Enter");
  await shown.getByRole("main").getByText("Packing light").waitFor();
  const widths = await shown
    .locator("header img")
    .first()
    .evaluate((image: { naturalWidth?: number }) => image.naturalWidth ?? 0);
  expect(widths).toBeGreaterThan(0);
});

test("Show on a step goes to its change", async () => {
  const page = await visitors.tab();
  await say(
    page,
    `${call("page_create", { name: "Winter hut", sections: [{ template: "feature", content: { heading: "Snow", description: "Deep." } }] })}\n/then\n/say Made.`,
  );
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await frame(page).getByText("Snow").waitFor();
  expect(await page.getByRole("textbox", { name: "Path on the site" }).inputValue()).toBe("/site/winter-hut");
});

test("a session of another environment shows that one, its drafts and what is published of it", async () => {
  const made = async (path: string, body: object): Promise<number> => {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    return (await fetch(server.url + path, init)).status;
  };
  expect(await made("/api/cms/environments", { name: "staging" })).toBe(201);
  const site = { siteId: "site_main", environmentId: "env_staging" };
  expect(await made("/api/sessions", { id: "there", targets: { site } })).toBe(201);
  const page = await visitors.tab("#/s/there");
  await say(
    page,
    `${call("page_create", { name: "Plans", sections: [{ template: "hero", content: { title: "Only here" } }] })}\n/then\n/say Made.`,
  );
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await frame(page).getByRole("heading", { name: "Only here" }).waitFor();
  const path = page.getByRole("textbox", { name: "Path on the site" });
  expect(await path.inputValue()).toBe("/site/~env_staging/plans");
  await page.getByText("Published", { exact: true }).click();
  await frame(page).getByText("Only here").waitFor({ state: "detached" });
  await path.fill("");
  await path.press("Enter");
  await frame(page).getByRole("heading", { name: "staging" }).waitFor();
  expect(await path.inputValue()).toBe("/site/~env_staging/");
});
