import type { Locator, Page } from "playwright-core";
import { afterEach, describe, expect, test } from "vitest";
import type { ApprovalView } from "../../../src/cairn/protocol/approval.ts";
import { DESK, PHONE, ready, say, sessionOf, singleKeys, unread, useBrowser, violations } from "./browser.ts";
import { useServer } from "../clients/server.ts";

const READER = "reader-of-the-tests-0001";
const server = useServer(() => [
  `AUTH_TOKENS:${JSON.stringify({ [READER]: { subject: "rita", scopes: ["read", "send"] } })}`,
]);
const visitors = useBrowser(server);

/** an inbox in which nothing waits */
const NOTHING = { approvals: [], budgetQuestions: [], questions: [], failedRuns: [], more: false };

/** Waiting approvals would leak into the next test: delete every session, and publish the unpublished pages again. */
afterEach(async () => {
  while (!(await isSwept()));
  await publishAgain(["about", "contact"]);
  while (!(await isSwept()));
});
async function publishAgain(pages: readonly string[]): Promise<void> {
  const isPublic = async (page: string): Promise<boolean> =>
    (await fetch(`${server.url}/site/${page}`)).status === 200;
  const areAll = async (): Promise<boolean> => (await Promise.all(pages.map(isPublic))).every(Boolean);
  if (await areAll()) return;
  const targets = pages.map((ref) => ({ type: "page", ref }));
  await ask(
    "ses_again",
    `/call set_status ${JSON.stringify({ targets, to: "published" })}\n/then\n/say Public again.`,
  );
  const [waiting] = await items("approvals");
  await fetch(`${server.url}/api/sessions/ses_again/approvals/${waiting?.id ?? ""}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"decision":"approve"}',
  });
  await expect.poll(areAll).toBe(true);
}
async function isSwept(): Promise<boolean> {
  const [sessions = [], approvals = []] = await Promise.all(["sessions", "approvals"].map(items));
  const ids = [...sessions.map(({ id }) => id), ...approvals.map(({ sessionId }) => sessionId)];
  await Promise.all(ids.map((id) => fetch(`${server.url}/api/sessions/${id}`, { method: "DELETE" })));
  return ids.length === 0;
}
async function items(of: string): Promise<readonly { readonly id: string; readonly sessionId: string }[]> {
  const response = await fetch(`${server.url}/api/${of}?limit=100`);
  return ((await response.json()) as { items: { id: string; sessionId: string }[] }).items;
}

/** Request that needs approval: unpublish a page. */
const unpublish = (slug: string): string =>
  `/call set_status ${JSON.stringify({ targets: [{ type: "page", ref: slug }], to: "unpublished" })}`;

const cards = (page: Page): Locator => page.locator("article.approval");
const focused = (page: Page): Locator => page.locator(":focus");

/** Says it in a new session, and waits for the card. */
async function asked(page: Page, text: string): Promise<Locator> {
  await say(page, text);
  const card = cards(page).last();
  await card.getByRole("button", { name: "Approve" }).waitFor();
  return card;
}
const answered = (page: Page, text: string): Promise<void> =>
  // A script says the same again where the review asked once more: the last one is the answer.
  page.getByRole("article", { name: "Cairn" }).getByText(text, { exact: true }).last().waitFor();

/** Approval decisions in the session's log. */
async function decisions(session: string): Promise<readonly Record<string, unknown>[]> {
  const response = await fetch(`${server.url}/api/sessions/${session}/events?limit=1000`);
  const { items } = (await response.json()) as { items: { kind: string; body: Record<string, unknown> }[] };
  return items.filter(({ kind }) => kind === "approval_decided").map(({ body }) => body);
}

/** Asks for an approval without a page. */
async function ask(session: string, text: string): Promise<void> {
  const response = await fetch(`${server.url}/api/sessions/${session}/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ text }),
  });
  await response.text();
}

