import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scanFile, type Scan } from "../../../../src/cli/site/site-file.ts";
import { useServer } from "../../clients/server.ts";
import { DESK, PHONE, say, useBrowser, violations } from "../browser.ts";

/** The site as one file, by a button of the page. */

const server = useServer();
const visitors = useBrowser(server);

let folder = "";
let kept = 0;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "download-"));
});
afterAll(() => rm(folder, { recursive: true }));

const openPanel = async (page: Page): Promise<void> => {
  await page.getByRole("navigation", { name: "Beside the chat" }).getByText("Site").click();
  await page.getByRole("button", { name: "Download the site" }).waitFor();
};
const shot = async (page: Page, name: string): Promise<void> => {
  const shots = process.env["SHOTS"];
  if (shots !== undefined) await page.screenshot({ path: `${shots}/${name}.png` });
};

/** Saves the site's download and scans the file. */
async function downloaded(page: Page): Promise<{ readonly name: string; readonly scan: Scan }> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download the site" }).click(),
  ]);
  kept += 1;
  const file = path.join(folder, `${kept}.tar`);
  await download.saveAs(file);
  const handle = await open(file, "r");
  try {
    return { name: download.suggestedFilename(), scan: await scanFile(handle) };
  } finally {
    await handle.close();
  }
}

test("the whole site comes as one sealed file, by one button", async () => {
  const page = await visitors.tab();
  await say(page, "/say Hello.");
  await openPanel(page);
  const { name, scan } = await downloaded(page);
  expect(name).toBe("main-site.tar");
  expect([scan.isWhole, scan.fault, scan.manifest?.site.name]).toEqual([true, null, "Fern & Fell"]);
  expect(await violations(page)).toEqual([]);
  await shot(page, "download-desk");
});

test("a line that breaks off is gone on with, and the file is the same", async () => {
  const page = await visitors.tab();
  await say(page, "/say Hello.");
  await openPanel(page);
  const asked: string[] = [];
  const all = "**/api/cms/export**";
  await page.route(all, async (route) => {
    asked.push(new URL(route.request().url()).search);
    const response = await route.fetch();
    const body = await response.body();
    // The first answers end somewhere within a member.
    const cut = asked.length <= 2 ? body.subarray(0, 60_000) : body;
    const headers = { ...response.headers(), "content-length": String(cut.length) };
    await route.fulfill({ response, headers, body: cut });
  });
  const { scan } = await downloaded(page);
  expect([scan.isWhole, scan.fault]).toEqual([true, null]);
  expect(asked).toHaveLength(3);
  expect(asked[0]).toBe("");
  expect(asked[2]).toContain("after=");
});

test("a refusal is told in words, and the wait is shown and can be stopped", async () => {
  const page = await visitors.tab("", { ...PHONE, colorScheme: "dark" });
  await say(page, "/say Hello.");
  await openPanel(page);
  const all = "**/api/cms/export**";
  const held: { go: () => void } = { go: () => {} };
  await page.route(all, async (route) => {
    await new Promise<void>((resolve) => {
      held.go = resolve;
    });
    await route.abort().catch(() => {});
  });
  await page.getByRole("button", { name: "Download the site" }).click();
  await page.getByText("Downloading, 0.0 MB").waitFor();
  await shot(page, "download-phone-dark");
  await page.getByRole("button", { name: "Stop the download" }).click();
  await page.getByRole("button", { name: "Download the site" }).waitFor();
  held.go();
  await page.unroute(all);
  await page.route(all, (route) =>
    route.fulfill({
      status: 409,
      json: { error: { code: "site_changed", message: "The site was changed since this export began." } },
    }),
  );
  await page.getByRole("button", { name: "Download the site" }).click();
  await page.getByRole("alert").getByText("The site was changed").waitFor();
  expect(await violations(page)).toEqual([]);
  await shot(page, "download-phone-refused");
});

test("it looks well on a wide window in the dark", async () => {
  const page = await visitors.tab("", { ...DESK, colorScheme: "dark" });
  await say(page, "/say Hello.");
  await openPanel(page);
  expect(await violations(page)).toEqual([]);
  await shot(page, "download-desk-dark");
});
