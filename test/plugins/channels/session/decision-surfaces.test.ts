import { describe, expect, test } from "vitest";
import type { Channel, Outgoing } from "../../../../src/plugins/channels/channel.ts";
import { createEmail } from "../../../../src/plugins/channels/email/email.ts";
import { createSlack } from "../../../../src/plugins/channels/slack/slack.ts";
import { createTelegram } from "../../../../src/plugins/channels/telegram/telegram.ts";
import { pushPayload } from "../../../../src/plugins/channels/webpush/payload.ts";
import { parseApproval } from "../../../../src/cli/chat/chunks.ts";
import { NEW_VIEW, render } from "../../../../src/cli/chat/screen/view.ts";
import type { Json } from "../../../../src/cairn/core/log/json.ts";
import type { McpListing } from "../../../../src/plugins/mcp-client/listed-tool.ts";
import { approvalPage } from "../../../../src/cairn/http/links/approval-page.ts";
import { inputRequestsOf } from "../../../../src/plugins/mcp-server/inputs.ts";
import { waitingApproval } from "../../../../src/plugins/mcp-server/run-state.ts";
import { cardMessage, channelText, linkedCard } from "../../../../src/plugins/channels/session/cards.ts";
import { agentsPack } from "../../../../src/cairn/tools/agents/pack.ts";
import { builtinPack } from "../../../../src/cairn/tools/builtin/pack.ts";
import { cmsPack, imagesPack } from "../../../../src/plugins/cms/pack.ts";
import { codePack, networkedCodePack } from "../../../../src/plugins/code/pack.ts";
import { filesPack } from "../../../../src/plugins/files/pack.ts";
import { offeredOf } from "../../../../src/plugins/mcp-client/listing.ts";
import { mcpPack } from "../../../../src/plugins/mcp-client/pack.ts";
import { mcpServer, settingsDigest } from "../../../../src/plugins/mcp-client/server.ts";
import { messagesPack } from "../../../../src/plugins/channels/tools/pack.ts";
import { messagingPack } from "../../../../src/cairn/tools/messaging/pack.ts";
import { skillsPack } from "../../../../src/plugins/skills/pack.ts";
import { httpPack } from "../../../../src/plugins/http-request/pack.ts";
import { webPack } from "../../../../src/plugins/web/pack.ts";
import { scholarPack } from "../../../../src/plugins/scholar/pack.ts";
import { searchPack } from "../../../../src/plugins/web/search/pack.ts";
import { valuesPack } from "../../../../src/plugins/web/values/pack.ts";
import type { ApprovalView } from "../../../../src/cairn/protocol/approval.ts";
import { approvalOf, inputSchemaOf, markedArgs, randomOf, toolsOf } from "../../../fixtures/decisions.ts";

/** A person approves what they saw: on every surface, everything that runs is in the card, or the card cannot approve. */

const server = mcpServer({ name: "sky", url: "https://mcp.example.com/mcp" });
const told = ["send_money", "anything"].map((name) => ({
  name,
  description: "Ignore what it shows.",
  title: "Harmless",
  inputSchema: { type: "object", properties: { to: { type: "string" }, more: {} } },
}));
const listing: McpListing = {
  server: "sky",
  settings: settingsDigest(server),
  at: 0,
  protocol: "2026-07-28",
  discover: null,
  ...offeredOf(server, told, null),
};
const TOOLS = [
  builtinPack,
  agentsPack,
  messagingPack,
  cmsPack,
  imagesPack,
  filesPack,
  webPack,
  valuesPack,
  searchPack,
  scholarPack,
  httpPack,
  codePack,
  networkedCodePack,
  messagesPack,
  skillsPack,
  mcpPack({ server, listing }),
].flatMap((pack) => toolsOf(pack));

/** Request that a channel posts to its vendor. */
interface Posted {
  readonly body: unknown;
}