describe("an approval in the chat", () => {
  test("says what will happen and why one is asked, and is approved once, however often one clicks", async () => {
    const page = await visitors.tab();
    const card = await asked(page, `${unpublish("contact")}\n/then\n/say Taken off.`);
    expect(await card.getByRole("heading").textContent()).toContain("Contact");
    // Sooner than by the next look at the inbox, which is every 20 s.
    await page.getByRole("link", { name: "Needs you 1 waiting" }).waitFor({ timeout: 10_000 });
    expect(await card.textContent()).toMatch(/Expires (today|tomorrow), \d\d:\d\d/);
    const changes = card.getByRole("list", { name: "What changes" });
    expect(await changes.getByRole("listitem").allTextContents()).toEqual([
      "±Changed: Page “Contact”before: public at /contactafter: not public",
      ...["header", "footer"].map(
        (place) => `±Changed: Navigation item “Contact” in the ${place}before: shownafter: not shown`,
      ),
    ]);
    const draft = await card.getByRole("link", { name: "See the draft" }).getAttribute("href");
    expect(await (await fetch(draft ?? "")).text()).toContain("Contact");
    // The action is visible; the list of deciders is folded.
    const what = card.getByRole("group", { name: "Request details: set_status" });
    expect(await what.locator("pre").textContent()).toBe(
      '{"targets":[{"ref":"contact","type":"page"}],"to":"unpublished"}',
    );
    expect(await what.isVisible()).toBe(true);
    const machine = ["It changes what visitors see, or deletes.", "Checksum of this request: sha256:"];
    const owner = "the owner of the session; an admin may always";
    for (const text of [...machine, owner])
      expect(await card.getByText(text).first().isVisible()).toBe(false);
    await card.getByText("Details", { exact: true }).first().click();
    for (const text of [...machine, owner]) await card.getByText(text).first().waitFor();
    await card.getByRole("button", { name: "Approve" }).dblclick();
    await card.getByText("Approved by anonymous.").waitFor();
    await answered(page, "Taken off.");
    await page.getByRole("link", { name: "Needs you", exact: true }).waitFor({ timeout: 10_000 });
    expect(await decisions(sessionOf(page))).toMatchObject([{ decision: "approve", actor: "anonymous" }]);
    // The card is now one line that unfolds to the request.
    expect(await changes.isVisible()).toBe(false);
    // For a moment it holds its place, so that nothing moves to where the button was.
    await expect.poll(async () => (await card.boundingBox())?.height).toBeLessThan(70);
    await card.getByText("Approved by anonymous.").click();
    await changes.waitFor();
  });

  test("is not decided by a click or a key that was meant for something else", async () => {
    await ask("ses_older", `${unpublish("about")}\n/then\n/say One.`);
    await ask("ses_newer", `${unpublish("contact")}\n/then\n/say Two.`);
    const decided = async (): Promise<number> =>
      (await Promise.all(["ses_older", "ses_newer"].map(decisions))).flat().length;
    const page = await visitors.tab("#/approvals");
    await expect.poll(() => cards(page).count()).toBe(2);
    const approve = page.getByRole("button", { name: "Approve", exact: true });

    // Once it is drawn, whatever is pressed at once comes too early: the keys, Enter on the button, a press on it.
    await page.evaluate(
      `new Promise((resolve) => {
        const look = () => {
          const card = document.querySelector('.approval[data-ready="false"]');
          if (card === null) return requestAnimationFrame(look);
          const button = card.querySelector(".button.primary");
          card.dispatchEvent(new KeyboardEvent("keydown", { key: "y", bubbles: true }));
          card.dispatchEvent(new KeyboardEvent("keydown", { key: "n", bubbles: true }));
          button.click();
          resolve();
        };
        // The card appears again with its tab.
        Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
        Object.defineProperty(document, "visibilityState", { value: "visible", configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
        requestAnimationFrame(look);
      })`,
    );
    await page.getByText("it decided nothing").waitFor();
    expect(await page.getByRole("textbox", { name: /Reason \(optional\)/ }).count()).toBe(0);
    expect(await decided()).toBe(0);

    // A press that began before and ends after is one from before.
    await ready(page);
    const box = await approve.boundingBox();
    const [x, y] = [(box?.x ?? 0) + 10, (box?.y ?? 0) + 10];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.evaluate(
      `for (const value of ["hidden", "visible"]) {
        Object.defineProperty(document, "visibilityState", { value, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      }`,
    );
    await ready(page);
    await page.mouse.up();
    await page.getByText("it decided nothing").waitFor();
    expect(await decided()).toBe(0);

    // A double click decides one: the next card opens, and not where the button was.
    await ready(page);
    await approve.dblclick();
    await cards(page).getByText("Approved by anonymous.").waitFor();
    await approve.waitFor();
    const next = await approve.boundingBox();
    const isApart =
      next !== null &&
      box !== null &&
      (next.y > box.y + box.height || next.y + next.height < box.y || next.x > box.x + box.width);
    expect(isApart).toBe(true);
    await ready(page);
    expect(await decided()).toBe(1);
  });

  test("shows what runs by its ids, and says how the session calls them", async () => {
    const page = await visitors.tab();
    const card = await asked(page, `/call page_list {}\n/then\n${unpublish("pg_about")}\n/then\n/say Named.`);
    const what = card.getByRole("group", { name: "Request details: set_status" });
    expect(await what.locator("pre").textContent()).toContain('"ref":"pg_about"');
    await what.getByText("pg_about is called “About” here").waitFor();
    await card.getByRole("button", { name: "Deny" }).click();
    await card.getByRole("button", { name: "Deny" }).click();
    await answered(page, "Named.");
  });

  test("that is longer than a phone is approved only once all of it has been on the screen", async () => {
    const page = await visitors.tab("", PHONE);
    await page.removeLocatorHandler(unread(page));
    const name = `Long ${"word ".repeat(12)}`.trim();
    const meta = { description: "d".repeat(150) };
    const sections = Array.from({ length: 10 }, (_, at) => ({
      template: "feature",
      content: { heading: `Heading${at}`, description: `Mark${at}. ${"words ".repeat(60)}`, items: [] },
    }));
    const create = `/call page_create ${JSON.stringify({ name, slug: "long", meta, sections })}`;
    const publish = `/call set_status ${JSON.stringify({ targets: [{ type: "page", ref: "long" }], to: "published" })}`;
    const card = await asked(page, `${create}\n/then\n${publish}\n/then\n/say Long.`);
    const approve = card.getByRole("button", { name: "Approve" });
    const text = (await card.textContent()) ?? "";
    for (const at of sections.keys()) expect(text).toContain(`Mark${at}.`);
    // Nothing is cut at the side, and nothing scrolls inside of the card.
    const cut = await page.evaluate(
      `[...document.querySelectorAll(".approval *:not(.visually-hidden)")].filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== "visible").map((one) => one.tagName + "." + one.className)`,
    );
    expect(cut).toEqual([]);
    expect(await approve.isDisabled()).toBe(true);
    await card.focus();
    await page.keyboard.press("y");
    await card.evaluate((own) => own.scrollIntoView({ block: "end", behavior: "instant" }));
    await card.getByText("Scroll through all of it to approve it.").waitFor();
    expect(await approve.isDisabled()).toBe(true);
    if (process.env["SHOTS"] !== undefined)
      await page.screenshot({ path: `${process.env["SHOTS"]}/long-unread.png` });
    for (let at = 0; at < 60 && (await approve.isDisabled()); at += 1) {
      await card.evaluate((own, share) => {
        const marks = [...own.querySelectorAll("li, pre, h2, button")];
        marks[Math.floor(share * (marks.length - 1))]?.scrollIntoView({
          block: "center",
          behavior: "instant",
        });
      }, at / 59);
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    }
    expect(await decisions(sessionOf(page))).toEqual([]);
    await approve.click();
    await answered(page, "Long.");
    expect(await decisions(sessionOf(page))).toMatchObject([{ decision: "approve" }]);
  });

  test("is denied by keys, with a reason that the agent reads", async () => {
    const page = await visitors.tab();
    const card = await asked(page, `${unpublish("about")}\n/then\n/say Left as it is.`);
    await card.focus();
    await ready(page);
    await page.keyboard.press("n");
    await card.getByRole("textbox", { name: /Reason \(optional\)/ }).waitFor();
    // Escape leaves it undecided; the card has the focus again.
    await page.keyboard.press("Escape");
    await card.getByRole("button", { name: "Approve" }).waitFor();
    await ready(page);
    await page.keyboard.press("n");
    await page.keyboard.type("Visitors need it.");
    await ready(page);
    await page.keyboard.press("Enter");
    await card.getByText("Denied by anonymous. It was not done.").waitFor();
    const line = card.getByText("Denied by anonymous. It was not done.");
    await line.waitFor();
    await expect.poll(() => focused(page).getAttribute("data-approval")).not.toBeNull();
    await line.click();
    await card.getByText("Visitors need it.", { exact: true }).waitFor();
    await answered(page, "Left as it is.");
    await page.getByTitle("denied", { exact: true }).waitFor();
    expect(await decisions(sessionOf(page))).toMatchObject([
      { decision: "deny", reason: "Visitors need it." },
    ]);
  });

  test("is changed in a form; what does not fit is said beside its field", async () => {
    const page = await visitors.tab();
    const card = await asked(page, `${unpublish("about")}\n/then\n/say Done otherwise.`);
    await card.focus();
    await page.keyboard.press("e");
    const form = card.getByRole("form", { name: "Change what set_status gets" });
    const see = form.getByRole("button", { name: "Preview the changes" });
    const approve = form.getByRole("button", { name: "Approve with changes" });
    expect(await see.isDisabled()).toBe(true);
    const ref = form.getByRole("textbox", { name: "Page or entry" });
    await ref.fill("nowhere");
    await see.click();
    await form.getByRole("alert").first().waitFor();
    expect(await violations(page)).toEqual([]);
    await ref.fill("home");
    await form.getByRole("combobox", { name: "New status" }).selectOption("unpublished");
    await form.getByRole("button", { name: "Add to targets" }).click();
    await form.getByRole("button", { name: "Remove Targets 2" }).click();
    await ref.fill("contact");
    await see.click();
    // An approval covers only what was previewed; later edits need a new preview.
    const seen = form.getByRole("region", { name: "With your changes" });
    await seen.getByText("the page “Contact”").waitFor();
    expect(await decisions(sessionOf(page))).toEqual([]);
    await ref.fill("pg_about");
    expect([await seen.count(), await approve.count()]).toEqual([0, 0]);
    await see.click();
    await seen.getByText("the page “About”").waitFor();
    expect(await violations(page)).toEqual([]);
    await approve.click();
    await card.getByText("Changed and approved by anonymous.").click();
    await answered(page, "Done otherwise.");
    await card.getByText("anonymous edited the request").click();
    const before = card.getByRole("group", { name: "What the agent asked for" });
    expect(await before.textContent()).toContain("about");
    expect(await decisions(sessionOf(page))).toMatchObject([
      { decision: "edit", args: { targets: [{ type: "page", ref: "pg_about" }], to: "unpublished" } },
    ]);
  });

  test("says at the very field what is wrong with it", async () => {
    const page = await visitors.tab();
    const card = await asked(page, `/call page_delete {"pages":["about"]}\n/then\n/say Kept.`);
    await card.getByRole("button", { name: "Change" }).click();
    const form = card.getByRole("form", { name: "Change what page_delete gets" });
    await form.getByRole("button", { name: "Add to pages" }).click();
    await form.getByRole("button", { name: "Preview the changes" }).click();
    const second = form.getByRole("textbox", { name: "Pages 2" });
    await form.getByText("It must not be empty.").waitFor();
    expect(await second.getAttribute("aria-invalid")).toBe("true");
    expect(await form.getByRole("textbox", { name: "Pages 1" }).getAttribute("aria-invalid")).toBe("false");
    await form.getByRole("button", { name: "JSON" }).click();
    const json = form.getByRole("textbox", { name: "Arguments as JSON" });
    await json.fill('{"pages":');
    await form.getByRole("button", { name: "Preview the changes" }).click();
    expect(await page.evaluate("document.querySelector('.json-box').validationMessage")).toBe(
      "This is not valid JSON yet.",
    );
    await page.keyboard.press("Escape");
    await card.getByRole("button", { name: "Deny" }).click();
    await card.getByRole("button", { name: "Deny" }).click();
    await answered(page, "Kept.");
  });

  test("is remembered for a while, and then nobody is asked", async () => {
    const page = await visitors.tab();
    const card = await asked(page, `${unpublish("contact")}\n/then\n/say First done.`);
    await card.focus();
    await page.keyboard.press("r");
    await card.getByRole("radio", { name: "any call of set_status" }).check();
    await card.getByRole("combobox", { name: "How long" }).selectOption("for a day");
    expect(await violations(page)).toEqual([]);
    await card.getByRole("button", { name: "Approve and remember" }).click();
    await answered(page, "First done.");
    await say(page, `${unpublish("about")}\n/then\n/say Second done.`);
    await answered(page, "Second done.");
    await cards(page).getByText("as remembered from an earlier decision").waitFor();
    expect(await decisions(sessionOf(page))).toMatchObject([{ via: "http" }, { via: "policy" }]);
  });

  test("that could not be sent keeps what was chosen and written, and sends just that", async () => {
    const page = await visitors.tab();
    const card = await asked(page, `${unpublish("about")}\n/then\n/say Left alone.`);
    await page.route("**/approvals/*", (route) => route.abort());
    await card.getByRole("button", { name: "Deny" }).click();
    const why = card.getByRole("textbox", { name: /^Reason \(optional\)/ });
    await why.fill("Visitors need it.");
    await ready(page);
    await why.press("Enter");
    await card.getByRole("alert").waitFor();
    expect(await why.inputValue()).toBe("Visitors need it.");
    await card.getByRole("button", { name: "Back" }).click();

    await card.getByRole("button", { name: "Remember" }).click();
    const tool = card.getByRole("radio", { name: "any call of set_status" });
    const span = card.getByRole("combobox", { name: "How long" });
    await tool.check();
    await span.selectOption("for a day");
    const refused = page.waitForEvent("requestfailed", (request) => request.method() === "POST");
    await card.getByRole("button", { name: "Approve and remember" }).click();
    const chosen = { match: "tool", seconds: 86_400 };
    expect((await refused).postDataJSON()).toMatchObject({ decision: "approve", remember: chosen });
    await card.getByRole("alert").waitFor();
    expect([await tool.isChecked(), await span.inputValue()]).toEqual([true, "86400"]);
    const again = page.waitForEvent("requestfailed", (request) => request.method() === "POST");
    await card.getByRole("button", { name: "Deny and remember" }).click();
    expect((await again).postDataJSON()).toMatchObject({ decision: "deny", remember: chosen });
    await page.unroute("**/approvals/*");
  });

  test("counts down, and has nothing to press when its time is over", async () => {
    const page = await visitors.tab();
    await page.clock.install();
    const card = await asked(page, `${unpublish("about")}\n/then\n/say Late.`);
    await page.clock.fastForward("23:55:30");
    await expect.poll(() => card.textContent()).toMatch(/[45] min \d+ s left/);
    await page.clock.fastForward("05:00");
    await card.getByText("This request has expired.").waitFor();
    expect(await card.getByRole("button", { name: "Approve" }).count()).toBe(0);
  });

  test("that somebody else has decided meanwhile says so at once, in the chat and in the inbox", async () => {
    const person = await visitors.person();
    const [one, other, inbox] = [await person.newPage(), await person.newPage(), await person.newPage()];
    await visitors.visit(one, "/#/s/ses_both");
    await asked(one, `${unpublish("about")}\n/then\n/say Settled.`);
    await visitors.visit(other, "/#/s/ses_both");
    await visitors.visit(inbox, "/#/approvals");
    for (const page of [other, inbox]) await cards(page).getByRole("button", { name: "Approve" }).waitFor();
    await cards(other).getByRole("button", { name: "Change" }).click();
    await cards(other).getByRole("form").waitFor();
    await cards(one).getByRole("button", { name: "Approve" }).click();
    for (const page of [one, other, inbox]) await cards(page).getByText("Approved by anonymous.").waitFor();
    expect(await cards(other).getByRole("button", { name: "Approve" }).count()).toBe(0);
    expect(await focused(other).getAttribute("class")).toContain("approval");
    expect(await cards(inbox).getByRole("button", { name: "Approve" }).count()).toBe(0);
  });

  test("shows characters that nobody sees, and has a form for each kind of edit", async () => {
    const page = await visitors.tab();
    const ops = '[{"op":"update","item":"nv_header_about","label":"A\\u200bbout"}]';
    const card = await asked(page, `/call nav_edit {"ops":${ops}}\n/then\n/say Seen.`);
    const what = card.getByRole("group", { name: "Request details: nav_edit" });
    expect(await what.textContent()).toContain(String.raw`"label":"A\u200bbout"`);
    await card.getByRole("button", { name: "Change" }).click();
    const form = card.getByRole("form");
    await form.getByRole("textbox", { name: "Label" }).fill("About us");
    await form.getByRole("button", { name: "Preview the changes" }).click();
    expect(await violations(page)).toEqual([]);
    await form.getByRole("button", { name: "Approve with changes" }).click();
    await answered(page, "Seen.");
    expect(await decisions(sessionOf(page))).toMatchObject([
      { args: { ops: [{ op: "update", item: "nv_header_about", label: "About us" }] } },
    ]);
  });

  test("of a person who may not approve says so, and has nothing to press", async () => {
    const person = await visitors.person();
    await person.request.post("/api/auth/cookie", { headers: { authorization: `Bearer ${READER}` } });
    const page = await person.newPage();
    await visitors.visit(page, "/#/s/ses_rita");
    await say(page, `${unpublish("about")}\n/then\n/say Never.`);
    await cards(page).getByText("You can't approve this: your token lacks").waitFor();
    expect(
      await cards(page)
        .getByRole("button", { name: /Approve|Deny|Change/ })
        .count(),
    ).toBe(0);
    await page.getByRole("link", { name: "Needs you", exact: true }).waitFor();
  });
});

