import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPost } from "../../../src/cairn/session/background/webhook-sender.ts";
import { afterTry } from "../../../src/cairn/session/background/delivery-retry.ts";
import { checkSignature } from "../../../src/cairn/webhooks/signatures.ts";

/** A webhook as it is posted to a real server: its signature, its answer, and where it never goes. */

const NOW = 1_700_000_000_000;
const SECRET = "whsec_Y2Fpcm4tZXhhbXBsZS1zZWNyZXQtMDAw";
const BODY = '{"type":"run.ended"}';

const heard: {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}[] = [];
const ANSWERS: Record<string, (response: ServerResponse) => void> = {
  "/ok": (response) => void response.writeHead(204).end(),
  "/moved": (response) => void response.writeHead(307, { location: "/elsewhere" }).end(),
  "/busy": (response) => void response.writeHead(429, { "retry-after": "120" }).end("later"),
  "/dated": (response) =>
    void response.writeHead(503, { "retry-after": new Date(NOW + 90_000).toUTCString() }).end(),
  "/past": (response) =>
    void response.writeHead(503, { "retry-after": new Date(NOW - 90_000).toUTCString() }).end(),
  "/broken": (response) => void response.destroy(),
};

const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => (body += String(chunk)));
  request.on("end", () => {
    const path = request.url ?? "";
    heard.push({ path, headers: request.headers, body });
    (ANSWERS[path] ?? ANSWERS["/ok"])?.(response);
  });
});
let origin = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", () => resolve()));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise<void>((resolve) => void server.close(() => resolve())));

const post = (path: string) => {
  heard.length = 0;
  const target = { id: "ops", url: `${origin}${path}`, secret: SECRET, events: [] };
  return createPost(() => NOW)(target, { id: "n1", body: BODY });
};

describe("a webhook that goes out", () => {
  test("is signed as its receiver checks it, under its own id", async () => {
    expect(await post("/ok")).toEqual({ status: 204, retryAfterMs: null });
    const [first] = heard;
    expect(first?.body).toBe(BODY);
    expect(first?.headers["webhook-id"]).toBe("n1");
    const headers = new Headers(
      Object.entries(first?.headers ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const shown = { headers, bytes: new TextEncoder().encode(BODY) };
    expect(await checkSignature("standard", [SECRET], shown, NOW, 300)).toBe("valid");
  });

  test("does not follow a redirect, and has failed for good by it", async () => {
    const answered = await post("/moved");
    expect(heard.map(({ path }) => path)).toEqual(["/moved"]);
    expect(answered.status).toBe(307);
    expect(afterTry(1, answered, NOW)).toEqual({ then: "failed" });
  });

  test.each([
    ["/busy", { status: 429, retryAfterMs: 120_000 }],
    ["/dated", { status: 503, retryAfterMs: 90_000 }],
    ["/past", { status: 503, retryAfterMs: null }],
    ["/broken", { status: null, retryAfterMs: null }],
  ] as const)("is tried again after %s", async (path, answer) => {
    const answered = await post(path);
    expect(answered).toEqual(answer);
    expect(afterTry(1, answered, NOW)).toEqual({
      then: "retry",
      at: NOW + Math.max(5_000, answer.retryAfterMs ?? 0),
    });
  });
});
