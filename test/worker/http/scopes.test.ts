import { createPictures } from "../../../src/plugins/cms/http/sent-image.ts";
import { describe, expect, test } from "vitest";
import { ensureSeeded } from "../../../src/plugins/cms/seed/index.ts";
import { openDoors, post, verdictOf } from "./routes-fixture.ts";
import { mcpClient } from "../../../src/plugins/mcp-client/plugin.ts";
import { mcpServer } from "../../../src/plugins/mcp-server/plugin.ts";
import { siteRoutes } from "../site/site-routes.ts";

/** Scenario 7: each path with each single scope. The table is the interface's; that it has every route, the document says. */

type Scope = "read" | "send" | "approve" | "admin";
const WHO = { read: "reader", send: "sender", approve: "approver", admin: "admin" } as const;
const S = "/api/sessions/{id}";
const ALL: readonly Scope[] = ["read", "send", "approve", "admin"];

const counts = {
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
};
const manifest = {
  format: "cairn-site",
  version: 1,
  site: { name: "A" },
  environment: { id: "env_a", name: "a" },
  exportedAt: "2026-01-01T00:00:00.000Z",
  state: "1.1.1",
  counts,
};
const seal = { members: 1, bytes: 1, digest: "0".repeat(64) };

/** Which single scopes suffice, `none` where any credential does; admin always does. */
const TABLE: readonly (readonly [
  method: string,
  path: string,
  needs: readonly Scope[] | "none",
  body?: unknown,
])[] = [
  ["GET", "/api/me", "none"],
  ["GET", "/api/tools", ["read"]],
  ["GET", "/api/tools/stored", ["read"]],
  ["POST", "/api/tools/import", [], {}],
  ["GET", "/api/tools/{name}", ["read"]],
  ["PUT", "/api/tools/{name}", [], { method: "GET", url: "https://api.example.com/" }],
  ["DELETE", "/api/tools/{name}", []],
  ["GET", "/api/agents", ["read"]],
  ["GET", "/api/agents/{name}", ["read"]],
  ["PUT", "/api/agents/{name}", [], { description: "Writes." }],
  ["DELETE", "/api/agents/{name}", []],
  ["GET", "/api/mcp", ["read"]],
  ["GET", "/api/mcp/{name}", ["read"]],
  ["PUT", "/api/mcp/{name}", [], { url: "https://mcp.example.com/mcp" }],
  ["DELETE", "/api/mcp/{name}", []],
  ["GET", "/api/mcp/{name}/sign-in", ["send"]],
  ["DELETE", "/api/mcp/{name}/sign-in", ["send"]],
  ["GET", "/api/mcp/{name}/signed-in", ["send"]],
  ["GET", "/api/usage", ["read"]],
  ["GET", "/api/sessions", ["read"]],
  ["POST", "/api/sessions", ["send"], { id: "ses_demo" }],
  ["POST", "/api/sessions/import", [], {}],
  ["GET", S, ["read"]],
  ["PATCH", S, ["send"], { title: "New" }],
  ["DELETE", S, ["send"]],
  ["GET", `${S}/export`, []],
  ["POST", `${S}/fork`, ["send"], {}],
  ["GET", `${S}/messages`, ["read"]],
  ["POST", `${S}/messages`, ["send"], { text: "Hi." }],
  ["GET", `${S}/events`, ["read"]],
  ["GET", `${S}/trace`, ["read"]],
  ["GET", `${S}/pages/{page}`, ["read"]],
  ["GET", `${S}/memory`, ["read"]],
  ["DELETE", `${S}/memory`, ["send"]],
  ["PUT", `${S}/memory/facts/{key}`, ["send"], { value: "Warm." }],
  ["GET", `${S}/shares`, ["send"]],
  ["POST", `${S}/shares`, ["send"], {}],
  ["DELETE", `${S}/shares/{shareId}`, ["send"]],
  ["POST", `${S}/cancel`, ["send"], {}],
  ["POST", `${S}/continue`, ["send"], {}],
  ["POST", `${S}/steer`, ["send"], { text: "Hi." }],
  ["POST", `${S}/extend`, ["approve"], { runId: "ses_demo.r1", steps: 1 }],
  [
    "POST",
    `${S}/budget-questions/{questionId}`,
    ["approve"],
    { decision: "extend", askedAt: "2026-03-01T12:00:00.000Z" },
  ],
  ["GET", `${S}/deliveries`, ["read"]],
  ["GET", "/api/channels", ["read"]],
  ["GET", "/api/links", ["read"]],
  ["POST", "/api/links", ["send"], {}],
  ["DELETE", "/api/links/{channel}/{userId}", ["send"]],
  ["GET", "/api/push", ["read", "approve"]],
  ["POST", "/api/push", ["read", "approve"], {}],
  ["DELETE", "/api/push/{id}", ["read", "approve"]],
  ["GET", "/api/assistants", "none"],
  ["DELETE", "/api/assistants/{assistantId}", "none"],
  ["GET", "/api/me/notify", ["read"]],
  ["PUT", "/api/me/notify", ["send"], {}],
  ["GET", "/api/approvals", ["approve"]],
  [
    ...(["POST", "/api/approvals/decisions", ["approve"] as const] as const),
    { decisions: [{ sessionId: "ses_demo", approvalId: "r1s1c0a1", decision: "deny", digest: "sha256:0" }] },
  ],
  ["GET", "/api/inbox", ["read", "approve"]],
  ["DELETE", "/api/inbox/{runId}", ["send"]],
  ["GET", `${S}/approvals/{approvalId}`, ["read", "approve"]],
  ["POST", `${S}/approvals/{approvalId}`, ["approve"], { decision: "deny" }],
  ["POST", `${S}/approvals/{approvalId}/preview`, ["approve"], { args: {} }],
  ["POST", `${S}/approvals/{approvalId}/link`, [], { subject: "bob" }],
  ["DELETE", `${S}/policies/{policyId}`, ["approve"]],
  ["GET", `${S}/heartbeat`, ["read"]],
  ["PUT", `${S}/heartbeat`, ["send"], { enabled: true }],
  ["GET", `${S}/schedules`, ["read"]],
  ["POST", `${S}/schedules`, ["send"], { text: "Hi.", everyMs: 3_600_000 }],
  ["GET", `${S}/schedules/{scheduleId}`, ["read"]],
  ["DELETE", `${S}/schedules/{scheduleId}`, ["send"]],
  ["GET", "/api/runs", ["read"]],
  ["POST", "/api/runs", ["send"], { objective: "/say Hi." }],
  ["GET", "/api/runs/{runId}", ["read"]],
  ["DELETE", "/api/runs/{runId}", ["send"]],
  ["GET", "/api/runs/{runId}/tree", ["read"]],
  ["GET", "/api/runs/{runId}/trace", ["read"]],
  ["POST", "/api/runs/{runId}/resume", ["send"], { value: "Yes." }],
  // Both are needed: what is said is answered by a stream.
  ["POST", "/api/chat", [], { id: "ses_demo", messages: [] }],
  ["GET", "/api/chat/{id}/stream", ["read"]],
  ["GET", "/api/chat/ws", "none"],
  ["POST", "/api/tickets", ["read"], { sessionId: "ses_demo" }],
  ["POST", "/api/auth/cookie", "none", {}],
  ["DELETE", "/api/auth/cookie", "none"],
  ["GET", "/api/cms/preview-link", ["send"]],
  ["GET", "/api/cms/outline", ["send"]],
  ["POST", "/api/uploads", ["send"], {}],
  ["GET", "/api/images/{imageId}", ["read"]],
  ["GET", "/api/cms/history", ["send"]],
  ["POST", "/api/cms/undo", ["send"], { operation: "s1/r1s1c0" }],
  ["GET", "/api/cms/change-sets", ["send"]],
  ["POST", "/api/cms/change-sets", ["send"], { session: "mine" }],
  ["GET", "/api/cms/change-sets/{setId}", ["send"]],
  ["DELETE", "/api/cms/change-sets/{setId}", ["approve"]],
  ["POST", "/api/cms/change-sets/{setId}/publish", ["approve"], {}],
  ["GET", "/api/cms/export", ["send"]],
  ["POST", "/api/cms/imports", [], { manifest, seal }],
  ["GET", "/api/cms/imports/{importId}", []],
  ["DELETE", "/api/cms/imports/{importId}", []],
  ["PUT", "/api/cms/imports/{importId}/parts/{n}", []],
  ["POST", "/api/cms/imports/{importId}/finish", []],
  ["POST", "/api/cms/posts", [], { title: "A", content: { body: "b" } }],
  ["POST", "/api/cms/images", []],
  ["GET", "/api/cms/environments", ["read"]],
  ["POST", "/api/cms/environments", [], { name: "staging" }],
  ["PATCH", "/api/cms/environments/{environmentId}", [], { members: [] }],
];

