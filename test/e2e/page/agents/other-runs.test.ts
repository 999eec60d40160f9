import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { DESK, PHONE, useBrowser, violations } from "../browser.ts";
import { useServer } from "../../clients/server.ts";

/** Runs that a run has started, on the page: three side by side, one of which asks, and one of which starts another. */

const server = useServer();
const visitors = useBrowser(server);

async function send(method: string, path: string, body: object): Promise<unknown> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.ok, `${path}: ${response.status}`).toBe(true);
  return response.json();
}

const part = (objective: string): string => `/call run_agent ${JSON.stringify({ objective })}`;
const A = "/call page_list {}\n/then\n/say A: two pages.";
const asking = (page: string): string =>
  `/call page_delete {"pages":["${page}"]}\n/then\n/say B: the page is gone.`;
const slow = (ms: number): string => `${part(`/wait ${ms}\n/say C1: found.`)}\n/then\n/say C: one source.`;

/** A conversation whose run hands out A, B and C at once, and then answers. */
async function begin(session: string, ms: number, page = "contact"): Promise<void> {
  await send("POST", "/api/sessions", { id: session, agent: "lead" });
  const text = `${[A, asking(page), slow(ms)].map(part).join("\n")}\n/then\n/say One page of A, B and C.`;
  await send("POST", `/api/sessions/${session}/messages`, { text });
}

const conversation = (page: Page) => page.getByRole("region", { name: "Conversation" });
const trace = (page: Page) => page.getByRole("complementary", { name: "trace" });
const tree = (page: Page) => page.locator(".tree");
const branch = (page: Page, words: RegExp) =>
  trace(page)
    .locator('.trace-item[data-kind="child"]', { hasText: words })
    .last()
    .locator(":scope > .trace-row");
const widthOver = (page: Page): Promise<number> =>
  page.evaluate("document.documentElement.scrollWidth - innerWidth");

beforeAll(async () => {
  const tools = ["run_agent", "page_list", "page_delete"];
  await send("PUT", "/api/agents/lead", { description: "Hands parts out.", tools, profile: "complex" });
});

