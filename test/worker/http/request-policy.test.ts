import { describe, expect, test } from "vitest";
import { openChannels } from "../../fixtures/vendors.ts";
import { sha256Hex } from "../../../src/cairn/core/log/digest.ts";
import { NOW, openDoors, post, TOKENS, untilClosed, verdictOf } from "./routes-fixture.ts";
import { siteRoutes } from "../site/site-routes.ts";

const upgrade = { upgrade: "websocket" };
const S = "/api/sessions/ses_demo";

describe("healthz", () => {
  const health = async (
    variables: Record<string, unknown>,
    host = "cairn.example",
  ): Promise<Record<string, unknown>> => {
    const response = await openDoors(variables).call("/healthz", { who: null, host });
    return { http: response.status, ...(await response.json<object>()) };
  };

  test("nothing configured is well, and nobody can log in", async () => {
    expect(await health({ AUTH_TOKENS: undefined })).toEqual({
      http: 200,
      status: "ok",
      service: "cairn",
      version: "0.0.0",
      protocol: 1,
      model: "rehearsal:",
      rules: true,
      auth: "none",
      channels: expect.arrayContaining([
        { name: "web", configured: true, missing: [] },
        {
          name: "telegram",
          configured: false,
          missing: ["TELEGRAM_BOT_TOKEN", "TELEGRAM_WEBHOOK_SECRET"],
        },
      ]),
      panels: [],
      problems: [],
    });
  });

  test("says of all channels what GET /api/channels says, and nothing that a variable holds", async () => {
    const doors = openDoors({}, { channels: openChannels({ TELEGRAM_BOT_TOKEN: "123:sentinel" }) });
    const { channels } = await (await doors.call("/healthz", { who: null })).json<{ channels: object[] }>();
    const listed = await (await doors.call("/api/channels", { who: "reader" })).json<{ items: object[] }>();
    expect(channels).toEqual(listed.items);
    expect(channels).toContainEqual({
      name: "telegram",
      configured: false,
      missing: ["TELEGRAM_WEBHOOK_SECRET"],
    });
    expect(JSON.stringify(channels)).not.toContain("sentinel");
  });

  test("the way to log in is that of the host that was asked", async () => {
    const anonymous = { ALLOW_ANONYMOUS: "true" };
    expect((await health(anonymous, "localhost"))["auth"]).toBe("anonymous");
    expect((await health(anonymous))["auth"]).toBe("tokens");
    expect((await health({ ...anonymous, AUTH_TOKENS: undefined }))["auth"]).toBe("none");
  });

  test("a problem of class C or M is 503 and named without its value; one of class F is 200", async () => {
    const broken = await health({ AUTH_TOKENS: '{"sentinel-token-000001"' });
    expect(broken).toMatchObject({
      http: 503,
      status: "misconfigured",
      problems: [
        {
          variable: "AUTH_TOKENS",
          message: expect.stringMatching(/^Must be .* everything but \/healthz is answered with 503\.$/),
        },
      ],
    });
    expect(JSON.stringify(broken)).not.toContain("sentinel");
    expect(await health({ MODEL: "openai-compatible:x" })).toMatchObject({
      http: 503,
      model: "openai-compatible:x",
      rules: false,
      problems: [
        {
          variable: "MODEL",
          message:
            "The model needs OPENAI_COMPATIBLE_BASE_URL. Until it is fixed, no run starts; reading and deciding go on.",
        },
      ],
    });
    expect(await health({ PUBLIC_URL: "nonsense" })).toMatchObject({
      http: 200,
      status: "ok",
      problems: [
        {
          variable: "PUBLIC_URL",
          message: expect.stringMatching(/^Must be .* Only what it is for is off\.$/),
        },
      ],
    });
  });
});

describe("configuration", () => {
  test("a problem of class C closes everything else", async () => {
    const doors = openDoors({ LIMITS: "nonsense" });
    for (const path of ["/api/me", "/api/invented", "/agents/session/x", "/site/", "/"])
      expect(await verdictOf(await doors.call(path))).toEqual([503, "misconfigured"]);
    expect(doors.sessions.opened).toEqual([]);
  });

  test("a problem of class M stops what would start a run, and nothing else", async () => {
    const doors = openDoors({ MODEL: "openai-compatible:x" });
    expect(await verdictOf(await doors.call(`${S}/messages`, post({ text: "hi" })))).toEqual([
      503,
      "model_unavailable",
    ]);
    expect(doors.sessions.opened).toEqual([]);
    expect((await doors.call(`${S}/messages`)).status).toBe(200);
    const decision = await doors.call(`${S}/approvals/r1s1c0a1`, post({ decision: "approve" }));
    expect(decision.status).toBe(200);
  });
});

