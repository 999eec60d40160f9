import type { FrameLocator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { DESK, say, sessionOf, useBrowser, violations } from "../browser.ts";
import { useServer } from "../../clients/server.ts";

/** Change sets next to the chat: shown as one difference, previewed before and after, published together. */

const server = useServer();
const visitors = useBrowser(server);

const call = (tool: string, input: object): string => `/call ${tool} ${JSON.stringify(input)}`;
const wide = { ...DESK, viewport: { width: 1600, height: 900 } };
const view = (page: Page, name: string): Promise<void> => page.getByText(name, { exact: true }).click();
const shown = (page: Page): FrameLocator => page.frameLocator('iframe[data-shown="true"]');
const onSite = async (path: string): Promise<string> => (await fetch(server.url + path)).text();

async function openSite(page: Page): Promise<void> {
  await page.getByRole("navigation", { name: "Beside the chat" }).getByText("Site").click();
}

test("what a session collects is read, compared and published as one, and taken back as one", async () => {
  const page = await visitors.tab("", wide);
  await say(page, "/say Hello.");
  await openSite(page);
  await view(page, "Changes");
  await page.getByRole("button", { name: "Start a change set" }).click();
  await page.getByText("Nothing is in it yet.").waitFor();

  await say(
    page,
    [
      call("section_update", { section: "sc_home_hero", content: { title: "Spring is here" } }),
      call("page_update", { page: "about", name: "Who we are" }),
      call("page_create", {
        name: "Walks",
        sections: [{ template: "hero", content: { title: "Spring walks" } }],
      }),
      "/then\n/say Collected.",
    ].join("\n"),
  );
  const set = page.getByRole("region", { name: "Changes", exact: true });
  await set.getByText("Page “Walks”", { exact: true }).waitFor();
  await set.getByText("Spring is here").waitFor();
  expect(await onSite("/site/")).not.toContain("Spring is here");
  expect(await violations(page)).toEqual([]);

  // The draft of this session is the site with what is collected.
  await view(page, "Draft");
  await shown(page).getByRole("heading", { name: "Spring walks" }).waitFor();
  await view(page, "Changes");

  await set.getByRole("button", { name: "Compare before and after: Page “Home”" }).click();
  const both = page.getByRole("dialog", { name: "Page “Home”, before and after" });
  await both.frameLocator('iframe[title="With these changes"]').getByText("Spring is here").waitFor();
  await both.frameLocator('iframe[title="Live now"]').getByRole("heading", { level: 1 }).waitFor();
  expect(await both.frameLocator('iframe[title="Live now"]').getByText("Spring is here").count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await both.waitFor({ state: "detached" });

  await set.getByRole("button", { name: "Publish all" }).click();
  await set.waitFor({ state: "detached" });
  expect(await onSite("/site/")).toContain("Spring is here");
  expect(await onSite("/site/walks")).toContain("Spring walks");

  await view(page, "History");
  const published = page.getByRole("listitem").filter({ hasText: "Publish “Changes”" }).first();
  await published.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("listitem").filter({ hasText: "Undo: Publish “Changes”" }).first().waitFor();
  expect(await onSite("/site/")).not.toContain("Spring is here");
  expect((await fetch(`${server.url}/site/walks`)).status).toBe(404);
});

test("the agent asks with the whole difference on the card, page by page", async () => {
  const page = await visitors.tab("", wide);
  await say(
    page,
    [
      call("changes_begin", { name: "Autumn" }),
      "/then",
      call("section_update", { section: "sc_contact_hero", content: { title: "Write to us" } }),
      call("section_update", { section: "sc_about_hero", content: { title: "Leaves are falling" } }),
      "/then",
      call("changes_publish", {}),
      "/then\n/say Published.",
    ].join("\n"),
  );
  const card = page.getByRole("article").filter({ hasText: "Publish the change set “Autumn”" });
  await card.getByText("Page “About”", { exact: true }).waitFor();
  await card.locator("ins").filter({ hasText: "Leaves are falling" }).waitFor();
  await card.getByText("Page “Contact”", { exact: true }).waitFor();
  await expect.poll(() => card.getByRole("link", { name: "See the draft" }).count()).toBe(2);
  expect(await violations(page)).toEqual([]);
  await card.getByRole("button", { name: "Approve" }).click();
  await page.getByText("Published.", { exact: true }).waitFor();
  expect(await onSite("/site/about")).toContain("Leaves are falling");
});

test("what came into the set after it was read is shown, and not published with the rest", async () => {
  const page = await visitors.tab("", wide);
  await say(
    page,
    [
      call("changes_begin", { name: "Summer" }),
      "/then",
      call("section_update", { section: "sc_contact_hero", content: { subtitle: "Read this" } }),
      "/then\n/say Collected.",
    ].join("\n"),
  );
  await page.getByText("Collected.", { exact: true }).waitFor();
  await openSite(page);
  await view(page, "Changes");
  const set = page.getByRole("region", { name: "Summer" });
  await set.getByText("Read this").waitFor();
  // The other tab writes into the same set, and this page has not heard of it.
  let isDecided = false;
  await page.route(/change-sets\/[^/]+$/, (route) => (isDecided ? route.continue() : route.abort()));
  page.on("request", (request) => {
    isDecided ||= request.method() === "POST" && /change-sets\/[^/]+\/publish$/.test(request.url());
  });
  const said = await page.request.post(`/api/sessions/${sessionOf(page)}/messages`, {
    data: {
      text: `${call("page_update", { page: "contact", name: "Unread" })}\n/then\n/say More.`,
    },
    headers: { accept: "text/event-stream" },
  });
  await said.body();
  await set.getByRole("button", { name: "Publish all", exact: true }).click();
  await set.getByRole("alert").getByText("not what was read any more").waitFor();
  await set.locator("ins").filter({ hasText: "Unread" }).waitFor();
  expect(await onSite("/site/contact")).not.toContain("Read this");

  // The same decision, for a time.
  await set.getByText("Schedule…").click();
  await set.getByLabel("At", { exact: true }).fill(tomorrow());
  await set.getByRole("button", { name: "Schedule" }).click();
  await set.getByText("It is published at").waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await onSite("/site/contact")).not.toContain("Read this");
});

/** As a field for day and hour takes it. */
function tomorrow(): string {
  return new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
}

test("a conflict is named, and publishing says that it overwrites; throwing away asks once more", async () => {
  const page = await visitors.tab("", wide);
  await say(
    page,
    [
      call("changes_begin", { name: "Winter" }),
      "/then",
      call("section_update", { section: "sc_home_hero", content: { subtitle: "Ours" } }),
      "/then\n/say Collected.",
    ].join("\n"),
  );
  const other = await visitors.tab("", wide);
  await say(
    other,
    `${call("section_update", { section: "sc_home_hero", content: { subtitle: "Theirs" } })}\n/then\n/say Done.`,
  );
  await openSite(page);
  await view(page, "Changes");
  const set = page.getByRole("region", { name: "Winter" });
  await set.getByText("subtitle (en) of the Hero section on “Home” has changed meanwhile").waitFor();
  await set.getByRole("button", { name: "Publish and overwrite newer changes" }).waitFor();
  await set.getByRole("button", { name: "Discard…" }).click();
  await set.getByRole("button", { name: "Discard permanently" }).click();
  await set.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Start a change set" }).waitFor();
  const { items } = (await (await fetch(`${server.url}/api/cms/change-sets?state=discarded`)).json()) as {
    items: { name: string }[];
  };
  expect(items.map((one) => one.name)).toEqual(["Winter"]);
  expect(await onSite("/site/")).not.toContain("Ours");
});