describe("runs below a conversation", () => {
  test("stand as a tree, one asks on the conversation, each opens in place, and one answer comes of them", async () => {
    await begin("ses_tree", 1_500, "about");
    const page = await visitors.tab("#/s/ses_tree/trace");
    const card = conversation(page).locator(".approval");
    await card.getByText("A sub-run asks").waitFor();
    await page.getByText("A sub-run needs you").waitFor();
    await tree(page).getByText("4 sub-runs: 1 needs you, 3 answered").waitFor();
    expect(await tree(page).locator("li li").count()).toBe(1);
    // Conversations alone are listed.
    expect(await page.getByRole("navigation").locator("a[href*='~']").count()).toBe(0);
    await trace(page).locator(".trace-totals", { hasText: "Sub-runs3, 1 running" }).waitFor();

    await branch(page, /Sub-run: “\/call page_delete/).click();
    const opened = trace(page).getByRole("region", { name: /^Run: \/call page_delete/ });
    await opened.getByText(/^Needs approval: Delete the page “About”/).waitFor();
    await opened.getByText("The run above it asked").waitFor();
    expect(await violations(page)).toEqual([]);

    await card.getByRole("button", { name: "Approve" }).click();
    await opened.getByText("Answered in 2 steps. The answer passed its check.").waitFor();
    await conversation(page).getByText("One page of A, B and C.", { exact: true }).waitFor();
    await trace(page).getByText("Answered in 2 steps").first().waitFor();
    await tree(page).waitFor({ state: "detached" });
    const log = (await (await fetch(`${server.url}/api/sessions/ses_tree~r1s1c1/events`)).json()) as {
      items: { kind: string; body: { decision?: string } }[];
    };
    const decided = log.items.filter(({ kind }) => kind === "approval_decided");
    expect(decided.map(({ body }) => body.decision)).toEqual(["approve"]);
  });

  test("are gone through with the arrows, from the rows above into those of an opened one and out again", async () => {
    const page = await visitors.tab("#/s/ses_tree/trace");
    const first = branch(page, /Sub-run: “\/call page_list/);
    await first.press("Enter");
    await trace(page)
      .getByRole("region", { name: /^Run: \/call page_list/ })
      .getByText("Step 2")
      .waitFor();
    const focused = (): Promise<string> =>
      page.evaluate("document.activeElement.querySelector('.trace-title')?.textContent ?? ''");
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toBe("The run above it asked");
    await page.keyboard.press("ArrowUp");
    expect(await focused()).toMatch(/^Sub-run: “\/call page_list/);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("End");
    await expect.poll(focused).toMatch(/^The run ended/);
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toMatch(/^Sub-run: “\/call page_delete/);
  });

  test("can be stopped one by one: the others go on, and the run above says which was stopped", async () => {
    await begin("ses_stop", 600_000);
    const page = await visitors.tab("#/s/ses_stop/trace");
    await tree(page).getByText("4 sub-runs: 2 running, 1 needs you, 1 answered").waitFor();
    await branch(page, /Sub-run: “\/call run_agent/).click();
    const opened = trace(page).getByRole("region", { name: /^Run: \/call run_agent/ });
    const stop = opened.getByRole("button", { name: /^Stop this branch: / });
    await stop.click();
    await opened.getByText("anonymous stopped it.").waitFor();
    await tree(page).getByText("4 sub-runs: 1 needs you, 1 answered, 2 stopped").waitFor();
    // The whole is at work as before, and waits for the one that asks.
    await trace(page)
      .getByText(/^Waiting for a sub-run: “\/call page_delete/)
      .waitFor();
    await tree(page)
      .getByRole("button", { name: /^Stop this branch: \/call page_delete/ })
      .click();
    const answer = conversation(page).getByText("One page of A, B and C.", { exact: true });
    await answer.waitFor();
    expect(await answer.count()).toBe(1);
    await trace(page)
      .locator(".trace-note", { hasText: /^stopped$/ })
      .first()
      .waitFor();
  });

  test("ask in the inbox too, under the run that asks, and what is decided there goes to it", async () => {
    await begin("ses_inbox", 500);
    const page = await visitors.tab("#/approvals");
    const item = page.locator(".approval").first();
    await item.getByText("A sub-run asks").waitFor();
    await item.getByText('/call page_delete {"pages":["contact"]}').first().waitFor();
    expect(await item.getByRole("link", { name: "Show it in the trace" }).getAttribute("href")).toBe(
      "#/s/ses_inbox/trace/r1s1",
    );
    expect(await violations(page)).toEqual([]);
    await item.getByRole("button", { name: "Deny" }).click();
    await item.getByRole("button", { name: "Deny" }).click();
    await page.getByText(/^Denied by anonymous/).waitFor();
    await visitors.visit(page, `${server.url}/#/s/ses_inbox`);
    await conversation(page).getByText("One page of A, B and C.", { exact: true }).waitFor();
  });

  test.each([
    ["a desk in the dark", { ...DESK, colorScheme: "dark" as const }],
    ["a phone", { ...PHONE, viewport: { width: 375, height: 812 } }],
  ])("fit on %s", async (name, options) => {
    const session = name.includes("phone") ? "ses_phone" : "ses_dark";
    await begin(session, 600_000);
    const page = await visitors.tab(`#/s/${session}`, options);
    await tree(page)
      .getByText(/^4 sub-runs/)
      .waitFor();
    expect([await violations(page), await widthOver(page)]).toEqual([[], 0]);
    await visitors.visit(page, `${server.url}/#/s/${session}/trace`);
    await branch(page, /Sub-run: “\/call run_agent/).click();
    await branch(page, /Sub-run: “\/wait/).click();
    await trace(page)
      .getByRole("region", { name: /^Run: \/wait/ })
      .getByText(/^Working/)
      .waitFor();
    expect([await violations(page), await widthOver(page)]).toEqual([[], 0]);
    await send("POST", `/api/sessions/${session}/cancel`, { all: true });
    await trace(page).getByText("anonymous stopped it.").first().waitFor();
  });
});