describe("credentials", () => {
  const me = async (doors = openDoors(), init: Parameters<typeof doors.call>[1] = {}) => {
    const response = await doors.call("/api/me", init);
    return [response.status, response.headers.get("www-authenticate"), await response.json()];
  };
  const bearer = (text: string) => ({ who: null, headers: { authorization: text } });
  const unauthenticated = [401, "Bearer", { error: expect.objectContaining({ code: "unauthenticated" }) }];

  test("a token says who asks", async () => {
    expect(await me()).toEqual([
      200,
      null,
      { subject: "alice", scopes: ["read", "send", "approve"], anonymous: false },
    ]);
  });

  test("a token that is listed as its digest logs in too", async () => {
    const doors = openDoors({
      AUTH_TOKENS: { [`sha256:${sha256Hex(TOKENS.bob)}`]: { subject: "bob", scopes: ["read"] } },
    });
    expect(await me(doors, { who: "bob" })).toEqual([
      200,
      null,
      { subject: "bob", scopes: ["read"], anonymous: false },
    ]);
    expect(await me(doors, { who: "alice" })).toEqual(unauthenticated);
  });

  test("missing, unknown, expired, misplaced and digested tokens are all 401", async () => {
    expect(await me(openDoors(), { who: null })).toEqual(unauthenticated);
    expect(await me(openDoors(), { who: "expired" })).toEqual(unauthenticated);
    for (const header of ["", "Bearer", "Bearer wrong-token-00000001", TOKENS.alice, `Basic ${TOKENS.alice}`])
      expect(await me(openDoors(), bearer(header))).toEqual(unauthenticated);
    expect(await me(openDoors(), bearer(`Bearer sha256:${sha256Hex(TOKENS.alice)}`))).toEqual(
      unauthenticated,
    );
    expect((await openDoors().call(`/api/me?token=${TOKENS.alice}`, { who: null })).status).toBe(401);
  });

  test("a token works until the instant of its end", async () => {
    const doors = openDoors({}, { now: () => NOW - 1 });
    expect((await doors.call("/api/me", { who: "expired" })).status).toBe(200);
  });

  test("anonymous is for local hosts only, and a wrong token stays wrong there", async () => {
    const doors = openDoors({ ALLOW_ANONYMOUS: "true" });
    const scopes = ["read", "send", "approve", "admin"];
    for (const host of ["localhost:8787", "127.0.0.1", "[::1]:8787"]) {
      expect(await me(doors, { who: null, host })).toEqual([
        200,
        null,
        { subject: "anonymous", scopes, anonymous: true },
      ]);
      expect(await me(doors, { ...bearer("Bearer wrong-token-00000001"), host })).toEqual(unauthenticated);
    }
    for (const host of ["example.com", "localhost.example.com", "127.0.0.1.example.com"])
      expect(await me(doors, { who: null, host })).toEqual(unauthenticated);
    expect(await me(openDoors(), { who: null, host: "localhost" })).toEqual(unauthenticated);
  });

  test("where there is a local key, nothing is answered without it, whoever asks and whatever the host", async () => {
    const doors = openDoors({ ALLOW_ANONYMOUS: "true", LOCAL_KEY: "the-key" });
    const asked = (target: string, key: string | null, more: object = {}) => {
      const headers = { ...(key === null ? {} : { "x-cairn-local-key": key }), ...more };
      return doors.call(target, { who: null, host: "localhost", headers });
    };
    for (const target of ["/api/me", "/healthz", "/", "/hooks/x", "/a/x"])
      for (const key of [null, "another", ""])
        expect(await verdictOf(await asked(target, key))).toEqual([403, "not_this_port"]);
    const token = { authorization: `Bearer ${TOKENS.alice}` };
    expect((await asked("/api/me", null, token)).status).toBe(403);
    expect((await asked("/api/sessions/ses_demo", null, upgrade)).status).toBe(403);
    expect((await asked("/api/me", "the-key")).status).toBe(200);
    expect(await (await asked("/healthz", "the-key")).text()).not.toContain("the-key");
  });

  test("an address with too many wrong tokens in a minute is told to wait, until the minute is over", async () => {
    let now = NOW;
    const doors = openDoors({ LIMITS: { authFailuresPerMinute: 2 } }, { now: () => now });
    const from = (address: string, token: string) => ({
      who: null,
      headers: { authorization: `Bearer ${token}`, "cf-connecting-ip": address },
    });
    const ask = async (address: string, token: string) => {
      const response = await doors.call("/api/me", from(address, token));
      return [response.status, response.headers.get("retry-after")];
    };
    expect(await ask("1.1.1.1", "wrong")).toEqual([401, null]);
    now += 20_000;
    expect(await ask("1.1.1.1", "wrong")).toEqual([401, null]);
    expect(await ask("1.1.1.1", TOKENS.alice)).toEqual([429, "40"]);
    expect(await ask("2.2.2.2", TOKENS.alice)).toEqual([200, null]);
    now += 40_001;
    expect(await ask("1.1.1.1", TOKENS.alice)).toEqual([200, null]);
  });
});

