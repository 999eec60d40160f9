import { readFileSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { freePort } from "../../../src/cli/start/dev-server.ts";
import { runProgram } from "../../../src/cli/start/programs.ts";
import { run, type Command } from "../clients/command.ts";

let directory: string;
let port: number;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "cairn-start-"));
  port = await freePort();
});
afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }));

function start(...more: string[]): Command {
  const script = ["--require", "./src/cli/require-node.cjs", "src/cli/start/start.ts"];
  return run(process.execPath, [...script, "--port", String(port), "--persist-to", directory, ...more]);
}

/** Processes that one has started; each leads a group of its own here. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, "utf8");

/**
 * False for a process that does not lead its group yet, or that is still a copy of its parent: a parent waits, and can say
 * nothing, until its child has become the program that it started.
 */
function stop(group: number, parent: number): boolean {
  try {
    return commandOf(group) !== commandOf(parent) && process.kill(-group, "SIGSTOP");
  } catch {
    return false;
  }
}

/** Resolves when nothing accepts connections on the port any more. */
async function portClosed(): Promise<void> {
  for (;;) {
    const accepted = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      // An accepted connection is waited out: it ends when the server does.
      socket.once("connect", () => socket.resume().once("close", () => resolve(true)));
      socket.once("error", () => resolve(false));
    });
    if (!accepted) return;
  }
}

test("npm start brings an empty directory up, says where it is, survives its dev server, and stops when asked", async () => {
  const cairn = start();
  await cairn.saw("Cairn is running");
  expect(cairn.out()).toContain(`http://127.0.0.1:${port}/site/`);
  expect(cairn.out()).toContain(`npm run chat -- --url http://127.0.0.1:${port}`);
  expect(cairn.out()).toContain("rehearsal (fixed rules, not a language model");
  const site = await fetch(`http://127.0.0.1:${port}/site/`);
  expect(site.status).toBe(200);
  expect(await site.text()).toContain("<nav");
  const open = ["d1", "migrations", "list", "DB", "--local", "--persist-to", directory];
  expect((await runProgram("wrangler", open)).out).toContain("No migrations to apply");

  const second = await start().exit;
  expect(second).toMatchObject({ code: 1 });
  expect(second.err).toContain("already running");

  const messages = `http://127.0.0.1:${port}/api/sessions/stored/messages`;
  const answer = await fetch(messages, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ text: "/say Stored." }),
  });
  await answer.text();
  for (const group of childrenOf(cairn.child.pid ?? 0)) process.kill(-group, "SIGKILL");
  await cairn.saw("The local server runs again.");
  expect(await (await fetch(messages)).text()).toContain("Stored.");

  cairn.child.kill("SIGINT");
  expect((await cairn.exit).code).toBe(0);
  await portClosed();
});

test("settings are handed on, and the server goes when the process that started it is killed", async () => {
  await cp(inject("migrated"), directory, { recursive: true });
  const cairn = start(
    "--var",
    "MODEL:openai-compatible:test",
    "--var",
    "OPENAI_COMPATIBLE_BASE_URL:http://127.0.0.1:9/v1",
  );
  await cairn.saw("Cairn is running");
  expect(cairn.out()).toContain("openai-compatible:test");
  expect(cairn.out()).not.toContain("--var MODEL:");
  cairn.child.kill("SIGKILL");
  await portClosed();
});

test("a start that is held up says which step it waits for, and goes on when it can", async () => {
  const cairn = start();
  await cairn.saw("Starting Cairn");
  const stopped = new Set<number>();
  const holdUp = setInterval(() => {
    const starter = cairn.child.pid ?? 0;
    for (const group of childrenOf(starter)) if (stop(group, starter)) stopped.add(group);
  }, 10);
  await cairn.saw("Still starting after ");
  clearInterval(holdUp);
  expect(cairn.out()).toMatch(/^Still starting after \d+ s: bringing the local database up to date …$/m);
  for (const group of stopped) process.kill(-group, "SIGCONT");
  await cairn.saw("Cairn is running");
  cairn.child.kill("SIGINT");
  const { code, err } = await cairn.exit;
  expect({ code, err }).toEqual({ code: 0, err: "" });
  await portClosed();
});

test("a port that another program holds is named, with what to do", async () => {
  const other = createServer((_, response) => response.end("something else"));
  await new Promise<void>((resolve) => other.listen(port, "127.0.0.1", resolve));
  const { code, err } = await start().exit;
  other.close();
  expect(code).toBe(1);
  expect(err).toContain(`Port ${port} is in use by another program`);
  expect(err).toContain(`--port ${port + 1}`);
});

test.each([[["--port", "no"]], [["--colour"]]])("wrong use is explained (%j)", async (argv) => {
  const { code, err } = await run(process.execPath, ["src/cli/start/start.ts", ...argv]).exit;
  expect(code).toBe(2);
  expect(err).toContain("npm start --");
});
