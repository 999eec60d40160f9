import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { findBrokenLine } from "../../../src/cairn/core/trace.ts";
import { DESK, PHONE, say, useBrowser, violations } from "./browser.ts";
import { useServer } from "../clients/server.ts";

const server = useServer();
const visitors = useBrowser(server);

const HOSTILE = '<img src=x onerror="document.title=1">';

/** Says something over the API and waits until the run has ended or waits for a person. */
async function talk(session: string, text: string, more: object = {}): Promise<void> {
  const response = await fetch(`${server.url}/api/sessions/${session}/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ text, ...more }),
  });
  expect(response.status).toBe(200);
  await response.text();
}

const trace = (page: Page) => page.getByRole("complementary", { name: "trace" });
const chip = (page: Page, name: string | RegExp) => trace(page).getByRole("button", { name });
/** Titles of the trace's items. */
const titles = (page: Page): Promise<string[]> => trace(page).locator(".trace-title").allTextContents();

// Three runs: one with trouble, one that a person denies something, one whose steps are used up.
beforeAll(async () => {
  await talk(
    "ses_trace",
    `/call page_get {"page":"nowhere"}\n/call no_such_tool {"said":${JSON.stringify(HOSTILE)}}\n/then\n/call store_memory {"key":"tone","value":${JSON.stringify(HOSTILE)}}\n/then\n/say I could not read the page “nowhere”, because there is none, and there is no such tool.`,
  );
  await talk(
    "ses_trace",
    '/call page_delete {"pages":["about"]}\n/then\n/say It was not deleted, since you said no.',
  );
  const detail = await (await fetch(`${server.url}/api/sessions/ses_trace`)).json();
  const { id } = (detail as { activeRun: { waitingFor: { id: string } } }).activeRun.waitingFor;
  const denial = JSON.stringify({ decision: "deny", reason: "We still need it" });
  await fetch(`${server.url}/api/sessions/ses_trace/approvals/${id}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: denial,
  });
  const looks = ["home", "about", "blog", "contact"].map((page) => `/call page_get {"page":"${page}"}`);
  await talk("ses_trace", looks.join("\n/then\n"), { max_iterations: 3 });
});

describe("why a run stands where it stands", () => {
  test("is said in one sentence, for one that answered, one that was denied and one that was spent", async () => {
    const page = await visitors.tab("#/s/ses_trace/trace/r1");
    await trace(page)
      .getByText("Answered in 3 steps. The answer passed its check; 2 of its calls were not done.")
      .waitFor();
    await page.getByRole("combobox", { name: "Run" }).selectOption({ value: "r3" });
    await trace(page)
      .getByText(
        "It hit the step limit (2 of 3, one of them kept for the answer), so it gave a partial answer.",
      )
      .waitFor();
    expect(page.url()).toContain("#/s/ses_trace/trace/r3");
    await page.goBack();
    await page.getByRole("combobox", { name: "Run" }).selectOption({ value: "r2" });
    await trace(page).getByText("anonymous declined: “We still need it”").waitFor();
    await trace(page).getByText("Not run: anonymous declined: We still need it.").waitFor();
  });

  test("follows a live run from its wait to its stop", async () => {
    const page = await visitors.tab("#/s/ses_live/trace");
    await trace(page).getByText("No runs yet.").waitFor();
    await say(page, '/call page_delete {"pages":["about"]}\n/then\n/say Gone.');
    await trace(page)
      .getByText(/^Needs approval: Delete/)
      .waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await trace(page).getByText("anonymous stopped it.").waitFor();
    expect(await titles(page)).toContain("anonymous stopped it");
  });
});