describe("default deny", () => {
  test("no path below /api or /agents, known or invented, wakes a session without a credential", async () => {
    const doors = openDoors();
    const known = [S, `${S}/messages`, `${S}/events`, `${S}/cancel`, `${S}/approvals/r1s1c0a1`, "/api/tools"];
    const invented = [
      "/api",
      "/api/",
      "/api/invented",
      `${S}/invented`,
      "/agents",
      "/agents/session/x/sub/y",
    ];
    for (const path of [
      ...known,
      ...invented,
      "/agents/session/x",
      "/agents/session/x/get-messages",
      "/agents/other/x",
    ])
      for (const method of ["GET", "POST", "DELETE"])
        expect(await verdictOf(await doors.call(path, { who: null, method }))).toEqual([
          401,
          "unauthenticated",
        ]);
    expect(doors.sessions.opened).toEqual([]);
  });

  test("an invented path is 404 for everyone who is logged in, and wakes nothing", async () => {
    const doors = openDoors();
    for (const path of [
      "/api",
      "/api/invented",
      `${S}/invented`,
      "/agents/other/x",
      "/agents/session/x/sub/y",
      "/agents/session",
    ])
      expect(await verdictOf(await doors.call(path))).toEqual([404, "not_found"]);
    for (const path of ["/", "/invented", "/%61pi/me", "/API/me", "//api/me"])
      expect(await verdictOf(await doors.call(path, { who: null }))).toEqual([404, "not_found"]);
    expect(doors.sessions.opened).toEqual([]);
  });
});

describe("scopes", () => {
  const who = ["reader", "sender", "approver", "admin", "nobody"] as const;
  const table: [string, string, unknown, number[]][] = [
    ["GET", "/api/me", undefined, [200, 200, 200, 200, 200]],
    ["GET", "/api/tools", undefined, [200, 403, 403, 200, 403]],
    ["GET", S, undefined, [200, 403, 403, 200, 403]],
    ["GET", `${S}/messages`, undefined, [200, 403, 403, 200, 403]],
    ["POST", `${S}/messages`, { text: "hi" }, [403, 202, 403, 202, 403]],
    ["GET", `${S}/events`, undefined, [200, 403, 403, 200, 403]],
    ["GET", `${S}/trace`, undefined, [200, 403, 403, 200, 403]],
    ["GET", `${S}/memory`, undefined, [200, 403, 403, 200, 403]],
    ["POST", `${S}/cancel`, {}, [403, 202, 403, 202, 403]],
    ["GET", `${S}/approvals/r1s1c0a1`, undefined, [200, 403, 200, 200, 403]],
    ["POST", `${S}/approvals/r1s1c0a1`, { decision: "deny" }, [403, 403, 200, 200, 403]],
    ["GET", "/api/cms/preview-link?type=site", undefined, [403, 200, 403, 200, 403]],
    ["GET", "/agents/session/ses_demo", undefined, [426, 426, 426, 426, 426]],
    ["GET", "/agents/session/ses_demo/get-messages", undefined, [200, 403, 403, 200, 403]],
    ["GET", "/api/invented", undefined, [404, 404, 404, 404, 404]],
  ];

  test.each(table)("%s %s with each single scope", async (method, path, body, expected) => {
    const previewLink = async () => ({ ok: true as const, value: { url: "https://x/", expiresAt: "" } });
    const doors = openDoors({}, { plugins: siteRoutes({ previewLink }) });
    const init = body === undefined ? { method } : post(body);
    const statuses: number[] = [];
    for (const name of who) {
      const opened = doors.sessions.opened.length;
      const response = await doors.call(path, { ...init, who: name });
      const [status, code] = await verdictOf(response);
      statuses.push(status);
      if (status !== 403) continue;
      expect(code).toBe("missing_scope");
      expect(doors.sessions.opened.length).toBe(opened);
    }
    expect(statuses).toEqual(expected);
  });

  test("a stream of one's own message needs read beside send", async () => {
    const doors = openDoors();
    const stream = post({ text: "hi" }, { accept: "text/event-stream" });
    expect(await verdictOf(await doors.call(`${S}/messages`, { ...stream, who: "sender" }))).toEqual([
      403,
      "missing_scope",
    ]);
    expect(doors.sessions.opened).toEqual([]);
  });
});

