import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { SERVER } from "../../plugins/channels/email/raw-mail.ts";
import { freePort } from "../../../src/cli/start/dev-server.ts";
import { useServer } from "../clients/server.ts";
import { deliver } from "./local-mail.ts";

/** The server dies while a mail is on its way out: nobody knows whether it arrived, and it is not sent again. */

const WAIT = { timeout: 20_000, interval: 50 };
const given: string[] = [];
let isSilent = false;
let port = 0;
let post: Server;

beforeAll(async () => {
  port = await freePort();
  post = createServer((request, response) => void take(request, response));
  await new Promise<void>((listening) => post.listen(port, "127.0.0.1", listening));
});
afterAll(() => {
  post.closeAllConnections();
  post.close();
});

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  given.push(await text(request));
  if (!isSilent) response.end(`<sent-${given.length}@cairn.example>`);
}

const server = useServer(
  () => [
    "EMAIL_ADDRESS:agent@cairn.example",
    `EMAIL_AUTH_SERVER:${SERVER}`,
    `MAIL_URL:http://127.0.0.1:${port}`,
  ],
  "test/e2e/channels/held-mail-worker.ts",
);

const givenWith = (words: string): readonly string[] => given.filter((mail) => mail.includes(words));

test("a mail is given away once, and told as unknown, when the server dies in the middle of it", async () => {
  const made = await fetch(`${server.url}/api/links`, { method: "POST" });
  const { code } = (await made.json()) as { code: string };
  await deliver(server, { "Message-ID": "<link@example.com>", Subject: "x" }, `/link ${code}`);
  await vi.waitFor(() => expect(givenWith("You are linked")).toHaveLength(1), WAIT);
  isSilent = true;
  await deliver(server, { "Message-ID": "<said@example.com>" }, "/say Told once.");
  await vi.waitFor(() => expect(givenWith("Told once.")).toHaveLength(1), WAIT);
  await server.kill();
  isSilent = false;
  await server.start();
  // The server that brought it did not hear that it was taken, and brings it again.
  await deliver(server, { "Message-ID": "<said@example.com>" }, "/say Told once.");
  const sessions = await fetch(`${server.url}/api/sessions`);
  const [session] = ((await sessions.json()) as { items: { id: string; runCount: number }[] }).items;
  expect(session?.runCount).toBe(1);
  const state = await vi.waitFor(
    async () => {
      const response = await fetch(`${server.url}/api/sessions/${session?.id}/deliveries`);
      const { items } = (await response.json()) as { items: { target: string; state: string }[] };
      const [one] = items.filter(({ target }) => target.startsWith("place:email:"));
      if (one === undefined || one.state === "pending") throw new Error("not settled");
      return one.state;
    },
    { timeout: 120_000, interval: 500 },
  );
  expect(state).toBe("unknown");
  expect(givenWith("Told once.")).toHaveLength(1);
});
