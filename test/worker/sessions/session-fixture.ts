import { StoredTools } from "../../../src/cairn/tools/stored/stored-tools.ts";
import { receiveHeldMessage } from "../../../src/plugins/channels/http/receive-events.ts";
import { withChannels, type AppParts } from "../channels/channel-routes.ts";
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { HeldMessage } from "../../../src/plugins/channels/held.ts";
import { createApp } from "../../../src/cairn/http/app.ts";
import { sessionClient } from "../../../src/cairn/http/kit/session-client.ts";
import { createWebhookDeliveries } from "../../../src/cairn/http/routes/webhook-deliveries.ts";
import { parseConfig } from "../../fixtures/config.ts";
import { GovernedTools } from "../../../src/cairn/tools/governed.ts";
import { mcpClient } from "../../../src/plugins/mcp-client/plugin.ts";
import { mcpServer } from "../../../src/plugins/mcp-server/plugin.ts";
import { createTools } from "../../fixtures/deployment/plugins.ts";
import { webhooks } from "../../fixtures/deployment/webhooks.ts";
import { openTools, openShelf, post } from "../http/routes-fixture.ts";

/** The doors over real sessions and a real index, with people who have tokens. */

const scopes = {
  alice: ["read", "send", "approve"],
  bob: ["read", "send", "approve"],
  root: ["admin"],
} as const;
export type Person = keyof typeof scopes;
const tokenOf = (who: Person): string => `${who}-real-token-0001`;

export interface Api {
  /** Alice asks when nobody else is named; null sends no token */
  call(path: string, init?: RequestInit & { who?: Person | null }): Promise<Response>;
  /** the JSON of an answer with this status */
  json<Value = Record<string, never>>(
    status: number,
    path: string,
    init?: RequestInit & { who?: Person },
  ): Promise<Value>;
  /** Receives what was held, as the object that held it does. */
  held(words: HeldMessage): Promise<boolean>;
  /** Says something and waits for the end of its run. */
  say(session: string, text: string, more?: Record<string, unknown>): Promise<void>;
}

let ids = 0;
let pages = 0;

/** Lines for the rehearsal model that make a page and ask to delete it: the run waits for a person. */
export function gated(): string {
  const name = `Gated${(pages += 1)}`;
  return [
    `/call page_create ${JSON.stringify({ name })}`,
    "/then",
    `/call page_delete ${JSON.stringify({ pages: [name.toLowerCase()] })}`,
    "/then",
    "/say Done.",
  ].join("\n");
}

export function openApi(variables: Record<string, unknown> = {}, parts: AppParts = {}): Api {
  const tokens = Object.fromEntries(
    Object.entries(scopes).map(([subject, given]) => [
      tokenOf(subject as Person),
      { subject, scopes: given },
    ]),
  );
  const config = parseConfig({ ...env, ALLOW_ANONYMOUS: "false", AUTH_TOKENS: tokens, ...variables });
  const storedTools = new StoredTools(env.DB, (error) => console.error(error));
  const { deps, channelDeps } = withChannels({
    config,
    sessions: (id) => sessionClient(env, id),
    tools: () =>
      new GovernedTools(
        storedTools.onto(createTools(env, "", Date.now, { observations: { read: () => null } }), {}),
        { approvals: {} },
      ),
    loadTools: () => storedTools.load(),
    readingTools: () => createTools(env, "", Date.now, { observations: { read: () => null } }),
    agents: openShelf(config),
    env: { ...env, ...variables },
    storedTools: openTools(),
    plugins: [mcpServer(), mcpClient()],
    pictures: null,
    admins: null,
    webhooks: { rules: webhooks, deliveries: createWebhookDeliveries(env.DB) },
    version: "0.0.0",
    now: Date.now,
    newId: () => `api-made-${(ids += 1)}-${crypto.randomUUID()}`.slice(0, 60),
    report: (error) => console.error(error),
    ...parts,
  });
  const app = createApp(deps);
  const api: Api = {
    call: (path, { who = "alice", ...init } = {}) => {
      const headers = new Headers(init.headers);
      if (who !== null) headers.set("authorization", `Bearer ${tokenOf(who)}`);
      const request = new Request(`https://cairn.example${path}`, { ...init, headers });
      return app.fetch(request, env, createExecutionContext());
    },
    held: (words) => receiveHeldMessage(channelDeps, env, words),
    json: async <Value>(status: number, path: string, init?: RequestInit & { who?: Person }) => {
      const response = await api.call(path, init);
      const text = await response.text();
      expect([response.status, text]).toEqual([status, expect.anything()]);
      return JSON.parse(text) as Value;
    },
    say: async (session, text, more = {}) => {
      const said = await api.call(
        `/api/sessions/${session}/messages`,
        post({ text, ...more }, { accept: "text/event-stream" }),
      );
      expect(said.status).toBe(200);
      expect(await said.text()).toContain("[DONE]");
    },
  };
  return api;
}

/** The events of a body of server-sent events: id and data of each. */
export function eventsOf(text: string): { readonly id: string | null; readonly data: string }[] {
  return text.split("\n\n").flatMap((event) => {
    const lines = event.split("\n");
    const data = lines.find((line) => line.startsWith("data: "))?.slice(6);
    const id = lines.find((line) => line.startsWith("id: "))?.slice(4) ?? null;
    return data === undefined ? [] : [{ id, data }];
  });
}