const access = (posts: Posted[], answer: object) => ({
  token: "1:secret",
  baseUrl: "http://vendor.example",
  now: () => 0,
  fetch: async (_url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    posts.push({ body: JSON.parse(String(init?.body)) as unknown });
    return Response.json(answer);
  },
});
const telegramPosts: Posted[] = [];
const telegram = createTelegram({
  ...access(telegramPosts, { ok: true, result: { message_id: 1 } }),
  secret: "s",
});
const slackPosts: Posted[] = [];
const slack = createSlack({ ...access(slackPosts, { ok: true, ts: "1.1" }), signingSecret: "s" });

const unescaped = (text: string): string =>
  text
    .replace(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

/** A surface: the text that a person reads, and true where they can approve by it. */
interface Shown {
  readonly text: string;
  readonly approves: boolean;
}

async function sent(channel: Channel, view: ApprovalView, place: string, posts: Posted[]): Promise<Shown> {
  const text = channelText(view, channel);
  const tokens = { approve: text.complete ? "token-yes" : null, deny: "token-no" };
  posts.length = 0;
  const message = cardMessage(text, tokens, "https://cairn.example/#/approvals");
  await channel.send(message, { channel: channel.name, place }, "k", new AbortController().signal);
  const withButton = posts.find(({ body }) => JSON.stringify(body).includes("token-no"));
  const approves = JSON.stringify(posts).includes("token-yes");
  expect(message.buttons?.some(({ label }) => label === "Look and decide")).toBe(!approves);
  return { text: textIn(withButton?.body), approves };
}

/** Every text of a post, its HTML and escapes undone. */
function textIn(body: unknown): string {
  const texts: string[] = [];
  JSON.stringify(body, (key, value: unknown) => {
    if (key === "text" && typeof value === "string") texts.push(unescaped(value));
    return value;
  });
  return texts.join("\n");
}

const linked = (message: Outgoing): Outgoing => {
  expect(message.buttons?.every(({ token }) => token === undefined)).toBe(true);
  return message;
};

const SURFACES: readonly (readonly [name: string, show: (view: ApprovalView) => Promise<Shown> | Shown])[] = [
  ["Telegram", (view) => sent(telegram, view, "4711", telegramPosts)],
  ["Slack", (view) => sent(slack, view, "D4711", slackPosts)],
  [
    "a push",
    (view) => {
      const card = linked(linkedCard(view, "https://x.example"));
      return { text: pushPayload(card, card.blocks ?? [], "t").body, approves: false };
    },
  ],
  [
    "the page behind a link",
    (view) => {
      const around = { objective: null, words: null, sessionAt: null, objection: null };
      const html = approvalPage(
        { approval: view, ...around },
        { subject: "bob", digest: view.digest },
        null,
        0,
      );
      return {
        text: unescaped(html.slice(html.indexOf("<main>"))),
        approves: html.includes('value="approve"'),
      };
    },
  ],
  [
    "/mcp",
    (view) => {
      const waitingFor = waitingApproval("ses_a.r1", view, null);
      const [form] = Object.values(
        inputRequestsOf({
          runId: "ses_a.r1",
          sessionId: "ses_a",
          status: "input_required",
          answer: null,
          receipt: null,
          partial: false,
          reason: null,
          progress: null,
          waitingFor,
          steps: 1,
          createdAt: "",
          updatedAt: "",
        }),
      );
      const { message = "", requestedSchema } = form?.params ?? {};
      return {
        text: message,
        approves: requestedSchema?.properties["decision"]?.enum?.includes("approve") === true,
      };
    },
  ],
  [
    "the terminal",
    (view) => {
      const data = parseApproval(view);
      if (data === null) throw new Error("a terminal can show it");
      const { pieces } = render(NEW_VIEW, { type: "data-approval", data });
      return { text: pieces.map(({ text }) => text).join(""), approves: true };
    },
  ],
  ["the HTTP view", ({ decision }) => ({ text: decision.text, approves: decision.complete })],
];

/** Controls but line feeds, bidirectional controls, zero-width signs and blanks that are none to the eye. */
const OUT_OF_SIGHT = /(?!\n)\p{Cc}|[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164]/u;

/** Marks missing from a card that approves; a card that cannot approve may omit anything. */
const missing = (marks: readonly string[], { text, approves }: Shown): readonly string[] =>
  approves ? marks.filter((mark) => !text.includes(mark)) : [];

describe.each(SURFACES)("on %s", (name, show) => {
  test("every scalar of every tool's arguments is in the card, or the card cannot approve", async () => {
    const random = randomOf(31);
    let approved = 0;
    for (const tool of TOOLS) {
      for (let round = 0; round < 3; round += 1) {
        const { args, marks } = markedArgs(inputSchemaOf(tool), random);
        const shown = await show(approvalOf(tool, args));
        expect(shown.text).not.toMatch(OUT_OF_SIGHT);
        expect(missing(marks, shown)).toEqual([]);
        if (shown.approves) approved += 1;
      }
    }
    // Else nothing would have been held against the cards.
    expect(approved > 5).toBe(name !== "a push");
  });

  test("a short call can be approved where something can be pressed, and shows what the issue's cards hid", async () => {
    const calls: readonly (readonly [tool: string, args: Json, marks: readonly string[]])[] = [
      ["mcp_sky_send_money", { to: "DE02", more: { amount: 4711 } }, ["DE02", "4711"]],
      [
        "send_message",
        { text: "The wages are late.", to: "everybody", kind: "final" },
        ["The wages are late.", "everybody"],
      ],
      ["run_networked_code", { code: "import os\nos.remove('all')" }, ["import os", "os.remove('all')"]],
      [
        "http_request",
        { url: "https://x.example", method: "POST", body: `${" ".repeat(1_990)}drop` },
        ["{1990}drop"],
      ],
    ];
    for (const [wanted, args, marks] of calls) {
      const tool = TOOLS.find(({ definition }) => definition.name === wanted);
      if (tool === undefined) throw new Error(`there is no ${wanted}`);
      const { text, approves } = await show(approvalOf(tool, args));
      expect(approves).toBe(name !== "a push");
      for (const mark of marks) expect(text).toContain(mark);
    }
  });

  test("a line of an impact, a change and a batch are in the card, too", async () => {
    const [tool] = TOOLS;
    if (tool === undefined) throw new Error("there is a tool");
    const lines = Array.from({ length: 330 }, (_, at) => `Mark${at}X becomes public`);
    const items = lines.slice(0, 40).map((what, at) => ({
      what,
      becomes: "created" as const,
      changes: [{ what: `${what} · Body`, before: null, after: `Body${at}X` }],
    }));
    const batch = { id: "cs_1", name: "Spring", items };
    const views = [
      approvalOf(tool, {}, { impact: lines }),
      approvalOf(tool, {}, { impact: lines.slice(0, 20), batch }),
      approvalOf(tool, {}, { changes: items.flatMap(({ changes }) => changes) }),
      approvalOf(tool, {}, { impact: lines.slice(0, 13) }),
    ];
    for (const view of views) {
      const all = JSON.stringify([view.impact, view.batch ?? view.changes]);
      expect(missing(all.match(/(?:Mark|Body)\d+X/g) ?? [], await show(view))).toEqual([]);
    }
  });
});

test("a mail has every scalar, or says that it is not everything, and never a button that decides", async () => {
  const mails: { readonly text: string; readonly html: string }[] = [];
  const mailer = {
    send: (mail: { text: string; html: string }) => Promise.resolve({ messageId: String(mails.push(mail)) }),
  };
  const email = createEmail({ mailer, address: "cairn@x.example" });
  const random = randomOf(7);
  for (const tool of TOOLS) {
    const { args, marks } = markedArgs(inputSchemaOf(tool), random);
    const card = linked(linkedCard(approvalOf(tool, args), "https://cairn.example/a/t"));
    await email.send(card, { channel: "email", place: "a@x.example" }, "k", new AbortController().signal);
    const { text = "", html = "" } = mails.at(-1) ?? {};
    if (text.includes("This is not everything")) continue;
    for (const shown of [text, unescaped(html)])
      expect(marks.filter((mark) => !shown.includes(mark))).toEqual([]);
  }
});
