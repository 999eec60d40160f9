import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  startSlack,
  type ShownMessage,
  type SlackStandIn,
  type SlackUser,
} from "../../../scripts/channels-demo/slack.ts";
import { fetchLog, ofKind } from "../clients/log.ts";
import { useServer } from "../clients/server.ts";

/** A person in Slack, through a real server: linked by a slash command, answered, and asked for a yes. */

const WAIT = { timeout: 20_000, interval: 50 };
/** for what is asked of the server, which counts requests */
const SELDOM = { ...WAIT, interval: 500 };
let slack: SlackStandIn;

beforeAll(async () => {
  slack = await startSlack({ repeatAfterMs: 3_000 });
});
afterAll(() => slack.close());

const server = useServer(() => [
  `SLACK_BOT_TOKEN:${slack.token}`,
  `SLACK_SIGNING_SECRET:${slack.signingSecret}`,
  `SLACK_BASE_URL:${slack.url}`,
]);

const shown = (words: string) =>
  vi.waitFor(() => {
    const found = slack.messages.find((one) => one.user === slack.bot && JSON.stringify(one).includes(words));
    if (found === undefined) throw new Error(`no “${words}” in ${JSON.stringify(slack.messages)}`);
    return found;
  }, WAIT);

/** of the bot, to this person */
const toldTo = ({ direct }: SlackUser): readonly ShownMessage[] =>
  slack.messages.filter((one) => one.user === slack.bot && one.channel === direct);

const seenBy = (user: SlackUser, words: string) =>
  vi.waitFor(() => {
    const found = toldTo(user).find((one) => JSON.stringify(one).includes(words));
    if (found === undefined) throw new Error(`no “${words}” in ${JSON.stringify(toldTo(user))}`);
    return found;
  }, WAIT);

async function linked(id: string): Promise<SlackUser> {
  slack.setTarget(`${server.url}/channels/slack`);
  const user = slack.person(id, id.toLowerCase());
  const made = await fetch(`${server.url}/api/links`, { method: "POST" });
  const { code } = (await made.json()) as { code: string };
  await user.command("cairn", `link ${code}`);
  await vi.waitFor(() => {
    if (!slack.notes.some(({ person, text }) => person === id && text.includes("You are linked")))
      throw new Error("not linked");
  }, WAIT);
  return user;
}

/** The session in which something was said from there. */
async function sessionOf({ direct }: SlackUser): Promise<string> {
  const response = await fetch(`${server.url}/api/sessions?limit=50`);
  const { items } = (await response.json()) as { items: { id: string }[] };
  for (const { id } of items) {
    const origins = ofKind(await fetchLog(server.url, id), "run_queued").map(({ body }) => body.origin);
    if (origins.some((origin) => (origin as { place?: string } | undefined)?.place === direct)) return id;
  }
  throw new Error("no session of this conversation");
}

const logOf = async (user: SlackUser) => fetchLog(server.url, await sessionOf(user));

const call = (tool: string, input: object): string => `/call ${tool} ${JSON.stringify(input)}`;
const finds = (words: readonly string[]): string[] => words.map((query) => call("find", { query }));

describe("a person in Slack", () => {
  test("is linked, answered where they wrote, and decides by a button", async () => {
    slack.setTarget(`${server.url}/channels/slack`);
    const ada = slack.person("U1ADA", "ada");
    const asked = await slack.post(
      JSON.stringify({ type: "url_verification", challenge: "is-it-you" }),
      "application/json",
    );
    expect([asked.status, asked.body]).toEqual([200, expect.stringContaining("is-it-you")]);
    const made = await fetch(`${server.url}/api/links`, { method: "POST" });
    const { code } = (await made.json()) as { code: string };
    await ada.command("cairn", `link ${code}`, ada.direct);
    await vi.waitFor(() => {
      if (!slack.notes.some(({ text }) => text.includes("You are linked"))) throw new Error("not linked");
    }, WAIT);
    await ada.say("/say All is well on the site.");
    await shown("All is well on the site.");
    await ada.say(
      [
        call("page_create", { name: "Gate" }),
        "/then",
        call("page_delete", { pages: ["gate"] }),
        "/then",
        "/say The page is gone.",
      ].join("\n"),
    );
    const card = await shown("Approve");
    await ada.press(card, "Approve");
    await shown("The page is gone.");
    await shown("Approved by");
  });

  test("gives a run more by a button, and the card says so", async () => {
    const bea = await linked("U2BEA");
    await bea.say(
      [
        "/lean",
        ...finds(["hiking", "contact", "blog", "team", "prices", "news", "about"]),
        "/then",
        ...finds(["footer", "image", "welcome"]),
        "/then",
        call("ask_human", { question: "Shall I go on?" }),
        "/then",
        "/say It had enough.",
      ].join("\n"),
    );
    const more = await seenBy(bea, "May it have more?");
    await bea.press(more, "Extend by half");
    await seenBy(bea, "It has more, given by");
    await seenBy(bea, "Shall I go on?");
    await bea.say("Yes, go on.");
    await seenBy(bea, "It had enough.");
    expect(ofKind(await logOf(bea), "budget_answered").map(({ body }) => body.decision)).toEqual(["extend"]);
  });

  test("says no by a button, and why by an answer in the card's thread", async () => {
    const cleo = await linked("U3CLEO");
    const gated = [call("page_create", { name: "Kept" }), "/then", call("page_delete", { pages: ["kept"] })];
    const waits = call("ask_human", { question: "Shall I go on?" });
    await cleo.say([...gated, "/then", waits, "/then", "/say I left it."].join("\n"));
    const card = await seenBy(cleo, "Approve");
    const session = await sessionOf(cleo);
    await cleo.press(card, "Deny");
    await cleo.say("It is still linked.", { thread: card.ts });
    await vi.waitFor(async () => {
      const log = await fetchLog(server.url, session);
      expect(JSON.stringify(ofKind(log, "approval_explained"))).toContain("It is still linked.");
      expect(ofKind(log, "approval_decided").map(({ body }) => body.decision)).toEqual(["deny"]);
    }, SELDOM);
  });

  test("sends a file that takes long to read: Slack repeats itself, and it is one message, one run and one file", async () => {
    const dora = await linked("U4DORA");
    const bytes = new TextEncoder().encode("Trains leave at nine.");
    const before = slack.calls.length;
    await dora.say("/say I have it.", {
      file: { name: "notes.txt", type: "text/plain", bytes, afterTries: 2 },
    });
    await seenBy(dora, "I have it.");
    expect(toldTo(dora).filter((one) => JSON.stringify(one).includes("was not taken"))).toEqual([]);
    const log = await logOf(dora);
    expect(ofKind(log, "user_message").map(({ body }) => body.parts)).toEqual([
      [
        { type: "text", text: "/say I have it." },
        expect.objectContaining({ type: "file", url: expect.stringMatching(/^\/uploads\/f_[0-9a-f]{24}$/) }),
      ],
    ]);
    // As from outside: what leaves the site asks first.
    expect(ofKind(log, "run_queued").map(({ body }) => body.files)).toEqual([true]);
    expect(ofKind(log, "run_ended")).toHaveLength(1);
    const sent = slack.calls.slice(before).filter(({ method }) => method === "chat.postMessage");
    expect(sent).toHaveLength(1);
  });
});
