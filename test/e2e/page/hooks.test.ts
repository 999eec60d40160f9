import type { UIMessage } from "ai";
import type { BrowserContext, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { useServer } from "../clients/server.ts";
import { useBrowser } from "./browser.ts";
import { act, buildHooksPage, look, openHook, type HookName } from "./hooks/page.ts";

/** The React hooks of both packages, as they come, in two tabs of one session: at rest they show what a new tab shows. */

const server = useServer();
const visitors = useBrowser(server);
let script = "";
beforeAll(async () => {
  script = await buildHooksPage();
});

const UNPUBLISH =
  '/call set_status {"targets":[{"type":"page","ref":"about"}],"to":"unpublished"}\n/then\n/say Tried.';
const MAKE = '/call page_create {"name":"Spare"}\n/then\n/say Made.';
const SLOW = "/wait 1500\n/call site_overview {}\n/then\n/say Over.";

async function post(path: string, body: unknown): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}
/** Waits until nothing of the session works or waits. */
async function idle(session: string): Promise<void> {
  const url = `${server.url}/api/sessions/${session}/events?until=idle`;
  await (await fetch(url, { headers: { accept: "text/event-stream" } })).text();
}
/** Still at work when a second tab has been opened, on a busy machine too: a tab that comes later has nothing to resume. */
const AT_WORK = "/wait 6000";
const PATIENCE = { timeout: 20_000 };
async function shows(page: Page, text: string): Promise<void> {
  await expect.poll(async () => JSON.stringify((await look(page)).messages), PATIENCE).toContain(text);
}
async function rests(page: Page): Promise<void> {
  await expect.poll(async () => (await look(page)).status, PATIENCE).toMatch(/ready|error/);
}

async function approvalIn(page: Page): Promise<string> {
  await shows(page, '"approval-requested"');
  const [, id = ""] = /"approval":\{"id":"([^"]+)"/.exec(JSON.stringify((await look(page)).messages)) ?? [];
  return id;
}

/** Two tabs of one person. */
async function tabs(hook: HookName, session: string): Promise<[BrowserContext, Page, Page]> {
  const person = await visitors.person({ bypassCSP: true });
  const open = () => openHook(person, script, hook, session);
  return [person, await open(), await open()];
}

/** Messages that a newly opened tab shows. */
async function lookAnew(
  person: BrowserContext,
  hook: HookName,
  session: string,
): Promise<readonly UIMessage[]> {
  await idle(session);
  const tab = await openHook(person, script, hook, session);
  await shows(tab, '"role"');
  await rests(tab);
  const { messages } = await look(tab);
  expect(messages.map(({ id }) => id)).toEqual([...new Set(messages.map(({ id }) => id))]);
  return messages;
}

/** Messages that each page shows once it is idle. */
async function lookAt(...pages: Page[]): Promise<(readonly UIMessage[])[]> {
  const shown: (readonly UIMessage[])[] = [];
  for (const page of pages) {
    await rests(page);
    shown.push((await look(page)).messages);
  }
  return shown;
}

describe("useAgentChat in two tabs", () => {
  test("after a denial in the other one", async () => {
    const [person, one, other] = await tabs("agents", "agents-no");
    await act(one, "send", UNPUBLISH);
    await act(other, "decide", await approvalIn(other), false);
    await shows(other, '"output-denied"');
    const anew = await lookAnew(person, "agents", "agents-no");
    await expect.poll(() => lookAt(one, other), PATIENCE).toEqual([anew, anew]);
  });

  test("after words that joined a run, from a tab and from elsewhere", async () => {
    const [person, one, other] = await tabs("agents", "agents-steer");
    await act(one, "send", SLOW);
    await shows(other, "wait 1500");
    await act(other, "send", "Mind the tone.", "join");
    await post("/api/sessions/agents-steer/steer", { text: "And the length.", id: "s1" });
    await shows(one, "Over.");
    const anew = await lookAnew(person, "agents", "agents-steer");
    await expect.poll(() => lookAt(one, other), PATIENCE).toEqual([anew, anew]);
  });

  test("after messages that queued", async () => {
    const [person, one, other] = await tabs("agents", "agents-queue");
    await act(one, "send", SLOW);
    await shows(other, "wait 1500");
    await act(other, "send", "/say Second.");
    await act(one, "send", "/say Third.");
    await shows(one, "Third.");
    const anew = await lookAnew(person, "agents", "agents-queue");
    await expect.poll(() => lookAt(one, other), PATIENCE).toEqual([anew, anew]);
  });

  test("after an answer that could not be made again", async () => {
    const [person, one, other] = await tabs("agents", "agents-again");
    await act(one, "send", MAKE);
    await shows(other, "Made.");
    await idle("agents-again");
    await rests(one);
    await act(one, "regenerate");
    await expect.poll(async () => (await look(one)).status).toBe("error");
    const anew = await lookAnew(person, "agents", "agents-again");
    await expect.poll(() => lookAt(one, other), PATIENCE).toEqual([anew, anew]);
  });

  test("after a decision that came too late", async () => {
    const [person, one, other] = await tabs("agents", "agents-late");
    await act(one, "send", UNPUBLISH);
    const approval = await approvalIn(other);
    await act(one, "decide", approval, false);
    await act(other, "decide", approval, true);
    await shows(one, '"output-denied"');
    const anew = await lookAnew(person, "agents", "agents-late");
    await expect.poll(() => lookAt(one, other), PATIENCE).toEqual([anew, anew]);
  });
});

