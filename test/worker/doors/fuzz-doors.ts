import { createPictures } from "../../../src/plugins/cms/http/sent-image.ts";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { createChangeSets } from "../../../src/plugins/cms/renderer/api/change-sets.ts";
import { createHistory } from "../../../src/plugins/cms/renderer/api/history.ts";
import { createPosts } from "../../../src/plugins/cms/renderer/api/posts.ts";
import { createExport } from "../../../src/plugins/cms/renderer/api/site-export.ts";
import { createImport } from "../../../src/plugins/cms/renderer/api/site-import.ts";
import { ensureSeeded } from "../../../src/plugins/cms/seed/index.ts";
import { answers } from "../../../src/cairn/protocol/api.ts";
import { Chance } from "../../sim/platform/chance.ts";
import { gated, openApi, type Api } from "../sessions/session-fixture.ts";
import { post } from "../http/routes-fixture.ts";
import { mcpClient } from "../../../src/plugins/mcp-client/plugin.ts";
import { mcpServer } from "../../../src/plugins/mcp-server/plugin.ts";
import { siteRoutes } from "../site/site-routes.ts";

/**
 * Random requests of one tenant, and of strangers, at the doors of another (issue 6.7). Whatever is asked: nothing of the
 * other's content comes back, nothing of hers changes, every refusal has the shape of an error, and nothing breaks.
 */

/** stands in everything that Alice has said, named and been asked */
const MARK = "zebra-quartz-lantern";
const SESSIONS = [
  "alice_talk",
  "alice_waits",
  "bob_talk",
  "bob_other",
  "nobody_has",
  "a.b",
  "..",
  "%2e%2e",
  "x".repeat(65),
  "é",
];
const MINE = "bob_talk";

const pick = <Item>(chance: Chance, items: readonly Item[]): Item =>
  items[chance.below(items.length)] as Item;

interface Known {
  /** of the approval that waits in Alice's session */
  readonly approval: string;
  readonly link: string;
  readonly ticket: string;
  readonly cookie: string;
  /** an import that an admin has begun */
  readonly import: string;
}

