import { createExecutionContext, env } from "cloudflare:test";
import { withChannels, type AppParts } from "../channels/channel-routes.ts";
import type { ToolCard } from "../../../src/cairn/core/log/tool.ts";
import { NO_SHAPE } from "../../../src/cairn/core/state/call-digest.ts";
import { EMPTY_STATE } from "../../../src/cairn/core/state/state.ts";
import { createAgentStore, type AgentStore } from "../../../src/cairn/http/agents/agent-store.ts";
import { createApp } from "../../../src/cairn/http/app.ts";
import type { SessionClient, StreamOf } from "../../../src/cairn/http/kit/session-client.ts";
import { createToolStore, type ToolStore } from "../../../src/cairn/http/tools/store.ts";
import { StoredTools } from "../../../src/cairn/tools/stored/stored-tools.ts";
import { createWebhookDeliveries } from "../../../src/cairn/http/routes/webhook-deliveries.ts";
import type {
  Actor,
  ApiResult,
  DecideCommand,
  ApiError,
  SentView,
  SendCommand,
  SessionView,
  ScheduleCommand,
  ScheduleView,
  ShareCommand,
  ShareView,
} from "../../../src/cairn/session/api/session-api.ts";
import type { ApprovalView } from "../../../src/cairn/protocol/approval.ts";
import { parseConfig } from "../../fixtures/config.ts";
import type { Config } from "../../../src/cairn/config/config.ts";
import {
  type MemoryView,
  runView,
  type RunView,
  type SourcePageView,
} from "../../../src/cairn/protocol/views.ts";
import { aboutRun } from "../../cairn/protocol/stream/stream-fixture.ts";
import { agents } from "../../fixtures/deployment/agents.ts";
import { optionSchemas } from "../../../src/cairn/agent-options.ts";
import { mcpClient } from "../../../src/plugins/mcp-client/plugin.ts";
import { mcpServer } from "../../../src/plugins/mcp-server/plugin.ts";
import { createTools, plugins } from "../../fixtures/deployment/plugins.ts";
import { webhooks } from "../../fixtures/deployment/webhooks.ts";

/** The doors without a Session object behind them: what arrives there is written down, and answered by these rules. */

export const TOKENS = {
  alice: "alice-dev-token-0001",
  reader: "reader-dev-token-001",
  sender: "sender-dev-token-001",
  approver: "approver-dev-token-1",
  admin: "admin-dev-token-0001",
  nobody: "nobody-dev-token-001",
  bob: "bob-dev-token-000001",
  expired: "expired-dev-token-01",
};

export const NOW = Date.UTC(2026, 10, 21, 12);

const AUTH_TOKENS = {
  [TOKENS.alice]: { subject: "alice", scopes: ["read", "send", "approve"] },
  [TOKENS.reader]: { subject: "alice", scopes: ["read"] },
  [TOKENS.sender]: { subject: "alice", scopes: ["send"] },
  [TOKENS.approver]: { subject: "alice", scopes: ["approve"] },
  [TOKENS.admin]: { subject: "root", scopes: ["admin"] },
  [TOKENS.nobody]: { subject: "alice", scopes: [] },
  [TOKENS.bob]: { subject: "bob", scopes: ["read", "send", "approve"] },
  [TOKENS.expired]: { subject: "alice", scopes: ["admin"], expires: "2026-11-21T12:00:00Z" },
};

/** `createdAt` of every session that is entered, before any clock of the tests */
export const ENTERED = Date.UTC(2025, 0, 1);

const missing: ApiError = {
  status: 404,
  code: "not_found",
  message: "No such session.",
  hint: "List sessions.",
};
const no = { ok: false, error: missing } as const;

/** Sessions that know their owner and their messages, nothing else. */
export class FakeSessions {
  readonly opened: string[] = [];
  readonly heard: { what: string; session: string; actor: Actor; with: unknown }[] = [];
  readonly #owners = new Map<string, string>([["ses_demo", "alice"]]);
  readonly #seen = new Map<string, { parts: string; view: SentView }>();
  /** thrown by the next call, whatever it is */
  fault: unknown = null;
  /** answered to the next connect instead of a socket */
  refusal: ApiError | null = null;