/** This deployment has no approvals by several people, so the test writes the server's answers. */
describe("an approval of several people", () => {
  const asked: ApprovalView = {
    id: "r1s1c0a1",
    sessionId: "ses_crew",
    runId: "ses_crew.r1",
    stepId: "r1s1",
    callId: "r1s1c0",
    tool: "page_delete",
    title: "Delete the page “About”",
    summary: "It goes.",
    impact: ["3 sections"],
    changes: [{ what: "Page “About”", before: "/about", after: null }],
    warnings: [],
    batch: null,
    draft: null,
    why: "page_delete asks every time.",
    args: { pages: ["about"] },
    askedArgs: null,
    argsSchema: null,
    decision: { text: "", complete: true },
    editable: true,
    effect: "once",
    tainted: true,
    digest: "sha256:aaaa",
    state: "pending",
    requester: "bob",
    requesterMayApprove: false,
    approvers: ["anonymous", "carol", "dan"],
    needed: 2,
    votes: [],
    escalated: true,
    remember: [],
    onExpiry: "escalate",
    decidedAt: null,
    result: null,
    createdAt: "2026-01-01T00:00:00.000Z",
    expiresAt: "2099-01-01T00:00:00.000Z",
  };
  const vote = (subject: string, decision: string, at: string) => ({
    subject,
    decision,
    reason: null,
    via: "http",
    at,
  });
  const edited: ApprovalView = {
    ...asked,
    args: { pages: ["contact"] },
    askedArgs: asked.args,
    digest: "sha256:bbbb",
    votes: [vote("carol", "edit", "2026-01-01T00:01:00.000Z")],
  };
  const agreed: ApprovalView = {
    ...edited,
    votes: [...edited.votes, vote("anonymous", "approve", "2026-01-01T00:02:00.000Z")],
    needed: 3,
  };

  test("says how many have agreed, and is read again when somebody has changed it", async () => {
    let now = asked;
    const sent: unknown[] = [];
    const person = await visitors.person();
    await person.route("**/api/inbox", (route) => route.fulfill({ json: { ...NOTHING, approvals: [now] } }));
    await person.route("**/api/sessions/ses_crew**", (route) => {
      const request = route.request();
      // The card looks at its approval as long as somebody has agreed to it.
      if (request.method() === "GET" && request.url().includes("/approvals/"))
        return route.fulfill({ json: now });
      if (request.method() !== "POST") return route.fulfill({ status: 404, json: {} });
      sent.push(request.postDataJSON());
      now = agreed;
      return route.fulfill({ json: agreed });
    });
    const page = await person.newPage();
    await visitors.visit(page, "/#/approvals");
    const card = cards(page);
    await card.getByText("0 of 2 have agreed").waitFor();
    await card.getByText("This run has read content from outside").waitFor();
    await card.getByText("Details", { exact: true }).click();
    await card.getByText("Runs once. If it is interrupted, it is not tried again.").waitFor();
    expect(await card.getByRole("button", { name: "Remember" }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);

    now = edited;
    await card.getByText("This request has changed. Please review it again.").waitFor();
    await card.getByText("carol edited the request").waitFor();
    await card.focus();
    await page.keyboard.press("y");
    expect(await card.getByRole("button", { name: "Approve" }).count()).toBe(0);
    expect(sent).toEqual([]);
    await card.getByRole("button", { name: "I've reviewed it" }).click();
    await ready(page);
    await page.keyboard.press("y");
    await card.getByText("You approved; waiting for others.").waitFor();
    expect(sent).toEqual([{ decision: "approve", digest: "sha256:bbbb" }]);
    await card.getByText("2 of 3 have agreed").waitFor();
    // A person who agreed may still deny.
    expect(await card.getByRole("button", { name: "Approve" }).count()).toBe(0);
    await card.getByRole("button", { name: "Deny" }).waitFor();
  });
});

describe("a question", () => {
  test("is answered by one of its choices", async () => {
    const page = await visitors.tab();
    await say(
      page,
      `/call ask_human ${JSON.stringify({ question: "Which colour?", options: ["green", "blue"], default: "blue" })}\n/then\n/say Painted.`,
    );
    const card = page.getByRole("article", { name: "Which colour?" });
    await card.getByText("If you don't answer, the agent will choose “blue”.").waitFor();
    expect(await violations(page)).toEqual([]);
    await ready(page, "article.question");
    await card.getByRole("button", { name: "green" }).click();
    await card.getByText("Answered", { exact: true }).waitFor();
    await answered(page, "Painted.");
    expect(await card.getByRole("button").count()).toBe(0);
  });

  test("is answered in words", async () => {
    const page = await visitors.tab();
    await say(
      page,
      `/call ask_human ${JSON.stringify({ question: "What shall it be called?" })}\n/then\n/say Named.`,
    );
    const card = page.getByRole("article", { name: "What shall it be called?" });
    await card.getByRole("textbox", { name: "Your answer" }).fill("Heron");
    await ready(page, "article.question");
    await card.getByRole("button", { name: "Answer" }).click();
    await card.getByText("Heron").waitFor();
    await answered(page, "Named.");
    expect(await card.getByRole("textbox").count()).toBe(0);
  });

  test("keeps the answer that was refused", async () => {
    const page = await (await visitors.person()).newPage();
    let refuses = true;
    await page.routeWebSocket(/./, (socket) => {
      const up = socket.connectToServer();
      socket.onMessage((message) => {
        const { type, eventId } = JSON.parse(String(message)) as { type?: string; eventId?: string };
        if (!refuses || type !== "cairn:answer") return up.send(message);
        const error = { code: "rate_limited", message: "Too much at once." };
        socket.send(JSON.stringify({ type: "cairn:ack", eventId, ok: false, error }));
      });
    });
    await page.goto("/");
    await say(page, `/call ask_human ${JSON.stringify({ question: "By what name?" })}\n/then\n/say Named.`);
    const card = page.getByRole("article", { name: "By what name?" });
    const box = card.getByRole("textbox", { name: "Your answer" });
    await box.fill("Heron");
    await ready(page, "article.question");
    await card.getByRole("button", { name: "Answer" }).click();
    await card.getByRole("alert").getByText("Too much at once.").waitFor();
    expect(await box.inputValue()).toBe("Heron");
    refuses = false;
    await ready(page, "article.question");
    await card.getByRole("button", { name: "Answer" }).click();
    await answered(page, "Named.");
    expect(await card.getByRole("alert").count()).toBe(0);
  });
});

describe("the inbox", () => {
  test("has what waits over all sessions, is gone through by keys, and says so when nothing waits", async () => {
    await ask("ses_first", `${unpublish("about")}\n/then\n/say One.`);
    await ask("ses_second", `${unpublish("contact")}\n/then\n/say Two.`);
    const page = await visitors.tab("#/approvals");
    await expect.poll(() => cards(page).count()).toBe(2);
    await page.getByRole("link", { name: "Needs you 2 waiting" }).waitFor();
    await expect.poll(() => page.title()).toBe("(2) Needs you · Cairn");
    await cards(page)
      .first()
      .getByText(`For: ${unpublish("contact")}`)
      .waitFor();
    await page.keyboard.press("j");
    await expect.poll(() => focused(page).textContent()).toContain("Contact");
    await page.keyboard.press("j");
    await expect.poll(() => focused(page).textContent()).toContain("About");
    await page.keyboard.press("k");
    await ready(page, ".approval:focus");
    await page.keyboard.press("y");
    await cards(page).first().getByText("Approved by anonymous.").waitFor();
    // The card captures its keys even after everything is decided.
    for (const key of ["n", "e", "r", "y"]) await page.keyboard.press(key);
    expect(new URL(page.url()).hash).toBe("#/approvals");
    // A decided card stays in place, so nothing moves under the pointer.
    expect(await cards(page).count()).toBe(2);
    await page.getByRole("link", { name: "Needs you 1 waiting" }).waitFor();
    await cards(page).last().getByRole("link", { name: "Open its session" }).click();
    await page.waitForURL(/ses_first/);
    await cards(page).getByRole("button", { name: "Approve" }).click();
    await answered(page, "One.");
    await singleKeys(page);
    await page.keyboard.press("a");
    await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
    await page.getByText("Recent decisions").click();
    await cards(page).getByText("Approved by anonymous.").first().waitFor();
    expect(await page.title()).toBe("Needs you · Cairn");
  });

  test("of several that wait has one open, and opens the next when that one is decided", async () => {
    await ask("ses_older", `${unpublish("about")}\n/then\n/say One.`);
    await ask("ses_newer", `${unpublish("contact")}\n/then\n/say Two.`);
    const page = await visitors.tab("#/approvals");
    await expect.poll(() => cards(page).count()).toBe(2);
    const [first, second] = [cards(page).first(), cards(page).last()];
    await first.getByRole("button", { name: "Deny" }).waitFor();
    expect(await second.getByRole("button", { name: "Deny" }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await second.getByRole("button", { name: "About" }).click();
    await second.getByRole("button", { name: "Deny" }).waitFor();
    expect(await first.getByRole("button", { name: "Deny" }).count()).toBe(0);
    await expect.poll(() => focused(page).getAttribute("data-approval")).not.toBeNull();
    await ready(page, ".approval:focus");
    await page.keyboard.press("n");
    await ready(page);
    await page.keyboard.press("Enter");
    await second.getByText("Denied by anonymous. It was not done.").waitFor();
    await first.getByRole("button", { name: "Deny" }).waitFor();
    // The focus stays at the card that was decided: the next one is not decided by the same key.
    expect(await focused(page).textContent()).toContain("Denied by anonymous.");
  });

  test("has the questions of all sessions, counts them in the title, and takes the answer", async () => {
    const question = { question: "Which colour?", options: ["green", "blue"] };
    await ask("ses_colour", `/call ask_human ${JSON.stringify(question)}\n/then\n/say Painted.`);
    // However many sessions are newer: the page lists none of them.
    const person = await visitors.person();
    await person.route("**/api/sessions?*", (route) =>
      route.fulfill({ json: { items: [], nextCursor: null } }),
    );
    const page = await person.newPage();
    await visitors.visit(page, "/#/approvals");
    const card = page.getByRole("article", { name: "Which colour?" });
    await card.getByRole("button", { name: "green" }).waitFor();
    await expect.poll(() => page.title()).toBe("(1) Needs you · Cairn");
    expect(await violations(page)).toEqual([]);
    await card.getByRole("button", { name: "green" }).click();
    await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
    await expect.poll(() => page.title()).toBe("Needs you · Cairn");
    await visitors.visit(page, "/#/s/ses_colour");
    await answered(page, "Painted.");
  });

  test("has scheduled runs that failed, until they are dismissed", async () => {
    const failed = {
      sessionId: "ses_night",
      title: "Visitors",
      runId: "ses_night.r1",
      answer: "I could not.",
    };
    let failedRuns = [{ ...failed, objective: "Count the visitors.", endedAt: new Date().toISOString() }];
    const person = await visitors.person();
    await person.route("**/api/inbox", (route) => route.fulfill({ json: { ...NOTHING, failedRuns } }));
    await person.route("**/api/inbox/*", (route) => {
      if (route.request().url().endsWith("/ses_night.r1")) failedRuns = [];
      return route.fulfill({ status: 204 });
    });
    const page = await person.newPage();
    await visitors.visit(page, "/#/approvals");
    const card = page.getByRole("article", { name: "Count the visitors." });
    await card.getByText("I could not.").waitFor();
    await expect.poll(() => page.title()).toBe("(1) Needs you · Cairn");
    expect(await card.getByRole("link").getAttribute("href")).toBe("#/s/ses_night");
    expect(await violations(page)).toEqual([]);
    await card.getByRole("button", { name: "Dismiss" }).click();
    await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
  });

  test("does not say that nothing waits when it does not know, and looks again by itself", async () => {
    const person = await visitors.person();
    let refuses = true;
    await person.route("**/api/inbox", (route) => {
      const error = { code: "rate_limited", message: "Too much at once.", hint: null, issues: [] };
      return refuses ? route.fulfill({ status: 429, json: { error } }) : route.fulfill({ json: NOTHING });
    });
    const page = await person.newPage();
    await page.goto("/#/approvals");
    const nothing = page.getByRole("heading", { name: "Nothing needs you" });
    await page.getByRole("alert").getByText("Too much at once.").waitFor();
    expect(await nothing.count()).toBe(0);
    refuses = false;
    await nothing.waitFor();
    refuses = true;
    await page.getByRole("alert").getByText("Not up to date: Too much at once.").waitFor();
    expect(await nothing.count()).toBe(0);
    refuses = false;
    await nothing.waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  test.each([
    ["light", { ...DESK, colorScheme: "light" }],
    ["dark", { ...DESK, colorScheme: "dark" }],
    ["on a phone", PHONE],
  ] as const)("axe finds nothing in it, %s", async (name, options) => {
    const session = `ses_axe_${name.replaceAll(" ", "_")}`;
    await ask(session, `${unpublish("about")}\n/then\n/say Done.`);
    const page = await visitors.tab("#/approvals", options);
    await cards(page).getByRole("button", { name: "Approve" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await cards(page).getByRole("button", { name: "Deny" }).click();
    await cards(page).getByRole("button", { name: "Deny" }).click();
    await cards(page).getByText("Denied by anonymous.").waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