const PATHS = [
  "/api/me",
  "/api/tools",
  "/api/agents",
  "/api/agents/writer",
  "/api/agents/default",
  "/api/usage",
  "/api/sessions",
  "/api/approvals",
  "/api/inbox",
  "/api/cms/history",
  "/api/cms/history?session={id}",
  "/api/cms/undo",
  "/api/cms/change-sets",
  "/api/cms/change-sets/cs_nowhere",
  "/api/cms/change-sets/cs_nowhere/publish",
  "/api/cms/export",
  "/api/cms/export?environment={id}",
  "/api/cms/export?after=base.ndjson&members=2&bytes=9&state=1.1&digest={digest}",
  "/api/cms/imports",
  "/api/cms/imports/{import}",
  "/api/cms/imports/{import}/finish",
  "/api/cms/imports/{import}/parts/1?name=base.ndjson&sha256={digest}",
  "/api/cms/imports/{import}/parts/0?name=..%2fx",
  "/api/cms/imports/%2e%2e/parts/1",
  "/api/cms/posts",
  "/api/cms/images?filename=x.png&alt=x",
  "/api/uploads",
  "/api/images/{id}",
  "/api/sessions/import",
  "/api/tickets",
  "/api/auth/cookie",
  "/api/chat",
  "/api/chat/ws",
  "/api/chat/{id}/stream",
  "/api/runs/{id}.r1",
  "/api/runs/{id}.r9",
  "/api/runs/{id}.r1/resume",
  "/api/runs/{id}.r9/resume",
  "/api/sessions/{id}",
  "/api/sessions/{id}/messages",
  "/api/sessions/{id}/events",
  "/api/sessions/{id}/trace",
  "/api/sessions/{id}/pages/%00%2f..?evidence=e1&offset=-1&limit=x",
  "/api/sessions/{id}/memory",
  "/api/sessions/{id}/memory/facts/tone",
  "/api/sessions/{id}/memory/facts/%00%2f..",
  "/api/sessions/{id}/shares",
  "/api/sessions/{id}/shares/x",
  "/api/sessions/{id}/cancel",
  "/api/sessions/{id}/steer",
  "/api/sessions/{id}/extend",
  "/api/sessions/{id}/fork",
  "/api/sessions/{id}/export",
  "/api/sessions/{id}/deliveries",
  "/api/sessions/{id}/schedules",
  "/api/sessions/{id}/schedules/x",
  "/api/sessions/{id}/heartbeat",
  "/api/sessions/{id}/policies/p1",
  "/api/sessions/{id}/approvals/{approval}",
  "/api/sessions/{id}/approvals/{approval}/link",
  "/api/sessions/{id}/approvals/{approval}/preview",
  "/api/sessions/{id}/approvals/r9s9c9a9",
  "/api/sessions/{id}/invented",
  "/agents/session/{id}",
  "/agents/session/{id}/get-messages",
  "/agents/session/{id}/sub/x",
  "/agents/other/{id}",
  "/a/{link}",
  "/a/x.y",
  "/shared/x.y",
  "/hooks/github",
  "/hooks/none",
  "/healthz",
  "/api",
  "/api/%2e%2e/sessions",
  "//api/sessions",
  "/api/sessions/",
];
const QUERIES = [
  "",
  "?q=zebra",
  "?q=lantern*&archived=false",
  "?state=all",
  "?state=all&sessionId={id}",
  "?limit=1",
  "?limit=-1",
  "?cursor=%00",
  "?after=0&limit=1000",
  "?after=9e9",
  "?include=prompts&run=r1",
  "?format=jsonl",
  "?groupBy=session",
  "?groupBy=subject",
  "?until=idle",
  "?before=m1",
  "?ticket={ticket}",
  "?__agents_transport=capnweb",
  "?token=alice-real-token-0001",
  "?_pk=alice",
];
/** The head of a file that an import begins with. */
const MANIFEST = {
  format: "cairn-site",
  version: 1,
  site: { name: "Mine" },
  environment: { id: "env_b", name: "b" },
  exportedAt: "2026-01-01T00:00:00.000Z",
  state: "1.1",
  counts: {
    locales: 1,
    settings: 0,
    collections: 0,
    images: 0,
    pages: 0,
    sections: 0,
    entries: 0,
    navigation: 0,
    redirects: 0,
    published: 0,
  },
};
const SEAL = { members: 2, bytes: 9, digest: "0".repeat(64) };
const BODIES: readonly unknown[] = [
  {},
  [],
  null,
  "text",
  7,
  { text: "/say Hello." },
  { text: "" },
  { text: "/say Hi.", id: "m1" },
  { text: "Hi", mode: "replace" },
  { parts: [{ type: "file", mediaType: "text/plain", url: "http://169.254.169.254/" }] },
  { decision: "approve" },
  { decision: "deny", reason: "x" },
  { decision: "edit", args: { pages: [] } },
  { id: "alice_talk" },
  { id: "bob_other", title: "Mine" },
  { title: "Changed", archived: true },
  { sessionId: "alice_talk" },
  { sessionId: "bob_talk", scopes: ["admin"] },
  { subject: "bob" },
  { atSeq: 1 },
  { all: true },
  { runId: "alice_waits.r1" },
  { runId: "alice_waits.r1", steps: 5 },
  { value: "yes" },
  {
    id: "alice_talk",
    messages: [{ id: "m9", role: "user", parts: [{ type: "text", text: "/say Hi." }] }],
    trigger: "submit-message",
  },
  { id: "alice_waits", messages: [], trigger: "regenerate-message" },
  { text: "/say Later.", everyMs: 86_400_000 },
  { __proto__: null, constructor: { prototype: {} } },
  { environment: "taken", manifest: MANIFEST, seal: SEAL },
  { environment: null, manifest: MANIFEST, seal: { ...SEAL, members: 9e15 } },
  { title: "A post", content: { body: "Text." }, publish: true },
  { format: "cairn.session/1", session: {}, entries: [], blobs: {}, stateHash: "0", seal: "0" },
  { unknown: MARK.slice(0, 5) },
];
const RAW = ["{", '{"text":', "\u0000", "decision=approve", "[".repeat(3_000), '{"text":"\\ud800"}'];
const TYPES = [
  "application/json",
  "application/json",
  "application/json",
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data",
  "application/json; charset=utf-8",
];

