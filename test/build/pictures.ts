import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium, type Page } from "playwright-core";
import { PROJECT } from "../../src/cli/places.ts";
import { applyMigrations, freePort, launchDevServer } from "../../src/cli/start/dev-server.ts";
import { suggestedRequests } from "../../src/page/welcome/suggested-requests.ts";

/**
 * Takes the pictures of the documentation on a fresh site: `node test/build/pictures.ts` (through npm's Node; Chromium is needed).
 * They are of one run of the first wish: what waits for a person, and its trace when it is over; and of a change set.
 */

const wish = suggestedRequests(null)[0]?.text;
if (wish === undefined) throw new Error("no wish");
const picture = (name: string): string => path.join(PROJECT, "docs", name);

async function approve(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Approve" }).click();
}

const directory = mkdtempSync(path.join(tmpdir(), "cairn-pictures-"));
await applyMigrations(directory);
const port = await freePort();
const server = launchDevServer({
  port,
  persistTo: directory,
  vars: ["ALLOW_ANONYMOUS:true"],
});
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
try {
  await server.ready;
  const page = await browser.newPage({
    viewport: { width: 1440, height: 900 },
    colorScheme: "light",
    deviceScaleFactor: 1,
  });
  page.setDefaultTimeout(30_000);
  await page.goto(`http://127.0.0.1:${port}/#/s/ses_prices/site`);
  await page.getByRole("textbox", { name: "Message" }).fill(wish);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("button", { name: "Approve" }).waitFor();
  await page
    .frameLocator('iframe[data-shown="true"]')
    .getByRole("heading", { name: "Prices" })
    .first()
    .waitFor();
  await page.getByText("Needs your approval").waitFor();
  await page.getByRole("link", { name: "Needs you 1 waiting" }).waitFor();
  await page.waitForLoadState("networkidle");
  await page.screenshot({ path: picture("page.png") });
  await approve(page);
  await page.getByText("Change the navigation").last().waitFor();
  await approve(page);
  await page.getByRole("button", { name: "Copy the answer" }).waitFor();
  await page.getByRole("navigation", { name: "Beside the chat" }).getByText("Trace").click();
  await page.getByText("It answered").waitFor();
  await page.waitForLoadState("networkidle");
  await page.screenshot({ path: picture("trace.png") });

  const wishes = [
    "Collect these changes and show them to me before anything goes live",
    'Change the title of the hero on the home page to "Spring is here"',
    'Create a page called "Spring walks" with a hero and add it to the navigation',
    "Rename the about page to Who we are",
  ];
  await page.goto(`http://127.0.0.1:${port}/#/s/ses_spring/site`);
  await page
    .getByText("What should I work on?")
    .or(page.getByRole("textbox", { name: "Message" }))
    .first()
    .waitFor();
  for (const [at, text] of wishes.entries()) {
    await page.getByRole("textbox", { name: "Message" }).fill(text);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("button", { name: "Copy the answer" }).nth(at).waitFor();
  }
  await page.getByRole("group", { name: "Which version" }).getByText("Changes").click();
  await page.getByRole("button", { name: "Publish all" }).waitFor();
  await page.waitForLoadState("networkidle");
  await page.screenshot({ path: picture("change-set.png") });
} finally {
  await browser.close();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}
