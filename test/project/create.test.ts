import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { gzipSync } from "node:zlib";
import path from "node:path";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { PROJECT } from "../../src/cli/places.ts";
import { freePort } from "../../src/cli/start/dev-server.ts";

/** A project of a user: made by `npm run create`, installed from the packed library, tried, started and checked. */

const MINUTE_MS = 60_000;
const parent = mkdtempSync(path.join(tmpdir(), "cairn-project-"));
const folder = path.join(parent, "shop");
/** output of `npm install` */
let installed = "";

/** As a shell of the user has it: without the Node that this repository installs, which npm has put first. */
const USERS_PATH = (process.env["PATH"] ?? "")
  .split(path.delimiter)
  .filter((each) => !each.includes("node_modules"))
  .join(path.delimiter);

/** Runs a program to its end; throws with its output where it fails. */
function run(
  program: string,
  args: readonly string[],
  cwd: string,
  more: Readonly<Record<string, string | undefined>> = {},
): string {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    env: { ...process.env, CI: "true", NO_COLOR: "1", npm_config_prefer_offline: "true", ...more },
    timeout: 5 * MINUTE_MS,
  });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed:\n${stdout}${stderr}`);
  return `${stdout}${stderr}`;
}

beforeAll(() => {
  run("npm", ["run", "--silent", "create", "--", folder], PROJECT);
  // The level is that of the project's .npmrc, not that of `npm test`.
  const shell = { PATH: USERS_PATH, npm_config_loglevel: undefined };
  installed = run("npm", ["install", "--no-audit", "--no-fund"], folder, shell);
}, 10 * MINUTE_MS);
afterAll(() => rmSync(parent, { recursive: true, force: true }));

test("its installation prints nothing but npm's own lines, on any Node", () => {
  const lines = installed.split("\n").filter((line) => line.trim() !== "");
  expect(lines).toEqual(["> prepare", "> cairn types", expect.stringMatching(/^added \d+ packages in /)]);
});

test(
  "its types hold, and its own test passes",
  () => {
    run("npx", ["tsc", "--noEmit"], folder);
    expect(run("npm", ["test"], folder)).toContain("2 passed");
  },
  MINUTE_MS * 2,
);

const session = z.object({
  status: z.string(),
  activeRun: z.object({ waitingFor: z.object({ id: z.string() }).nullable() }).nullable(),
});

test(
  "its tool asks a person before it runs, and a process that is killed forgets nothing",
  async () => {
    let server = await start();
    try {
      await say(server.url, '/call print_label {"address":"Ada\\nHill Road 1"}\n/then\n/say Printed.');
      const waiting = await settled(server.url, "waiting");
      server.kill();
      await server.ended;
      server = await start();
      const id = waiting.activeRun?.waitingFor?.id;
      const decided = await fetch(
        `${server.url}/api/sessions/demo/approvals/${id}`,
        post({ decision: "approve" }),
      );
      expect(decided.status).toBe(200);
      await settled(server.url, "idle");
      const trace = await (await fetch(`${server.url}/api/sessions/demo/trace`)).text();
      expect(trace).toContain('"tool":"print_label"');
      expect(trace).toMatch(/"status":"ok".*r1s1c0/);
      // Without the plugin of the site there is none.
      expect((await fetch(`${server.url}/site/`)).status).toBe(404);
      expect((await fetch(`${server.url}/`)).status).toBe(200);
    } finally {
      server.kill();
      await server.ended;
    }
  },
  4 * MINUTE_MS,
);

test(
  "it can be deployed, and weighs what is published",
  () => {
    const looked = run("npx", ["cairn", "update"], folder);
    expect(looked).toContain("It can be deployed");
    expect(readFileSync(path.join(folder, "package.json"), "utf8")).toContain('"checked": "0.1.0"');
    const out = path.join(parent, "out");
    run("npx", ["wrangler", "deploy", "--dry-run", "--outdir", out], folder);
    const kib = gzipSync(readFileSync(path.join(out, "worker.js"))).length / 1_024;
    console.info(
      `The worker of a new project weighs ${kib.toFixed(0)} KiB, without what it loads on demand.`,
    );
    expect(kib).toBeLessThanOrEqual(PROJECT_KIB_MAX);
  },
  3 * MINUTE_MS,
);

/** gzipped; docs/deploy.md states it */
const PROJECT_KIB_MAX = 300;

interface Server {
  readonly url: string;
  readonly ended: Promise<void>;
  kill(): void;
}

/** `npm start`, until the worker answers. */
async function start(): Promise<Server> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child: ChildProcess = spawn("npm", ["start", "--", "--port", String(port)], {
    cwd: folder,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const kill = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
  };
  let over = false;
  void ended.then(() => (over = true));
  while (!output.includes("Cairn is running.")) {
    if (over) throw new Error(`npm start ended:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { url, ended, kill };
}

const post = (body: object): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

async function say(url: string, text: string): Promise<void> {
  const answer = await fetch(`${url}/api/sessions/demo/messages`, post({ text }));
  expect(answer.ok).toBe(true);
}

/** The session, once it is in this status. */
async function settled(url: string, status: string): Promise<z.infer<typeof session>> {
  for (;;) {
    const read = session.parse(await (await fetch(`${url}/api/sessions/demo`)).json());
    if (read.status === status) return read;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test(
  "a worker without its classes, or that throws, ends npm start with a sentence that says what to do",
  async () => {
    const file = path.join(folder, "src/worker.ts");
    const before = readFileSync(file, "utf8");
    const failed = async (source: string): Promise<string> => {
      writeFileSync(file, source);
      return start().then(
        ({ kill }) => (kill(), "it started"),
        (error: unknown) => String(error),
      );
    };
    try {
      const unexported = await failed(before.replace(/^export class Session.*$/m, ""));
      expect(unexported).toContain("The worker file does not export Session.");
      expect(unexported).toContain("Add to it: export class Session extends cairn.Session {}");
      const throwing = await failed(`${before}\nthrow new Error("no such day");\n`);
      expect(throwing).toContain("The worker file throws as it loads. no such day");
      expect(throwing).not.toMatch(/^\s+at /m);
    } finally {
      writeFileSync(file, before);
    }
  },
  MINUTE_MS * 2,
);

test(
  "the template of the button carries the packed library",
  () => {
    const template = path.join(parent, "cairn-template");
    run("npm", ["run", "--silent", "create", "--", template, "--template"], PROJECT);
    const files = readdirSync(template);
    expect(files).toEqual(expect.arrayContaining([".dev.vars.example", "cairn-0.1.0.tgz", "package.json"]));
    const text = (file: string): string => readFileSync(path.join(template, file), "utf8");
    expect(text("package.json")).toContain('"cairn": "file:./cairn-0.1.0.tgz"');
    expect(text("README.md")).toContain("https://deploy.workers.cloudflare.com/?url=");
  },
  2 * MINUTE_MS,
);

test("a folder that is not empty is left as it is", () => {
  const before = readFileSync(path.join(folder, "package.json"), "utf8");
  expect(() => run("npm", ["run", "--silent", "create", "--", folder], PROJECT)).toThrow("is not empty");
  expect(readFileSync(path.join(folder, "package.json"), "utf8")).toBe(before);
});
