import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { freePort } from "../../../src/cli/start/dev-server.ts";
import { run, type Command } from "../clients/command.ts";
import { copyProject } from "../clients/copied.ts";
import { startOpenAiServer, type OpenAiServer } from "../clients/openai-server.ts";
import { agentSource, webhooksSource } from "../clients/own-files.ts";

/** `npm start` in a copy of the project, whose files are edited while it runs. */

let copy: string;
let cairn: Command;
let model: OpenAiServer;
/** resolves when the model is asked for the first time */
let asked: Promise<void>;
/** lets that first reply go */
let release = (): void => {};

beforeEach(async () => {
  // A fresh checkout: `npm start` builds the page and the modules.
  copy = copyProject({ built: false });
  cpSync(inject("migrated"), path.join(copy, ".wrangler/state"), { recursive: true });
  const held = new Promise<void>((resolve) => (release = resolve));
  let first = (): void => {};
  asked = new Promise<void>((resolve) => (first = resolve));
  const gate = ({ request }: { readonly request: number }): Promise<void> | undefined => {
    first();
    return request === 1 ? held : undefined;
  };
  model = await startOpenAiServer({ gate });
});
afterEach(async () => {
  release();
  cairn.child.kill("SIGINT");
  await cairn.exit;
  await model.close();
  rmSync(copy, { recursive: true, force: true, maxRetries: 10 });
});

const write = (file: string, text: string): void => writeFileSync(path.join(copy, file), text);

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(path.join(copy, file), "utf8");
  expect(text.split(from)).toHaveLength(2);
  write(file, text.replace(from, to));
}

test("what a forker edits is live once it loads, and until then the server goes on with what it had", async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const command = [
    "--require",
    "./src/cli/require-node.cjs",
    "src/cli/start/start.ts",
    "--port",
    String(port),
  ];
  const vars = [
    "MODEL:openai-compatible:test",
    // The test counts model requests, so turn titles off.
    "TITLES:0",
    `OPENAI_COMPATIBLE_BASE_URL:${model.baseUrl}`,
    'WEBHOOK_SECRETS:{"fresh":"a-secret-of-this-test"}',
  ];
  cairn = run(process.execPath, [...command, ...vars.flatMap((each) => ["--var", each])], "", copy);
  await cairn.saw("Cairn is running");
  const get = async (target: string): Promise<string> => (await fetch(url + target)).text();
  const say = (text: string): Promise<Response> =>
    fetch(`${url}/api/sessions/lives/messages`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text }),
    });
  const untilIdle = async (): Promise<string> =>
    (
      await fetch(`${url}/api/sessions/lives/events?after=0&until=idle`, {
        headers: { accept: "text/event-stream" },
      })
    ).text();
  const deliver = (): Promise<Response> =>
    fetch(`${url}/hooks/fresh`, {
      method: "POST",
      headers: { authorization: "Bearer a-secret-of-this-test" },
      body: "{}",
    });

  // A prompt, while the model is asked: the run goes on after the reload.
  expect((await say("/say It survived.")).status).toBe(202);
  await asked;
  edit("prompts/cairn/base.xml", "</role>", "You like otters.\n</role>");
  await cairn.saw("Reloaded: prompts/cairn/base.xml.");
  release();
  expect(await untilIdle()).toContain("It survived.");
  expect((await say("/say Asked anew.")).status).toBe(202);
  expect(await untilIdle()).toContain("Asked anew.");
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("You like otters.");

  // A tool, the agent and the webhooks, saved together.
  expect((await deliver()).status).toBe(404);
  edit(
    "src/cairn/tools/builtin/observations.ts",
    "Reads characters of a long result that was shown shortened",
    "Reads on in a long result",
  );
  write("src/agents/default.ts", agentSource('description: "Works on the shop."'));
  write(
    "src/webhooks.ts",
    webhooksSource('fresh: { scheme: "bearer", owner: "hook:fresh", otherwise: "ignore" }'),
  );
  await cairn.saw(
    "Reloaded: src/agents/default.ts, src/cairn/tools/builtin/observations.ts, src/webhooks.ts.",
  );
  expect(await get("/api/tools")).toContain("Reads on in a long result");
  expect(await get("/api/agents")).toContain("Works on the shop.");
  expect(await (await deliver()).json()).toEqual({ ignored: true });

  // One edit does not compile; another throws while it loads.
  edit("src/worker.ts", "export default cairn.worker;", "export default {{ cairn.worker;");
  await cairn.saw("src/worker.ts:");
  expect(cairn.out()).toContain(
    "The new version does not load. The server keeps the old one until this is fixed:",
  );
  expect(await get("/api/agents")).toContain("Works on the shop.");
  edit(
    "src/worker.ts",
    "export default {{ cairn.worker;",
    'if (Date.now() >= 0) throw new Error("no such day");\nexport default cairn.worker;',
  );
  await cairn.saw("no such day");
  expect(await get("/api/agents")).toContain("Works on the shop.");
  edit("src/worker.ts", 'if (Date.now() >= 0) throw new Error("no such day");\n', "");
  write("src/agents/default.ts", agentSource('description: "Works on the yard."'));
  await cairn.saw("Reloaded: src/agents/default.ts.");
  expect(await get("/api/agents")).toContain("Works on the yard.");
  expect(cairn.err()).toBe("");
}, 600_000);