describe("methods", () => {
  const allowed: [string, string][] = [
    ["/healthz", "GET, HEAD"],
    ["/api/me", "GET, HEAD"],
    ["/api/tools", "GET, HEAD"],
    [S, "GET, PATCH, DELETE, HEAD"],
    [`${S}/messages`, "GET, POST, HEAD"],
    [`${S}/events`, "GET, HEAD"],
    [`${S}/cancel`, "POST"],
    [`${S}/approvals/r1s1c0a1`, "GET, POST, HEAD"],
    ["/agents/session/x", "GET, HEAD"],
    ["/agents/session/x/get-messages", "GET, HEAD"],
  ];

  test.each(allowed)("%s allows %s", async (path, allow) => {
    const doors = openDoors();
    for (const method of ["PUT", "OPTIONS"]) {
      const response = await doors.call(path, { method, who: "nobody" });
      expect(response.headers.get("allow")).toBe(allow);
      expect(await verdictOf(response)).toEqual([405, "method_not_allowed"]);
    }
    expect(doors.sessions.opened).toEqual([]);
  });

  test("HEAD has the status and headers of GET, no body, and opens no stream", async () => {
    const doors = openDoors();
    const accept = { accept: "text/event-stream" };
    for (const path of ["/healthz", "/api/me", `${S}/messages?limit=1`, `${S}/events`, "/api/invented"]) {
      const [get, head] = [
        await doors.call(path),
        await doors.call(path, { method: "HEAD", headers: accept }),
      ];
      expect([head.status, head.headers.get("x-cairn-more"), head.headers.get("cache-control")]).toEqual([
        get.status,
        get.headers.get("x-cairn-more"),
        get.headers.get("cache-control"),
      ]);
      expect(await head.text()).toBe("");
    }
    expect(doors.sessions.heard.map((call) => call.what)).not.toContain("stream");
    expect((await doors.call(`${S}/cancel`, { method: "HEAD" })).status).toBe(405);
  });
});

describe("origins", () => {
  const ORIGINS = "https://app.example.com";
  const from = (origin: string) => ({ headers: { origin } });

  test("a foreign origin is refused with a valid token too, before the credential is looked at", async () => {
    const doors = openDoors({ ORIGINS });
    for (const origin of [
      "https://evil.example",
      "null",
      "http://cairn.example",
      "https://app.example.com.evil.example",
    ]) {
      const response = await doors.call("/api/me", from(origin));
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
      expect(await verdictOf(response)).toEqual([403, "origin_not_allowed"]);
      expect(await verdictOf(await doors.call("/api/me", { ...from(origin), who: null }))).toEqual([
        403,
        "origin_not_allowed",
      ]);
    }
    expect((await doors.call("/healthz", from("https://evil.example"))).status).toBe(200);
  });

  test("the own origin needs no CORS headers", async () => {
    const response = await openDoors({ ORIGINS }).call("/api/me", from("https://cairn.example"));
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([200, null]);
  });

  test("a listed origin gets CORS headers on answers and refusals, never with credentials", async () => {
    const doors = openDoors({ ORIGINS });
    for (const [who, status] of [
      ["alice", 200],
      [null, 401],
    ] as const) {
      const response = await doors.call("/api/me", { ...from(ORIGINS), who });
      const header = (name: string) => response.headers.get(name);
      expect([response.status, header("access-control-allow-origin"), header("vary")]).toEqual([
        status,
        ORIGINS,
        "Origin",
      ]);
      expect(header("access-control-allow-credentials")).toBeNull();
      expect(header("access-control-expose-headers")).toContain("x-cairn-run-id");
    }
  });

  test("a preflight is answered without a credential, alike for every path", async () => {
    const doors = openDoors({ ORIGINS });
    const preflight = (origin: string) => ({
      who: null,
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST" },
    });
    for (const path of [`${S}/messages`, "/api/invented"]) {
      const response = await doors.call(path, preflight(ORIGINS));
      expect(response.status).toBe(204);
      expect(response.headers.get("access-control-max-age")).toBe("600");
      expect(response.headers.get("access-control-allow-headers")).toContain("idempotency-key");
      expect((await doors.call(path, preflight("https://evil.example"))).status).toBe(403);
    }
    expect(doors.sessions.opened).toEqual([]);
  });
});

