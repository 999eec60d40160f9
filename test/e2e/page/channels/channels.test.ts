import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { startTelegram, type TelegramStandIn } from "../../../../scripts/channels-demo/telegram.ts";
import { useServer } from "../../clients/server.ts";
import { TELEGRAM_SECRET, telegramVariables } from "../../channels/telegram-variables.ts";
import { DESK, PHONE, useBrowser, violations } from "../browser.ts";

/** The channels of a person on the page: a code that links, and a link that ends. */

const preferences = (page: Page) => page.getByRole("region", { name: "Preferences" });
let telegram: TelegramStandIn;
beforeAll(async () => {
  telegram = await startTelegram();
});
afterAll(() => telegram.close());

describe("where Telegram is set up", () => {
  const server = useServer(() => telegramVariables(telegram));
  const visitors = useBrowser(server);

  test.each([
    ["a desk, in the dark", { ...DESK, colorScheme: "dark" as const }],
    ["a phone, in the light", { ...PHONE, colorScheme: "light" as const }],
  ])("a person is linked by a code of the page, and ends that (%s)", async (_, device) => {
    telegram.setWebhook(`${server.url}/channels/telegram`, TELEGRAM_SECRET);
    const page = await visitors.tab("#/preferences", device);
    const inside = preferences(page);
    await inside.getByText("No linked accounts.").waitFor();
    await inside.getByRole("button", { name: "Link a channel" }).click();
    const words = (await inside.getByText(/^\/link [A-Z2-9]{8}$/).textContent()) ?? "";
    await inside.getByText(/^(10:00|9:\d\d) left$/).waitFor();
    const code = words.replace("/link ", "");
    const opens = inside.getByRole("link", { name: "Open Telegram" });
    expect(await opens.getAttribute("href")).toBe(`https://t.me/${telegram.bot.username}?start=${code}`);
    expect(await violations(page)).toEqual([]);
    if (process.env["SHOTS"] !== undefined) {
      await inside.getByRole("heading", { name: "Channels" }).scrollIntoViewIfNeeded();
      await page.screenshot({ path: `${process.env["SHOTS"]}/code-${device.colorScheme}.png` });
    }
    await telegram.person(801, "Ada").say(words);
    await inside.getByRole("button", { name: "I have written it" }).click();
    const links = inside.getByRole("list", { name: "Your links" });
    await links.getByText("Ada").waitFor();
    await inside.getByRole("heading", { name: "Channels" }).scrollIntoViewIfNeeded();
    expect(await violations(page)).toEqual([]);
    if (process.env["SHOTS"] !== undefined)
      await page.screenshot({ path: `${process.env["SHOTS"]}/${device.colorScheme}.png` });
    await inside.getByRole("button", { name: "End the link of Ada on Telegram" }).click();
    await inside.getByText("No linked accounts.").waitFor();
    expect(await (await fetch(`${server.url}/api/links`)).json()).toEqual({ items: [] });
  });
});

