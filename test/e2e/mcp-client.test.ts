import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { PROJECT } from "../../src/cli/places.ts";
import { freePort } from "../../src/cli/start/dev-server.ts";
import { allAnswers as answers, type AnswerName } from "../fixtures/answers.ts";
import { answerOf, callsOf, fetchLog, ofKind } from "./clients/log.ts";
import { isCurl, parseExamples, readPage, typeInto } from "./clients/pages.ts";
import { useServer } from "./clients/server.ts";

/** A reference server of the protocol, unmodified, on this machine: its tool is called behind an approval, as docs/mcp-servers.md says. */

const MODULES = path.join(PROJECT, "node_modules/@modelcontextprotocol");
/** one with tools, and one where everybody signs in (its login page says yes by itself) */
const WITH_TOOLS = [path.join(MODULES, "server-everything/dist/index.js"), "streamableHttp"];
const WITH_OAUTH = [
  path.join(MODULES, "sdk/dist/esm/examples/server/simpleStreamableHttp.js"),
  "--oauth-strict",
  "--oauth",
];

let port = 0;
let oauthPort = 0;
let loginPort = 0;
const running = new Set<ChildProcess>();
async function startReference(args: readonly string[], env: Record<string, string>): Promise<ChildProcess> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  await new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (said: Buffer) => {
        if (String(said).includes("Streamable HTTP Server listening")) resolve();
      });
  });
  return child;
}
const startEvery = (): Promise<ChildProcess> => startReference(WITH_TOOLS, { PORT: String(port) });
async function end(child: ChildProcess): Promise<void> {
  running.delete(child);
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

let every: ChildProcess;
beforeAll(async () => {
  port = await freePort();
  oauthPort = await freePort();
  loginPort = await freePort();
  every = await startEvery();
  await startReference(WITH_OAUTH, { MCP_PORT: String(oauthPort), MCP_AUTH_PORT: String(loginPort) });
});
afterAll(async () => {
  for (const child of running) await end(child);
});

const cairn = useServer(() => {
  const origins = [
    `http://127.0.0.1:${port}`,
    `http://localhost:${oauthPort}`,
    `http://localhost:${loginPort}`,
  ];
  return [`MCP_LOCAL:${origins.join(",")}`, "MCP_TOKEN_SECRET:a-secret-of-this-test-0123456789abcdef"];
});
const ask = async (session: string, text: string): Promise<void> => {
  const said = await fetch(`${cairn.url}/api/sessions/${session}/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ text }),
  });
  await said.text();
};

test("every command of docs/mcp-servers.md does what it says, and the tool runs once, after the yes", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "cairn-mcp-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const examples = parseExamples(readPage("docs/mcp-servers.md"))
    .filter(isCurl)
    .map((example) => ({
      ...example,
      command: example.command.replaceAll("127.0.0.1:3001", `127.0.0.1:${port}`),
    }));
  const ran = await typeInto(folder, cairn.url, examples);
  const faults = ran.flatMap(({ example, answered }) => {
    const { status, shape } = example.promised ?? { status: 0, shape: "" };
    const text = answered?.text ?? "";
    if (answered?.status !== status) return [[example.command, answered?.status, text]];
    if (shape === "stream") return [];
    const { error } = answers()[shape as AnswerName].safeParse(JSON.parse(text));
    return error === undefined ? [] : [[example.command, error.message]];
  });
  expect(faults).toEqual([]);
  expect(JSON.parse(ran[0]?.answered?.text ?? "")).toMatchObject({
    protocol: "2025-11-25",
    problem: null,
    tools: [
      { name: "mcp_every_echo", tool: "echo", effect: "once", tier: "external", approval: "ask" },
      { name: "mcp_every_get_sum", tool: "get-sum", effect: "read", tier: "external", approval: "ask" },
    ],
  });
  const log = await fetchLog(cairn.url, "adder");
  const at = (kind: string): number => log.findIndex((entry) => entry.kind === kind);
  expect(at("approval_decided")).toBeGreaterThan(at("approval_requested"));
  expect(at("call_intended")).toBeGreaterThan(at("approval_decided"));
  const [settled] = ofKind(log, "call_settled");
  expect(settled?.body).toMatchObject({ status: "ok" });
  expect(String(settled?.body["observation"])).toMatch(
    /^<untrusted source="r1s1c0">\n.*The sum of 2 and 40 is 42\./,
  );
});

test("a session that was asleep while the server was gone has its tools, and a call of one says what is wrong", async () => {
  await ask("sleeper", '/call mcp_every_echo {"message":"still there"}');
  expect(ofKind(await fetchLog(cairn.url, "sleeper"), "approval_requested")).toHaveLength(1);
  await cairn.kill();
  await end(every);
  await cairn.start();
  const decided = await fetch(`${cairn.url}/api/sessions/sleeper/approvals/r1s1c0a1`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"decision":"approve"}',
  });
  expect(decided.status).toBe(200);
  const settled = async () =>
    callsOf(await fetchLog(cairn.url, "sleeper")).find(({ tool }) => tool === "mcp_every_echo");
  await expect.poll(settled, { timeout: 20_000 }).toMatchObject({ status: "error" });
  const log = await fetchLog(cairn.url, "sleeper");
  expect(JSON.stringify(ofKind(log, "call_settled")[0]?.body)).toContain("unreachable");
  every = await startEvery();
  await ask("sleeper", "/say Here.");
  expect(answerOf(await fetchLog(cairn.url, "sleeper"))).toContain("Here.");
});

test("where everybody signs in, a run is told where; after the sign-in it has the tools, and is its owner there", async () => {
  const set = await fetch(`${cairn.url}/api/mcp/demo`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      url: `http://localhost:${oauthPort}/mcp`,
      auth: { type: "oauth", for: "person" },
      allow: ["greet"],
      tiers: { greet: "open" },
    }),
  });
  expect(set.status).toBe(201);
  await ask("signing", "/call mcp_demo_sign_in {}");
  const [told] = ofKind(await fetchLog(cairn.url, "signing"), "call_settled");
  expect(told?.body).toMatchObject({ status: "error", failure: { code: "needs_sign_in" } });
  expect(JSON.stringify(told?.body)).toContain("/api/mcp/demo/sign-in");
  // As a browser: there, back, and on to the API.
  const follow = async (address: string): Promise<string> => {
    const answered = await fetch(address, { redirect: "manual" });
    const next = answered.headers.get("location") ?? answered.headers.get("refresh")?.replace("0;url=", "");
    return next === undefined ? answered.text() : new URL(next, address).href;
  };
  const login = await follow(`${cairn.url}/api/mcp/demo/sign-in`);
  expect(login).toContain(`http://localhost:${loginPort}/authorize?`);
  const callback = await follow(login);
  expect(callback).toContain(`${cairn.url}/mcp-servers/callback?code=`);
  const done = await follow(await follow(callback));
  expect(await follow(done)).toContain("You are signed in");
  await ask("signing", '/call mcp_demo_greet {"name":"Ada"}');
  const greeted = ofKind(await fetchLog(cairn.url, "signing"), "call_settled").at(-1);
  expect(greeted?.body).toMatchObject({ status: "ok", tool: "mcp_demo_greet" });
  expect(String(greeted?.body["observation"])).toContain("Hello, Ada!");
});
