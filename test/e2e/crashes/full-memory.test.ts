import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { freePort } from "../../../src/cli/start/dev-server.ts";
import { chat, run, type Command } from "../clients/command.ts";
import { copyProject } from "../clients/copied.ts";

/** `npm start` with code that agents write, which a local runtime gives as much memory as there is. */

/** bounded; the runtime ends at about half of it */
const HOG = "const held = []; while (held.length < 4_000) held.push(new Array(131_072).fill(1.5));";

let copy: string;
let cairn: Command;
let url: string;

beforeEach(async () => {
  copy = copyProject({ built: true });
  cpSync(inject("migrated"), path.join(copy, ".wrangler/state"), { recursive: true });
  const config = path.join(copy, "wrangler.toml");
  writeFileSync(config, `${readFileSync(config, "utf8")}\n[[worker_loaders]]\nbinding = "LOADER"\n`);
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const start = ["--require", "./src/cli/require-node.cjs", "src/cli/start/start.ts", "--port", String(port)];
  cairn = run(process.execPath, start, "", copy);
  await cairn.saw("Cairn is running");
});
afterEach(async () => {
  cairn.child.kill("SIGINT");
  await cairn.exit;
  rmSync(copy, { recursive: true, force: true, maxRetries: 10 });
});

/** what the terminal shows of a run that calls it, and goes on */
async function shownOf(code: string): Promise<string> {
  const call = `/call run_code ${JSON.stringify({ language: "javascript", code })}`;
  const { out, err } = await chat(url, [`${call}\n/then\n/say It went on.`]).exit;
  return out + err;
}

test("code that fills the memory ends the runtime, which comes back, and the run goes on without its result", async () => {
  const shown = await shownOf(HOG);
  expect(shown).toContain("run_code was interrupted 3 times and has no result");
  expect(shown).toContain("It went on.");
  expect(await shownOf("return 6 * 7")).toContain('"value":"42"');
});
