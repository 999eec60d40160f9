import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { PROJECT } from "../places.ts";
import { quietEnvironment } from "./dev-server.ts";
import { plainText } from "./wrangler-log.ts";

/** Exit of a program; null if a signal ended it. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs one of the project's programs to its end, as `npx` would. `input` is typed into it: the only way in which a secret
 * goes to a program, because arguments are seen by everybody on the machine. Never rejects.
 */
export type RunProgram = (
  program: "wrangler" | "tsc",
  args: readonly string[],
  input?: string,
) => Promise<Ended>;

/** The real one. Standard input is closed after `input`, so that nothing waits for a person who does not see the question. */
export const runProgram: RunProgram = (program, args, input = "") => {
  const require = createRequire(import.meta.url);
  const home =
    program === "wrangler"
      ? require.resolve("wrangler/package.json")
      : require.resolve("typescript/package.json");
  // Run by our own Node: the shim in .bin would take whatever `node` it finds.
  const script = path.join(path.dirname(home), program === "wrangler" ? "bin/wrangler.js" : "bin/tsc");
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: PROJECT,
      env: quietEnvironment(),
      stdio: ["pipe", "pipe", "pipe"],
    });
    let out = "";
    let err = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    child.on("error", (error) => resolve({ code: null, out, err: `${err}${error.message}` }));
    child.on("close", (code) => resolve({ code, out: plainText(out), err: plainText(err) }));
    // A program that ends without reading is no failure of ours.
    child.stdin.on("error", () => {}).end(input);
  });
};
