import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { chat } from "./clients/command.ts";
import { answerOf, fetchLog, ofKind, say } from "./clients/log.ts";
import { useServer } from "./clients/server.ts";

/** Cases that only a real server meets: raw bytes, host names, network frames, a terminal. */

const server = useServer();

/** Bytes to the server as they stand, and then nothing more: all that it says until it hangs up. */
function raw(text: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    let heard = "";
    const socket = connect(Number(port), hostname, () => socket.end(text));
    socket.setEncoding("utf8");
    socket.on("data", (piece: string) => {
      heard += piece;
    });
    socket.once("close", () => resolve(heard));
    socket.once("error", reject);
  });
}

const request = (line: string, host: string, more = "", body = ""): string =>
  `${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${more}\r\n${body}`;
const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);

/** The whole run of a message, and its answer. */
async function expectAlive(session: string): Promise<void> {
  await say(server.url, session, "/say Still here.");
  const idle = await fetch(`${server.url}/api/sessions/${session}/events?until=idle`, {
    headers: { accept: "text/event-stream" },
  });
  await idle.text();
  expect(answerOf(await fetchLog(server.url, session))).toBe("Still here.");
}

const post = (
  session: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) =>
  fetch(`${server.url}/api/sessions/${session}/messages`, {
    method: "POST",
    body,
    headers: { "content-type": "application/json", ...headers },
  });

/** `[status, code]` of a refusal. */
async function verdict(response: Response): Promise<[number, string]> {
  const { error } = (await response.json()) as { error: { code: string } };
  return [response.status, error.code];
}

