import type { BrowserContext, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { DESK, PHONE, say, useBrowser, violations } from "./browser.ts";
import { useServer } from "../clients/server.ts";

/** Features that people expect of any such page: sharing, deleting, usage, a theme, notices, an app icon. */

const server = useServer();
const visitors = useBrowser(server);

async function talk(session: string, text: string): Promise<void> {
  const response = await fetch(`${server.url}/api/sessions/${session}/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ text }),
  });
  expect(response.status).toBe(200);
  await response.text();
}
const settings = (page: Page) => page.getByRole("complementary", { name: "settings" });
const preferences = (page: Page) => page.getByRole("region", { name: "Preferences" });
const LOOKS = [
  ["light", { ...DESK, colorScheme: "light" }],
  ["dark", { ...DESK, colorScheme: "dark" }],
  ["on a phone", PHONE],
] as const;

describe("a read-only link", () => {
  test("is made and copied, shows the answer to somebody who is not known, and is taken back", async () => {
    await talk("ses_share", "/say It is **done**.");
    await talk("ses_share", "/say And this too.");
    const page = await visitors.tab("#/s/ses_share/settings");
    const form = settings(page).getByRole("form", { name: "New link" });
    await form.getByRole("combobox", { name: "Shows" }).selectOption("run 1 only");
    await form.getByRole("button", { name: "Create a read-only link" }).click();
    const link = settings(page).getByRole("textbox", { name: "Link to run 1" });
    const url = await link.inputValue();
    expect(url).toContain("/#/shared/");

    const stranger = await (await visitors.person()).newPage();
    await stranger.route("**/api/me", (route) =>
      route.fulfill({ status: 401, json: { error: { code: "unauthenticated", message: "No." } } }),
    );
    await visitors.visit(stranger, url);
    const answer = stranger.getByRole("article", { name: "Cairn" });
    await answer.locator("strong", { hasText: "done" }).waitFor();
    expect(await answer.count()).toBe(1);
    expect(await stranger.getByRole("button").count()).toBe(0);
    expect(await stranger.getByRole("textbox").count()).toBe(0);
    await answer.getByText("Nothing was changed.").waitFor();
    expect(await violations(stranger)).toEqual([]);

    await settings(page).getByRole("button", { name: "Stop sharing" }).click();
    await link.waitFor({ state: "detached" });
    await visitors.visit(stranger);
    await stranger.getByRole("alert").getByText("This link has ended.").waitFor();
  });
});

describe("a fact", () => {
  test("is forgotten from the memory, and the agent remembers it no more", async () => {
    await talk("ses_forget", '/call store_memory {"key":"tone","value":"Dry"}\n/then\n/say Noted.');
    const page = await visitors.tab("#/s/ses_forget/memory");
    const memory = page.getByRole("complementary", { name: "memory" });
    await memory.getByRole("button", { name: "Forget “tone”" }).click();
    await page.getByText("“tone” is forgotten.").waitFor();
    await memory.getByText("Dry").waitFor({ state: "detached" });
    await expect
      .poll(() => memory.getByRole("heading", { name: "Memory" }).evaluate((own) => own.matches(":focus")))
      .toBe(true);
    await memory.getByText("Nothing is remembered yet.").waitFor();
  });
});

describe("the preferences", () => {
  test("show what was used, by day and by model, and every tool with when it asks", async () => {
    await talk("ses_used", "/say Hello.");
    const today = new Date().toISOString().slice(0, 10);
    // The index has the usage of a run soon after its answer.
    await expect
      .poll(async () => (await fetch(`${server.url}/api/usage?groupBy=day&from=${today}`)).text())
      .toContain(`"key":"${today}"`);
    const page = await visitors.tab("#/preferences");
    const row = (name: string) => preferences(page).getByRole("row").filter({ hasText: name });
    await row(today).first().waitFor();
    expect(await row(today).count()).toBe(1);
    await preferences(page).getByRole("combobox", { name: "By" }).selectOption("model");
    await row("rehearsal model").waitFor();
    const tool = (title: string) =>
      preferences(page).getByRole("listitem").filter({ hasText: title }).first();
    await tool("Delete pages").getByText("May ask you").waitFor();
    await tool("Site overview").getByText("Does not ask").waitFor();
  });

  test("have a theme that holds over a reload, whatever the device says", async () => {
    const page = await visitors.tab("#/preferences", { ...DESK, colorScheme: "light" });
    const paper = (): Promise<string> => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await paper();
    await preferences(page).getByRole("radio", { name: "Dark" }).check();
    const dark = await paper();
    expect(dark).not.toBe(light);
    await visitors.visit(page);
    await preferences(page).getByRole("radio", { name: "Dark" }).waitFor();
    expect(await paper()).toBe(dark);
    await preferences(page).getByRole("radio", { name: "Match system" }).check();
    expect(await paper()).toBe(light);
  });

  test.each(LOOKS)("axe finds nothing in them, %s", async (_, options) => {
    const page = await visitors.tab("#/preferences", options);
    await preferences(page).getByRole("heading", { name: "Usage" }).waitFor();
    await preferences(page).getByText("Site overview").waitFor();
    expect(await violations(page)).toEqual([]);
  });
});

describe("notices of the browser", () => {
  /** A page that is out of sight, and writes down which notices it gives and whether it asks for them. */
  async function hidden(person: BrowserContext): Promise<Page> {
    const page = await person.newPage();
    await page.addInitScript(`
      globalThis.told = [];
      globalThis.asked = 0;
      let permission = sessionStorage.getItem("permission") ?? "default";
      globalThis.Notification = class {
        static get permission() { return permission; }
        static async requestPermission() {
          globalThis.asked += 1;
          permission = "granted";
          sessionStorage.setItem("permission", permission);
          return permission;
        }
        constructor(title, { body }) { globalThis.told.push(title + ": " + body); }
      };
      Object.defineProperty(document, "hidden", { get: () => true });
    `);
    return page;
  }
  const DELETES = '/call page_delete {"pages":["about"]}\n/then\n/say It is as you wished.';

  test("come when something waits, once they were asked for with the switch; nothing asks at start", async () => {
    const page = await hidden(await visitors.person());
    await visitors.visit(page, "/#/preferences");
    const on = preferences(page).getByRole("switch", { name: "Notify me when I'm needed" });
    expect([await on.isChecked(), await page.evaluate("asked")]).toEqual([false, 0]);
    await on.check();
    expect([await on.isChecked(), await page.evaluate("asked")]).toEqual([true, 1]);
    expect(await page.evaluate("told")).toEqual([
      "Notifications are on: Notifications appear here when you are needed.",
    ]);
    await visitors.visit(page, "/#/s/ses_notice");
    await visitors.visit(page);
    expect(await page.evaluate("asked")).toBe(0);
    await say(page, DELETES);
    await expect.poll(() => page.evaluate("told")).toEqual(["Cairn needs you: One thing waits for you."]);
    await page.getByRole("button", { name: "Stop" }).click();
    await expect.poll(() => page.title()).not.toContain("(1)");
  });

  test("stay off, with the reason, where the browser gives a page none", async () => {
    const page = await (await visitors.person()).newPage();
    await page.addInitScript(`
      globalThis.Notification = class {
        static permission = "granted";
        static async requestPermission() { return "granted"; }
        constructor() { throw new TypeError("Illegal constructor"); }
      };
    `);
    await visitors.visit(page, "/#/preferences");
    const on = preferences(page).getByRole("switch", { name: "Notify me when I'm needed" });
    await on.click();
    await preferences(page).getByText("This browser has no notifications.").waitFor();
    expect([await on.isChecked(), await on.isDisabled()]).toEqual([false, true]);
  });

  test("do not come without the switch", async () => {
    const page = await hidden(await visitors.person());
    await visitors.visit(page, "/#/s/ses_quiet");
    await say(page, DELETES);
    await expect.poll(() => page.title()).toContain("(1)");
    expect(await page.evaluate("told")).toEqual([]);
    await page.getByRole("button", { name: "Stop" }).click();
  });
});

describe("installing", () => {
  test("has a manifest that the page may load, with icons of the sizes that it names", async () => {
    const page = await visitors.tab();
    const href = await page.locator('link[rel="manifest"]').getAttribute("href");
    const response = await page.request.get(href ?? "");
    expect(response.headers()["content-type"]).toContain("application/manifest+json");
    const { icons, display } = (await response.json()) as {
      icons: { src: string; sizes: string; type: string }[];
      display: string;
    };
    expect(display).toBe("standalone");
    // One would keep an old version of the page.
    expect(
      await page.evaluate("navigator.serviceWorker.getRegistrations().then(({ length }) => length)"),
    ).toBe(0);
    const policy = (await page.request.get("/")).headers()["content-security-policy"];
    expect(policy).toContain("manifest-src 'self'");
    for (const { src, sizes, type } of icons) {
      const icon = await page.request.get(src);
      expect(icon.headers()["content-type"]).toContain(type);
      if (type !== "image/png") continue;
      // Width and height stand in the first chunk of a PNG.
      const bytes = await icon.body();
      expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`).toBe(sizes);
    }
  });
});

describe("the first wishes", () => {
  test("are others once they were done, and can be done again", async () => {
    const page = await visitors.tab();
    const wish = page.getByRole("button", { name: /^Change the title of the hero/ });
    const first = await wish.textContent();
    await wish.click();
    await page.getByRole("button", { name: "Copy the answer" }).waitFor();
    const next = await visitors.tab();
    await next.getByRole("button", { name: /^Change the title of the hero/ }).waitFor();
    expect(await next.getByRole("button", { name: /^Change the title of the hero/ }).textContent()).not.toBe(
      first,
    );
  });
});
