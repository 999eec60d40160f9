import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, inject, test, vi } from "vitest";
import { startTelegram } from "../../../scripts/channels-demo/telegram.ts";
import { freePort } from "../../../src/cli/start/dev-server.ts";
import { run } from "../clients/command.ts";

/** `npm run channels:demo`: a person in a terminal, whose words and presses go through a Telegram of this machine. */

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "cairn-channels-demo-"));
});
afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }));

/** Another start with the same databases, which must take what comes for something new. */
async function answersAgain(options: readonly string[], line: string, answer: string): Promise<void> {
  const again = run("npm", ["run", "--silent", "channels:demo", "--", ...options], null);
  await again.saw("You are linked as anonymous");
  again.child.stdin?.write(`${line}\n`);
  await again.saw(answer);
  again.child.stdin?.write("/quit\n");
  expect((await again.exit).code).toBe(0);
}

test("npm run channels -- telegram sets a bot up, and --check says that it is", async () => {
  const telegram = await startTelegram();
  const variables = {
    TELEGRAM_BOT_TOKEN: telegram.token,
    TELEGRAM_BASE_URL: telegram.url,
    CAIRN_URL: "https://cairn.example",
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  try {
    const set = await run("npm", ["run", "--silent", "channels", "--", "telegram"]).exit;
    expect(set.code).toBe(0);
    expect(set.out).toContain(telegram.webhook?.secret);
    expect(set.out + set.err).not.toContain(telegram.token);
    const seen = await run("npm", ["run", "--silent", "channels", "--", "telegram", "--check"]).exit;
    expect(seen.code).toBe(0);
    expect(seen.out).toContain("https://cairn.example/channels/telegram.");
  } finally {
    vi.unstubAllEnvs();
    await telegram.close();
  }
});

test("says, decides by a number, and tells in the end what waits", async () => {
  const port = await freePort();
  const options = ["--port", String(port), "--persist-to", directory];
  const demo = run("npm", ["run", "--silent", "channels:demo", "--", ...options], null);
  const type = (line: string): unknown => demo.child.stdin?.write(`${line}\n`);
  await demo.saw("You are linked as anonymous");

  type("Find the weather in Paris and send it to me on Telegram");
  await demo.saw("18 degrees");
  await demo.saw("My answer is sent to where you wrote from.");
  expect(demo.out().split("18 degrees")).toHaveLength(2);
  expect(demo.out()).not.toContain("I did not understand");

  const gated = ['page_create {"name":"Gate"}', 'page_delete {"pages":["gate"]}'];
  type(`/call ${gated[0]}`);
  await demo.saw("page_create: ok");
  type(`/call ${gated[1]}`);
  await demo.saw("[1] Approve");
  type("1");
  await demo.saw("page_delete: ok");
  await demo.saw("Cairn (changed): ");
  type("1");
  await demo.saw("The button 1 is not there any more.");

  type('/call ask_human {"question":"Which colour?"}');
  await demo.saw("Which colour?");
  type("/quit");
  const { code, out } = await demo.exit;
  expect(code).toBe(0);
  expect(out).toContain("waits for a person");
  expect(out.trimEnd().endsWith("Nothing runs any more.")).toBe(true);
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow("fetch failed");
  await answersAgain(options, "/help", "begins a new conversation");
});

test("--channel slack is the same in a Slack of this machine", async () => {
  await cp(inject("migrated"), directory, { recursive: true });
  const port = await freePort();
  const options = ["--channel", "slack", "--port", String(port), "--persist-to", directory];
  const demo = run("npm", ["run", "--silent", "channels:demo", "--", ...options], null);
  const type = (line: string): unknown => demo.child.stdin?.write(`${line}\n`);
  await demo.saw("You are linked as anonymous");
  type("Find the weather in Paris and send it to me on Slack");
  await demo.saw("18 degrees");
  expect(demo.out()).not.toContain("I did not understand");
  type('/call page_create {"name":"Gate"}');
  await demo.saw("page_create: ok");
  type('/call page_delete {"pages":["gate"]}');
  await demo.saw("[1] Approve");
  type("1");
  await demo.saw("page_delete: ok");
  await demo.saw("Cairn (changed): ");
  type("/cairn help");
  await demo.saw("only you see this");
  type("/quit");
  const { code, out } = await demo.exit;
  expect(code).toBe(0);
  expect(out.trimEnd().endsWith("Nothing runs any more.")).toBe(true);
  await answersAgain(options, '/call page_create {"name":"Again"}', "page_create: ok");
});
