import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startSlack, type SlackStandIn } from "../../../scripts/channels-demo/slack.ts";
import { useServer } from "../clients/server.ts";

/** A person in Slack, through a real server: linked by a slash command, answered, and asked for a yes. */

const WAIT = { timeout: 20_000, interval: 50 };
let slack: SlackStandIn;

beforeAll(async () => {
  slack = await startSlack();
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
    const call = (tool: string, input: object): string => `/call ${tool} ${JSON.stringify(input)}`;
    await ada.say(
      [
        ...[call("page_create", { name: "Gate" }), "/then", call("page_delete", { pages: ["gate"] })],
        ...["/then", "/say The page is gone."],
      ].join("\n"),
    );
    const card = await shown("Approve");
    await ada.press(card, "Approve");
    await shown("The page is gone.");
    await shown("Approved by");
  });
});
