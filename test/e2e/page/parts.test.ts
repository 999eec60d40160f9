import { expect, test } from "vitest";
import { say, useBrowser } from "./browser.ts";
import { useServer } from "../clients/server.ts";

/** Parts of the page that are fetched when they are first shown, and what stays when one does not come. */

const server = useServer();
const visitors = useBrowser(server);

test("a part whose fetch was cut off comes all the same", async () => {
  const page = await visitors.tab();
  let cut = 0;
  await page.route("**/assets/memory-panel*", (route) => (cut++ < 2 ? route.abort() : route.continue()));
  await page.getByRole("link", { name: "Memory" }).click();
  await page.getByRole("complementary", { name: "memory" }).getByRole("heading").first().waitFor();
  expect(cut).toBe(3);
});

test("a part that a new version has no more is said to be gone; the rest works on, and loading anew brings it", async () => {
  const page = await visitors.tab();
  visitors.provokes(/dynamically imported module/);
  await page.route("**/assets/trace-panel*.js", (route) => route.fulfill({ status: 404 }));
  await page.route(
    (url) => url.pathname === "/",
    (route) => route.fulfill({ contentType: "text/html", body: '<script src="/assets/other.js"></script>' }),
  );
  await page.getByRole("link", { name: "Trace" }).click();
  const gone = page.getByRole("complementary", { name: "trace" }).getByRole("alert");
  await gone.getByText("There may be a new version.").waitFor();
  await say(page, "/say Still here.");
  await page.getByText("Still here.", { exact: true }).waitFor();
  await page.unrouteAll();
  await gone.getByRole("button", { name: "Reload the page" }).click();
  await page.getByRole("complementary", { name: "trace" }).getByRole("heading").first().waitFor();
  const answer = page.getByRole("article", { name: "Cairn" });
  await expect.poll(() => answer.allTextContents()).toEqual([expect.stringContaining("Still here.")]);
});