/** Requests that ask for something: the others mostly meet a wall. */
const SOUND: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ["POST", "/api/sessions", {}],
  ["POST", "/api/sessions", { id: "bob_other" }],
  ["POST", "/api/sessions", { id: "alice_talk" }],
  ["POST", "/api/sessions/{id}/messages", { text: "/say Hello." }],
  ["POST", "/api/sessions/{id}/steer", { text: "/say Hello." }],
  ["POST", "/api/sessions/{id}/cancel", {}],
  ["POST", "/api/sessions/{id}/fork", { title: "A copy" }],
  ["PATCH", "/api/sessions/{id}", { title: "Renamed" }],
  ["DELETE", "/api/sessions/{id}"],
  ["GET", "/api/sessions/{id}"],
  ["GET", "/api/sessions/{id}/events?limit=1000"],
  ["GET", "/api/sessions/{id}/trace?include=prompts"],
  ["GET", "/api/sessions/{id}/messages"],
  ["GET", "/api/sessions/{id}/pages/p1?evidence=e1"],
  ["GET", "/api/sessions/{id}/memory"],
  ["PUT", "/api/sessions/{id}/memory/facts/tone", { value: "Mine." }],
  ["GET", "/api/sessions?q=zebra"],
  ["GET", "/api/approvals?state=all"],
  ["GET", "/api/usage?groupBy=session"],
  ["GET", "/api/agents/default"],
  ["PUT", "/api/agents/writer", { description: "Mine." }],
  ["DELETE", "/api/agents/writer"],
  ["GET", "/agents/session/{id}/get-messages"],
  ["GET", "/api/chat/{id}/stream"],
  ["GET", "/api/sessions/{id}/approvals/{approval}"],
  ["POST", "/api/sessions/{id}/approvals/{approval}", { decision: "approve" }],
  ["POST", "/api/sessions/{id}/extend", { runId: "alice_waits.r1", steps: 5 }],
  ["GET", "/api/runs/{id}.r1"],
  ["POST", "/api/runs/{id}.r1/resume", { value: "yes" }],
  ["POST", "/api/sessions/{id}/schedules", { text: "/say Later.", everyMs: 86_400_000 }],
  ["GET", "/api/sessions/{id}/schedules"],
  ["PUT", "/api/sessions/{id}/heartbeat", { enabled: true, everyMinutes: 1_440 }],
  ["POST", "/api/tickets", { sessionId: "alice_talk" }],
  ["POST", "/a/{link}", { decision: "approve" }],
  ["GET", "/api/cms/export"],
  ["POST", "/api/cms/imports", { environment: "mine", manifest: MANIFEST, seal: SEAL }],
  ["GET", "/api/cms/imports/{import}"],
  ["PUT", "/api/cms/imports/{import}/parts/2?name=base.ndjson&sha256={digest}", {}],
  ["POST", "/api/cms/imports/{import}/finish", {}],
  ["DELETE", "/api/cms/imports/{import}"],
  ["POST", "/api/cms/posts", { title: "Mine", content: { body: "Text." } }],
];

function headersOf(chance: Chance, known: Known): Record<string, string> {
  const spoofed = JSON.stringify({
    subject: "alice",
    scopes: ["read", "send", "approve", "admin"],
    via: "http",
  });
  const all: readonly (readonly [string, string])[] = [
    ["accept", "text/event-stream"],
    ["accept", "text/html"],
    ["accept", "application/json"],
    ["origin", "https://evil.example"],
    ["origin", "https://cairn.example"],
    ["origin", "null"],
    ["cookie", `cairn_auth=${known.cookie.slice(0, -2)}`],
    ["cookie", "cairn_auth=x"],
    ["idempotency-key", `k${chance.below(5)}`],
    ["if-match", '"1"'],
    ["if-match", "1"],
    ["last-event-id", "1"],
    ["last-event-id", "x"],
    ["x-cairn-actor", spoofed],
    ["x-cairn-subject", "alice"],
    ["x-agents-lifecycle-props", spoofed],
    ["x-channels-identity", "alice"],
    ["x-request-id", "short"],
    ["x-request-id", "a-good-request-id"],
    ["upgrade", "websocket"],
    ["content-encoding", "gzip"],
    ["host", "localhost"],
    ["x-forwarded-for", "127.0.0.1"],
    ["x-http-method-override", "DELETE"],
  ];
  return Object.fromEntries(Array.from({ length: chance.below(4) }, () => pick(chance, all)));
}

