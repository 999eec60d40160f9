import { spawn, type ChildProcess } from "node:child_process";
import { onTestFinished } from "vitest";
import { PROJECT } from "../../../src/cli/places.ts";

/** A program of the project, run as a person would: its output, its exit code, and something to type into it. */
export interface Command {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  readonly exit: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
  /** resolves when standard output or standard error holds the text; rejects when the program ends without it */
  saw(text: string): Promise<void>;
}

/** Ends with the test at the latest. `input` is typed at once and followed by the end of input; null leaves standard input open for `child.stdin`. `cwd`: another project. */
export function run(
  command: string,
  args: readonly string[],
  input: string | null = "",
  cwd = PROJECT,
): Command {
  const { NO_COLOR: _, FORCE_COLOR: __, ...inherited } = process.env;
  const child = spawn(command, args, { cwd, env: inherited, stdio: ["pipe", "pipe", "pipe"] });
  let out = "";
  let err = "";
  let look = () => {};
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
    look();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
    look();
  });
  if (input !== null) child.stdin.end(input);
  const exit = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.once("close", (code) => resolve({ code, out, err })),
  );
  onTestFinished(() => {
    child.kill("SIGTERM");
  });
  return {
    child,
    out: () => out,
    err: () => err,
    exit,
    saw: (text) =>
      new Promise((resolve, reject) => {
        look = () => {
          if (out.includes(text) || err.includes(text)) resolve();
        };
        look();
        void exit.then(() => reject(new Error(`it ended without ${JSON.stringify(text)}:\n${out}\n${err}`)));
      }),
  };
}

/** `npm run chat -- …` */
export function chat(url: string, args: readonly string[], input: string | null = ""): Command {
  return run("npm", ["run", "--silent", "chat", "--", "--url", url, ...args], input);
}