  readonly open = (session: string): SessionClient => {
    this.opened.push(session);
    const hear = (what: string, actor: Actor, detail: unknown): boolean => {
      this.heard.push({ what, session, actor, with: detail });
      if (this.fault !== null) throw this.fault;
      return actor.scopes.includes("admin") || this.#owners.get(session) === actor.subject;
    };
    return {
      send: async (actor, command) => {
        if (!this.#owners.has(session)) this.#owners.set(session, actor.subject);
        if (!hear("send", actor, command))
          return { ok: false, error: { status: 409, code: "id_taken", message: "This id is taken." } };
        return this.#said(session, command);
      },
      enter: async (actor) => {
        if (!this.#owners.has(session)) this.#owners.set(session, actor.subject);
        return hear("enter", actor, null)
          ? { ok: true, value: { createdAt: ENTERED, targets: {} } }
          : { ok: false, error: { status: 409, code: "id_taken", message: "This id is taken." } };
      },
      submit: async (actor, command) => (hear("submit", actor, command) ? no : no),
      answerCall: async (actor, command) =>
        hear("answerCall", actor, command) ? { ok: true, value: null } : no,
      answer: async (actor, command) =>
        hear("answer", actor, command) ? { ok: true, value: runOf(session) } : no,
      retryNow: async (actor, command) =>
        hear("retryNow", actor, command) ? { ok: true, value: runOf(session) } : no,
      stopRun: async (actor, command) =>
        hear("stopRun", actor, command)
          ? { ok: true, value: { run: runOf(session), ended: command.runId.endsWith(".r2") } }
          : no,
      clear: async (actor) => (hear("clear", actor, null) ? { ok: true, value: {} } : no),
      cancel: async (actor, command) =>
        hear("cancel", actor, command)
          ? { ok: true, value: { cancelled: [`${session}.r1`], replayed: false } }
          : no,
      awaitRun: async (actor, id) => (hear("awaitRun", actor, id) ? no : no),
      recap: async (actor, id) => (hear("recap", actor, id) ? no : no),
      continueQueue: async (actor) =>
        hear("continueQueue", actor, null) ? { ok: true, value: { continued: true } } : no,
      extend: async (actor, command) => (hear("extend", actor, command) ? { ok: true, value: null } : no),
      explain: async (actor, command) => (hear("explain", actor, command) ? no : no),
      answerBudget: async (actor, command) => (hear("answerBudget", actor, command) ? no : no),
      decide: async (actor, command) =>
        hear("decide", actor, command)
          ? {
              ok: true,
              value: { approval: approvalOf(session, command), replayed: command.reason === "again" },
            }
          : no,
      preview: async (actor, command) => {
        const value = { ...approvalOf(session, { approval: command.approval }), args: command.args };
        return hear("preview", actor, command) ? { ok: true, value } : no;
      },
      approval: async (actor, id) =>
        hear("approval", actor, id) ? { ok: true, value: approvalOf(session, { approval: id }) } : no,
      revoke: async (actor, policy) => (hear("revoke", actor, policy) ? { ok: true, value: null } : no),
      linked: async (actor, approval) => {
        this.heard.push({ what: "linked", session, actor, with: approval });
        const value = { objective: "Delete it.", words: null, sessionAt: null, objection: null };
        return this.#owners.has(session)
          ? { ok: true, value: { approval: approvalOf(session, { approval }), ...value } }
          : no;
      },
      schedule: async (actor, command) =>
        hear("schedule", actor, command)
          ? { ok: true, value: { schedule: scheduleOf(command), replayed: false } }
          : { ok: false, error: { status: 409, code: "id_taken", message: "This id is taken." } },
      schedules: async (actor) => (hear("schedules", actor, null) ? { ok: true, value: { items: [] } } : no),
      heartbeat: async (actor) => (hear("heartbeat", actor, null) ? { ok: true, value: BEAT } : no),
      setHeartbeat: async (actor, command) =>
        hear("setHeartbeat", actor, command) ? { ok: true, value: BEAT } : no,
      unschedule: async (actor, id) => (hear("unschedule", actor, id) ? { ok: true, value: null } : no),
      deliveries: async (actor, limit, cursor) =>
        hear("deliveries", actor, { limit, cursor })
          ? { ok: true, value: { items: [], nextCursor: null } }
          : no,
      events: async (actor, after, limit) =>
        hear("events", actor, { after, limit })
          ? {
              ok: true,
              value: {
                items: [
                  {
                    seq: 1,
                    at: NOW,
                    v: 1,
                    run: null,
                    step: null,
                    kind: "note",
                    body: { code: "hello", text: "hi" },
                  },
                ],
                nextAfter: 1,
                lastSeq: 1,
                more: false,
              },
            }
          : no,
      messages: async (actor, limit, before) =>
        hear("messages", actor, { limit, before })
          ? { ok: true, value: { items: [{ id: "m1", role: "user", parts: [] }], more: limit === 1 } }
          : no,
      view: async (actor) =>
        hear("view", actor, null)
          ? {
              ok: true,
              value: {
                ...viewOf(session, actor.subject),
                activeRun: null,
                held: false,
                queue: [],
                policies: [],
              },
            }
          : no,
      readRun: async (actor, id) => (hear("run", actor, id) ? { ok: true, value: runOf(session) } : no),
      readTrace: async (actor, run, format) =>
        hear("trace", actor, { run, format })
          ? { ok: true, value: { items: [{ iteration: 1 }], lines: ['{"line":"run"}', '{"line":"end"}'] } }
          : no,
      steer: async (actor, command) =>
        hear("steer", actor, command)
          ? this.#said(session, { ...command, mode: "join", source: "api", request: null, ask: {} })
          : no,
      regenerate: async (actor, command) => {
        if (!hear("regenerate", actor, command)) return no;
        const view = { runId: `${session}.r2`, seq: 9, messageId: "m1", mode: "queue", queued: 0 } as const;
        return { ok: true, value: { ...view, duplicate: false } };
      },
      create: async (actor, command) => {
        const taken = this.#owners.get(session);
        if (taken !== undefined && taken !== actor.subject)
          return { ok: false, error: { status: 409, code: "id_taken", message: "This id is taken." } };
        this.#owners.set(session, actor.subject);
        hear("create", actor, command);
        const made = { session: viewOf(session, actor.subject), created: taken === undefined };
        return { ok: true, value: { ...made, replayed: false } };
      },
      change: async (actor, command) =>
        hear("change", actor, command) ? { ok: true, value: viewOf(session, actor.subject) } : no,
      remove: async (actor) => (hear("remove", actor, null) ? { ok: true, value: null } : no),
      copyPoint: async (actor, scope, atSeq) =>
        hear("copyPoint", actor, { scope, atSeq })
          ? {
              ok: true,
              value: { upTo: 0, session: viewOf(session, actor.subject), stateHash: "0".repeat(64) },
            }
          : no,
      copyEntries: async (actor) => (hear("copyRows", actor, null) ? { ok: true, value: [] } : no),
      copyNames: async (actor) => (hear("copyNames", actor, null) ? { ok: true, value: [] } : no),
      copyText: async (actor) => (hear("copyText", actor, null) ? { ok: true, value: "" } : no),
      recall: async () => ({ ok: true, value: null }),
      adopt: async () => ({ ok: true, value: null }),
      settle: async (actor, command) => {
        this.#owners.set(session, actor.subject);
        hear("settle", actor, command);
        return { ok: true, value: viewOf(session, actor.subject) };
      },
      sourcePage: async (actor, query) =>
        hear("sourcePage", actor, query) ? { ok: true, value: SOURCE_PAGE } : no,
      notice: async () => ({ ok: true, value: { stored: false } }),
      question: async () => ({ ok: true, value: null }),
      memory: async (actor) => (hear("memory", actor, null) ? { ok: true, value: MEMORY } : no),
      remember: async (actor, key, value) =>
        hear("remember", actor, { key, value }) ? { ok: true, value: { key, value, seq: 1 } } : no,
      forget: async (actor, key) => (hear("forget", actor, key) ? { ok: true, value: null } : no),
      share: async (actor, command) =>
        hear("share", actor, command) ? { ok: true, value: shareOf(command) } : no,
      shares: async (actor) =>
        hear("shares", actor, null)
          ? { ok: true, value: { items: [shareOf({ id: "shr_1", run: null, expiresAt: NOW + 1_000 })] } }
          : no,
      unshare: async (actor, id) => (hear("unshare", actor, id) ? { ok: true, value: null } : no),
      shared: async (actor, id) => {
        this.heard.push({ what: "shared", session, actor, with: id });
        return no;
      },
      stream: async (actor, of: StreamOf) => {
        if (!hear("stream", actor, of)) return Response.json(missing, { status: 404 });
        return new Response("data: [DONE]\n\n", { headers: { "x-internal": "1" } });
      },
      connect: async (actor, request) => {
        const allowed = hear("connect", actor, {
          url: request.url,
          headers: Object.fromEntries(request.headers),
        });
        const refusal = this.refusal ?? (allowed ? null : missing);
        if (refusal !== null) return Response.json(refusal, { status: refusal.status });
        const pair = new WebSocketPair();
        pair[1].accept();
        pair[1].send("hello");
        return new Response(null, { status: 101, webSocket: pair[0] });
      },
    };
  };

  #said(session: string, command: SendCommand): ApiResult<SentView> {
    const key = `${session}/${command.id}`;
    const parts = JSON.stringify(command.parts);
    const before = this.#seen.get(key);
    if (before !== undefined) {
      return before.parts === parts
        ? { ok: true, value: { ...before.view, duplicate: true } }
        : { ok: false, error: { status: 409, code: "message_exists", message: "This id was used before." } };
    }
    const n = this.#seen.size + 1;
    const view: SentView = {
      runId: `${session}.r${n}`,
      seq: n,
      messageId: command.id,
      mode: command.mode ?? "queue",
      queued: 0,
      duplicate: false,
    };
    this.#seen.set(key, { parts, view });
    return { ok: true, value: view };
  }
}

function runOf(session: string): RunView {
  const view = runView(session, EMPTY_STATE, aboutRun(), "Delete it.");
  if (view === null) throw new Error("the fixture has no run");
  return view;
}

export const MEMORY: MemoryView = {
  entities: [
    {
      type: "page",
      id: "pg_1",
      name: "Our story",
      fields: { slug: "our-story" },
      focus: true,
      tool: "page_create",
      step: "r1s1",
      seq: 8,
    },
  ],
  facts: [{ key: "tone", value: "warm", seq: 7 }],
  tokens: 12,
  seq: 12,
};

const SOURCE_PAGE: SourcePageView = {
  page: "p1",
  url: "https://alps.example/",
  title: "Passes",
  date: null,
  fetchedAt: new Date(NOW).toISOString(),
  chars: 900,
  start: 0,
  end: 9,
  text: "It opens.",
  quote: { id: "e1", start: 0, end: 9 },
};

const shareOf = ({ id, run, expiresAt }: ShareCommand): ShareView => ({
  id,
  run,
  by: "alice",
  createdAt: new Date(NOW).toISOString(),
  expiresAt: new Date(expiresAt).toISOString(),
});

function viewOf(id: string, owner: string): SessionView {
  const at = new Date(NOW).toISOString();
  const counts = { messageCount: 1, runCount: 1, queued: 0, pendingApprovals: 0, lastSeq: 1, version: 1 };
  const words = {
    title: "Hi",
    titleSource: "auto",
    agent: "default",
    targets: null,
    model: "rehearsal:",
    status: "idle",
  } as const;
  const origin = { forkedFrom: null, imported: false, metadata: {} };
  return { id, owner, ...words, archived: false, ...counts, createdAt: at, updatedAt: at, ...origin };
}

function scheduleOf({ id, text, agent, catchUp }: ScheduleCommand): ScheduleView {
  const at = new Date(NOW).toISOString();
  const when = { kind: "once", at, everyMs: null, cron: null, timeZone: null } as const;
  return {
    id,
    text,
    ...when,
    agent,
    catchUp,
    nextAt: at,
    lastRunId: null,
    missed: null,
    createdAt: at,
    by: "alice",
  };
}

function approvalOf(
  session: string,
  command: Pick<DecideCommand, "approval"> & Partial<DecideCommand>,
): ApprovalView {
  const at = new Date(NOW).toISOString();
  return {
    id: command.approval,
    sessionId: session,
    runId: `${session}.r1`,
    stepId: "r1s1",
    callId: "r1s1c0",
    tool: "page_delete",
    title: "Delete pages",
    summary: "Delete page “About”.",
    impact: [],
    changes: [],
    batch: null,
    warnings: [],
    draft: null,
    why: "It deletes.",
    args: { pages: ["about"] },
    askedArgs: null,
    argsSchema: {},
    decision: { text: "", complete: true },
    editable: true,
    effect: "keyed",
    tainted: false,
    digest: "sha256:e588",
    state: command.decision === "deny" ? "denied" : command.decision === undefined ? "pending" : "approved",
    requester: "alice",
    requesterMayApprove: true,
    approvers: ["owner"],
    needed: 1,
    votes: [],
    escalated: false,
    remember: [],
    createdAt: at,
    expiresAt: at,
    onExpiry: "deny",
    decidedAt: null,
    result: null,
  };
}

const card: ToolCard = {
  name: "page_delete",
  version: 1,
  title: "Delete pages",
  description: "Deletes pages.",
  effect: "keyed",
  tier: "danger",
  gate: "ask",
  reads: "private",
  reach: "none",
  public: false,
  traits: {
    tool: "page_delete",
    effect: "keyed",
    kind: "work",
    polling: null,
    repeatable: false,
    freshMs: 600_000,
    maxCalls: null,
  },
  shape: NO_SHAPE,
  inputSchema: { type: "object" },
  pack: "cms",
  timeoutMs: 30_000,
  observationMax: 8_192,
};

export interface Doors {
  readonly sessions: FakeSessions;
  readonly reported: unknown[];
  /** `who` is a name of TOKENS; null sends no credential */
  call(
    path: string,
    init?: RequestInit & { who?: keyof typeof TOKENS | null; host?: string },
  ): Promise<Response>;
}

/** The agents of the tests' deployment, and those that are stored in its database. */
const storedTools = new StoredTools(env.DB, (error) => console.error(error));
export const openShelf = (config: Config, admins: readonly string[] | null = null): AgentStore =>
  createAgentStore({
    db: env.DB,
    files: agents,
    tools: () => storedTools.onto(createTools(env, "", Date.now, { observations: { read: () => null } }), {}),
    ready: () => storedTools.load(),
    context: { models: config.models, admins, options: optionSchemas(plugins) },
    modelName: config.modelName,
    report: (error) => console.error(error),
  });

/** The tools that are stored in the database of the tests. */
export const openTools = (admins: readonly string[] | null = null, secrets?: unknown): ToolStore =>
  createToolStore({
    db: env.DB,
    code: () => createTools(env, "", Date.now, { observations: { read: () => null } }),
    admins,
    secrets,
    changed: () => Promise.resolve(),
  });

/** The whole app over fakes. Alice asks when nobody else is named. */
export function openDoors(variables: Record<string, unknown> = {}, parts: AppParts = {}): Doors {
  const sessions = new FakeSessions();
  const reported: unknown[] = [];
  let ids = 0;
  const config = parseConfig({ SESSION: {}, DB: {}, MEDIA: {}, AI: {}, AUTH_TOKENS, ...variables });
  const { deps } = withChannels({
    config,
    sessions: sessions.open,
    agents: openShelf(config),
    readingTools: () => createTools(env, "", () => NOW, { observations: { read: () => null } }),
    env: { ...env, ...variables },
    storedTools: openTools(),
    tools: () => ({
      cards: () => [card],
      notOffered: () => [{ tool: "web_search", why: "no key" }],
      leftOut: () => new Set<string>(),
      listedNames: () => [],
    }),
    plugins: [mcpServer(), mcpClient()],
    pictures: null,
    admins: null,
    webhooks: { rules: webhooks, deliveries: createWebhookDeliveries(env.DB) },
    version: "0.0.0",
    now: () => NOW,
    newId: () => `made-id-${String((ids += 1)).padStart(4, "0")}`,
    report: (error) => reported.push(error),
    ...parts,
  });
  const app = createApp(deps);
  return {
    sessions,
    reported,
    call: (path, { who = "alice", host = "cairn.example", ...init } = {}) => {
      const headers = new Headers(init.headers);
      if (who !== null) headers.set("authorization", `Bearer ${TOKENS[who]}`);
      return app.fetch(
        new Request(`https://${host}${path}`, { ...init, headers }),
        env,
        createExecutionContext(),
      );
    },
  };
}

export const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  body: typeof body === "string" ? body : JSON.stringify(body),
  headers: { "content-type": "application/json", ...headers },
});

/** `[status, error code]` of a refusal; the code is null for anything else. */
export async function verdictOf(response: Response): Promise<[number, string | null]> {
  const body = (await response.json().catch(() => null)) as { error?: { code?: string } } | null;
  return [response.status, body?.error?.code ?? null];
}

/** Waits for the close of an accepted socket, with every frame that came before it. */
export function untilClosed(
  response: Response,
): Promise<{ code: number; reason: string; frames: unknown[] }> {
  const socket = response.webSocket;
  if (socket === null) throw new Error(`not upgraded: ${response.status}`);
  const frames: unknown[] = [];
  return new Promise((resolve) => {
    socket.addEventListener("message", ({ data }) => void frames.push(data));
    socket.addEventListener("close", ({ code, reason }) => resolve({ code, reason, frames }));
    socket.accept();
  });
}

const BEAT = {
  enabled: true,
  everyMinutes: 15,
  nextAt: "2030-01-01T00:00:00.000Z",
  lastAt: null,
  idle: 0,
  closed: {},
  skipped: null,
  by: "me",
};
