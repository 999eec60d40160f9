import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startSlack, type SlackStandIn } from "../../../scripts/channels-demo/slack.ts";
import { startTelegram, type TelegramStandIn } from "../../../scripts/channels-demo/telegram.ts";
import { SECRETS, signed } from "../../worker/sessions/webhook-senders.ts";
import { fetchLog, ofKind } from "../clients/log.ts";
import { useServer } from "../clients/server.ts";
import { TELEGRAM_SECRET, telegramVariables } from "./telegram-variables.ts";

/** A webhook's run asks two people, one in Telegram and one in Slack: the first press decides, and both cards say who it was. */

const WAIT = { timeout: 40_000, interval: 50 };
const TOKENS = {
  "token-of-ada-000000000000000000001": { subject: "ada", scopes: ["read", "send", "approve"] },
  "token-of-bob-000000000000000000002": { subject: "bob", scopes: ["read", "send", "approve"] },
};
let telegram: TelegramStandIn;
let slack: SlackStandIn;

beforeAll(async () => {
  [telegram, slack] = [await startTelegram(), await startSlack()];
});
afterAll(async () => {
  await Promise.all([telegram.close(), slack.close()]);
});

const server = useServer(
  () => [
    `AUTH_TOKENS:${JSON.stringify(TOKENS)}`,
    `WEBHOOK_SECRETS:${JSON.stringify(SECRETS)}`,
    ...telegramVariables(telegram),
    `SLACK_BOT_TOKEN:${slack.token}`,
    `SLACK_SIGNING_SECRET:${slack.signingSecret}`,
    `SLACK_BASE_URL:${slack.url}`,
  ],
  path.join(import.meta.dirname, "hooked-worker.ts"),
);

async function codeOf(who: "ada" | "bob"): Promise<string> {
  const token = Object.keys(TOKENS).find((one) => one.includes(who)) ?? "";
  const made = await fetch(`${server.url}/api/links`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  expect(made.status).toBe(201);
  return ((await made.json()) as { code: string }).code;
}

const found = <Message>(look: () => Message | undefined, what: string): Promise<Message> =>
  vi.waitFor(() => {
    const message = look();
    if (message === undefined) throw new Error(`there is no ${what} yet`);
    return message;
  }, WAIT);

test("the first of two presses decides, and both cards say whose it was", async () => {
  telegram.setWebhook(`${server.url}/channels/telegram`, TELEGRAM_SECRET);
  slack.setTarget(`${server.url}/channels/slack`);
  const ada = telegram.person(801, "Ada");
  const bob = slack.person("U1BOB", "bob");
  await ada.say(`/link ${await codeOf("ada")}`);
  await bob.command("cairn", `link ${await codeOf("bob")}`, bob.direct);
  await found(() => slack.notes.find(({ text }) => text.includes("You are linked")), "link");

  const taken = await fetch(`${server.url}/hooks/bearer`, signed("bearer", { body: '{"ask":"delete"}' }));
  expect(taken.status).toBe(202);
  const { sessionId } = (await taken.json()) as { sessionId: string };

  const inTelegram = () => telegram.messages.find((one) => one.buttons.length === 2);
  const inSlack = () => slack.messages.find((one) => JSON.stringify(one.blocks).includes("Approve"));
  const [hers, his] = [await found(inTelegram, "card in Telegram"), await found(inSlack, "card in Slack")];
  expect([hers.chat.id, his.channel]).toEqual([ada.chat.id, bob.direct]);

  // Bob is a moment earlier, or Ada is: whoever it is, one of them decides.
  await Promise.all([bob.press(his, "Deny"), ada.press(hers, "Approve")]);
  const log = () => fetchLog(server.url, sessionId);
  const [decided] = await vi.waitFor(async () => {
    const made = ofKind(await log(), "approval_decided");
    if (made.length === 0) throw new Error("nobody has decided yet");
    return made;
  }, WAIT);
  const who = String(decided?.body["actor"]);
  expect(["ada", "bob"]).toContain(who);
  const words = `${who === "ada" ? "Approved" : "Denied"} by ${who}`;
  await found(() => telegram.messages.find(({ text }) => text.includes(words)), "end in Telegram");
  await found(
    () => slack.messages.find(({ blocks }) => JSON.stringify(blocks).includes(words)),
    "end in Slack",
  );
  expect(telegram.messages.filter((one) => one.buttons.length > 0)).toEqual([]);

  // A button on a stale card changes nothing, and the presser gets a notice.
  const told = telegram.notes.length;
  for (let at = 0; at < 3; at += 1) {
    await ada.press(hers, "Deny");
    await bob.press(his, "Approve");
  }
  expect(ofKind(await log(), "approval_decided")).toHaveLength(1);
  const notes = telegram.notes.slice(told).map(({ text }) => text);
  expect(notes).toHaveLength(3);
  expect(notes.filter((text) => text === "" || text === "Denied.")).toEqual([]);
});
