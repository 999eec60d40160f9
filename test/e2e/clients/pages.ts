import { execFile } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { PROJECT } from "../../../src/cli/places.ts";

/** The commands of a page of the documentation, typed into a real shell in their order, as a reader would. */

const LOCAL = "http://127.0.0.1:8787";

/** Their commands are typed in this order, against one server. */
export const TYPED_PAGES: readonly string[] = [
  "docs/api.md",
  "docs/protocol.md",
  "docs/webhooks.md",
  "docs/troubleshooting.md",
  "docs/mcp.md",
];

/** True if the example asks a server on this machine. */
export const isCurl = ({ command }: Example): boolean =>
  /^([A-Z]+=\$\()?curl /.test(command) && (command.includes(LOCAL) || command.includes('"$LINK"'));

/** Promise in the line above a command: `# 200 Session`. */
export interface Promised {
  readonly status: number;
  /** a name of the OpenAPI document, `stream`, `JSON`, `nothing`, or `{fields}` */
  readonly shape: string;
}

export interface Example {
  readonly command: string;
  /** null where the page promises nothing */
  readonly promised: Promised | null;
}

export interface Answered {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

export interface Ran {
  readonly example: Example;
  /** by curl; null where the command asked no server */
  readonly answered: Answered | null;
  /** what the shell printed */
  readonly out: string;
}

export function readPage(file: string): string {
  return readFileSync(path.join(PROJECT, file), "utf8");
}

/** Every line of a block of shell commands, with the promise above it. */
export function parseExamples(page: string): Example[] {
  const examples: Example[] = [];
  for (const [, indent = "", body = ""] of page.matchAll(/^( *)```sh\n([\s\S]*?)^\1```$/gm)) {
    let promised: Promised | null = null;
    for (const line of body.split("\n").map((each) => each.slice(indent.length))) {
      const [, status, shape] = /^# (\d{3}) (.+)$/.exec(line) ?? [];
      if (status !== undefined && shape !== undefined) promised = { status: Number(status), shape };
      else if (line !== "") {
        examples.push({ command: line, promised });
        promised = null;
      }
    }
  }
  return examples;
}

/** Notes what each call of curl was answered, and asks `$SERVER` where the page names the usual address. */
const CURL = `#!/usr/bin/env bash
exec "$REAL_CURL" -sS -D "$JOURNAL/$EXAMPLE.head" "\${@//${LOCAL.replaceAll("/", "\\/")}/$SERVER}" | tee "$JOURNAL/$EXAMPLE.body"
exit "\${PIPESTATUS[0]}"
`;

/**
 * Types the commands into one shell, in a folder that looks like a checkout, and rejects when one of them fails.
 * `server` stands in for the address that the page names.
 */
export async function typeInto(folder: string, server: string, examples: readonly Example[]): Promise<Ran[]> {
  for (const name of readdirSync(PROJECT).filter((each) => !each.startsWith(".")))
    symlinkSync(path.join(PROJECT, name), path.join(folder, name));
  const journal = path.join(folder, ".journal");
  const bin = path.join(folder, ".bin");
  for (const each of [journal, bin]) mkdirSync(each);
  writeFileSync(path.join(bin, "curl"), CURL);
  chmodSync(path.join(bin, "curl"), 0o755);
  const lines = examples.flatMap(({ command }, at) => [
    `export EXAMPLE=${at}`,
    `{ ${command}\n} > "$JOURNAL/${at}.out"`,
  ]);
  const script = ["set -euo pipefail", ...lines].join("\n");
  const env = {
    ...process.env,
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    REAL_CURL: which("curl"),
    JOURNAL: journal,
    SERVER: server,
    NO_COLOR: "1",
  };
  const complaint = await new Promise<string | null>((resolve) => {
    execFile("bash", ["-c", script], { cwd: folder, env, timeout: 90_000 }, (error, _out, complained) =>
      resolve(error === null ? null : complained),
    );
  });
  const read = (name: string): string | null => {
    const file = path.join(journal, name);
    return existsSync(file) ? readFileSync(file, "utf8") : null;
  };
  const ran = examples.map((example, at) => {
    const head = read(`${at}.head`);
    const out = read(`${at}.out`) ?? "";
    const saved = / -o (\S+)/.exec(example.command)?.[1];
    const text =
      saved === undefined ? (read(`${at}.body`) ?? "") : readFileSync(path.join(folder, saved), "utf8");
    return { example, answered: head === null ? null : { ...parseHead(head), text }, out };
  });
  const last = ran.findLast(({ answered, out }) => answered !== null || out !== "");
  if (complaint !== null) throw new Error(`${complaint}\nat or after ${JSON.stringify(last)}`);
  return ran;
}

function which(program: string): string {
  const found = (process.env["PATH"] ?? "")
    .split(":")
    .map((folder) => path.join(folder, program))
    .find((file) => existsSync(file));
  if (found === undefined) throw new Error(`There is no ${program} on this machine.`);
  return found;
}

function parseHead(head: string): { status: number; type: string } {
  // The last of them: one that is informational may stand before it.
  const blocks = head.trim().split(/\r?\n\r?\n/);
  const last = blocks.at(-1) ?? "";
  const status = Number(/^HTTP\/\S+ (\d{3})/.exec(last)?.[1]);
  return { status, type: /^content-type: (.*?)\r?$/im.exec(last)?.[1] ?? "" };
}