/**
 * A stream of one's own is all that these hear of a session: the time and author of one's own words, and words that others
 * said meanwhile, come with the messages when they are loaded again.
 */
describe.each<HookName>(["http", "websocket"])("useChat over %s", (hook) => {
  // Written out: the SDK leaves fields without a value in what it builds.
  const heard = (messages: readonly UIMessage[], others: readonly string[] = []): unknown =>
    JSON.parse(
      JSON.stringify(
        messages
          .filter(({ id }) => !others.includes(id))
          .map(({ metadata, ...message }) => (message.role === "user" ? message : { ...message, metadata })),
      ),
    );
  const hears = async (...pages: Page[]) => (await lookAt(...pages)).map((messages) => heard(messages));

  test("that denies what another tab was asked", async () => {
    const session = `${hook}-no`;
    const [person, one] = await tabs(hook, session);
    await act(one, "send", UNPUBLISH);
    const approval = await approvalIn(one);
    const other = await openHook(person, script, hook, session);
    await act(other, "decide", approval, false);
    await shows(other, '"output-denied"');
    const anew = await lookAnew(person, hook, session);
    await expect.poll(() => hears(other), PATIENCE).toEqual([heard(anew)]);
  });

  test("in two tabs, after words that steered the run", async () => {
    const session = `${hook}-steer`;
    const [person, one] = await tabs(hook, session);
    await act(one, "send", `${AT_WORK}\n/call site_overview {}\n/then\n/say Over.`);
    await shows(one, '"step-start"');
    const other = await openHook(person, script, hook, session);
    await shows(other, '"step-start"');
    await post(`/api/sessions/${session}/steer`, { text: "Mind the tone.", id: "s1" });
    await shows(one, "Over.");
    await shows(other, "Over.");
    const anew = await lookAnew(person, hook, session);
    expect(anew.map(({ id }) => id)).toContain("s1");
    const known = heard(anew, ["s1"]);
    await expect.poll(() => hears(one, other), PATIENCE).toEqual([known, known]);
  });

  test("that queued a message behind that of another tab", async () => {
    const session = `${hook}-queue`;
    const [person, one] = await tabs(hook, session);
    await act(one, "send", `${AT_WORK}\n/say First.`);
    await shows(one, '"step-start"');
    const other = await openHook(person, script, hook, session);
    await shows(other, '"step-start"');
    await rests(other);
    await act(other, "send", "/say Second.");
    await shows(other, "Second.");
    const anew = await lookAnew(person, hook, session);
    await expect.poll(() => hears(other), PATIENCE).toEqual([heard(anew)]);
  });

  test("is told why an answer is not made again, and has it back when it is opened anew", async () => {
    const session = `${hook}-again`;
    const [person, one] = await tabs(hook, session);
    await act(one, "send", MAKE.replace("Spare", `Spare ${hook}`));
    await shows(one, "Made.");
    await idle(session);
    await rests(one);
    const before = (await look(one)).messages;
    await act(one, "regenerate");
    await expect.poll(async () => (await look(one)).error).toMatch(/has_effects|changed/);
    const anew = await openHook(person, script, hook, session);
    expect((await look(anew)).messages.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  });
});
