import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { useServer } from "../../clients/server.ts";
import { DESK, PHONE, say, sessionOf, useBrowser, violations } from "../browser.ts";

/** Controls for a session's unattended runs, and for the items that wait in it. */

const server = useServer();
const visitors = useBrowser(server);

const settings = (page: Page) => page.getByRole("complementary", { name: "settings" });
async function api<T>(path: string, method = "GET", body?: object): Promise<T> {
  const response = await fetch(`${server.url}/api/sessions/${path}`, {
    method,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(response.ok, `${method} ${path}: ${response.status}`).toBe(true);
  return (await response.json()) as T;
}
const tell = (session: string, text: string): Promise<object> => api(`${session}/messages`, "POST", { text });

async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env["SHOTS"];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
}

describe("check-ins", () => {
  test.each([
    ["a desk, in the dark", { ...DESK, colorScheme: "dark" as const }, "ses_beat_dark"],
    ["a phone, in the light", { ...PHONE, colorScheme: "light" as const }, "ses_beat_light"],
  ])("are switched on, made rarer and switched off, by keyboard too (%s)", async (_, device, session) => {
    await tell(session, "/say Hello.");
    const page = await visitors.tab(`#/s/${session}/settings`, device);
    const part = settings(page).getByRole("region", { name: "Check-ins" });
    const onOff = part.getByRole("switch", { name: "Check in automatically" });
    const often = part.getByRole("combobox", { name: "How often" });
    await onOff.waitFor();
    expect([await onOff.isChecked(), await often.isEnabled()]).toEqual([false, false]);
    await onOff.focus();
    await page.keyboard.press("Space");
    await part.getByText(/^Next: /).waitFor();
    await part.getByText("It has not checked in yet.").waitFor();
    await often.selectOption("every 2 hours");
    await expect.poll(() => api(`${session}/heartbeat`)).toMatchObject({ enabled: true, everyMinutes: 120 });
    await part.scrollIntoViewIfNeeded();
    expect(await violations(page)).toEqual([]);
    await shot(page, `check-ins-${device.colorScheme}`);
    await onOff.click();
    await part.getByText(/^Next: /).waitFor({ state: "detached" });
    expect(await api(`${session}/heartbeat`)).toMatchObject({ enabled: false, nextAt: null });
  });
});

describe("work on its own", () => {
  test("is started with a time and an amount, given more once, and stopped", async () => {
    await tell("ses_goal", "/say Hello.");
    const page = await visitors.tab("#/s/ses_goal/settings", PHONE);
    const part = settings(page).getByRole("region", { name: "Autonomous work" });
    await part.getByRole("button", { name: "Give it a goal" }).click();
    const form = part.getByRole("form", { name: "Goal" });
    await form.getByRole("button", { name: "Start" }).click();
    await form.getByText("Enter a goal.").waitFor();
    await form.getByRole("textbox", { name: /^Goal/ }).fill("/wait 60000\n/say Reached.");
    await form.getByRole("combobox", { name: "For" }).selectOption("15 minutes");
    await form.getByRole("textbox", { name: "Budget (US dollars)" }).fill("0");
    await form.getByRole("button", { name: "Start" }).click();
    await form.getByText("Dollars: enter a number above 0.").waitFor();
    await form.getByRole("textbox", { name: "Budget (US dollars)" }).fill("1.5");
    await shot(page, "goal-form");
    expect(await violations(page)).toEqual([]);
    const before = Date.now();
    await form.getByRole("button", { name: "Start" }).click();

    const work = part.getByRole("group", { name: "Running now" });
    await work.getByText("/wait 60000").waitFor();
    const deadline = async (): Promise<number> =>
      Date.parse((await work.locator("time").getAttribute("datetime")) ?? "");
    const minutes = async (): Promise<number> => Math.floor(((await deadline()) - before) / 60_000);
    expect(await minutes()).toBe(15);
    await work.getByRole("button", { name: "30 minutes more" }).click();
    await work.getByText("Already extended once.").waitFor();
    await expect.poll(minutes).toBe(45);
    expect(await work.getByRole("button", { name: "30 minutes more" }).count()).toBe(0);
    await part.scrollIntoViewIfNeeded();
    expect(await violations(page)).toEqual([]);
    await shot(page, "goal-at-work");
    await work.getByRole("button", { name: "Stop it" }).click();
    await part.getByRole("button", { name: "Give it a goal" }).waitFor();
    const { activeRun } = await api<{ activeRun: object | null }>("ses_goal");
    expect(activeRun).toBeNull();
  });
});

describe("the queue", () => {
  const rowsOf = async (queue: Locator): Promise<readonly string[]> => {
    const texts = await queue.getByRole("listitem").allTextContents();
    return texts.map((text) => text.replace(/\s+/g, " ").trim());
  };

  test("shows what waits for a person and what waits behind it, in its order, and each can be cancelled", async () => {
    const page = await visitors.tab("", PHONE);
    await say(page, '/call page_delete {"pages":["about"]}\n/then\n/say It is as you wished.');
    await page.getByText("Waiting for your approval").waitFor();
    const at = new Date(Date.now() + 1_500).toISOString();
    await api(`${sessionOf(page)}/schedules`, "POST", { text: "/say From the schedule.", at });
    const queue = page.getByRole("region", { name: "Queued messages" });
    await queue.getByText("/say From the schedule.").waitFor();
    // Said later, and sooner its turn.
    await say(page, "/say From a person.");
    await queue.getByText("/say From a person.").waitFor();
    const deletion = '/call page_delete {"pages":["about"]} /then /say It is as you wished.';
    await expect
      .poll(() => rowsOf(queue))
      .toEqual([
        `${deletion}waits for your decision`,
        "/say From a person.message",
        "/say From the schedule.schedule",
      ]);
    await queue.getByText(/^People first/).waitFor();
    expect(await violations(page)).toEqual([]);
    await shot(page, "queue");
    await queue.getByRole("button", { name: "Remove from the queue: /say From the schedule." }).click();
    await queue.getByText("/say From the schedule.").waitFor({ state: "detached" });
    await queue.getByRole("button", { name: /^Stop this run and start the next one: / }).click();
    const answers = page.getByRole("article", { name: "Cairn" });
    await answers.getByText("From a person.", { exact: true }).waitFor();
    await expect.poll(() => queue.count()).toBe(0);
    expect(await answers.getByText("From the schedule.").count()).toBe(0);
  });

  test("shows what is at work, and ends it for what comes next", async () => {
    const page = await visitors.tab("", { ...DESK, colorScheme: "dark" });
    await say(page, "/wait 60000\n/say First.");
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await say(page, "/say Afterwards.");
    const queue = page.getByRole("region", { name: "Queued messages" });
    await expect
      .poll(() => rowsOf(queue))
      .toEqual(["/wait 60000 /say First.running", "/say Afterwards.message"]);
    expect(await violations(page)).toEqual([]);
    await shot(page, "queue-at-work");
    await queue.getByRole("button", { name: /^Stop this run and start the next one: / }).click();
    await page.getByRole("article", { name: "Cairn" }).getByText("Afterwards.", { exact: true }).waitFor();
  });
});
