import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  startTelegram,
  type TelegramStandIn,
  type TelegramUser,
} from "../../../../scripts/channels-demo/telegram.ts";
import { useServer } from "../../clients/server.ts";
import { TELEGRAM_SECRET, telegramVariables } from "../../channels/telegram-variables.ts";
import { DESK, PHONE, useBrowser, violations } from "../browser.ts";

/** Messages sent to people, as the page shows them: where each went, and its outcome. */

const SHUT = {
  status: 403,
  body: { ok: false, error_code: 403, description: "Forbidden: bot was blocked by the user" },
};
let telegram: TelegramStandIn;
beforeAll(async () => {
  telegram = await startTelegram();
});
afterAll(() => telegram.close());
const server = useServer(() => telegramVariables(telegram));
const visitors = useBrowser(server);

async function get<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await fetch(`${server.url}${path}`, init);
  expect(response.ok, `${path}: ${response.status}`).toBe(true);
  return (await response.json()) as T;
}

let people = 900;
async function linked(name: string): Promise<TelegramUser> {
  telegram.setWebhook(`${server.url}/channels/telegram`, TELEGRAM_SECRET);
  const user = telegram.person((people += 1), name);
  const { code } = await get<{ code: string }>("/api/links", { method: "POST" });
  await user.say(`/link ${code}`);
  await hears(user, "You are linked");
  return user;
}

async function hears(user: TelegramUser, words: string): Promise<void> {
  const texts = (): readonly string[] =>
    telegram.messages
      .filter(({ chat, from }) => chat.id === user.chat.id && from.is_bot)
      .map(({ text }) => text);
  await expect.poll(texts).toContainEqual(expect.stringContaining(words));
}

/** The session in which this was said. */
async function sessionAbout(words: string): Promise<string> {
  const { items } = await get<{ items: { id: string }[] }>(`/api/sessions?q=${encodeURIComponent(words)}`);
  return items[0]?.id ?? "";
}
const shot = async (page: Page, name: string): Promise<void> => {
  const folder = process.env["SHOTS"];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
};

describe("what went to a chat", () => {
  test("is listed with its words and its end, and stands in the trace as a message", async () => {
    const ada = await linked("Ada");
    await ada.say('/call send_message {"text":"Half of it is **done**."}\n/then\n/say Herons are done.');
    await hears(ada, "Herons are done.");
    await expect.poll(() => sessionAbout("herons")).not.toBe("");
    const session = await sessionAbout("herons");

    const page = await visitors.tab(`#/s/${session}/settings`, PHONE);
    const list = page.getByRole("list", { name: "Notifications, newest first" });
    await expect.poll(() => list.getByRole("listitem").count()).toBe(2);
    const rows = await list.getByRole("listitem").allTextContents();
    expect(rows[0]).toMatch(
      /^Answer Telegram, AdaPartly answered, .*Nothing was changed\. Herons are done\.Sent \w/,
    );
    expect(rows[1]).toMatch(/^Message Telegram, AdaHalf of it is done\.Sent \w/);
    await list.scrollIntoViewIfNeeded();
    expect(await violations(page)).toEqual([]);
    await shot(page, "sent-phone");

    const desk = await visitors.tab(`#/s/${session}/trace`, { ...DESK, colorScheme: "dark" });
    const trace = desk.getByRole("region", { name: "Trace of run 1" });
    await trace.getByRole("list", { name: "Sent to people" }).getByText("Herons are done.").waitFor();
    const row = trace.getByRole("button", { name: /Message: “Half of it/ });
    expect(await row.textContent()).toMatch(/sent: Telegram, which took it as \d+/);
    await row.click();
    await trace.locator("strong", { hasText: "done" }).waitFor();
    expect(await trace.getByText("Arguments").count()).toBe(0);
    expect(await violations(desk)).toEqual([]);
    await shot(desk, "sent-trace");
  });

  test("that nobody was there to allow is kept, and shown until it is told", async () => {
    const cleo = await linked("Cleo");
    await cleo.say("/say Storks are done.");
    await hears(cleo, "Storks are done.");
    await expect.poll(() => sessionAbout("storks")).not.toBe("");
    const session = await sessionAbout("storks");
    await get(`/api/sessions/${session}/schedules`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        text: '/call send_message {"text":"The hut is open."}\n/then\n/say Kept.',
        at: new Date(Date.now() + 1_500).toISOString(),
      }),
    });
    const page = await visitors.tab(`#/s/${session}/settings`, { ...PHONE, colorScheme: "dark" });
    const kept = page
      .getByRole("list", { name: "Notifications, newest first" })
      .getByRole("listitem")
      .filter({ hasText: "The hut is open." });
    await kept.getByText(/^Held for you: unattended runs may not send it/).waitFor();
    await kept.scrollIntoViewIfNeeded();
    expect(await violations(page)).toEqual([]);
    await shot(page, "kept");
    await cleo.say("/say Good morning.");
    await kept.getByText(/^Delivered with your other held messages/).waitFor();
    await kept.getByText("Held messages", { exact: true }).waitFor();
  });

  test("says why it could not be sent where the chat is shut, and the page tells its owner", async () => {
    const bob = await linked("Bob");
    await bob.say("/say Ibises are done.");
    await hears(bob, "Ibises are done.");
    await expect.poll(() => sessionAbout("ibises")).not.toBe("");
    const session = await sessionAbout("ibises");
    telegram.fail("sendMessage", { kind: "answer", reply: SHUT });
    await bob.say("/say Nobody hears this.");
    const page = await visitors.tab(`#/s/${session}/settings`, DESK);
    const list = page.getByRole("list", { name: "Notifications, newest first" });
    await list.getByText("Could not be sent: the chat no longer accepts messages from Cairn").waitFor();
    await shot(page, "sent-blocked");
    await page.getByRole("link", { name: /Preferences/ }).click();
    const channels = page.getByRole("region", { name: "Channels" });
    await channels.getByText(/Telegram, Bob no longer accepts messages from Cairn/).waitFor();
    expect(await violations(page)).toEqual([]);
    await shot(page, "blocked");
  });
});