describe("where and when a person is written to", () => {
  const server = useServer(() => telegramVariables(telegram));
  const visitors = useBrowser(server);
  const notify = async (): Promise<unknown> => (await fetch(`${server.url}/api/me/notify`)).json();

  test.each([
    ["a desk, in the light", { ...DESK, colorScheme: "light" as const }],
    ["a phone, in the dark", { ...PHONE, colorScheme: "dark" as const }],
  ])("is chosen: a place, hours of quiet, and by which clock (%s)", async (_, device) => {
    await fetch(`${server.url}/api/me/notify`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ zone: null, quiet: null, ask: "auto" }),
    });
    telegram.setWebhook(`${server.url}/channels/telegram`, TELEGRAM_SECRET);
    const made = await fetch(`${server.url}/api/links`, { method: "POST" });
    const { code } = (await made.json()) as { code: string };
    await telegram.person(802, "Ada").say(`/link ${code}`);
    await expect
      .poll(notify)
      .toMatchObject({ places: [{ id: "telegram:802", name: "Ada", blocked: false }] });

    const page = await visitors.tab("#/preferences", { ...device, timezoneId: "Asia/Tokyo" });
    const part = page.getByRole("group", { name: "Where and when you are written to" });
    const asked = part.getByRole("combobox", { name: /^Send approvals and questions/ });
    await asked.selectOption("on Telegram, Ada, and on this page");
    await expect.poll(notify).toMatchObject({ ask: "telegram:802" });
    await asked.selectOption("on this page only");
    await expect.poll(notify).toMatchObject({ ask: "page" });

    await part.getByRole("switch", { name: "Quiet hours" }).click();
    // A person who sets no time zone gets the browser's.
    await expect
      .poll(notify)
      .toMatchObject({ zone: "Asia/Tokyo", quiet: { from: "22:00", to: "07:00" }, ask: "page" });
    await part.getByLabel("From").fill("23:30");
    await part.getByRole("button", { name: "Save" }).click();
    await expect.poll(notify).toMatchObject({ quiet: { from: "23:30", to: "07:00" } });
    await part.getByRole("combobox", { name: "By the clock of" }).selectOption("Europe/Berlin");
    await expect.poll(notify).toMatchObject({ zone: "Europe/Berlin" });
    await part.getByRole("button", { name: "Use this browser’s: Asia/Tokyo" }).waitFor();
    await part.scrollIntoViewIfNeeded();
    expect(await violations(page)).toEqual([]);
    if (process.env["SHOTS"] !== undefined)
      await page.screenshot({ path: `${process.env["SHOTS"]}/notify-${device.colorScheme}.png` });
    await part.getByRole("button", { name: "Use this browser’s: Asia/Tokyo" }).click();
    await expect.poll(notify).toMatchObject({ zone: "Asia/Tokyo" });
    await part.getByRole("switch", { name: "Quiet hours" }).click();
    await expect.poll(notify).toMatchObject({ zone: "Asia/Tokyo", quiet: null });
  });
});

describe("a message to a person", () => {
  const server = useServer(() => telegramVariables(telegram));
  const visitors = useBrowser(server);

  test("stands in the conversation as its words, with where it went", async () => {
    const said = await fetch(`${server.url}/api/sessions/ses_told/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify({ text: '/call send_message {"text":"**Two** of three."}\n/then\n/say Done.' }),
    });
    await said.text();
    const page = await visitors.tab("#/s/ses_told", PHONE);
    await page.getByText("Done.").first().waitFor();
    // The steps of a run that has ended are folded.
    for (const fold of await page.locator("main details:not([open]):has(.call) > summary").all())
      await fold.click();
    const message = page.getByRole("group", { name: "Message" });
    await message.waitFor();
    await message.locator("strong", { hasText: "Two" }).waitFor();
    await page.getByText("shown here").waitFor();
    expect(await violations(page)).toEqual([]);
    if (process.env["SHOTS"] !== undefined)
      await page.screenshot({ path: `${process.env["SHOTS"]}/message.png` });
  });
});

describe("where no channel is set up", () => {
  const server = useServer();
  const visitors = useBrowser(server);

  test("the page says what is missing, and offers no code", async () => {
    const page = await visitors.tab("#/preferences");
    const inside = preferences(page);
    await inside.getByText(/TELEGRAM_BOT_TOKEN and TELEGRAM_WEBHOOK_SECRET/).waitFor();
    await inside.getByText(/SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET/).waitFor();
    await inside.getByText(/VAPID_PUBLIC_KEY and VAPID_PRIVATE_KEY and VAPID_SUBJECT/).waitFor();
    expect(await inside.getByText("Not set up").count()).toBe(4);
    await inside.getByText("No linked accounts.").waitFor();
    expect(await inside.getByRole("button", { name: "Link a channel" }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
  });
});
