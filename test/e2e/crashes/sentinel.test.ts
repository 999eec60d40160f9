import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { secretForms } from "../../../src/cairn/core/text/secret-forms.ts";
import { signed } from "../../worker/sessions/webhook-senders.ts";
import { fetchLog, ofKind, say } from "../clients/log.ts";
import { useServer } from "../clients/server.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../clients/webhook-receiver.ts";

/**
 * Every secret of a deployment is a sentinel here, and each of them is said to the agent, by a person and by a webhook, given
 * to a tool and put into memory. Then everything that a server keeps and says is searched for them.
 */
const CANARIES = {
  AUTH_TOKENS: "sentinel-token-of-a-person-0001",
  OPENAI_COMPATIBLE_API_KEY: "sentinel-key-of-the-provider-0002",
  OPENROUTER_API_KEY: "sentinel-key-of-openrouter-0006",
  APPROVAL_LINK_SECRET: "sentinel-link-secret-that-is-long-enough-0003",
  PREVIEW_SECRET: "sentinel-preview-secret-0004",
  WEBHOOK_SECRETS: "sentinel-of-the-webhooks-0005",
  WEBHOOK_TARGETS: "whsec_Y2FuYXJ5LW9mLXRoZS10YXJnZXRzLTAwMDY=",
} as const;
const ALL = Object.values(CANARIES).join(" ");

let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver(CANARIES.WEBHOOK_TARGETS);
});
afterAll(() => receiver.close());

const server = useServer(() => {
  const { AUTH_TOKENS, WEBHOOK_SECRETS, WEBHOOK_TARGETS, ...plain } = CANARIES;
  const tokens = { [AUTH_TOKENS]: { subject: "carol", scopes: ["read", "send", "approve"] } };
  const targets = [
    { id: "ops", url: receiver.url, secret: WEBHOOK_TARGETS, events: ["run.*", "approval.*"] },
  ];
  return [
    ...Object.entries(plain).map(([name, value]) => `${name}:${value}`),
    `AUTH_TOKENS:${JSON.stringify(tokens)}`,
    `WEBHOOK_SECRETS:${JSON.stringify({ bearer: WEBHOOK_SECRETS })}`,
    `WEBHOOK_TARGETS:${JSON.stringify(targets)}`,
  ];
});

const json = (body: unknown): RequestInit => ({
  method: "POST",
  body: JSON.stringify(body),
  headers: { "content-type": "application/json" },
});
/** Status, headers and body of an answer, in one text. */
async function all(at: string, init?: RequestInit): Promise<string> {
  const response = await fetch(`${server.url}${at}`, init);
  return `${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`;
}

/** Names of the secrets that a text holds, in any spelling that is looked for. */
function heldBy(text: string): string[] {
  return Object.entries(CANARIES).flatMap(([name, value]) =>
    [value, ...secretForms(value)].some((form) => text.includes(form)) ? [name] : [],
  );
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory).flatMap((name) => {
    const file = path.join(directory, name);
    return statSync(file).isDirectory() ? filesBelow(file) : [file];
  });
}

const WISH = [
  `I know ${ALL}.`,
  `/call page_create ${JSON.stringify({ name: `About ${CANARIES.APPROVAL_LINK_SECRET}` })}`,
  `/call page_create ${JSON.stringify({ name: "Gated" })}`,
  `/call store_memory ${JSON.stringify({ key: "what-i-know", value: ALL })}`,
  "/then",
  `/call page_delete ${JSON.stringify({ pages: ["gated"] })}`,
  "/then",
  `/say They are ${ALL}.`,
].join("\n");

test("no secret is in anything that a server keeps or says", async () => {
  await say(server.url, "talk", WISH);
  await expect
    .poll(async () => ofKind(await fetchLog(server.url, "talk"), "approval_requested").length, {
      timeout: 20_000,
    })
    .toBe(1);
  const log = await fetchLog(server.url, "talk");
  const approval = String(ofKind(log, "approval_requested")[0]?.body["approval"]);
  const at = "/api/sessions/talk";
  const linked = await fetch(`${server.url}${at}/approvals/${approval}/link`, json({ subject: "anonymous" }));
  const { url } = (await linked.json()) as { readonly url: string };
  const page = await all(new URL(url).pathname);
  expect(page).toContain("200");
  const stream = all(`${at}/events?until=idle`, { headers: { accept: "text/event-stream" } });
  const decided = await all(`${at}/approvals/${approval}`, json({ decision: "deny", reason: `Not ${ALL}.` }));
  const streamed = await stream;
  expect(streamed).toContain("run_ended");

  const hook = { body: JSON.stringify({ what: ALL }), secret: CANARIES.WEBHOOK_SECRETS };
  const hooked = await fetch(`${server.url}/hooks/bearer`, signed("bearer", hook));
  expect(hooked.status).toBe(202);
  const { sessionId } = (await hooked.json()) as { readonly sessionId: string };
  await receiver.saw(({ type, data }) => type === "run.ended" && data["sessionId"] === sessionId);

  const said = await Promise.all(
    [
      "",
      "/messages",
      "/events",
      "/memory",
      "/trace?include=prompts",
      "/trace?format=jsonl",
      "/export",
      "/deliveries",
      "/schedules",
      `/approvals/${approval}`,
    ]
      .flatMap((below) => ["talk", sessionId].map((session) => `/api/sessions/${session}${below}`))
      .concat(["/healthz", "/api/openapi.json", "/api/me", "/api/tools", "/api/agents", "/api/usage"])
      .concat([
        "/api/sessions?q=sentinel",
        "/api/approvals?state=all",
        "/api/inbox",
        "/site/",
        "/",
        "/a/none.none",
      ])
      .map((where) => all(where)),
  );
  const refused = await Promise.all([
    all("/api/sessions/talk", { headers: { authorization: `Bearer ${CANARIES.AUTH_TOKENS}x` } }),
    all("/api/sessions/talk", { headers: { authorization: `Bearer ${CANARIES.AUTH_TOKENS}` } }),
    all("/hooks/bearer", signed("bearer", { ...hook, secret: `${CANARIES.WEBHOOK_SECRETS}x` })),
    all(`${at}/messages`, json({ text: 7, id: ALL, model: ALL })),
  ]);
  expect(refused.map((text) => text.slice(0, 3))).toEqual(["401", "404", "401", "400"]);
  const outgoing = JSON.stringify(receiver.arrived);
  expect(outgoing).toContain("run.ended");

  await server.kill();
  const files = filesBelow(server.directory).map((file) => readFileSync(file, "latin1"));
  const rows = files.join("\n");
  expect(rows).toContain("[secret:OPENAI_COMPATIBLE_API_KEY]");
  const places = {
    page,
    decided,
    streamed,
    said: said.join("\n"),
    refused: refused.join("\n"),
    outgoing,
    rows,
  };
  const held = Object.entries({ ...places, printed: server.log() }).map(([place, text]) => [
    place,
    heldBy(text),
  ]);
  expect(Object.fromEntries(held)).toEqual(Object.fromEntries(held.map(([place]) => [place, []])));
});