const previewLink = async () => ({ ok: true as const, value: { url: "https://x/", expiresAt: "" } });
const environment = {
  siteId: "site_main",
  environmentId: "env_staging",
  name: "staging",
  isOwn: false,
  path: "/site/~env_staging/",
  members: [],
};
const environments = {
  list: async () => ({ ok: true as const, value: [environment] }),
  create: async () => ({ ok: true as const, value: environment }),
  change: async () => ({ ok: true as const, value: environment }),
};
const outline = async () => ({ ok: true as const, value: { pages: [], heroTitle: null } });
const history = {
  read: async () => ({ ok: true as const, value: { items: [], nextCursor: null } }),
  undo: async () => ({
    ok: true as const,
    value: { operation: "http:1", restored: [], publicNow: false, notes: [], replayed: false },
  }),
};
const set = {
  id: "cs_1",
  name: "Spring",
  session: "mine",
  state: "open" as const,
  version: 1,
  by: "user:alice",
  createdAt: "2026-01-01T00:00:00.000Z",
  publishAt: null,
  publishFailure: null,
};
const settled = {
  operation: "http:1",
  set: { id: "cs_1", name: "Spring", state: "published" },
  publishAt: null,
  publicNow: true,
  replayed: false,
};
const changeSets = {
  list: async () => ({ ok: true as const, value: { items: [set] } }),
  begin: async () => ({ ok: true as const, value: set }),
  show: async () => ({
    ok: true as const,
    value: { ...set, digest: "", items: [], blockers: [], warnings: [], deadLinks: [], conflicts: [] },
  }),
  publish: async () => ({ ok: true as const, value: settled }),
  discard: async () => ({ ok: true as const, value: settled }),
};
const coming = {
  id: "si_1",
  state: "done" as const,
  members: 1,
  received: 1,
  written: 1,
  missing: [],
  reason: null,
  environment: { id: "env_a", name: "a", path: "/site/~env_a/" },
};
const come = async () => ({ ok: true as const, value: coming });
const portable = {
  export: async () => ({ ok: true as const, value: { filename: "a.tar", body: new Blob([]).stream() } }),
  put: async () => ({
    ok: true as const,
    value: { n: 1, name: "site.json", size: 1, replayed: false },
  }),
  begin: come,
  read: come,
  finish: come,
  abandon: come,
};
const posts = {
  post: async () => ({
    ok: true as const,
    value: { became: "checked" as const, id: null, url: null, status: null },
  }),
  image: async () => ({ ok: true as const, value: { imageId: null, deduped: false } }),
};
const open = () =>
  openDoors(
    { APPROVAL_LINK_SECRET: "0123456789abcdef0123456789abcdef" },
    {
      plugins: [
        ...siteRoutes({
          previewLink,
          outline,
          environments,
          history,
          changeSets,
          portable,
          posts,
          images: ensureSeeded,
        }),
        mcpServer(),
        mcpClient(),
      ],
      pictures: createPictures(ensureSeeded),
    },
  );
