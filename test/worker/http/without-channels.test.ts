import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createCairn } from "../../../src/cairn/create.ts";
import { agents } from "../../fixtures/deployment/agents.ts";
import { plugins } from "../../fixtures/deployment/plugins.ts";

/** A deployment whose project leaves the channels out. The variables of every channel are set, and nobody reads them. */

const VARIABLES = {
  ...env,
  ALLOW_ANONYMOUS: "true",
  TELEGRAM_BOT_TOKEN: "1:a",
  TELEGRAM_WEBHOOK_SECRET: "s",
  SLACK_BOT_TOKEN: "xoxb-1",
  SLACK_SIGNING_SECRET: "s",
  EMAIL_ADDRESS: "agent@cairn.example",
  VAPID_SUBJECT: "nobody reads it",
};
const { worker } = createCairn({ agents, plugins: plugins.filter(({ name }) => name !== "channels") });
const ask = async (method: string, path: string): Promise<Response> =>
  await worker.fetch(
    new Request(`http://localhost:8787${path}`, {
      method,
      headers: { "content-type": "application/json" },
      ...(method === "GET" || method === "DELETE" ? {} : { body: "{}" }),
    }) as Request<unknown, IncomingRequestCfProperties>,
    VARIABLES,
    createExecutionContext(),
  );

describe("without the plugin of channels", () => {
  test.each([
    ["POST", "/channels/telegram"],
    ["GET", "/channels/slack"],
    ["GET", "/api/channels"],
    ["GET", "/api/links"],
    ["POST", "/api/links"],
    ["DELETE", "/api/links/telegram/1"],
    ["GET", "/api/push"],
    ["POST", "/api/push"],
    ["DELETE", "/api/push/x"],
    ["GET", "/api/me/notify"],
    ["PUT", "/api/me/notify"],
  ])("there is no %s %s", async (method, path) => {
    expect((await ask(method, path)).status).toBe(404);
  });

  test("the deployment is well, and names the page and webhooks as the ways to people", async () => {
    const response = await ask("GET", "/healthz");
    const health = await response.json<{ channels: { name: string }[]; problems: { variable: string }[] }>();
    expect(response.status).toBe(200);
    expect(health.channels.map(({ name }) => name)).toEqual(["web", "webhook"]);
    expect(health.problems.map(({ variable }) => variable)).not.toContain("VAPID_SUBJECT");
  });

  test("no run can send a message", async () => {
    const tools = await (await ask("GET", "/api/tools")).text();
    expect(tools).toContain("page_create");
    expect(tools).not.toContain("send_message");
  });

  test("a mail is refused in words", async () => {
    const refusals: string[] = [];
    const mail = { to: "agent@cairn.example", setReject: (why: string) => void refusals.push(why) };
    await worker.email(mail as unknown as ForwardableEmailMessage, VARIABLES, createExecutionContext());
    expect(refusals).toEqual(["There is no mailbox here."]);
  });
});