interface Asked {
  readonly path: string;
  readonly method: string;
  readonly who: "bob" | null;
  readonly headers: Record<string, string>;
  readonly body: string | null;
}

/** A token with one character changed: of Alice's own link and ticket Bob has none. */
function spoilt(chance: Chance, token: string): string {
  const at = chance.below(token.length);
  const other = token[at] === "A" ? "B" : "A";
  return chance.next() < 0.3 ? token.slice(0, at) : token.slice(0, at) + other + token.slice(at + 1);
}

function requestOf(chance: Chance, known: Known): Asked {
  const id = chance.next() < 0.5 ? pick(chance, ["alice_talk", "alice_waits"]) : pick(chance, SESSIONS);
  const fill = (text: string): string =>
    text
      .replaceAll("{id}", id)
      .replaceAll("{approval}", known.approval)
      .replaceAll("{import}", known.import)
      .replaceAll("{digest}", SEAL.digest)
      .replaceAll("{link}", spoilt(chance, known.link))
      .replaceAll("{ticket}", spoilt(chance, known.ticket));
  if (chance.next() < 0.4) {
    const [method, path, body] = pick(chance, SOUND);
    const headers: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
    return {
      path: fill(path),
      method,
      who: "bob",
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    };
  }
  const method = pick(chance, [
    "GET",
    "GET",
    "POST",
    "POST",
    "POST",
    "PATCH",
    "DELETE",
    "PUT",
    "HEAD",
    "OPTIONS",
  ]);
  const sends = method !== "GET" && method !== "HEAD" && chance.next() < 0.9;
  const headers = headersOf(chance, known);
  if (sends && chance.next() < 0.95) headers["content-type"] = pick(chance, TYPES);
  const who = chance.next() < 0.85 ? "bob" : null;
  if (who === null && chance.next() < 0.5)
    headers["authorization"] = pick(chance, ["Bearer wrong-token-000001", "Basic YTpi", "Bearer"]);
  return {
    path: fill(pick(chance, PATHS)) + (chance.next() < 0.4 ? fill(pick(chance, QUERIES)) : ""),
    method,
    who,
    headers,
    body: sends ? (chance.next() < 0.1 ? pick(chance, RAW) : JSON.stringify(pick(chance, BODIES))) : null,
  };
}

/** Content of an answer: its text, the beginning of its stream, or the first frame of its socket. */
async function contentOf(response: Response): Promise<string> {
  const socket = response.webSocket;
  if (socket !== null) {
    const first = new Promise<string>((resolve) => {
      socket.addEventListener("message", ({ data }) => resolve(String(data)));
      socket.addEventListener("close", ({ code, reason }) => resolve(`${code} ${reason}`));
    });
    socket.accept();
    // A server that sends no greeting closes on an invalid frame.
    if (socket.readyState === WebSocket.OPEN) socket.send("{");
    const said = await first;
    if (socket.readyState === WebSocket.OPEN) socket.close();
    return said;
  }
  if (response.body === null) return "";
  if (!(response.headers.get("content-type") ?? "").startsWith("text/event-stream")) return response.text();
  const reader = response.body.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}

