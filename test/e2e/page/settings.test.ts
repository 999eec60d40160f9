import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { DESK, PHONE, say, useBrowser, violations } from "./browser.ts";
import { useServer } from "../clients/server.ts";

const OTHER = "openai-compatible:other";
const server = useServer(() => [
  `MODELS_ALLOWED:${OTHER},workers-ai:@cf/*`,
  "OPENAI_COMPATIBLE_BASE_URL:http://127.0.0.1:9/v1",
]);
const visitors = useBrowser(server);

const api = async (path: string, method = "GET", body?: object): Promise<unknown> => {
  const response = await fetch(`${server.url}/api/sessions/${path}`, {
    method,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(response.ok, `${method} ${path}: ${response.status}`).toBe(true);
  return response.status === 204 ? null : response.json();
};
/** Says something over the API and waits until the run has ended or waits for a person. */
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
const DELETES = '/call page_delete {"pages":["about"]}\n/then\n/say It is as you wished.';

describe("name and model", () => {
  test("are changed, and it is said from when on; a refusal stands beside the field", async () => {
    await talk("ses_named", "/say Hello.");
    const page = await visitors.tab("#/s/ses_named/settings");
    const title = settings(page).getByRole("textbox", { name: "Title" });
    await title.fill("Of herons");
    await settings(page).getByRole("button", { name: "Save the title" }).click();
    await page.getByText("Renamed.").waitFor();
    await page.getByRole("heading", { level: 1, name: "Of herons" }).waitFor();
    await page.getByRole("navigation", { name: "Sessions" }).getByText("Of herons").waitFor();

    const model = settings(page).getByRole("combobox", { name: "Model" });
    expect(await model.getByRole("option").allTextContents()).toEqual([
      "rehearsal model (default)",
      OTHER,
      "Another model…",
    ]);
    await model.selectOption(OTHER);
    const saved = page.getByRole("status").getByText("Applies to your next message, not the current run.");
    await saved.waitFor();
    expect(await api("ses_named")).toMatchObject({ title: "Of herons", model: OTHER });
    await model.selectOption("Another model…");
    const named = settings(page).getByRole("textbox", { name: "Name of the model" });
    await named.fill("openai-compatible:forbidden");
    await named.press("Enter");
    await settings(page).getByRole("alert").getByText("This model may not be named here.").waitFor();
    expect(await api("ses_named")).toMatchObject({ model: OTHER });
    await named.fill("workers-ai:@cf/a/model");
    await settings(page).getByRole("button", { name: "Save the model" }).click();
    await named.waitFor({ state: "detached" });
    expect(await model.inputValue()).toBe("workers-ai:@cf/a/model");
    expect(await settings(page).getByRole("alert").count()).toBe(0);
    await model.selectOption("rehearsal model (default)");
    await expect.poll(async () => await api("ses_named")).toMatchObject({ model: "rehearsal:" });
  });

  test("what is being written stays when the title is changed elsewhere", async () => {
    await talk("ses_both", "/say Hello.");
    const page = await visitors.tab("#/s/ses_both/settings");
    const title = settings(page).getByRole("textbox", { name: "Title" });
    await title.fill("Mine, unfinished");
    await api("ses_both", "PATCH", { title: "Theirs" });
    await talk("ses_both", "/say Once more.");
    await page.getByRole("heading", { level: 1, name: "Theirs" }).waitFor();
    expect(await title.inputValue()).toBe("Mine, unfinished");
    await title.fill("Theirs");
    await api("ses_both", "PATCH", { title: "Theirs anew" });
    await talk("ses_both", "/say And again.");
    await expect.poll(() => title.inputValue()).toBe("Theirs anew");
  });
});

describe("the limits of a run", () => {
  test("is shown while it is live, and given more, once", async () => {
    await talk("ses_budget", DELETES);
    const page = await visitors.tab("#/s/ses_budget/settings");
    const part = settings(page).getByRole("region", { name: "Limits of this run" });
    await part.getByText("1 of 15").waitFor();
    await part.getByRole("button", { name: "Raise the limits" }).click();
    await part.getByText("Enter at least one number.").waitFor();
    await part.getByRole("textbox", { name: "Steps" }).fill("2.5");
    await part.getByRole("button", { name: "Raise the limits" }).click();
    await part.getByText("Steps, tokens and minutes: enter a whole number above 0.").waitFor();
    await part.getByRole("textbox", { name: "Steps" }).fill("5");
    await part.getByRole("textbox", { name: "Dollars" }).fill("0.50");
    await part.getByRole("button", { name: "Raise the limits" }).click();
    await part.getByText("1 of 20").waitFor();
    await part.getByText("$0.00 of $3.00").waitFor();
    await part.getByText("That can be done once.").waitFor();
    expect(await part.getByRole("button").count()).toBe(0);
    // With its end it has no budget any more.
    await page.getByRole("button", { name: "Stop" }).click();
    await part.waitFor({ state: "detached" });
  });
});

describe("remembered decisions", () => {
  test("are listed as soon as they are made, and revoked", async () => {
    await talk(
      "ses_policy",
      '/call set_status {"targets":[{"type":"page","ref":"about"}],"to":"unpublished"}\n/then\n/say It is as you wished.',
    );
    const page = await visitors.tab("#/s/ses_policy/settings");
    await settings(page).getByText("None yet. Choose “Remember”").waitFor();
    const { activeRun } = (await api("ses_policy")) as { activeRun: { waitingFor: { id: string } } };
    await api(`ses_policy/approvals/${activeRun.waitingFor.id}`, "POST", {
      decision: "approve",
      remember: { match: "tool", seconds: 3_600 },
    });
    await settings(page).getByText("with any arguments").waitFor();
    await settings(page)
      .getByRole("button", { name: "Revoke the decision about Publish or unpublish" })
      .click();
    await settings(page).getByText("None yet. Choose “Remember”").waitFor();
    expect(await api("ses_policy")).toMatchObject({ policies: [] });
    await expect
      .poll(() =>
        settings(page)
          .getByRole("heading", { name: "Remembered decisions" })
          .evaluate((own) => own.matches(":focus")),
      )
      .toBe(true);
  });
});

describe("schedules", () => {
  test("are added, refused in words, listed with their next time, and cancelled", async () => {
    await talk("ses_later", "/say Hello.");
    const page = await visitors.tab("#/s/ses_later/settings");
    await settings(page).getByRole("button", { name: "Add a schedule" }).click();
    const form = settings(page).getByRole("form", { name: "New schedule" });
    await form.getByRole("textbox", { name: "Message to the agent" }).fill("Look at the links.");
    await form.getByRole("combobox", { name: "When" }).selectOption("At set times (cron)");
    await form.getByRole("textbox", { name: "Cron expression" }).fill("99 * * * *");
    await form.getByRole("textbox", { name: "Time zone" }).fill("Europe/Vienna");
    await form.getByRole("button", { name: "Save the schedule" }).click();
    await form.getByRole("alert").waitFor();
    await form.getByRole("textbox", { name: "Cron expression" }).fill("0 9 * * 1-5");
    await form.getByRole("button", { name: "Save the schedule" }).click();
    await form.waitFor({ state: "detached" });
    const item = settings(page).getByRole("listitem").filter({ hasText: "Look at the links." });
    expect(await item.textContent()).toMatch(
      /Monday to Friday at 09:00, Europe\/Vienna time \(0 9 \* \* 1-5\) · next .+ · by anonymous/,
    );
    await settings(page).getByRole("button", { name: "Add a schedule" }).click();
    await form.getByRole("textbox", { name: "Message to the agent" }).fill("Say hello.");
    await form.getByRole("combobox", { name: "When" }).selectOption("Repeatedly");
    await form.getByRole("textbox", { name: "Every" }).fill("2");
    await form.getByRole("combobox", { name: "Unit" }).selectOption("hours");
    await form.getByRole("button", { name: "Save the schedule" }).click();
    const repeated = settings(page).getByRole("listitem").filter({ hasText: "Say hello." });
    await repeated.getByText("every 2 hours").waitFor();
    await item.getByRole("button", { name: "Cancel the schedule" }).click();
    await item.waitFor({ state: "detached" });
    expect(await api("ses_later/schedules")).toMatchObject({
      items: [{ text: "Say hello.", everyMs: 7_200_000 }],
    });
  });
});

describe("what cannot be taken back", () => {
  test("is asked about: clearing empties the conversation and keeps the log", async () => {
    await talk("ses_gone", "/say Soon hidden.");
    const page = await visitors.tab("#/s/ses_gone/settings");
    await page.getByText("Soon hidden.", { exact: true }).waitFor();
    await settings(page).getByRole("button", { name: "Clear the conversation" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    expect(await page.getByText("Soon hidden.", { exact: true }).count()).toBe(1);
    await settings(page).getByRole("button", { name: "Clear the conversation" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Clear" }).click();
    await page.getByText("The conversation is cleared.").waitFor();
    await page.getByText("Soon hidden.", { exact: true }).waitFor({ state: "detached" });
    await visitors.visit(page);
    await settings(page).getByText("Clearing stops").waitFor();
    expect(await page.getByText("Soon hidden.", { exact: true }).count()).toBe(0);
    const { items } = (await api("ses_gone/events")) as { items: { kind: string }[] };
    expect(items.map(({ kind }) => kind)).toContain("session_cleared");
  });
});

test("a clearing that nothing answers is said to be so, and can be asked for again", async () => {
  await talk("ses_deaf", "/say Still here.");
  const page = await (await visitors.person()).newPage();
  let isDeaf = true;
  await page.routeWebSocket(/ses_deaf/, (socket) => {
    const up = socket.connectToServer();
    socket.onMessage((message) => {
      if (!isDeaf || !String(message).includes("cf_agent_chat_clear")) up.send(message);
    });
  });
  await page.clock.install();
  await page.goto("/#/s/ses_deaf/settings");
  const clear = settings(page).getByRole("button", { name: "Clear the conversation" });
  await clear.click();
  await page.getByRole("dialog").getByRole("button", { name: "Clear" }).click();
  expect(await clear.isDisabled()).toBe(true);
  await page.clock.fastForward("00:11");
  await settings(page).getByRole("alert").getByText("There was no reply").waitFor();
  isDeaf = false;
  await clear.click();
  await page.getByRole("dialog").getByRole("button", { name: "Clear" }).click();
  await page.getByText("The conversation is cleared.").waitFor();
  expect(await settings(page).getByRole("alert").count()).toBe(0);
});

describe("who may only read", () => {
  test("sees what holds, and nothing to change it with", async () => {
    await talk("ses_read", "/say Hello.");
    const person = await visitors.person();
    const page = await person.newPage();
    await page.route("**/api/me", (route) =>
      route.fulfill({ json: { subject: "anonymous", scopes: ["read"], anonymous: true } }),
    );
    await visitors.visit(page, "/#/s/ses_read/settings");
    const title = settings(page).getByRole("textbox", { name: "Title" });
    await title.waitFor();
    expect(await title.getAttribute("readonly")).not.toBeNull();
    await settings(page).getByText("Developer details").click();
    expect(await settings(page).getByRole("button").count()).toBe(2);
    for (const name of ["Close the panel", "Copy the id"])
      expect(await settings(page).getByRole("button", { name }).count()).toBe(1);
    expect(await settings(page).getByRole("combobox", { name: "Model" }).isDisabled()).toBe(true);
  });
});

describe("the settings", () => {
  test("of a session that has not begun say so", async () => {
    const page = await visitors.tab("#/s/ses_unborn/settings");
    await settings(page).getByText("A session starts with its first message.").waitFor();
    await say(page, "/say Hello.");
    await settings(page).getByRole("heading", { name: "Title, agent and model" }).waitFor();
    expect(await settings(page).getByText("A session starts").count()).toBe(0);
  });

  test.each([
    ["light", { ...DESK, colorScheme: "light" }],
    ["dark", { ...DESK, colorScheme: "dark" }],
    ["on a phone", PHONE],
  ] as const)("axe finds nothing in them, %s", async (_, options) => {
    await talk("ses_axe", DELETES);
    await api("ses_axe/cancel", "POST", { all: true });
    await talk("ses_axe", DELETES);
    const page = await visitors.tab("#/s/ses_axe/settings", options);
    await settings(page).getByText("Raise the limits, once:").waitFor();
    await settings(page).getByRole("button", { name: "Add a schedule" }).click();
    expect(await violations(page)).toEqual([]);
    await api("ses_axe/cancel", "POST", { all: true });
  });
});
