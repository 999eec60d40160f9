import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { openChannels } from "../../fixtures/vendors.ts";
import { issueButtons } from "../../../src/plugins/channels/people/buttons.ts";
import { holds, listLinks } from "../../../src/plugins/channels/people/links.ts";
import { storeSubscription } from "../../../src/plugins/channels/webpush/subscriptions.ts";
import { sessionClient } from "../../../src/cairn/http/kit/session-client.ts";
import { Callers } from "../../../src/cairn/session/commands/callers.ts";
import type { Actor } from "../../../src/cairn/session/api/session-api.ts";
import {
  createStanding,
  createVoterNow,
  policiesNow,
  roleNow,
} from "../../../src/cairn/session/runs/standing.ts";
import { parseConfig } from "../../fixtures/config.ts";
import { openChat, person, type Chat } from "../channels/chat.ts";
import { makeSite } from "../cms/fixture.ts";
import { subscribedBrowser, vapidPair } from "../../plugins/channels/webpush/browser.ts";
import { allow, toolsOf, TOKEN } from "../mcp/oauth-client.ts";
import { post } from "../http/routes-fixture.ts";
import { gated, openApi, type Api } from "../sessions/session-fixture.ts";

/**
 * Every way to act as a person, after something happened to the token by which they got it. A new entry point is a new row:
 * test/cairn/config/rights.test.ts fails where source code looks rights up and no row names it.
 */

beforeAll(makeSite);

const ALL = ["read", "send", "approve"];
const ROOT = { "root-real-token-0001": { subject: "root", scopes: ["admin"] } };
/** Changes to alice's token. */
const CHANGES = {
  nothing: { [TOKEN]: { subject: "alice", scopes: ALL } },
  removed: {},
  expired: { [TOKEN]: { subject: "alice", scopes: ALL, expires: "2020-01-01" } },
  "given to somebody else": { [TOKEN]: { subject: "mallory", scopes: ALL } },
  "replaced by another person of the same name": {
    "other-alice-token-01": { subject: "alice", scopes: ALL },
  },
  narrowed: { [TOKEN]: { subject: "alice", scopes: ["read"] } },
} as const;
type Change = keyof typeof CHANGES;

const SECRET = "0123456789abcdef0123456789abcdef";
const vapid = vapidPair();
let ids = 0;
const id = (): string => `rights-${(ids += 1)}-${crypto.randomUUID().slice(0, 8)}`;

interface World {
  readonly api: Api;
  readonly chat: Chat;
  readonly variables: Readonly<Record<string, unknown>>;
}

