import { describe, expect, test } from "vitest";
import { NOW, openDoors, post, TOKENS, untilClosed, verdictOf, type Doors } from "./routes-fixture.ts";

/** Cookies and tickets: what a browser has where it cannot send a header. */

const OWN = "https://cairn.example";
const upgrade = { upgrade: "websocket" };
const SOCKET = "/agents/session/ses_demo";

describe("the cookie", () => {
  async function cookieOf(doors: Doors, who: keyof typeof TOKENS = "alice"): Promise<string> {
    const response = await doors.call("/api/auth/cookie", { method: "POST", who });
    expect(response.status).toBe(204);
    return (response.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  }
  const by = (cookie: string, more: Record<string, string> = {}) => ({
    who: null,
    headers: { cookie: `a=b; ${cookie}; c=d`, ...more },
  });

  test("is set for a bearer token, for half a day, for this page alone, and cleared", async () => {
    const doors = openDoors();
    const set = async (method: string, host?: string) =>
      (await doors.call("/api/auth/cookie", { method, ...(host === undefined ? {} : { host }) })).headers.get(
        "set-cookie",
      );
    expect(await set("POST")).toMatch(
      /^cairn_auth=[\w-]+; HttpOnly; SameSite=Strict; Path=\/; Max-Age=43200; Secure$/,
    );
    expect(await set("DELETE")).toBe("cairn_auth=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0; Secure");
    expect(await set("POST")).not.toContain(TOKENS.alice);
  });

  test("is set for a bearer token only, and for no body with fields", async () => {
    const doors = openDoors({ ALLOW_ANONYMOUS: "true" });
    const cookie = await cookieOf(doors);
    const again = await doors.call("/api/auth/cookie", { ...by(cookie, { origin: OWN }), method: "POST" });
    expect(await verdictOf(again)).toEqual([401, "unauthenticated"]);
    const anonymous = await doors.call("/api/auth/cookie", { method: "POST", who: null, host: "localhost" });
    expect(await verdictOf(anonymous)).toEqual([401, "unauthenticated"]);
    expect(await verdictOf(await doors.call("/api/auth/cookie", post({ a: 1 })))).toEqual([
      400,
      "unknown_field",
    ]);
  });

  test("reads as its token does, with the own origin or none", async () => {
    const doors = openDoors({ ORIGINS: "https://app.example" });
    const cookie = await cookieOf(doors, "bob");
    const me = async (origin: string | null) => {
      const response = await doors.call("/api/me", by(cookie, origin === null ? {} : { origin }));
      return [response.status, ((await response.json()) as { subject?: string }).subject];
    };
    expect(await me(null)).toEqual([200, "bob"]);
    expect(await me(OWN)).toEqual([200, "bob"]);
    // A listed origin may call with a token of its own; the cookie is not its.
    expect(await me("https://app.example")).toEqual([401, undefined]);
    expect(await me("https://evil.example")).toEqual([403, undefined]);
  });

  test.each([
    ["POST", "/api/sessions/ses_demo/cancel", 202],
    ["PATCH", "/api/sessions/ses_demo", 200],
    ["DELETE", "/api/sessions/ses_demo", 204],
  ] as const)("writes only with the own origin beside it: %s %s", async (method, path, status) => {
    const doors = openDoors({ ORIGINS: "https://app.example" });
    const cookie = await cookieOf(doors);
    const ask = async (headers: Record<string, string>) => {
      const body = method === "DELETE" ? {} : { body: "{}" };
      const init = by(cookie, {
        ...headers,
        ...(method === "DELETE" ? {} : { "content-type": "application/json" }),
      });
      return (await doors.call(path, { ...init, ...body, method })).status;
    };
    expect(await ask({})).toBe(401);
    expect(await ask({ origin: "https://app.example" })).toBe(401);
    expect(await ask({ origin: "http://cairn.example" })).toBe(403);
    expect(doors.sessions.opened).toEqual([]);
    expect(await ask({ origin: OWN })).toBe(status);
  });

  test("opens a socket only with the own origin beside it", async () => {
    const doors = openDoors();
    const cookie = await cookieOf(doors);
    const refused = await doors.call(SOCKET, by(cookie, upgrade));
    expect(await untilClosed(refused)).toEqual({ code: 4401, reason: "unauthenticated", frames: [] });
    const opened = await doors.call(SOCKET, by(cookie, { ...upgrade, origin: OWN }));
    expect(opened.status).toBe(101);
    opened.webSocket?.accept();
    opened.webSocket?.close();
    expect(doors.sessions.heard.at(-1)).toMatchObject({
      what: "connect",
      actor: { subject: "alice", via: "socket" },
    });
    expect(JSON.stringify(doors.sessions.heard.at(-1)?.with)).not.toContain(cookie);
  });

  test("that is wrong, expired or empty is no better and no worse than none; a token beside it wins", async () => {
    const doors = openDoors({ ALLOW_ANONYMOUS: "true", LIMITS: { authFailuresPerMinute: 4 } });
    for (const cookie of [
      "cairn_auth=",
      "cairn_auth=%%%",
      "cairn_auth=d3Jvbmc",
      await cookieOf(openDoors({}, { now: () => NOW - 1 }), "expired"),
    ]) {
      expect(await verdictOf(await doors.call("/api/me", by(cookie)))).toEqual([401, "unauthenticated"]);
      const local = await doors.call("/api/me", { ...by(cookie), host: "localhost" });
      expect([local.status, await local.json()]).toMatchObject([200, { subject: "anonymous" }]);
      const socket = { ...by(cookie, { ...upgrade, origin: "https://localhost" }), host: "localhost" };
      const opened = await doors.call(SOCKET, socket);
      expect(opened.status).toBe(101);
      opened.webSocket?.accept();
      opened.webSocket?.close();
    }
    // Elsewhere it is a wrong token like any other, and they are counted.
    expect((await doors.call("/api/me", by("cairn_auth=d3Jvbmc"))).status).toBe(429);
  });

  test("that is worth nothing any more can be replaced and cleared, by a page of the own origin", async () => {
    const doors = openDoors();
    const stale = by("cairn_auth=d3Jvbmc", { origin: OWN });
    const set = await doors.call("/api/auth/cookie", { ...stale, who: "bob", method: "POST" });
    expect([set.status, set.headers.get("set-cookie")]).toEqual([
      204,
      expect.stringContaining("Max-Age=43200"),
    ]);
    const cleared = await doors.call("/api/auth/cookie", { ...stale, method: "DELETE" });
    expect([cleared.status, cleared.headers.get("set-cookie")]).toEqual([
      204,
      expect.stringMatching(/^cairn_auth=; .*Max-Age=0/),
    ]);
    for (const [headers, status] of [
      [{}, 401],
      [{ origin: OWN }, 401],
      [{ cookie: "cairn_auth=d3Jvbmc" }, 401],
      [{ cookie: "cairn_auth=d3Jvbmc", origin: "https://evil.example" }, 403],
      [{ cookie: "cairn_auth=d3Jvbmc", origin: OWN, authorization: "Bearer wrong-token-000001" }, 401],
    ] as const)
      expect(
        (await doors.call("/api/auth/cookie", { who: null, method: "DELETE", headers })).status,
        JSON.stringify(headers),
      ).toBe(status);
    const both = await doors.call("/api/me", { who: "bob", headers: { cookie: "cairn_auth=d3Jvbmc" } });
    expect(await both.json()).toMatchObject({ subject: "bob" });
  });
});

interface Minted {
  readonly ticket: string;
  readonly expiresAt: string;
  readonly sessionId: string;
  readonly scopes: string[];
}

async function minted(
  doors: Doors,
  body: object = {},
  init: Parameters<Doors["call"]>[1] = {},
): Promise<Minted> {
  const request = post({ sessionId: "ses_demo", ...body }, (init.headers ?? {}) as Record<string, string>);
  const response = await doors.call("/api/tickets", { ...init, ...request });
  expect(response.status).toBe(201);
  return response.json();
}

describe("a ticket", () => {
  const openWith = (doors: Doors, ticket: string, headers: Record<string, string> = {}, path = SOCKET) =>
    doors.call(`${path}?_pk=tab&ticket=${ticket}`, { who: null, headers: { ...upgrade, ...headers } });
  const closed = async (response: Response) => {
    const { code, reason, frames } = await untilClosed(response);
    expect(frames).toEqual([]);
    return [code, reason];
  };

  test("has the scopes of its token, or some of them, for 30 seconds", async () => {
    const doors = openDoors();
    const whole = await minted(doors);
    expect(whole).toEqual({
      ticket: expect.stringMatching(/^[\w-]+\.[\w-]{43}$/),
      expiresAt: new Date(NOW + 30_000).toISOString(),
      sessionId: "ses_demo",
      scopes: ["read", "send", "approve"],
    });
    expect((await minted(doors, { scopes: ["read", "read"] })).scopes).toEqual(["read"]);
    expect((await minted(doors, { scopes: ["approve"] }, { who: "admin" })).scopes).toEqual(["approve"]);
    // The session is asked once for each, when it was made; whether it is theirs is found out at the upgrade.
    expect(doors.sessions.opened).toEqual(["ses_demo", "ses_demo", "ses_demo"]);
  });

  test.each([
    [{ scopes: ["admin"] }, "alice", [403, "missing_scope"]],
    [{ scopes: ["read", "send"] }, "reader", [403, "missing_scope"]],
    [{}, "sender", [403, "missing_scope"]],
    [{ scopes: [] }, "alice", [400, "invalid_request"]],
    [{ scopes: ["all"] }, "alice", [400, "invalid_request"]],
    [{ sessionId: "a b" }, "alice", [400, "invalid_id"]],
    [{ subject: "bob" }, "alice", [400, "unknown_field"]],
  ] as const)("of %j for %s is refused", async (body, who, verdict) => {
    const response = await openDoors().call("/api/tickets", {
      ...post({ sessionId: "ses_demo", ...body }),
      who,
    });
    expect(await verdictOf(response)).toEqual(verdict);
  });

  test("opens its session with its scopes, and the session learns its name and not the ticket", async () => {
    const doors = openDoors();
    const { ticket } = await minted(doors, { scopes: ["read"] });
    const response = await openWith(doors, ticket);
    expect(response.status).toBe(101);
    response.webSocket?.accept();
    response.webSocket?.close();
    const heard = doors.sessions.heard.at(-1);
    expect(heard).toMatchObject({
      what: "connect",
      session: "ses_demo",
      actor: {
        subject: "alice",
        scopes: ["read"],
        via: "socket",
        ticket: expect.stringMatching(/^made-id-/),
      },
      with: { url: "https://cairn.example/agents/session/ses_demo?_pk=tab" },
    });
    expect(JSON.stringify(heard)).not.toContain(ticket.slice(0, 40));
  });

  test("closes the socket wherever it deviates, without a frame and without waking anyone", async () => {
    let now = NOW;
    const doors = openDoors({ ORIGINS: "https://app.example" }, { now: () => now });
    const { ticket } = await minted(doors);
    const theirs = await minted(doors, {}, { headers: { origin: "https://app.example" } });
    doors.sessions.opened.length = 0;
    expect(await closed(await openWith(doors, ticket, {}, "/agents/session/other"))).toEqual([
      4403,
      "ticket_not_valid_here",
    ]);
    expect(await closed(await openWith(doors, ticket, { origin: OWN }))).toEqual([
      4403,
      "ticket_not_valid_here",
    ]);
    expect(await closed(await openWith(doors, theirs.ticket))).toEqual([4403, "ticket_not_valid_here"]);
    const [p = "", s = ""] = ticket.split(".");
    const payload = JSON.parse(atob(p.replaceAll("-", "+").replaceAll("_", "/"))) as object;
    const forged = btoa(JSON.stringify({ ...payload, scopes: ["admin"] }))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replace(/=+$/, "");
    const flipped = (s.startsWith("A") ? "B" : "A") + s.slice(1);
    for (const wrong of [`${forged}.${s}`, `${p}.${flipped}`, p, `${p}.`, `.${s}`, "", "x"])
      expect(await closed(await openWith(doors, wrong))).toEqual([4401, "unauthenticated"]);
    now += 30_000;
    expect(await closed(await openWith(doors, ticket))).toEqual([4401, "unauthenticated"]);
    expect(doors.sessions.opened).toEqual([]);
  });

  test("ends with the token that asked for it", async () => {
    const { ticket } = await minted(openDoors());
    const others = { [TOKENS.bob]: { subject: "alice", scopes: ["read", "send", "approve"] } };
    for (const tokens of [{}, others, { [TOKENS.alice]: { subject: "alice", scopes: ["read"] } }])
      expect(await closed(await openWith(openDoors({ AUTH_TOKENS: tokens }), ticket))).toEqual([
        4401,
        "unauthenticated",
      ]);
    const early = openDoors({}, { now: () => NOW - 1 });
    const short = await minted(early, {}, { who: "expired" });
    expect(await closed(await openWith(openDoors(), short.ticket))).toEqual([4401, "unauthenticated"]);
  });

  test("of the anonymous works on local hosts, where they are allowed", async () => {
    const local = openDoors({ ALLOW_ANONYMOUS: "true" });
    const { ticket } = await minted(local, { sessionId: "mine" }, { who: null, host: "localhost" });
    const ask = (doors: Doors, host: string) =>
      doors.call(`/agents/session/mine?ticket=${ticket}`, { who: null, host, headers: upgrade });
    expect(await closed(await ask(local, "cairn.example"))).toEqual([4401, "unauthenticated"]);
    expect(await closed(await ask(openDoors(), "localhost"))).toEqual([4401, "unauthenticated"]);
    const opened = await ask(local, "localhost");
    expect(opened.status).toBe(101);
    opened.webSocket?.accept();
    opened.webSocket?.close();
    expect(local.sessions.heard.at(-1)).toMatchObject({ what: "connect", actor: { subject: "anonymous" } });
  });

  test("is read at the upgrade of a session and nowhere else", async () => {
    const doors = openDoors();
    const { ticket } = await minted(doors);
    for (const path of ["/api/me", `${SOCKET}/get-messages`, "/api/chat/ws", SOCKET])
      expect(await verdictOf(await doors.call(`${path}?ticket=${ticket}`, { who: null }))).toEqual([
        401,
        "unauthenticated",
      ]);
    const chat = await doors.call(`/api/chat/ws?ticket=${ticket}`, { who: null, headers: upgrade });
    expect(await closed(chat)).toEqual([4401, "unauthenticated"]);
  });

  test("that is wrong counts as a wrong token does, and a socket is then closed with 4429", async () => {
    const doors = openDoors({ LIMITS: { authFailuresPerMinute: 2 } });
    const { ticket } = await minted(doors);
    for (const wrong of ["x", "y"])
      expect(await closed(await openWith(doors, wrong))).toEqual([4401, "unauthenticated"]);
    expect(await closed(await openWith(doors, ticket))).toEqual([4429, "rate_limited"]);
  });
});