const TRACES = /\bat \S+ \(|\.ts:\d|SQLITE|D1_ERROR|TypeError|node:internal|durable_object/i;

async function prepare(api: Api): Promise<Known> {
  await api.json(201, "/api/sessions", post({ id: "alice_talk", title: MARK, metadata: { note: MARK } }));
  await api.say("alice_talk", `/say It is ${MARK}.`);
  await api.say("alice_waits", `${gated()} ${MARK}`);
  const { activeRun } = await api.json<{ activeRun: { waitingFor: { id: string } } }>(
    200,
    "/api/sessions/alice_waits",
  );
  const approval = activeRun.waitingFor.id;
  await api.json(201, "/api/sessions", { ...post({ id: MINE, title: "Bob's own" }), who: "bob" });
  const at = `/api/sessions/alice_waits/approvals/${approval}/link`;
  const { url } = await api.json<{ url: string }>(201, at, { ...post({ subject: "alice" }), who: "root" });
  const { ticket } = await api.json<{ ticket: string }>(
    201,
    "/api/tickets",
    post({ sessionId: "alice_talk" }),
  );
  const signed = await api.call("/api/auth/cookie", { method: "POST" });
  const cookie = /cairn_auth=([\w-]+)/.exec(signed.headers.get("set-cookie") ?? "")?.[1] ?? "";
  const begun = await api.json<{ id: string }>(201, "/api/cms/imports", {
    ...post({ environment: "theirs", manifest: MANIFEST, seal: SEAL }),
    who: "root",
  });
  return { approval, link: new URL(url).pathname.slice(3), ticket, cookie, import: begun.id };
}

/** All of Alice's that could have changed, or been read. */
async function hers(api: Api): Promise<string> {
  const parts = await Promise.all(
    ["alice_talk", "alice_waits"].flatMap((id) => [
      api.json<object>(200, `/api/sessions/${id}`),
      api.json<object>(200, `/api/sessions/${id}/events?limit=1000`),
    ]),
  );
  return JSON.stringify(parts);
}

/** Sends so many requests of this seed, a few at a time; says how many were answered as they should be. */
export async function fuzz(seed: number, requests: number): Promise<number> {
  const reported: unknown[] = [];
  const most = 10_000_000;
  const api = openApi(
    {
      APPROVAL_LINK_SECRET: "0123456789abcdef0123456789abcdef",
      LIMITS: { requestsPerMinute: most, authFailuresPerMinute: most, messagesPerMinute: most },
    },
    {
      report: (error) => reported.push(error),
      plugins: [
        ...siteRoutes({
          history: createHistory(ensureSeeded),
          changeSets: createChangeSets(ensureSeeded),
          images: ensureSeeded,
          posts: createPosts(ensureSeeded),
          portable: { export: createExport(ensureSeeded), ...createImport(ensureSeeded) },
        }),
        mcpServer(),
        mcpClient(),
      ],
      pictures: createPictures(ensureSeeded),
    },
  );
  const known = await prepare(api);
  const before = await hers(api);
  expect(before).toContain(MARK);
  const chance = new Chance(seed);
  const statuses = new Map<number, number>();
  for (let sent = 0; sent < requests;) {
    const batch = Array.from({ length: Math.min(20, requests - sent) }, () => requestOf(chance, known));
    sent += batch.length;
    await Promise.all(batch.map((asked) => check(api, asked, statuses)));
  }
  expect(reported).toEqual([]);
  expect(await hers(api)).toBe(before);
  // Nobody did anything that only admins may do: the import is unchanged, and there is no other.
  const imports = await env.DB.prepare("SELECT id, state, written FROM site_imports").all();
  expect(imports.results).toEqual([{ id: known.import, state: "receiving", written: 0 }]);
  const parts = await env.DB.prepare("SELECT count(*) AS count FROM site_import_parts").first("count");
  expect(parts).toBe(0);
  // The requests did not all hit one wall: reads, writes and refusals of every kind happened.
  for (const status of [200, 201, 202, 400, 401, 403, 404, 405, 409, 415, 426])
    expect([status, statuses.get(status) ?? 0]).not.toEqual([status, 0]);
  const left = await env.DB.prepare("SELECT view FROM sessions WHERE owner = 'bob'").all();
  expect(JSON.stringify(left.results)).not.toContain(MARK);
  return [...statuses.values()].reduce((sum, count) => sum + count, 0);
}

async function check(api: Api, asked: Asked, statuses: Map<number, number>): Promise<void> {
  const { path, body, ...init } = asked;
  const response = await api.call(path, { ...init, ...(body === null ? {} : { body }) });
  const content = await contentOf(response);
  const { status, headers } = response;
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const said = `${JSON.stringify(asked)} → ${status} ${content.slice(0, 300)}`;
  expect(status, said).not.toBe(500);
  const all = content + JSON.stringify([...headers]);
  expect(all.includes(MARK), said).toBe(false);
  expect(TRACES.test(content), said).toBe(false);
  if (
    status < 400 ||
    asked.method === "HEAD" ||
    headers.get("content-type")?.startsWith("text/html") === true
  )
    return;
  expect(answers().Error.safeParse(JSON.parse(content)).error ?? null, said).toBeNull();
}