describe("the timeline", () => {
  test("shows what the filters leave: by kind, only trouble, by words", async () => {
    const page = await visitors.tab("#/s/ses_trace/trace/r1");
    await trace(page).getByText("Step 3").waitFor();
    const all = await titles(page);
    expect(all).toContain("Memory: stored “tone”");
    await chip(page, /^Tools/).click();
    expect(await titles(page)).toEqual(["no_such_tool", "Read a page", "Remember"]);
    await chip(page, /^Problems only/).click();
    expect(await titles(page)).toEqual(["no_such_tool", "Read a page"]);
    await page.getByRole("searchbox", { name: "Search this run" }).fill("no_such_tool onerror");
    await expect.poll(() => titles(page)).toEqual(["no_such_tool"]);
    await page.getByRole("searchbox", { name: "Search this run" }).fill("nothing says this");
    await trace(page).getByText("Nothing in this run matches.").waitFor();
    await trace(page).getByRole("button", { name: "Clear the filters" }).first().click();
    await expect.poll(() => titles(page)).toEqual(all);
  });

  test("opens details, in which what a tool or a person wrote stays text", async () => {
    const page = await visitors.tab("#/s/ses_trace/trace/r1");
    const row = trace(page).getByRole("button", { name: "Tools: no_such_tool" });
    await row.click();
    expect(await row.getAttribute("aria-expanded")).toBe("true");
    const args = trace(page).getByRole("region", { name: /^Arguments of / });
    expect(await args.textContent()).toContain("<img src=x onerror=");
    await trace(page).getByText("Log entry", { exact: true }).click();
    const rows = trace(page).getByRole("region", { name: "Entries of “no_such_tool”" });
    expect(await rows.textContent()).toContain('"kind": "call_settled"');
    expect(await page.locator("img[src=x]").count()).toBe(0);
    expect(await page.title()).not.toBe("1");
    await row.press("Enter");
    await args.waitFor({ state: "detached" });
  });

  test("is walked with the arrows", async () => {
    const page = await visitors.tab("#/s/ses_trace/trace/r1");
    const rows = trace(page).locator(".trace-row");
    await rows.first().focus();
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => rows.nth(1).evaluate((row) => row.matches(":focus"))).toBe(true);
    await page.keyboard.press("End");
    // The last rows are drawn first, then focused.
    await expect.poll(() => rows.last().evaluate((row) => row.matches(":focus"))).toBe(true);
  });

  test("is reached from a step in the chat, which it marks", async () => {
    const page = await visitors.tab("#/s/ses_trace");
    await page.getByRole("group", { name: "Step 2" }).first().getByTitle("Trace").click();
    const step = trace(page).getByRole("listitem", { name: "Step 2", exact: true });
    await step.waitFor();
    expect(await step.getAttribute("data-marked")).toBe("true");
    await expect.poll(() => step.evaluate((own) => own.matches(":focus"))).toBe(true);
  });

  test("keeps the newest in view while that is wanted, and no longer than one stays at the end", async () => {
    const page = await visitors.tab("#/s/ses_follow/trace");
    const looks = ["home", "about", "blog", "contact"].map(
      (name) => `/call page_get {"page":"${name}"}\n/wait 400`,
    );
    await say(page, `${[...looks, "/wait 60000"].join("\n/then\n")}\n/say Never.`);
    const follow = chip(page, "Follow");
    await follow.click();
    await trace(page).getByRole("heading", { name: "Step 5" }).waitFor();
    const gap = (): Promise<number> =>
      trace(page).evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
    expect(await trace(page).evaluate((box) => box.scrollHeight > box.clientHeight)).toBe(true);
    await expect.poll(gap).toBeLessThan(5);
    await trace(page).hover();
    await page.mouse.wheel(0, -600);
    await expect.poll(() => follow.getAttribute("aria-pressed")).toBe("false");
    expect(await gap()).toBeGreaterThan(80);
    await page.getByRole("button", { name: "Stop" }).click();
    await follow.waitFor({ state: "detached" });
  });

  test("of 5,000 rows shows its end and what one looks for", async () => {
    const page = await visitors.tab("#/s/ses_trace");
    const calls = await serveLong(page, "ses_trace", 5_000);
    await visitors.visit(page, "/#/s/ses_trace/trace");
    await visitors.visit(page);
    await chip(page, `Tools ${calls.toLocaleString("en")}`).waitFor();
    await trace(page).locator(".trace-row").first().focus();
    await page.keyboard.press("End");
    await trace(page).getByText("The run ended: answered").waitFor();
    await page.keyboard.press("Home");
    await trace(page).getByText("Before the first step").waitFor();
    await chip(page, /^Tools/).click();
    expect((await titles(page)).length).toBeLessThan(500);
    await page.getByRole("searchbox", { name: "Search this run" }).fill("needle-499");
    await expect.poll(() => titles(page)).toEqual(["Read a page"]);
  });
});