const filled = (path: string): string =>
  path
    .replace("{approvalId}", "r1s1c0a1")
    .replace("{questionId}", "r1b1")
    .replace("{policyId}", "r1s1c0a1")
    .replace("{scheduleId}", "sch_00000000000000000000")
    .replace("{setId}", "cs_1")
    .replace("{importId}", "si_1")
    .replace("parts/{n}", `parts/1?name=site.json&sha256=${"0".repeat(64)}`)
    .replace("cms/images", "cms/images?filename=a.png")
    .replace("{shareId}", "shr_1")
    .replace("{imageId}", "im_1")
    .replace("{runId}", "ses_demo.r1")
    .replace("{name}", "writer")
    .replace("{key}", "tone")
    .replace("{environmentId}", "env_staging")
    .replace("{id}", "ses_demo")
    .replace("preview-link", "preview-link?type=site");

test("the table has every route of the document, and no other", async () => {
  const response = await open().call("/api/openapi.json", { who: null });
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, unknown>> };
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(TABLE.map(([method, path]) => `${method} ${path}`).toSorted()).toEqual(documented.toSorted());
});

describe.each(TABLE.map((row) => ({ name: `${row[0]} ${row[1]}`, row })))("$name", ({ row }) => {
  const [method, path, needs, body] = row;
  const ask = (who: (typeof WHO)[Scope] | "nobody" | null, doors = open()) => {
    const init = body === undefined ? { method } : { ...post(body), method };
    return doors.call(filled(path), { ...init, who });
  };

  test.each(ALL)("is open with %s alone only if it accepts that scope", async (scope) => {
    const doors = open();
    const response = await ask(WHO[scope], doors);
    const may = needs === "none" || scope === "admin" || needs.includes(scope);
    const isLetIn = [200, 201, 202, 204, 400, 404, 409, 415, 422, 426].includes(response.status);
    const outcome = isLetIn ? "let in" : [...(await verdictOf(response)), doors.sessions.opened.length];
    expect(outcome).toEqual(may ? "let in" : [403, "missing_scope", 0]);
  });

  test("is closed without a scope, and without a credential", async () => {
    const doors = open();
    const [status, code] = await verdictOf(await ask("nobody", doors));
    expect([status === 403, code === "missing_scope"]).toEqual(Array(2).fill(needs !== "none"));
    expect(await verdictOf(await ask(null, doors))).toEqual([401, "unauthenticated"]);
    expect(doors.sessions.opened).toEqual([]);
  });
});
