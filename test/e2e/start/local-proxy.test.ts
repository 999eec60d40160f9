import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, inject, test } from "vitest";
import { freePort } from "../../../src/cli/start/dev-server.ts";
import { run, type Command } from "../clients/command.ts";

/** Responses of `npm start` to local programs and pages other than Cairn's own. */

let directory: string;
let port: number;
let cairn: Command;

/** Starts `npm start` on a database that has its tables; resolves when it runs. */
async function start(...more: readonly string[]): Promise<void> {
  directory = await mkdtemp(path.join(tmpdir(), "cairn-local-proxy-"));
  await cp(inject("migrated"), directory, { recursive: true });
  port = await freePort();
  cairn = run(process.execPath, [
    "--require",
    "./src/cli/require-node.cjs",
    "src/cli/start/start.ts",
    "--port",
    String(port),
    "--persist-to",
    directory,
    ...more,
  ]);
  await cairn.saw("Cairn is running");
}

afterEach(async () => {
  cairn.child.kill("SIGINT");
  await cairn.exit;
  await rm(directory, { recursive: true, force: true, maxRetries: 10 });
});

interface Said {
  readonly status: number;
  readonly text: string;
}

/** A request with any headers, also those that `fetch` would not send. Status 0: whatever listens there speaks no HTTP. */
function ask(at: number, target: string, headers: Record<string, string> = {}): Promise<Said> {
  return new Promise((resolve) => {
    const none = (): void => resolve({ status: 0, text: "" });
    const asked = request({ host: "127.0.0.1", port: at, path: target, headers, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (more: string) => (text += more));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text })).on("error", none);
    });
    asked.on("upgrade", (_, socket) => {
      socket.destroy();
      resolve({ status: 101, text: "" });
    });
    asked
      .setTimeout(2_000, () => asked.destroy())
      .on("error", none)
      .end();
  });
}

/** This process and all below it. */
function family(pid: number): number[] {
  const below = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
  return [pid, ...below.flatMap(family)];
}

const commandLine = (pid: number): string =>
  readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");

/** The ports of the loopback interface on which this process or one below it listens. */
function portsOf(pid: number): number[] {
  const sockets = new Set(
    family(pid).flatMap((of) =>
      readdirSync(`/proc/${of}/fd`).map((fd) => readlinkSync(`/proc/${of}/fd/${fd}`)),
    ),
  );
  return ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === "0A" && sockets.has(`socket:[${fields[9]}]`))
      .map((fields) => parseInt(fields[1]?.split(":")[1] ?? "", 16)),
  );
}

/** The addresses at which an inspector lists its targets, and those at which it would be attached to. */
const OF_AN_INSPECTOR = ["/json", "/json/list", "/json/version", "/ws", "/core:user:cairn"];

const MESSAGES = "/api/sessions/kept/messages";
const UPGRADE = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};
const EXPLORER = ["/cdn-cgi/explorer/api", "/cdn-cgi/local/explorer/api"].flatMap((root) =>
  ["/d1/database", "/local/workers", "/workers/durable_objects/namespaces"].map((of) => root + of),
);
const DOORS_OF_WRANGLER = [
  ...EXPLORER,
  "/x/../cdn-cgi/explorer/api/d1/database",
  "/cdn-cgi/explorer/",
  "/cdn-cgi/handler/scheduled",
  "/cdn-cgi/mf/scheduled",
  "/cdn-cgi/local/platform-proxy",
  "/cdn-cgi/local/r2/public/cairn-media/none",
];

