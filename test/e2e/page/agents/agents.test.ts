import path from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { useServer } from "../../clients/server.ts";
import { DESK, PHONE, say, sessionOf, useBrowser, violations } from "../browser.ts";

/** Several agents in one deployment, and what a run of them was asked to be. */

const server = useServer(() => [], path.join(import.meta.dirname, "worker.ts"));
const visitors = useBrowser(server);

const NARROW = { ...PHONE, viewport: { width: 320, height: 640 } };
const LOOKS = [
  ["light", { ...DESK, colorScheme: "light" }],
  ["dark", { ...DESK, colorScheme: "dark" }],
  ["on a narrow phone", NARROW],
  ["in forced colours", { ...DESK, forcedColors: "active" }],
] as const;

const api = async (at: string, method = "GET", body?: object): Promise<unknown> => {
  const response = await fetch(`${server.url}/api/${at}`, {
    method,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(response.ok, `${method} ${at}: ${response.status}`).toBe(true);
  return response.json();
};
const overflow = (page: Page): Promise<number> =>
  page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
const panel = (page: Page, name: string) => page.getByRole("complementary", { name });

interface Spec {
  readonly kind: string;
  readonly body: { readonly spec: { readonly agent: string } };
}
const agentsOfRuns = async (session: string): Promise<readonly string[]> => {
  const { items } = (await api(`sessions/${session}/events`)) as { items: readonly Spec[] };
  return items.filter(({ kind }) => kind === "run_queued").map(({ body }) => body.spec.agent);
};
const endsOfRuns = async (session: string): Promise<number> => {
  const { items } = (await api(`sessions/${session}/events`)) as {
    items: readonly { readonly kind: string }[];
  };
  return items.filter(({ kind }) => kind === "run_ended").length;
};

describe("a new session", () => {
  test("begins with the agent that is chosen, which its header and the list then name", async () => {
    const page = await visitors.tab();
    const agent = page.getByRole("combobox", { name: "Agent" });
    await agent.waitFor();
    expect(await agent.inputValue()).toBe("default");
    await agent.selectOption("reader");
    await say(page, "/say Hello.");
    await page.locator("main .bar").getByText("Agent: reader", { exact: true }).waitFor();
    await page
      .getByRole("navigation", { name: "Sessions" })
      .getByText("agent reader", { exact: true })
      .waitFor();
    expect(await agentsOfRuns(sessionOf(page))).toEqual(["reader"]);
  });

  test("names its agent also when its first run was over before the page had drawn anything of it", async () => {
    const page = await visitors.tab();
    const frames: (() => void)[] = [];
    const answers: (() => Promise<void>)[] = [];
    let isHeld = false;
    await page.routeWebSocket(/\/agents\/session\//, (socket) => {
      const upstream = socket.connectToServer();
      upstream.onMessage((frame) => {
        if (isHeld) frames.push(() => socket.send(frame));
        else socket.send(frame);
      });
    });
    // The session is asked for before it exists, and that answer comes after its first run.
    await page.route(/\/api\/sessions\/ses_[^/?]+$/, async (route) => {
      if (answers.length > 0) return route.continue();
      const response = await route.fetch();
      answers.push(() => route.fulfill({ response }));
    });
    await visitors.visit(page);
    await page.getByRole("combobox", { name: "Agent" }).selectOption("reader");
    await expect.poll(() => answers.length).toBe(1);
    isHeld = true;
    await say(page, "/say Hello.");
    await expect.poll(() => endsOfRuns(sessionOf(page))).toBe(1);
    isHeld = false;
    for (const release of answers) await release();
    const busy = page.evaluate("{ const end = Date.now() + 2_000; while (Date.now() < end); }");
    for (const release of frames) release();
    await busy;
    await page.locator("main .bar").getByText("Agent: reader", { exact: true }).waitFor();
  });

  test("that nothing was chosen for has the default, and no agent is named", async () => {
    const page = await visitors.tab();
    await page.getByRole("combobox", { name: "Agent" }).waitFor();
    await say(page, "/say Plain and simple.");
    await page.getByText("Plain and simple.", { exact: true }).waitFor();
    await expect.poll(() => agentsOfRuns(sessionOf(page))).toEqual(["default"]);
    expect(await page.locator("main .bar").getByText("Agent:").count()).toBe(0);
  });

  test("that was made over the API shows its agent, and is set to another at once", async () => {
    await api("sessions", "POST", { id: "ses_made", agent: "reader" });
    const page = await visitors.tab("#/s/ses_made");
    const agent = page.getByRole("combobox", { name: "Agent" });
    await expect.poll(() => agent.inputValue()).toBe("reader");
    await agent.selectOption("default");
    await expect.poll(() => api("sessions/ses_made")).toMatchObject({ agent: "default" });
  });
});

describe("the settings of a session", () => {
  test("change its agent from the next message on, and say what it may use", async () => {
    await api("runs", "POST", { session_id: "ses_changed", objective: "/say One." });
    const page = await visitors.tab("#/s/ses_changed/settings");
    const agent = panel(page, "settings").getByRole("combobox", { name: "Agent" });
    await expect
      .poll(() => agent.getByRole("option").allTextContents())
      .toEqual([
        "default: Works on the site and answers questions about it.",
        "reader: Only reads the site, and changes nothing.",
      ]);
    await agent.selectOption("reader");
    await page.getByRole("status").getByText("Applies to your next message, not the current run.").waitFor();
    await page.locator("main .bar").getByText("Agent: reader", { exact: true }).waitFor();
    await panel(page, "settings").getByText("What reader may use").click();
    const tools = panel(page, "settings").getByRole("list", { name: "Tools of reader" });
    await expect
      .poll(async () => (await tools.getByRole("listitem").allTextContents()).join())
      .toMatch(/page_get/);
    expect(await tools.getByText("page_delete").count()).toBe(0);
    const steps = panel(page, "settings").locator(".agent-limits > div").filter({ hasText: "Steps" });
    expect(await steps.textContent()).toBe("Steps6");
    await say(page, "/say Two.");
    await page.getByText("Two.", { exact: true }).waitFor();
    await expect.poll(() => agentsOfRuns("ses_changed")).toEqual(["default", "reader"]);
  });

  test("are drawn with all that sets their height, so that no late answer moves a button under a press", async () => {
    await api("runs", "POST", { session_id: "ses_late", objective: "/say One." });
    const page = await visitors.tab();
    const held: (() => Promise<void>)[] = [];
    const late = /\/api\/(?:agents|sessions\/ses_late\/(?:deliveries|schedules|heartbeat|shares))(?:\?|$)/;
    await page.route(late, async (route) => {
      const response = await route.fetch();
      held.push(() => route.fulfill({ response }));
    });
    await visitors.visit(page, "#/s/ses_late/settings");
    await expect.poll(() => held.length).toBe(5);
    const add = panel(page, "settings").getByRole("button", { name: "Add a schedule" });
    const places: unknown[] = [];
    for (const release of held) {
      if ((await add.count()) > 0) places.push(await add.boundingBox());
      await release();
    }
    await add.waitFor();
    places.push(await add.boundingBox());
    expect(places).toHaveLength(1);
  });

  test("name the agent of a schedule", async () => {
    await api("runs", "POST", { session_id: "ses_plan", objective: "/say One." });
    const page = await visitors.tab("#/s/ses_plan/settings");
    const add = panel(page, "settings").getByRole("button", { name: "Add a schedule" });
    await add.click();
    const form = panel(page, "settings").getByRole("form", { name: "New schedule" });
    await form.getByRole("textbox", { name: "Message to the agent" }).fill("Look at the links.");
    await form.getByRole("combobox", { name: "When" }).selectOption("Repeatedly");
    await form.getByRole("combobox", { name: "Agent" }).selectOption("reader");
    await form.getByRole("button", { name: "Save the schedule" }).click();
    await panel(page, "settings").getByText("· agent reader").waitFor();
    expect(await api("sessions/ses_plan/schedules")).toMatchObject({ items: [{ agent: "reader" }] });
  });

  test.each(LOOKS)("axe finds nothing in them with the tools unfolded, %s", async (_, options) => {
    await api("runs", "POST", { session_id: "ses_axe", objective: "/say One." });
    const page = await visitors.tab("#/s/ses_axe/settings", options);
    await panel(page, "settings").getByText("What default may use").click();
    await panel(page, "settings").getByText("At most, in one run:").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
  });
});

describe("the trace of a run", () => {
  const asked = {
    session_id: "ses_read",
    agent: "reader",
    tools: ["page_list", "page_get"],
    result_key: "research",
    objective: "/call page_list {}\n/then\n/say Found them.",
    max_iterations: 4,
    profile: "simple",
    instructions: "Be brief.",
    metadata: { ticket: 7 },
    timeout_ms: 60_000,
    approval: { rules: { page_get: "deny" } },
  };
  const about = "Request, permissions and result";

  test("tells what it was asked, what it may use and its result", async () => {
    await api("runs", "POST", asked);
    const page = await visitors.tab("#/s/ses_read/trace");
    await panel(page, "trace").getByText(about).click();
    const part = (name: string) => panel(page, "trace").getByRole("group", { name, exact: true });
    const words = await part("Asked").textContent();
    for (const said of [
      "Found them.",
      "reader",
      "page_list",
      "research",
      "Name each page once.",
      "page_get is not allowed",
      "Be brief.",
    ])
      expect(words).toContain(said);
    expect(await part("Asked").getByRole("region", { name: "Metadata" }).textContent()).toContain(
      '"ticket": 7',
    );
    await part("May use").locator("summary").click();
    const tools = part("May use").getByRole("list", { name: "Tools that it may use" });
    expect(await tools.textContent()).toContain("page_list");
    expect(await tools.textContent()).not.toContain("page_get");
    const without = part("May use").getByRole("list", { name: "Tools that were not offered" });
    expect(await without.textContent()).toContain("page_get Its run was asked to do without it.");
    expect(await part("May use").textContent()).toContain("Steps4");
    const { result } = (await api("runs/ses_read.r1")) as { result: unknown };
    await expect
      .poll(() => part("Result").getByRole("region", { name: "Result as JSON" }).textContent())
      .toBe(JSON.stringify(result, null, 2));
    await part("Result").getByRole("button", { name: "Copy: Result as JSON" }).waitFor();
  });

  test.each(LOOKS)("axe finds nothing in it, %s", async (_, options) => {
    await api("runs", "POST", { ...asked, session_id: "ses_seen" });
    const page = await visitors.tab("#/s/ses_seen/trace", options);
    await panel(page, "trace").getByText(about).click();
    await panel(page, "trace").getByRole("button", { name: "Copy: Result as JSON" }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
  });
});