describe("the trace", () => {
  test("is downloaded as JSON, as sealed lines, and with what each model call was sent", async () => {
    const page = await visitors.tab("#/s/ses_trace/trace/r1");
    const fetched = async (name: string): Promise<string> => {
      const waiting = page.waitForEvent("download");
      await trace(page).getByRole("link", { name, exact: true }).click();
      const download = await waiting;
      expect(download.suggestedFilename()).toMatch(/^ses_trace\.r1\.(trace|prompts)\.jsonl?$/);
      return readFile(await download.path(), "utf8");
    };
    const { items } = JSON.parse(await fetched("JSON")) as { items: { step: string }[] };
    expect(items.map(({ step }) => step)).toEqual(["r1s1", "r1s2", "r1s3"]);
    const lines = (await fetched("JSON lines")).trimEnd().split("\n");
    expect(findBrokenLine(lines)).toBeNull();
    expect(lines).toHaveLength(5);
    const { items: sent } = JSON.parse(await fetched("prompts")) as {
      items: { request: { exact: boolean } }[];
    };
    expect(sent.map(({ request }) => request.exact)).toEqual([true, true, true]);
  });

  test("says what is wrong when the log cannot be read, and reads it again", async () => {
    const page = await visitors.tab("#/s/ses_trace");
    await page.route("**/api/sessions/ses_trace/events*", (route) => route.abort());
    await page.getByRole("link", { name: "Trace", exact: true }).click();
    await trace(page).getByText("Cairn does not answer.").waitFor();
    await page.unroute("**/api/sessions/ses_trace/events*");
    await trace(page).getByRole("button", { name: "Try again" }).click();
    await trace(page).getByText("Step 1").first().waitFor();
    expect(await trace(page).getByRole("alert").count()).toBe(0);
  });

  test.each([
    ["light", { ...DESK, colorScheme: "light" }],
    ["dark", { ...DESK, colorScheme: "dark" }],
    ["on a phone", PHONE],
  ] as const)("axe finds nothing in it, %s", async (_, options) => {
    const page = await visitors.tab("#/s/ses_trace/trace/r1s1", options);
    await trace(page).getByRole("button", { name: "Tools: no_such_tool" }).click();
    await chip(page, /^Tools/).click();
    expect(await violations(page)).toEqual([]);
  });
});

describe("memory", () => {
  test("shows things and facts, with the step that put them there, and follows the log", async () => {
    const page = await visitors.tab("#/s/ses_trace/memory");
    const memory = page.getByRole("complementary", { name: "memory" });
    const fact = memory.getByRole("listitem").filter({ hasText: "tone" });
    expect(await fact.textContent()).toContain(HOSTILE);
    expect(await fact.getByRole("link").textContent()).toBe("run 1, step 2");
    const home = memory.getByRole("listitem").filter({ hasText: "current" }).first();
    await home.waitFor();
    expect(await violations(page)).toEqual([]);
    await say(
      page,
      '/call store_memory {"key":"colour","value":"Fern green"}\n/then\n/say Noted: Fern green.',
    );
    await memory.getByText("Fern green").waitFor();
    await fact.getByRole("link").click();
    await trace(page).getByRole("listitem", { name: "Step 2", exact: true }).waitFor();
  });

  test("says what would be there, as long as nothing is", async () => {
    const page = await visitors.tab("#/s/ses_empty/memory", { ...DESK, colorScheme: "dark" });
    await page.getByText("Nothing is remembered yet.").waitFor();
    expect(await violations(page)).toEqual([]);
  });
});

interface Row {
  readonly seq: number;
  readonly step: string | null;
  readonly kind: string;
}

/** The page is given a log of so many rows: the steps of a real run, over and over. Returns how many calls are in it. */
async function serveLong(page: Page, session: string, count: number): Promise<number> {
  const log = await (await fetch(`${server.url}/api/sessions/${session}/events?limit=1000`)).json();
  const rows = (log as { items: (Row & { run: string | null })[] }).items.filter(({ run }) => run === "r1");
  const first = rows.filter(({ step }) => step === "r1s1");
  const before = rows.filter(({ step }) => step === null);
  const last = rows.filter(({ step }) => step === "r1s3");
  const middle: Row[] = [];
  for (let step = 1; middle.length < count; step += 1)
    for (const row of first)
      middle.push(
        JSON.parse(
          JSON.stringify(row).replaceAll("r1s1", `r1s${step}`).replaceAll("nowhere", `needle-${step}`),
        ) as Row,
      );
  const items = [...before, ...middle, ...last].map((row, index) => ({ ...row, seq: index + 1 }));
  await page.route(`**/api/sessions/${session}/events*`, (route) => {
    const query = new URL(route.request().url()).searchParams;
    const [after, limit] = [Number(query.get("after")), Number(query.get("limit"))];
    const part = items.slice(after, after + limit);
    const lastSeq = items.length;
    return route.fulfill({
      json: { items: part, nextAfter: after + part.length, lastSeq, more: after + part.length < lastSeq },
    });
  });
  return items.filter(({ kind }) => kind === "call_settled").length;
}