async function expectOwnPageOnly(): Promise<void> {
  const own = `127.0.0.1:${port}`;
  const said = await fetch(`http://${own}${MESSAGES}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ text: "/say Kept." }),
  });
  await said.text();

  for (const mine of [own, `localhost:${port}`]) {
    expect(await ask(port, MESSAGES, { host: mine })).toMatchObject({ status: 200 });
    expect(await ask(port, MESSAGES, { host: mine, origin: `http://${mine}` })).toMatchObject({
      status: 200,
    });
    expect(await ask(port, "/agents/session/kept", { host: mine, ...UPGRADE })).toMatchObject({
      status: 101,
    });
  }

  const evil = `evil.example:${port}`;
  const forged = { "mf-original-url": `http://${own}${MESSAGES}` };
  const refused: readonly (readonly [status: number, headers: Record<string, string>])[] = [
    [401, { host: evil }],
    [401, { host: evil, origin: `http://${evil}` }],
    [400, { host: evil, ...forged }],
    [400, { host: evil, origin: `http://${own}`, ...forged }],
    [400, { host: own, "MF-Original-URL": `http://${evil}${MESSAGES}` }],
    [400, { host: own, "mf-cf-blob": "{}" }],
    [403, { host: own, origin: "http://localhost:3000" }],
    [403, { host: own, origin: `http://localhost:${port}` }],
    [403, { host: own, origin: "null" }],
  ];
  for (const [status, headers] of refused) {
    const answer = await ask(port, MESSAGES, headers);
    expect([headers, answer.status]).toEqual([headers, status]);
    expect(JSON.parse(answer.text)).toHaveProperty("error.code");
  }
  expect(await ask(port, "/agents/session/kept", { host: evil, ...forged, ...UPGRADE })).toMatchObject({
    status: 400,
  });
  const whole = await ask(port, `http://${own}${MESSAGES}`, { host: evil });
  expect(whole.status).toBe(400);

  for (const target of DOORS_OF_WRANGLER)
    for (const origin of [null, `http://${own}`, "http://localhost:3000"]) {
      const { status } = await ask(port, target, origin === null ? {} : { origin });
      expect([target, origin, status]).toEqual([target, origin, 404]);
    }

  const claims = (each: number, target: string): Record<string, string>[] => [
    { host: `127.0.0.1:${each}` },
    { host: evil, "mf-original-url": `http://127.0.0.1:${each}${target}` },
  ];
  const inner = portsOf(cairn.child.pid ?? 0).filter((each) => each !== port);
  expect(inner.length).toBeGreaterThan(1);
  for (const each of inner)
    for (const target of [MESSAGES, ...EXPLORER])
      for (const headers of claims(each, target)) {
        const { status } = await ask(each, target, headers);
        expect([each, target, headers, status < 300 && status > 0]).toEqual([each, target, headers, false]);
      }
}

async function expectNoInspector(): Promise<void> {
  const pid = cairn.child.pid ?? 0;
  const lines = family(pid).map(commandLine);
  expect(lines.filter((line) => line.includes("workerd serve"))).toHaveLength(2);
  expect(lines.filter((line) => /--inspect|--debug-port|a-secret-of-this-test/.test(line))).toEqual([
    // The test itself gives it as an argument.
    expect.stringContaining("src/cli/start/start.ts"),
  ]);
  // The front door, the proxy and the worker behind it, and for each of these two the way back into wrangler.
  const ports = portsOf(pid);
  expect(ports).toHaveLength(5);
  for (const each of ports)
    for (const target of OF_AN_INSPECTOR)
      for (const headers of [{}, UPGRADE]) {
        const { status, text } = await ask(each, target, headers);
        expect([each, target, status, /webSocketDebuggerUrl|devtools|Protocol-Version/.test(text)]).toEqual([
          each,
          target,
          status,
          false,
        ]);
        expect([each, target, status === 101]).toEqual([each, target, false]);
      }
}

test("npm start answers its own page and programs, no page of anybody else, and opens no inspector", async () => {
  await start("--var", "A_SECRET:a-secret-of-this-test");
  await expectOwnPageOnly();
  await expectNoInspector();
});

test("--inspect opens one, at the port that it names", async () => {
  const inspector = await freePort();
  await start("--inspect", "--inspector-port", String(inspector));
  expect(cairn.out()).toContain(`Debugger: http://127.0.0.1:${inspector}`);
  expect((await ask(inspector, "/json")).text).toContain("webSocketDebuggerUrl");
});