describe("requests and answers", () => {
  test("headers that only Cairn sets are taken off", async () => {
    const doors = openDoors();
    const forged = {
      "x-cairn-actor": '{"subject":"root","scopes":["admin"],"via":"http"}',
      "x-cairn-subject": "root",
      "x-agents-lifecycle-props": '{"evil":1}',
      "x-channels-identity": "root",
    };
    const response = await doors.call("/agents/session/ses_demo?_pk=tab&ticket=t&x=1", {
      headers: { ...upgrade, ...forged },
    });
    expect(response.status).toBe(101);
    const [call] = doors.sessions.heard;
    expect(call?.actor).toEqual({
      subject: "alice",
      scopes: ["read", "send", "approve"],
      via: "socket",
      grant: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(call?.with).toEqual({
      url: "https://cairn.example/agents/session/ses_demo?_pk=tab",
      headers: { upgrade: "websocket", "x-request-id": "made-id-0001" },
    });
  });

  test("an error has its code, words, hint and request id, and every answer the same headers", async () => {
    const response = await openDoors().call("/api/invented", {
      headers: { "x-request-id": "my-request-01" },
    });
    expect(Object.fromEntries(response.headers)).toEqual({
      "cache-control": "no-store",
      "content-type": "application/json",
      "x-content-type-options": "nosniff",
      "x-request-id": "my-request-01",
    });
    expect(await response.json()).toEqual({
      error: {
        code: "not_found",
        message: "There is nothing here.",
        hint: "Check the path and the id.",
        requestId: "my-request-01",
      },
    });
  });

  test("a request id that is none is replaced", async () => {
    for (const id of ["short", "with space", "x".repeat(65), "<script>"]) {
      const response = await openDoors().call("/healthz", { headers: { "x-request-id": id } });
      expect(response.headers.get("x-request-id")).toBe("made-id-0001");
    }
  });

  test("an exception is 500 without details, and reported", async () => {
    const doors = openDoors();
    doors.sessions.fault = new Error("SQLITE_CORRUPT in class Session");
    const response = await doors.call(S);
    const body = await response.text();
    expect([response.status, JSON.parse(body).error.code]).toEqual([500, "internal"]);
    expect(body).not.toMatch(/SQLITE|Session|stack/);
    expect(doors.reported).toEqual([doors.sessions.fault]);
  });

  test("a transport that would pin an object is refused everywhere", async () => {
    const doors = openDoors();
    const pinned = "__agents_transport=capnweb";
    expect(await verdictOf(await doors.call(`/api/me?${pinned}`))).toEqual([400, "unsupported_transport"]);
    const twice = `/agents/session/ses_demo?__agents_transport=cf-websocket&${pinned}`;
    expect(await verdictOf(await doors.call(twice, { headers: upgrade }))).toEqual([
      400,
      "unsupported_transport",
    ]);
    expect(doors.sessions.opened).toEqual([]);
    const plain = await doors.call("/agents/session/ses_demo?__agents_transport=cf-websocket", {
      headers: upgrade,
    });
    expect(plain.status).toBe(101);
  });
});

describe("sockets", () => {
  test("an accepted upgrade is the session's own socket", async () => {
    const response = await openDoors().call("/agents/session/ses_demo", { headers: upgrade });
    const socket = response.webSocket;
    if (socket === null) throw new Error("not upgraded");
    const frame = new Promise((resolve) => socket.addEventListener("message", ({ data }) => resolve(data)));
    socket.accept();
    expect([response.headers.get("x-request-id"), await frame]).toEqual(["made-id-0001", "hello"]);
    socket.close();
  });

  test.each([
    ["no credential", { who: null, headers: upgrade }, "/agents/session/ses_demo", 4401, "unauthenticated"],
    [
      "an expired token",
      { who: "expired", headers: upgrade },
      "/agents/session/ses_demo",
      4401,
      "unauthenticated",
    ],
    [
      "an unknown ticket",
      { who: null, headers: upgrade },
      "/agents/session/ses_demo?ticket=x",
      4401,
      "unauthenticated",
    ],
    [
      "a foreign origin",
      { headers: { ...upgrade, origin: "https://evil.example" } },
      "/agents/session/ses_demo",
      4403,
      "origin_not_allowed",
    ],
    [
      "no scope to read",
      { who: "sender", headers: upgrade },
      "/agents/session/ses_demo",
      4403,
      "missing_scope",
    ],
    ["a name that is no id", { headers: upgrade }, "/agents/session/a%2Fb", 4400, "invalid_id"],
  ] as const)(
    "%s closes the socket with its code and no frame, and wakes nothing",
    async (_, init, path, code, reason) => {
      const doors = openDoors();
      expect(await untilClosed(await doors.call(path, init))).toEqual({ code, reason, frames: [] });
      expect(doors.sessions.opened).toEqual([]);
    },
  );

  test("a refusal of the session itself closes with its code too", async () => {
    const doors = openDoors();
    const foreign = await doors.call("/agents/session/ses_demo", { who: "bob", headers: upgrade });
    expect(await untilClosed(foreign)).toEqual({ code: 4403, reason: "not_found", frames: [] });
    doors.sessions.refusal = { status: 429, code: "rate_limited", message: "Too many sockets." };
    const crowded = await doors.call("/agents/session/ses_demo", { headers: upgrade });
    expect(await untilClosed(crowded)).toEqual({ code: 4429, reason: "rate_limited", frames: [] });
  });

  test("on /api/chat/ws each frame is a request of its subject, and one too many is told before it closes", async () => {
    const doors = openDoors({ LIMITS: { requestsPerMinute: 3 } });
    const response = await doors.call("/api/chat/ws", { headers: upgrade });
    const ended = untilClosed(response);
    for (const requestId of ["q1", "q2", "q3"])
      response.webSocket?.send(JSON.stringify({ type: "abort", requestId }));
    const errorText = "Too many requests in a minute. Open the socket again in 60 s.";
    expect(await ended).toEqual({
      code: 4429,
      reason: "rate_limited",
      frames: [JSON.stringify({ type: "error", requestId: "q3", errorText })],
    });
    expect(await verdictOf(await doors.call("/api/me"))).toEqual([429, "rate_limited"]);
    expect((await doors.call("/api/me", { who: "bob" })).status).toBe(200);
  });

  test("a socket of /api/chat/ws that has sent too many frames is told so before it closes", async () => {
    const doors = openDoors({ LIMITS: { framesPerMinute: 1 } });
    const response = await doors.call("/api/chat/ws", { headers: upgrade });
    const ended = untilClosed(response);
    for (const requestId of ["q1", "q2"])
      response.webSocket?.send(JSON.stringify({ type: "abort", requestId }));
    const { code, frames } = await ended;
    expect([code, frames]).toEqual([4429, [expect.stringContaining('"requestId":"q2"')]]);
    expect((await doors.call("/api/me")).status).toBe(200);
  });

  test("without an upgrade it is 426, and the stock list of a missing or foreign session is empty", async () => {
    const doors = openDoors();
    expect(await verdictOf(await doors.call("/agents/session/ses_demo"))).toEqual([426, "upgrade_required"]);
    const list = async (id: string, who: "alice" | "bob") =>
      (await doors.call(`/agents/session/${id}/get-messages`, { who })).json();
    expect(await list("ses_demo", "alice")).toEqual([{ id: "m1", role: "user", parts: [] }]);
    expect(await list("ses_demo", "bob")).toEqual([]);
    expect(await list("none", "bob")).toEqual([]);
  });
});
