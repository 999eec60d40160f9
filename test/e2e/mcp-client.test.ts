import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { freePort, PROJECT } from "../../src/cli/start/dev-server.ts";
import { answers, type AnswerName } from "../../src/wire/api.ts";
import { answerOf, callsOf, fetchLog, ofKind } from "./clients/log.ts";
import { isCurl, parseExamples, readPage, typeInto } from "./clients/pages.ts";
import { useServer } from "./clients/server.ts";

/** A reference server of the protocol, unmodified, on this machine: its tool is called behind an approval, as docs/mcp.md says. */

const REFERENCE = path.join(PROJECT, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
let port = 0;
let reference: ChildProcess;
async function startReference(): Promise<void> {
  const env = { ...process.env, PORT: String(port) };
  reference = spawn(process.execPath, [REFERENCE, "streamableHttp"], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  for await (const said of reference.stderr ?? []) if (String(said).includes("listening on port")) break;
}
async function endReference(): Promise<void> {
  const ended = once(reference, "exit");
  reference.kill("SIGKILL");
  await ended;
}

beforeAll(async () => {
  port = await freePort();
  await startReference();
});
afterAll(endReference);

const cairn = useServer(() => [`MCP_LOCAL:http://127.0.0.1:${port}`]);
const ask = async (session: string, text: string): Promise<void> => {
  const said = await fetch(`${cairn.url}/api/sessions/${session}/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ text }),
  });
  await said.text();
};

test("every command of docs/mcp.md does what it says, and the tool runs once, after the yes", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "cairn-mcp-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const examples = parseExamples(readPage("docs/mcp.md"))
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
  await endReference();
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
  await startReference();
  await ask("sleeper", "/say Here.");
  expect(answerOf(await fetchLog(cairn.url, "sleeper"))).toContain("Here.");
});
