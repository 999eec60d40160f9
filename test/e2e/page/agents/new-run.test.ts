import path from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { useServer } from "../../clients/server.ts";
import { DESK, PHONE, sessionOf, useBrowser, violations } from "../browser.ts";

/** The form that starts a run. */

const server = useServer(() => [], path.join(import.meta.dirname, "worker.ts"));
const visitors = useBrowser(server);

const form = (page: Page) => page.getByRole("form", { name: "New run" });
const box = (page: Page, name: string) => form(page).getByRole("textbox", { name });
const start = (page: Page) => form(page).getByRole("button", { name: "Start the run" });

test("is reached by the palette and by the menu of the list", async () => {
  const page = await visitors.tab();
  await page.keyboard.press("Control+K");
  await page.getByRole("combobox", { name: "Go to" }).fill("New run");
  await page.keyboard.press("Enter");
  await expect.poll(() => box(page, "Objective").evaluate((own) => own.matches(":focus"))).toBe(true);
  await page.goto("/#/preferences");
  await page.getByRole("button", { name: "More options" }).click();
  await page.getByRole("menuitem", { name: "New run" }).click();
  await page.getByRole("heading", { level: 1, name: "New run" }).waitFor();
});

describe("what the form says", () => {
  test("is what is shown as JSON and what is sent, and its session opens", async () => {
    const page = await visitors.tab("#/new-run");
    await box(page, "Objective").fill("/say All of {{input.city}} is there.");
    await form(page).getByRole("combobox", { name: "Agent" }).selectOption("reader");
    await form(page).getByText("All 2 that the agent has").click();
    await form(page).getByRole("checkbox", { name: "page_get" }).uncheck();
    expect(await form(page).locator("#run-tools").textContent()).toBe("1 of 2");
    await box(page, "Step limit").fill("4");
    await box(page, "Time limit (minutes)").fill("2");
    await box(page, "Instructions").fill("Be brief.");
    await box(page, "Input (JSON)").fill('{"city": "Graz"}');
    await box(page, "Name of the result").fill("count");
    await form(page).getByText("As JSON, and as a curl command").click();
    const shown = await form(page).getByRole("region", { name: "The run as JSON" }).textContent();
    const body = {
      objective: "/say All of {{input.city}} is there.",
      agent: "reader",
      tools: ["page_list"],
      max_iterations: 4,
      timeout_ms: 120_000,
      instructions: "Be brief.",
      result_key: "count",
      input: { city: "Graz" },
    };
    expect(JSON.parse(shown ?? "")).toEqual(body);
    const curl = await form(page).getByRole("region", { name: "The run as curl" }).textContent();
    expect(curl).toContain(`curl "${server.url}/api/runs?async=true"`);
    const sent = page.waitForRequest((request) => request.url().endsWith("/api/runs?async=true"));
    await start(page).click();
    expect((await sent).postDataJSON()).toEqual(body);
    await page.getByText("All of Graz is there.", { exact: true }).first().waitFor();
    const session = sessionOf(page);
    const events = (await (await fetch(`${server.url}/api/sessions/${session}/events`)).json()) as {
      items: { kind: string; body: { spec: object } }[];
    };
    expect(events.items.find(({ kind }) => kind === "run_queued")?.body.spec).toMatchObject({
      agent: "reader",
      tools: ["page_list"],
      resultKey: "count",
    });
  });

  test("stays while one looks elsewhere, until it was sent or emptied", async () => {
    const page = await visitors.tab("#/new-run");
    await box(page, "Objective").fill("Half of a thought");
    await page.evaluate(`location.hash = "#/preferences"`);
    await page.getByRole("heading", { level: 1, name: "Preferences" }).waitFor();
    await page.goBack();
    expect(await box(page, "Objective").inputValue()).toBe("Half of a thought");
    await form(page).getByRole("button", { name: "Empty the form" }).click();
    expect(await box(page, "Objective").inputValue()).toBe("");
  });
});