function world(change: Change): World {
  const chat = openChat();
  const variables = {
    ALLOW_ANONYMOUS: "false",
    APPROVAL_LINK_SECRET: SECRET,
    AUTH_TOKENS: { ...ROOT, ...CHANGES[change] },
  };
  return { api: openApi(variables, { channels: chat.channels }), chat, variables };
}
const configOf = ({ variables }: World) => parseConfig({ ...env, ...variables });
const bearer = { who: null, headers: { authorization: `Bearer ${TOKEN}` } } as const;
const asAlice = (init: RequestInit = {}) => {
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${TOKEN}`);
  return { ...init, headers, who: null };
};
const root = { who: "root" } as const;

const hears = async ({ api }: World, body: object): Promise<void> => {
  const init = { method: "POST", body: JSON.stringify(body), headers: { "x-secret": "right" }, who: null };
  expect((await api.call("/channels/telegram", init)).status).toBe(200);
};
const codeOf = async ({ api }: World): Promise<string> =>
  (await (await api.call("/api/links", asAlice({ method: "POST" }))).json<{ code: string }>()).code;
async function linked(begun: World) {
  const alice = person(id());
  await hears(begun, alice.commands("link", await codeOf(begun)));
  return { alice, place: alice.says("").user.id };
}
const runsAt = async (place: string, subject = "alice"): Promise<number> => {
  const session = await env.DB.prepare(
    "SELECT session FROM channel_sessions WHERE place = ?1 AND subject = ?2",
  )
    .bind(place, subject)
    .first<string>("session");
  if (session === null) return 0;
  const seen = await world("nothing").api.call(`/api/sessions/${session}`, root);
  return seen.status === 200 ? (await seen.json<{ runCount: number }>()).runCount : 0;
};

/** A run of alice that waits for a yes. */
async function waiting(begun: World, approvers?: readonly string[]) {
  const session = id();
  if (approvers === undefined) {
    const said = await begun.api.call(
      `/api/sessions/${session}/messages`,
      asAlice(post({ text: gated() }, { accept: "text/event-stream" })),
    );
    await said.text();
  } else {
    // Only webhooks name approvers.
    const sender = sessionClient(env, session);
    const alice = { subject: "alice", scopes: ["read", "send"], via: "http" } as const;
    const sent = await sender.send(alice, {
      id: "m1",
      parts: [{ type: "text", text: gated() }],
      mode: null,
      source: "api",
      request: null,
      ask: { approvers },
    });
    if (!sent.ok) throw new Error(sent.error.code);
    await sender.awaitRun(alice, sent.value.runId, 20_000);
  }
  const { activeRun } = await begun.api.json<{ activeRun: { waitingFor: { id: string } } }>(
    200,
    `/api/sessions/${session}`,
    root,
  );
  const approval = activeRun.waitingFor.id;
  const path = `/api/sessions/${session}/approvals/${approval}`;
  const view = (): Promise<{ state: string; digest: string }> => begun.api.json(200, path, root);
  return { session, approval, path, view, digest: (await view()).digest };
}

/** Result of a use: whether anything was done, and the text for the caller. */
interface Used {
  readonly acts: boolean;
  readonly words: string;
}
interface EntryPoint {
  /** the file that looks the rights up */
  readonly at: string;
  /** gets hold of it with the whole token; what is answered uses it in a deployment whose tokens have changed */
  readonly get: (begun: World) => Promise<(later: World) => Promise<Used>>;
  /** it asks for no more than `read`, so a token that was narrowed to that still does */
  readonly reads?: true;
  /** nobody looks at it, so it says nothing */
  readonly isSilent?: true;
  /** it works for a subject, whose other grants are as good */
  readonly bySubject?: true;
}
const lastOf = (chat: Chat): string => chat.sent.at(-1)?.message.text ?? "";
const answered = async (response: Response): Promise<Used> => ({
  acts: response.status < 300,
  words: await response.text(),
});
const UPGRADE = { upgrade: "websocket", connection: "Upgrade" };

const actorOfAlice = (begun: World): Actor => {
  const [grant] = configOf(begun).tokens.filter(({ subject }) => subject === "alice");
  if (grant === undefined) throw new Error("no token of alice");
  return { subject: "alice", scopes: grant.scopes, via: "http", grant: grant.name };
};
/** Permissions of a stored caller in a session. */
const inSession =
  (look: (callers: Callers, caller: Actor) => { readonly scopes: readonly string[] } | null) =>
  (begun: World) => {
    const caller = actorOfAlice(begun);
    return Promise.resolve((later: World): Promise<Used> => {
      const now = look(new Callers(configOf(later)), caller);
      const acts = now?.scopes.includes("send") === true;
      return Promise.resolve({ acts, words: "" });
    });
  };

const ENTRY_POINTS: Readonly<Record<string, EntryPoint>> = {
  "a bearer token": {
    at: "src/cairn/http/kit/credentials.ts",
    get: async () => async (later) => {
      const response = await later.api.call("/api/me", asAlice());
      const words = await response.text();
      return { acts: /"alice".*"send"/.test(words), words: response.ok ? "A valid token is needed" : words };
    },
  },
  "a ticket": {
    at: "src/cairn/http/kit/credentials.ts",
    get: async (begun) => {
      const session = id();
      const minted = await begun.api.call("/api/tickets", asAlice(post({ sessionId: session })));
      const { ticket } = await minted.json<{ ticket: string }>();
      return async (later) => {
        const path = `/agents/session/${session}?ticket=${ticket}`;
        const response = await later.api.call(path, { who: null, headers: UPGRADE });
        const socket = response.webSocket;
        socket?.accept();
        const first = await new Promise<string>((resolve) => {
          socket?.addEventListener("message", () => resolve("open"));
          socket?.addEventListener("close", ({ reason }) => resolve(reason));
        });
        socket?.close();
        return { acts: first === "open", words: first };
      };
    },
    isSilent: true,
  },
  "an open socket of /api/chat/ws": {
    at: "src/cairn/http/routes/chat-socket.ts",
    get: async () => {
      // One socket in one worker, whose configuration is replaced: as fresh as a worker can know it.
      const config = { ...configOf(world("nothing")) };
      const api = openApi({}, { config });
      const response = await api.call("/api/chat/ws", {
        ...bearer,
        headers: { ...bearer.headers, ...UPGRADE },
      });
      const socket = response.webSocket;
      if (socket === null) throw new Error(`no socket: ${response.status}`);
      socket.accept();
      return async (later) => {
        Object.assign(config, { tokens: configOf(later).tokens });
        const session = id();
        const frames: string[] = [];
        const ended = new Promise<string>((resolve) => {
          socket.addEventListener("close", ({ reason }) => resolve(reason));
          socket.addEventListener("message", ({ data }) => {
            frames.push(String(data));
            if (/"type":"(?:end|error)"/.test(String(data))) resolve(String(data));
          });
        });
        const message = { id: "m1", role: "user", parts: [{ type: "text", text: "/say Hello." }] };
        socket.send(
          JSON.stringify({
            type: "send",
            requestId: "q1",
            id: session,
            trigger: "submit-message",
            messages: [message],
          }),
        );
        const words = await ended;
        socket.close();
        const seen = await world("nothing").api.call(`/api/sessions/${session}`, root);
        return { acts: seen.status === 200, words };
      };
    },
    isSilent: true,
  },
  "a message in a linked chat": {
    at: "src/plugins/channels/http/receive-events.ts",
    get: async (begun) => {
      const { alice, place } = await linked(begun);
      return async (later) => {
        await hears(later, alice.says("/say Hello."));
        return { acts: (await runsAt(place)) > 0, words: lastOf(later.chat) };
      };
    },
  },
  "a command in a linked chat": {
    at: "src/plugins/channels/http/receive-events.ts",
    get: async (begun) => {
      const { alice, place } = await linked(begun);
      return async (later) => {
        await hears(later, alice.commands("lean", "/say Hello."));
        return { acts: (await runsAt(place)) > 0, words: lastOf(later.chat) };
      };
    },
  },
  "a list of sessions in a linked chat": {
    at: "src/plugins/channels/http/receive-events.ts",
    get: async (begun) => {
      const { alice } = await linked(begun);
      return async (later) => {
        await hears(later, alice.commands("sessions"));
        return { acts: !lastOf(later.chat).includes("ended"), words: lastOf(later.chat) };
      };
    },
    reads: true,
  },
  "a button of a card": {
    at: "src/plugins/channels/http/receive-events.ts",
    get: async (begun) => {
      const { alice, place } = await linked(begun);
      const { session, approval, digest: shown, view } = await waiting(begun);
      const [token = ""] = await issueButtons(
        env.DB,
        [
          {
            session,
            sessionAt: null,
            approval,
            shown,
            decision: "deny",
            address: { channel: "telegram", place },
            userId: place,
            expiresAt: Date.now() + 3_600_000,
          },
        ],
        Date.now(),
      );
      return async (later) => {
        await hears(later, alice.presses(token));
        return { acts: (await view()).state !== "pending", words: later.chat.told.at(-1) ?? "" };
      };
    },
  },
  "a code that is redeemed": {
    at: "src/plugins/channels/http/receive-events.ts",
    get: async (begun) => {
      const code = await codeOf(begun);
      const alice = person(id());
      return async (later) => {
        await hears(later, alice.commands("link", code));
        const words = lastOf(later.chat);
        await hears(later, alice.says("/say Hello."));
        return { acts: (await runsAt(alice.says("").user.id)) > 0, words };
      };
    },
  },
  "a card and an answer that are sent to a linked chat": {
    at: "src/plugins/channels/people/links.ts",
    get: async (begun) => {
      const { place } = await linked(begun);
      return async (later) => {
        const link = (await listLinks(env.DB, "alice")).find(({ user }) => user.id === place);
        return { acts: link !== undefined && holds(configOf(later), link, Date.now()), words: "" };
      };
    },
    reads: true,
    isSilent: true,
  },
  "a notification of a browser": {
    at: "src/plugins/channels/webpush/plugin.ts",
    get: async (begun) => {
      const endpoint = `https://fcm.googleapis.com/fcm/send/${crypto.randomUUID()}`;
      const { p256dh, auth } = subscribedBrowser(endpoint).subscription.keys;
      await env.DB.prepare("DELETE FROM push_subscriptions WHERE subject = 'alice'").run();
      const { grant = null } = actorOfAlice(begun);
      await storeSubscription(
        env.DB,
        "alice",
        { endpoint, p256dh, auth, name: "A browser", grant },
        Date.now(),
      );
      return async (later) => {
        const service = vi
          .spyOn(globalThis, "fetch")
          .mockImplementation(async () => new Response(null, { status: 201 }));
        const channels = openChannels({
          ...env,
          VAPID_PUBLIC_KEY: vapid.publicKey,
          VAPID_PRIVATE_KEY: vapid.privateKey,
          VAPID_SUBJECT: vapid.subject,
          ...later.variables,
        });
        const sent = channels
          .find("webpush")
          ?.send(
            { kind: "final", text: "Done." },
            { channel: "webpush", place: "alice" },
            id(),
            AbortSignal.timeout(9_000),
          );
        await sent?.catch(() => undefined);
        const acts = service.mock.calls.length > 0;
        service.mockRestore();
        return { acts, words: "" };
      };
    },
    reads: true,
    isSilent: true,
  },
  "a link to an approval": {
    at: "src/cairn/http/links/approval-link.ts",
    get: async (begun) => {
      const { path, view } = await waiting(begun);
      const made = await begun.api.json<{ url: string }>(201, `${path}/link`, {
        ...post({ subject: "alice" }),
        who: "root",
      });
      const link = new URL(made.url).pathname;
      return async (later) => {
        const looked = await later.api.call(link, { who: null, headers: { accept: "application/json" } });
        const decided = await later.api.call(link, { ...post({ decision: "deny" }), who: null });
        expect(looked.ok).toBe(decided.ok);
        return { acts: (await view()).state !== "pending", words: await decided.text() };
      };
    },
  },
  "a read-only link": {
    at: "src/cairn/http/links/share-link.ts",
    get: async (begun) => {
      const session = id();
      await begun.api.call("/api/sessions", asAlice(post({ id: session })));
      const made = await begun.api.call(`/api/sessions/${session}/shares`, asAlice(post({})));
      const { url } = await made.json<{ url: string }>();
      return async (later) =>
        answered(await later.api.call(`/shared/${url.split("/#/shared/")[1]}`, { who: null }));
    },
  },
  "a remembered decision": {
    at: "src/cairn/session/runs/standing.ts",
    get: async (begun) => {
      const { grant = "" } = actorOfAlice(begun);
      const by = { subject: "alice", owner: true, admin: false, grant };
      const policy = {
        id: "p1",
        tool: "publish",
        match: "tool",
        argsDigest: null,
        decision: "approve",
      } as const;
      const meta = { owner: "alice", policies: [{ ...policy, by, expiresAt: Infinity }] };
      return (later) => {
        const left = policiesNow(meta, createVoterNow(configOf(later), null), Date.now());
        return Promise.resolve({ acts: left.length > 0, words: "" });
      };
    },
    isSilent: true,
  },
  "a vote that waits for others": {
    at: "src/cairn/session/runs/standing.ts",
    get: async (begun) => {
      const { grant = "" } = actorOfAlice(begun);
      return (later) => {
        const voter = createVoterNow(configOf(later), null)({ subject: "alice", grant }, "alice", Date.now());
        return Promise.resolve({ acts: voter !== null, words: "" });
      };
    },
    isSilent: true,
  },
  "an assistant": {
    at: "src/plugins/mcp-server/oauth/access.ts",
    get: async (begun) => {
      const { access_token: token } = await allow(begun.api, ["send"]);
      return async (later) => {
        const [status, ...tools] = await toolsOf(later.api, token);
        const words = await later.api.call("/mcp", {
          ...post({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
          headers: {
            authorization: `Bearer ${token}`,
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
          },
          who: null,
        });
        return { acts: status === 200 && tools.length > 0, words: await words.text() };
      };
    },
  },
  "an open socket of a session": {
    at: "src/cairn/session/commands/callers.ts",
    get: inSession((callers, caller) => callers.ofConnection(caller, null, Date.now())),
    isSilent: true,
  },
  "an open stream of a session": {
    at: "src/cairn/session/commands/callers.ts",
    get: inSession((callers, caller) => callers.ofConnection(caller, null, Date.now())),
    isSilent: true,
  },
  "a request that an older worker has let in": {
    at: "src/cairn/session/commands/callers.ts",
    get: async (begun) => {
      const caller = { ...actorOfAlice(begun), version: 1_000 };
      return (later) => {
        const now = new Callers(configOf(later), 2_000).ofRequest(caller, Date.now());
        return Promise.resolve({ acts: now?.scopes.includes("send") === true, words: "" });
      };
    },
    isSilent: true,
  },
  "a run at work, a queued run, a schedule, a heartbeat": {
    at: "src/cairn/session/runs/standing.ts",
    get: async () => (later) => {
      const left = roleNow("member", createStanding(configOf(later), null)("alice", Date.now()));
      return Promise.resolve({ acts: left === "member", words: "" });
    },
    isSilent: true,
    bySubject: true,
  },
};

describe.each(Object.entries(ENTRY_POINTS))("%s", (_, { get, reads, isSilent, bySubject }) => {
  test.each(Object.keys(CHANGES) as Change[])("after its token was changed: %s", async (change) => {
    const use = await get(world("nothing"));
    const { acts, words } = await use(world(change));
    const stays =
      change === "nothing" ||
      (reads === true && change === "narrowed") ||
      (bySubject === true && change === "replaced by another person of the same name");
    expect([acts, words]).toEqual([stays, expect.any(String)]);
    if (stays || isSilent === true || change === "narrowed") return;
    expect(words).toMatch(/access has ended|no longer has access|A valid token is needed/);
  });
});

test("a link to an approval for somebody without a token ends with the admin who has made it", async () => {
  const begun = world("nothing");
  const { path, view } = await waiting(begun, ["guest"]);
  const made = await begun.api.json<{ url: string }>(201, `${path}/link`, {
    ...post({ subject: "guest" }),
    who: "root",
  });
  const link = new URL(made.url).pathname;
  const look = (variables: object) =>
    openApi({ APPROVAL_LINK_SECRET: SECRET, ...variables }).call(link, {
      who: null,
      headers: { accept: "application/json" },
    });
  expect((await look({ AUTH_TOKENS: ROOT })).status).toBe(200);
  expect((await look({ AUTH_TOKENS: CHANGES.nothing })).status).toBe(410);
  const narrowed = { "root-real-token-0001": { subject: "root", scopes: ALL } };
  expect((await look({ AUTH_TOKENS: narrowed })).status).toBe(410);
  expect((await view()).state).toBe("pending");
});

test("an admin's read-only link to a session of somebody else ends when they are an admin no more", async () => {
  const begun = world("nothing");
  const session = id();
  await begun.api.call("/api/sessions", asAlice(post({ id: session })));
  const { url } = await begun.api.json<{ url: string }>(201, `/api/sessions/${session}/shares`, {
    ...post({}),
    ...root,
  });
  const look = (tokens: object) =>
    openApi({ ALLOW_ANONYMOUS: "false", AUTH_TOKENS: tokens }).call(`/shared/${url.split("/#/shared/")[1]}`, {
      who: null,
    });
  const alice = CHANGES.nothing;
  expect((await look({ ...ROOT, ...alice })).status).toBe(200);
  const narrowed = await look({ "root-real-token-0001": { subject: "root", scopes: ALL }, ...alice });
  expect([narrowed.status, await narrowed.text()]).toEqual([410, expect.stringContaining("access_ended")]);
  expect((await look(alice)).status).toBe(410);
});

test("a wider token gives a link no more than it was given", async () => {
  const chat = openChat();
  const small = { AUTH_TOKENS: { ...ROOT, [TOKEN]: { subject: "alice", scopes: ["send"] } } };
  const begun = { ...world("nothing"), api: openApi(small, { channels: chat.channels }), chat };
  const { alice } = await linked(begun);
  const later = world("nothing");
  await hears(later, alice.commands("sessions"));
  expect(lastOf(later.chat)).toContain("lacks the scope “read”");
});

test("an admin sees whose links there are, and ends one; nobody else sees or ends them", async () => {
  const begun = world("nothing");
  const { alice, place } = await linked(begun);
  const { api } = world("removed");
  const listed = await api.json<{ items: { userId: string; subject: string; ended: boolean }[] }>(
    200,
    "/api/links?subject=alice",
    root,
  );
  expect(listed.items.find(({ userId }) => userId === place)).toMatchObject({
    subject: "alice",
    ended: true,
  });
  const all = await begun.api.json<typeof listed>(200, "/api/links?subject=*", root);
  expect(all.items.find(({ userId }) => userId === place)).toMatchObject({ subject: "alice", ended: false });
  const bob = openApi({});
  expect((await bob.call("/api/links?subject=alice", { who: "bob" })).status).toBe(403);
  expect((await bob.call("/api/links?subject=*", { who: "bob" })).status).toBe(403);
  expect((await bob.call(`/api/links/telegram/${place}`, { method: "DELETE", who: "bob" })).status).toBe(404);
  expect((await api.call(`/api/links/telegram/${place}`, { method: "DELETE", who: "root" })).status).toBe(
    204,
  );
  await hears(begun, alice.says("/say Hello."));
  expect(await runsAt(place)).toBe(0);
});

test("a session of another version asks no older worker whose token it does not know", async () => {
  const actor = { ...actorOfAlice(world("nothing")), grant: "unknown-to-the-session" };
  const people = configOf(world("removed"));
  for (const [worker, session, isIn] of [
    [1_000, 2_000, false],
    [2_000, 2_000, true],
    [3_000, 2_000, true],
  ] as const)
    expect(new Callers(people, session).ofRequest({ ...actor, version: worker }, 0) !== null).toBe(isIn);
  // The sessions of the tests know no tokens at all.
  expect((await sessionClient(env, id()).view(actor)).ok).toBe(false);
});