describe("names of hosts", () => {
  const me = "GET /api/me";
  test.each([
    ["127.0.0.1", 200],
    ["localhost", 200],
    ["LOCALHOST:8787", 200],
    ["[::1]", 200],
    ["example.com", 401],
    ["localhost.example.com", 401],
    ["127.0.0.1.example.com", 401],
    ["xn--4ca.example", 401],
  ])("%s is answered %i: only this machine needs no token", async (host, status) => {
    expect(statusOf(await raw(request(me, host)))).toBe(status);
  });

  test.each(["", "a b", "127.0.0.1@example.com", "[::", "/", "会社.example", "-", "."])(
    "%j lets nobody in and stops nothing",
    async (host) => {
      const answer = await raw(request(me, host));
      expect(answer).not.toContain('"scopes"');
      expect(answer).not.toMatch(/\bat \w+ \(|RangeError/);
      await expectAlive("hosts");
    },
  );
});

describe("bytes on the line", () => {
  test.each([
    ["no HTTP at all", "\u0000\u0001\u0002 hello\r\n\r\n"],
    ["a method that is none", request("BREW /api/me", "127.0.0.1")],
    ["a path that is none", request("GET ../../etc", "127.0.0.1")],
    ["half a request", "POST /api/sessions/raw/messages HTTP/1.1\r\nHost: 127.0.0.1\r\n"],
    [
      "a length below nothing",
      request(
        "POST /api/sessions/raw/messages",
        "127.0.0.1",
        "Content-Type: application/json\r\nContent-Length: -1\r\n",
        '{"text":"/say x"}',
      ),
    ],
    [
      "a piece without its size",
      request(
        "POST /api/sessions/raw/messages",
        "127.0.0.1",
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n",
        'zz\r\n{"text":"/say x"}\r\n',
      ),
    ],
  ])("%s starts nothing, and the next one is served", async (_, bytes) => {
    const answer = await raw(bytes);
    expect([200, 202]).not.toContain(statusOf(answer));
    expect((await fetch(`${server.url}/api/sessions/raw/events`)).status).toBe(404);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  test("a HEAD opens no stream", async () => {
    await say(server.url, "head", "/say x");
    const response = await fetch(`${server.url}/api/sessions/head/events`, {
      method: "HEAD",
      headers: { accept: "text/event-stream" },
    });
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });

  test("2 MiB, and compressed bytes that say so or do not, are refused and start nothing", async () => {
    const packed = new Uint8Array(gzipSync('{"text":"/say x"}'));
    expect(await verdict(await post("large", JSON.stringify({ text: "x".repeat(2_097_152) })))).toEqual([
      413,
      "body_too_large",
    ]);
    expect(await verdict(await post("large", packed, { "content-encoding": "gzip" }))).toEqual([
      415,
      "unsupported_media_type",
    ]);
    expect(await verdict(await post("large", packed))).toEqual([400, "invalid_json"]);
    expect((await fetch(`${server.url}/api/sessions/large/events`)).status).toBe(404);
    await expectAlive("large");
  });

  test("a large body is read to its end wherever it is refused, so that its sender sees why", async () => {
    const body = JSON.stringify({ text: "x".repeat(4_194_304) });
    const headers = { "content-type": "application/json" };
    const send = async (path: string, more: RequestInit = {}) => {
      const response = await fetch(`${server.url}${path}`, { method: "POST", body, headers, ...more });
      await response.arrayBuffer();
      return response.status;
    };
    expect(await send("/api/sessions/large/messages")).toBe(413);
    expect(await send("/api/sessions/large/messages", { headers: { "content-type": "text/plain" } })).toBe(
      415,
    );
    expect(await send("/api/nothing")).toBe(404);
    expect(await send("/api/sessions/large/messages", { method: "PUT" })).toBe(405);
    expect(
      await send("/api/me", { headers: { ...headers, authorization: "Bearer nobody-knows-this" } }),
    ).toBe(401);
    await expectAlive("large");
  });
});

describe("frames of the network", () => {
  /** Sends one frame once the socket is greeted: the code and the reason with which it is closed. */
  function closing(frame: string | Uint8Array<ArrayBuffer>): Promise<[number, string]> {
    const socket = new WebSocket(`${server.url.replace("http", "ws")}/agents/session/frames`);
    return new Promise((resolve) => {
      socket.addEventListener("message", ({ data }) => {
        if (String(data).includes("cairn:hello")) socket.send(frame);
      });
      socket.addEventListener("close", ({ code, reason }) => resolve([code, reason]));
    });
  }

  test.each([
    ["bytes", new Uint8Array([1, 2, 3]), 1003],
    ["1 MiB and a byte", "x".repeat(1_048_577), 1009],
    ["2 MiB", JSON.stringify({ type: "cairn:send", eventId: "e", text: "x".repeat(2_097_152) }), 1009],
  ])("%s closes that socket only", async (_, frame, code) => {
    expect((await closing(frame))[0]).toBe(code);
    await expectAlive("frames");
  });
});

describe("the terminal", () => {
  const ended = async (session: string) => ofKind(await fetchLog(server.url, session), "run_ended").length;

  test.each([
    ["a number", "42", 1],
    ["a truth", "true", 1],
    ["an object", '{"a":1}', 1],
    ["markup", "<script>alert(1)</script>", 1],
    ["Arabic and marks", "\u202eمن نحن\u202c", 1],
    ["emoji", "👩‍👩‍👧‍👦".repeat(100), 1],
    ["10,000 words", Array.from({ length: 10_000 }, (_, at) => `w${at % 97}`).join(" "), 1],
  ])("%s as a wish is answered", async (_, wish, expected) => {
    const { code, out, err } = await chat(server.url, ["--session", "odd", "--", wish]).exit;
    expect({ code, err: err.includes("not understood in a way") }).toEqual({ code: expected, err: false });
    expect(out.trimEnd().endsWith(answerOf(await fetchLog(server.url, "odd")).trim())).toBe(true);
  });

  test.each([
    ["nothing", [""], 2, "empty"],
    ["spaces", ["   "], 2, "empty"],
    ["marks that nobody sees", ["\u200b\u200f"], 1, "says something"],
    ["64 KiB and a byte", ["x".repeat(65_537)], 1, "65536 bytes"],
    ["a session with a slash", ["--session", "a/b", "hi"], 2, "--session"],
    ["a session in Japanese", ["--session", "会社", "hi"], 2, "--session"],
    ["an address that is none", ["--url", "not a url", "hi"], 2, "--url"],
  ])("%s is refused in words", async (_, args, code, words) => {
    const { code: left, err } = await chat(server.url, args).exit;
    expect([left, err.includes(words), /\bat \w+ \(/.test(err)]).toEqual([code, true, false]);
  });

  test("what an answer holds of control characters does not reach the screen", async () => {
    const { code, out } = await chat(server.url, ["/say a\u001b[31mred\u001b]0;title\u0007b"]).exit;
    expect(code).toBe(0);
    // eslint-disable-next-line no-control-regex
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
  });

  test("lines typed at once are worked off one after the other, empty and odd ones among them", async () => {
    const lines = [
      "/say One.",
      "",
      "   ",
      "42",
      "\u0000",
      "/say Two.",
      "/nothing",
      "x".repeat(70_000),
      "/say Three.",
    ];
    const { code, out, err } = await chat(server.url, ["--session", "typed"], `${lines.join("\n")}\n`).exit;
    // Some were answered, and some were not understood.
    expect(code).toBe(3);
    expect(err).toContain("65536 bytes");
    expect(["One.", "Two.", "Three."].map((each) => out.indexOf(each)).every((at) => at >= 0)).toBe(true);
    expect(out.indexOf("One.")).toBeLessThan(out.indexOf("Two."));
    expect(out.trimEnd().endsWith("Three.")).toBe(true);
    expect(await ended("typed")).toBe(ofKind(await fetchLog(server.url, "typed"), "user_message").length);
  });
});