describe("what is wrong", () => {
  test("stands at its field before anything is sent, and the first field gets the focus", async () => {
    const page = await visitors.tab("#/new-run");
    let sent = 0;
    page.on("request", (request) => (sent += request.url().includes("/api/runs") ? 1 : 0));
    await box(page, "Objective").fill("Go.");
    await box(page, "Step limit").fill("2.5");
    await box(page, "Form of the result").fill('{\n  type: "object"\n}');
    await start(page).click();
    await form(page).getByText("Enter a whole number above 0.").waitFor();
    await form(page).getByText("This is not valid JSON. Look at line 2, column 3.").waitFor();
    expect(await box(page, "Step limit").evaluate((own) => own.matches(":focus"))).toBe(true);
    expect(await box(page, "Form of the result").getAttribute("aria-invalid")).toBe("true");
    expect(sent).toBe(0);
    await box(page, "Form of the result").fill('{"type": "object"}');
    expect(await form(page).getByText("This is not valid JSON.").count()).toBe(0);
  });

  test("in the eyes of the API stands at its field too", async () => {
    const page = await visitors.tab("#/new-run");
    await box(page, "Objective").fill("Go to {{input.city}}.");
    await form(page).getByRole("combobox", { name: "Model" }).fill("openai-compatible:none");
    await box(page, "Step limit").fill("300");
    await box(page, "Name of the result").fill("1x");
    await start(page).click();
    const fault = (field: string) => form(page).locator(`#run-${field}-fault`);
    expect(await fault("objective").textContent()).toContain("The input has no input.city.");
    expect(await fault("resultKey").textContent()).toContain("It must be a name");
    expect(await fault("steps").textContent()).toContain("200");
    await box(page, "Objective").fill("Go.");
    await box(page, "Step limit").fill("3");
    await box(page, "Name of the result").fill("");
    await start(page).click();
    await expect.poll(() => fault("model").textContent()).toContain("MODELS_ALLOWED");
    expect(page.url()).toContain("#/new-run");
  });

  test("with the line is said, and the same form sent again starts one run", async () => {
    const page = await visitors.tab("#/new-run");
    const keys: (string | undefined)[] = [];
    await page.route("**/api/runs?async=true", async (route) => {
      keys.push(route.request().headers()["idempotency-key"]);
      if (keys.length > 1) return route.continue();
      // The request arrives; its response does not.
      await route.fetch();
      return route.abort();
    });
    await box(page, "Objective").fill("/say Once.");
    await start(page).click();
    await form(page).getByRole("alert").getByText("Cairn does not answer.").waitFor();
    await start(page).click();
    await page.getByText("Once.", { exact: true }).first().waitFor();
    expect(keys[0]).toBe(keys[1]);
    const detail = (await (await fetch(`${server.url}/api/sessions/${sessionOf(page)}`)).json()) as object;
    expect(detail).toMatchObject({ runCount: 1 });
  });
});

test("who may only read is told so", async () => {
  const page = await (await visitors.person()).newPage();
  await page.route("**/api/me", (route) =>
    route.fulfill({ json: { subject: "anonymous", scopes: ["read"], anonymous: true } }),
  );
  await visitors.visit(page, "/#/new-run");
  await page.getByText("Your token may not start runs").waitFor();
  expect(await form(page).count()).toBe(0);
});

test.each([
  ["light", { ...DESK, colorScheme: "light" }],
  ["dark", { ...DESK, colorScheme: "dark" }],
  ["on a narrow phone", { ...PHONE, viewport: { width: 320, height: 640 } }],
  ["in forced colours", { ...DESK, forcedColors: "active" }],
] as const)("axe finds nothing in the form, %s", async (_, options) => {
  const page = await visitors.tab("#/new-run", options);
  await form(page)
    .getByText(/that the agent has/)
    .click();
  await form(page).getByRole("checkbox", { name: "page_delete" }).uncheck();
  await box(page, "Objective").fill("Go.");
  await form(page).getByText("As JSON, and as a curl command").click();
  await box(page, "Form of the result").fill("{");
  await start(page).click();
  await form(page).getByText("This is not valid JSON").first().waitFor();
  expect(await violations(page)).toEqual([]);
  const wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
  expect(await page.evaluate(wide)).toBeLessThanOrEqual(0);
});
