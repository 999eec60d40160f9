import type { Locator, Page } from "playwright-core";
import { afterEach, describe, expect, test } from "vitest";
import { useServer } from "../../clients/server.ts";
import { DESK, PHONE, say, sessionOf, useBrowser, violations } from "../browser.ts";

/** The card of a run that may have more, in its chat and among what needs a person. */

const server = useServer();
const visitors = useBrowser(server);

/** Waiting questions must not leak into the next test: delete every session. */
afterEach(async () => {
  const { items } = (await (await fetch(`${server.url}/api/sessions?limit=100`)).json()) as {
    items: { id: string }[];
  };
  await Promise.all(items.map(({ id }) => fetch(`${server.url}/api/sessions/${id}`, { method: "DELETE" })));
});

/** Uses ten of its twelve calls, and asks something so that it is still there. */
function nearlyUsed(): string {
  const finds = (words: readonly string[]) => words.map((query) => `/call find ${JSON.stringify({ query })}`);
  return [
    "/lean",
    ...finds(["hiking", "contact", "blog", "team", "prices", "news", "about"]),
    "/then",
    ...finds(["footer", "image", "welcome"]),
    "/then",
    '/call ask_human {"question":"Shall I go on?"}',
    "/then",
    "/say It had enough.",
  ].join("\n");
}

const TITLE = "10 of 12 calls of tools are used. May it have more?";
const cardIn = (page: Page): Locator => page.getByRole("article", { name: TITLE });
const toolCalls = async (session: string): Promise<unknown> => {
  const { activeRun } = (await (await fetch(`${server.url}/api/sessions/${session}`)).json()) as {
    activeRun: { id: string } | null;
  };
  const run = await (await fetch(`${server.url}/api/runs/${activeRun?.id ?? ""}`)).json();
  return (run as { budgets: { toolCalls: unknown } }).budgets.toolCalls;
};

const shot = async (page: Page, name: string): Promise<void> => {
  const folder = process.env["SHOTS"];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
};

async function seen(page: Page, name: string): Promise<void> {
  await cardIn(page).scrollIntoViewIfNeeded();
  expect(await violations(page)).toEqual([]);
  await shot(page, name);
}

describe("a run that has used most of a budget", () => {
  test.each([
    ["a desk", DESK],
    ["a phone, in the dark", { ...PHONE, colorScheme: "dark" as const }],
  ])("is given more in its chat, and no inbox asks for it any more (%s)", async (name, device) => {
    const chat = await visitors.tab("", device);
    await say(chat, nearlyUsed());
    const card = cardIn(chat);
    await card.getByRole("button", { name: "Extend by half" }).waitFor();
    await card.getByText(/^A yes adds 6 calls of tools\. /).waitFor();
    expect(await card.getByText(/With more it may cost up to \$\d/).count()).toBe(1);
    await seen(chat, `budget-chat-${name.slice(0, 7)}`);
    const inbox = await visitors.tab("#/approvals", device);
    await cardIn(inbox)
      .getByRole("link", { name: /^Open its session/ })
      .waitFor();
    await seen(inbox, `budget-inbox-${name.slice(0, 7)}`);

    await card.getByRole("button", { name: "Extend by half" }).click();
    await card.getByText("It has more, given by anonymous.").waitFor();
    expect(await card.getByRole("button").count()).toBe(0);
    expect(await toolCalls(sessionOf(chat))).toMatchObject({ limit: 18 });
    await seen(chat, `budget-chat-done-${name.slice(0, 7)}`);
    await visitors.visit(inbox);
    await inbox.getByRole("article", { name: "Shall I go on?" }).waitFor();
    await cardIn(inbox).waitFor({ state: "detached" });
    // The outcome survives a reload.
    await visitors.visit(chat);
    await card.getByText("It has more, given by anonymous.").waitFor();
    await visitors.visit(chat, `/#/s/${sessionOf(chat)}/trace`);
    const trace = chat.getByRole("region", { name: "Trace of run 1" });
    await trace.getByRole("button", { name: /It asked: “10 of 12 .*; anonymous gave it this/ }).waitFor();
  });

  test("finishes with what there is by a press in the inbox, and its chat says so", async () => {
    const chat = await visitors.tab("", PHONE);
    await say(chat, nearlyUsed());
    await cardIn(chat).getByRole("button", { name: "Extend by half" }).waitFor();
    const inbox = await visitors.tab("#/approvals", PHONE);
    await expect.poll(() => inbox.title()).toBe("(2) Needs you · Cairn");
    await cardIn(inbox).getByRole("button", { name: "Finish with what there is" }).click();
    await cardIn(inbox).waitFor({ state: "detached" });
    await expect.poll(() => inbox.title()).toBe("(1) Needs you · Cairn");
    await cardIn(chat).getByText("It finishes with what there is, decided by anonymous.").waitFor();
    expect(await cardIn(chat).getByRole("button").count()).toBe(0);
    expect(await toolCalls(sessionOf(chat))).toMatchObject({ limit: 12 });
    await seen(chat, "budget-finished");
  });

  test("takes no answer where somebody was faster, and says so", async () => {
    const chat = await visitors.tab();
    await say(chat, nearlyUsed());
    await cardIn(chat).getByRole("button", { name: "Extend by half" }).waitFor();
    const session = sessionOf(chat);
    const person = await visitors.person();
    const late = await person.newPage();
    await visitors.visit(late, "/#/approvals");
    await cardIn(late).waitFor();
    // This tab hears nothing more until it has pressed.
    let hears = false;
    await person.route("**/api/inbox", (route) => (hears ? route.continue() : route.abort()));
    const inbox = (await (await fetch(`${server.url}/api/inbox`)).json()) as {
      budgetQuestions: readonly { sessionId: string; askedAt: string }[];
    };
    const askedAt = inbox.budgetQuestions.find(({ sessionId }) => sessionId === session)?.askedAt;
    const answered = await fetch(`${server.url}/api/sessions/${session}/budget-questions/r1b1`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ decision: "finish", askedAt }),
    });
    expect(answered.status).toBe(200);
    await cardIn(late).getByRole("button", { name: "Extend by half" }).click();
    await cardIn(late).getByText("It finishes with what there is, decided by anonymous.").waitFor();
    expect(await cardIn(late).getByRole("alert").count()).toBe(0);
    expect(await cardIn(late).getByRole("button").count()).toBe(0);
    await shot(late, "budget-late");
    hears = true;
    await cardIn(late).waitFor({ state: "detached" });
    expect(await toolCalls(session)).toMatchObject({ limit: 12 });
  });
});
