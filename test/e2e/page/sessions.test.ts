import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { DESK, PHONE, say, sessionOf, singleKeys, useBrowser, violations } from "./browser.ts";
import { useServer } from "../clients/server.ts";

const server = useServer();
const visitors = useBrowser(server);

/** A session that rests, with words of its own. */
async function talk(id: string, text: string): Promise<void> {
  const response = await fetch(`${server.url}/api/sessions/${id}/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ text }),
  });
  expect(response.status).toBe(200);
  await response.text();
}

const list = (page: Page) => page.getByRole("navigation", { name: "Sessions" });
const link = (page: Page, title: string) => list(page).getByRole("link", { name: title });
async function choose(page: Page, title: string, item: string): Promise<void> {
  await link(page, title).hover();
  await list(page)
    .getByRole("button", { name: `Options for ${title}` })
    .click();
  await page.getByRole("menuitem", { name: item }).click();
}
const api = async (path: string): Promise<{ status: number; body: unknown }> => {
  const response = await fetch(`${server.url}${path}`);
  return { status: response.status, body: await response.json().catch(() => null) };
};

describe("the list of sessions", () => {
  test("shows a session as soon as it is spoken in, with what it does, and what waits first", async () => {
    const page = await visitors.tab();
    await say(page, "/wait 2500\n/say Awake.");
    const own = link(page, "/wait 2500");
    await own.getByText("Working").waitFor();
    expect(await own.getAttribute("aria-current")).toBe("page");
    await own.getByText("Working").waitFor({ state: "detached" });
    await list(page).getByRole("button", { name: "New session" }).click();
    await say(page, '/call page_delete {"pages":["about"]}\n/then\n/say Gone.');
    const waiting = list(page).getByRole("region", { name: "Needs you" });
    await waiting.getByText("Needs your approval").waitFor();
    await list(page).getByRole("link", { name: "Needs you 1 waiting" }).waitFor();
    await expect.poll(() => page.title()).toMatch(/^\(1\) /);
  });

  test("finds by words, from the keyboard, and leads there", async () => {
    await talk("ses_heron", "/say The heron stands in the shallow water.");
    await talk("ses_otter", "/say The otter sleeps.");
    const page = await visitors.tab();
    await list(page).getByRole("searchbox").waitFor();
    await singleKeys(page);
    await page.getByRole("textbox", { name: "Message" }).blur();
    await page.keyboard.press("/");
    await page.keyboard.type("heron shallow");
    await list(page).getByText("1 result").waitFor();
    expect(await list(page).getByRole("link", { name: /otter/ }).count()).toBe(0);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/ses_heron/);
    await list(page).getByRole("searchbox").fill("zeppelin");
    await list(page).getByText("No results for “zeppelin”.").waitFor();
    await list(page).getByRole("searchbox").press("Escape");
    await link(page, "/say The otter").waitFor();
  });

  test("who writes in the list while a session opens goes on there", async () => {
    await talk("ses_lark", "/say The lark is up.");
    const page = await visitors.tab();
    const find = list(page).getByRole("searchbox");
    await find.waitFor();
    // Both in one task: the session's own box comes when the one of the list is already written in.
    await page.evaluate('location.hash = "#/s/ses_lark"; document.getElementById("find-session").focus();');
    await page.getByRole("article", { name: "Cairn" }).getByText("The lark is up.").waitFor();
    await page.keyboard.type("lark");
    expect(await find.inputValue()).toBe("lark");
  });

  test("begins a new one by key", async () => {
    const page = await visitors.tab();
    const before = sessionOf(page);
    await say(page, "/say Hello there.");
    await page.getByRole("article", { name: "Cairn" }).getByText("Hello there.").waitFor();
    await singleKeys(page);
    await page.getByRole("textbox", { name: "Message" }).blur();
    await page.keyboard.press("n");
    await expect.poll(() => sessionOf(page)).not.toBe(before);
    await link(page, "/say Hello there.").waitFor();
  });

  test("renames in place, and leaves it with Escape", async () => {
    await talk("ses_rename", "/say Call me something else.");
    const page = await visitors.tab("#/s/ses_rename");
    await choose(page, "/say Call me something else.", "Rename");
    const box = list(page).getByRole("textbox", { name: "Title of the session" });
    await box.fill("Never mind");
    await box.press("Escape");
    await link(page, "/say Call me something else.").waitFor();
    await choose(page, "/say Call me something else.", "Rename");
    await box.fill("The herons");
    await box.press("Enter");
    await link(page, "The herons").waitFor();
    await page.getByRole("heading", { level: 1, name: "The herons" }).waitFor();
    await page.locator(":focus", { hasText: "The herons" }).waitFor();
    await expect
      .poll(async () => (await api("/api/sessions/ses_rename")).body)
      .toMatchObject({ title: "The herons", titleSource: "user" });
  });

  test("puts away and takes out again", async () => {
    await talk("ses_archive", "/say Put me away.");
    const page = await visitors.tab();
    await choose(page, "/say Put me away.", "Archive");
    await page.getByText("“/say Put me away.” is archived.").waitFor();
    await link(page, "/say Put me away.").waitFor({ state: "detached" });
    await list(page).getByRole("button", { name: "More options" }).click();
    await page.getByRole("menuitem", { name: "Archived sessions" }).click();
    await choose(page, "/say Put me away.", "Unarchive");
    await list(page).getByText("The archive is empty.").waitFor();
    await list(page).getByRole("button", { name: "Back to sessions" }).click();
    await link(page, "/say Put me away.").waitFor();
    expect((await api("/api/sessions/ses_archive")).body).toMatchObject({ archived: false });
  });

  test("copies a session and opens the copy", async () => {
    await talk("ses_parent", "/say I am the first.");
    const page = await visitors.tab("#/s/ses_parent");
    await choose(page, "/say I am the first.", "Make a copy");
    await expect.poll(() => sessionOf(page)).not.toBe("ses_parent");
    await page.getByRole("article", { name: "Cairn" }).getByText("I am the first.").waitFor();
    const copy = await api(`/api/sessions/${sessionOf(page)}`);
    expect(copy.body).toMatchObject({ forkedFrom: { sessionId: "ses_parent" } });
  });

  test("exports a file that can be imported again", async () => {
    await talk("ses_export", "/say Take me along.");
    const page = await visitors.tab();
    await link(page, "/say Take me along.").hover();
    await list(page).getByRole("button", { name: "Options for /say Take me along." }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "Export" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("ses_export.json");
    const file = await download.path();
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ format: "cairn.session/1" });

    await list(page).getByRole("button", { name: "More options" }).click();
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("menuitem", { name: "Import a session…" }).click(),
    ]);
    await chooser.setFiles(file);
    await page.getByText("Imported as a new session.").waitFor();
    await page.getByRole("article", { name: "Cairn" }).getByText("Take me along.").waitFor();
    expect((await api(`/api/sessions/${sessionOf(page)}`)).body).toMatchObject({ imported: true });
  });

  test("says what is wrong with a file that is no export", async () => {
    const page = await visitors.tab();
    const import_ = page.getByLabel("File to import");
    await import_.setInputFiles({ name: "a.json", mimeType: "application/json", buffer: Buffer.from("no") });
    await page.getByText("This file is not an exported session.").waitFor();
    await import_.setInputFiles({ name: "b.json", mimeType: "application/json", buffer: Buffer.from("{}") });
    const refusals = page.locator(".toast[data-bad=true]");
    await refusals.nth(1).waitFor();
    expect(await refusals.nth(1).textContent()).toContain("This file is not an exported session.");
  });

  test("deletes after asking; the open one gives way to a new one", async () => {
    await talk("ses_delete", "/say Do not miss me.");
    const page = await visitors.tab("#/s/ses_delete");
    await choose(page, "/say Do not miss me.", "Delete…");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("are deleted for good").waitFor();
    await expect.poll(() => page.locator(":focus").textContent()).toBe("Cancel");
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    expect((await api("/api/sessions/ses_delete")).status).toBe(200);
    await choose(page, "/say Do not miss me.", "Delete…");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.waitFor({ state: "detached" });
    await link(page, "/say Do not miss me.").waitFor({ state: "detached" });
    await expect.poll(() => sessionOf(page)).not.toBe("ses_delete");
    expect((await api("/api/sessions/ses_delete")).status).toBe(404);
  });

  test("says plainly that somebody else has deleted what is open", async () => {
    await talk("ses_lost", "/say Here today.");
    const page = await visitors.tab("#/s/ses_lost");
    await page.getByRole("article", { name: "Cairn" }).getByText("Here today.").waitFor();
    await fetch(`${server.url}/api/sessions/ses_lost`, { method: "DELETE" });
    const told = page.getByRole("alert").filter({ hasText: "This session was deleted" });
    await told.waitFor();
    expect(await told.isVisible()).toBe(true);
  });

  test("the menu is gone through with the arrows and gives the focus back", async () => {
    await talk("ses_menu", "/say Look at my menu.");
    const page = await visitors.tab();
    const more = list(page).getByRole("button", { name: "Options for /say Look at my menu." });
    await more.focus();
    await page.keyboard.press("Enter");
    const focused = () => page.locator(":focus").textContent();
    await expect.poll(focused).toBe("Rename");
    await page.keyboard.press("ArrowDown");
    await expect.poll(focused).toBe("Make a copy");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    await expect.poll(focused).toBe("Delete…");
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "detached" });
    await expect
      .poll(() => page.locator(":focus").getAttribute("aria-label"))
      .toBe("Options for /say Look at my menu.");

    await page.keyboard.press("Enter");
    await expect.poll(focused).toBe("Rename");
    const scroll = (what: string): Promise<unknown> =>
      page.evaluate(`document.querySelector("${what}").dispatchEvent(new Event("scroll"))`);
    // Scrolling elsewhere leaves the menu open; scrolling the container of its button closes it.
    await scroll("main");
    await expect.poll(focused).toBe("Rename");
    await scroll(".sidebar-list");
    await page.getByRole("menu").waitFor({ state: "detached" });
    await expect
      .poll(() => page.locator(":focus").getAttribute("aria-label"))
      .toBe("Options for /say Look at my menu.");
  });

  test.each([
    ["light", { ...DESK, colorScheme: "light" }],
    ["dark", { ...DESK, colorScheme: "dark" }],
    ["on a phone", PHONE],
  ] as const)("axe finds nothing in it, %s", async (name, options) => {
    const page = await visitors.tab("", options);
    if (name === "on a phone") await page.getByRole("button", { name: "Sessions" }).click();
    await list(page).getByRole("link", { name: /heron/i }).first().waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
