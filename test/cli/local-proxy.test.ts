import { createServer, get, request, type IncomingMessage, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freePort } from "../../src/cli/start/dev-server.ts";
import { openLocalProxy, type LocalProxy } from "../../src/cli/start/local-proxy.ts";

/** The port of `npm start` before a server that is none of Cairn's: what passes, passes whole. */

const KEY = "key-of-this-test";
let inner: Server;
let door: LocalProxy;
let port: number;
const heard: IncomingMessage[] = [];

beforeEach(async () => {
  heard.length = 0;
  inner = createServer((incoming, answer) => {
    heard.push(incoming);
    if (incoming.url === "/echo") {
      answer.writeHead(201, { "x-cairn-seq": "7", "set-cookie": ["a=1", "b=2"] });
      incoming.pipe(answer);
    } else if (incoming.url === "/stream") {
      answer.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    } else if (incoming.url === "/early") {
      answer.writeHead(413, { connection: "close" }).end("too large");
    } else answer.writeHead(204).end();
  });
  inner.on("upgrade", (incoming: IncomingMessage, socket) => {
    heard.push(incoming);
    if (incoming.url === "/refused") {
      socket.end("HTTP/1.1 426 Upgrade Required\r\ncontent-length: 2\r\n\r\nno");
      return;
    }
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\nhello ",
    );
    socket.pipe(socket);
  });
  inner.listen(0, "127.0.0.1");
  await once(inner, "listening");
  port = await freePort();
  door = await openLocalProxy(port, KEY);
});
afterEach(async () => {
  await door.close();
  inner.closeAllConnections();
  inner.close();
});

const lead = (): void => door.forwardTo((inner.address() as AddressInfo).port);
const UPGRADE = { connection: "Upgrade", upgrade: "websocket" };

describe("before a server is there, and when it is gone", () => {
  test("requests and upgrades are answered with 503", async () => {
    const early = await fetch(door.url);
    expect([early.status, early.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await early.json()).toMatchObject({ error: { code: "starting", requestId: expect.any(String) } });
    const asked = request({ port, host: "127.0.0.1", headers: UPGRADE }).end();
    const [answer]: IncomingMessage[] = await once(asked, "response");
    expect(answer?.statusCode).toBe(503);
    door.forwardTo(await freePort());
    expect((await fetch(door.url)).status).toBe(503);
  });

  test("a port that is taken is told as Node tells it", async () => {
    await expect(openLocalProxy(port, KEY)).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});

describe("what passes", () => {
  test("is the request as it was, with the key", async () => {
    lead();
    const body = "x".repeat(3_000_000);
    const answer = await fetch(`${door.url}/echo`, { method: "POST", body, headers: { "x-mine": "1" } });
    expect(await answer.text()).toBe(body);
    expect([answer.status, answer.headers.get("x-cairn-seq"), answer.headers.getSetCookie()]).toEqual([
      201,
      "7",
      ["a=1", "b=2"],
    ]);
    expect(heard[0]?.headers).toMatchObject({
      host: `127.0.0.1:${port}`,
      "x-mine": "1",
      "x-cairn-local-key": KEY,
      "content-length": "3000000",
    });
    expect((await fetch(door.url, { method: "HEAD" })).status).toBe(204);
  });

  test("is a body in pieces, and an answer before its end", async () => {
    lead();
    const asked = request(`${door.url}/early`, { method: "POST" });
    asked.on("error", () => {}).write("a piece");
    const [answer]: IncomingMessage[] = await once(asked, "response");
    expect(answer?.statusCode).toBe(413);
    asked.destroy();
  });

  test("is a stream: its head before its first event, and its end when nobody reads it any more", async () => {
    lead();
    const asked = get(`${door.url}/stream`);
    const [answer]: IncomingMessage[] = await once(asked, "response");
    expect(answer?.headers["content-type"]).toBe("text/event-stream");
    const left = once(heard[0]?.socket ?? inner, "close");
    asked.destroy();
    await left;
  });

  test("is a socket, in both directions until one side ends it", async () => {
    lead();
    const asked = request({ port, host: "127.0.0.1", path: "/socket", headers: UPGRADE }).end();
    const [answer, socket, first] = await once(asked, "upgrade");
    expect(answer.headers.upgrade).toBe("websocket");
    expect(heard[0]?.headers["x-cairn-local-key"]).toBe(KEY);
    let text = String(first);
    socket.on("data", (more: Buffer) => (text += String(more)));
    socket.write("world");
    while (!text.endsWith("world")) await once(socket, "data");
    expect(text).toBe("hello world");
    const left = once(heard[0]?.socket ?? inner, "close");
    socket.destroy();
    await left;
  });

  test("is an upgrade's refusal", async () => {
    lead();
    const asked = request({ port, host: "127.0.0.1", path: "/refused", headers: UPGRADE }).end();
    const [answer]: IncomingMessage[] = await once(asked, "response");
    let text = "";
    for await (const piece of answer ?? []) text += String(piece);
    expect([answer?.statusCode, text]).toEqual([426, "no"]);
  });
});

test.each([
  ["/cdn-cgi/explorer/api/d1/database", {}, 404],
  ["/CDN-CGI/explorer", {}, 404],
  ["/a/../cdn-cgi/local", {}, 404],
  ["/\\cdn-cgi/local", {}, 400],
  ["http://localhost/api/me", {}, 400],
  ["/api/me", { "MF-Original-URL": "http://localhost/api/me" }, 400],
  ["/api/me", { "mf-op": "GET" }, 400],
  ["/api/me", { "x-cairn-local-key": "guessed" }, 400],
])("%s with %j is refused with %i, and does not pass", async (target, headers, status) => {
  lead();
  for (const kind of [{}, UPGRADE]) {
    const asked = request({ port, host: "127.0.0.1", path: target, headers: { ...headers, ...kind } }).end();
    const [answer]: IncomingMessage[] = await once(asked, "response");
    expect(answer?.statusCode).toBe(status);
    answer?.destroy();
  }
  expect(heard).toEqual([]);
});
