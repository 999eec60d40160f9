import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { PROJECT } from "../../src/cli/dev-server.ts";
import { run } from "./command.ts";
import { fetchLog } from "./log.ts";
import { useServer } from "./server.ts";

/** The curl examples of README.md, in their order, as one conversation with a real server; and what reads their files. */

const LOCAL = "http://127.0.0.1:8787";

const server = useServer();

interface Example {
  readonly url: string;
  readonly json: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** the file that takes the answer */
  readonly file: string | null;
  /** `NAME=$(curl … | npx node -p 'SCRIPT')` */
  readonly variable: { readonly name: string; readonly script: string } | null;
}

const ASSIGNED = /^([A-Z]+)=\$\((curl .*) \| npx node -p '([^']*)'\)$/;

/** The examples use few of the shell's words; one that is not known here is a mistake, not skipped. */
function parseExample(line: string): Example {
  const [, name, inner, script] = ASSIGNED.exec(line) ?? [];
  const command = inner ?? line;
  const words = Array.from(
    command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g),
    ([, single, double, bare]) => single ?? double ?? bare ?? "",
  );
  let url = "";
  let json: string | null = null;
  let file: string | null = null;
  const headers: Record<string, string> = {};
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "-N" || word === "-s") continue;
    else if (word === "--json") json = words[++at] ?? "";
    else if (word === "-o") file = words[++at] ?? "";
    else if (word === "-H") {
      const [header = "", value = ""] = (words[++at] ?? "").split(": ");
      headers[header] = value;
    } else if (word.startsWith(LOCAL)) url = word;
    else throw new Error(`${word} in: ${command}`);
  }
  const variable = name === undefined || script === undefined ? null : { name, script };
  return { url, json, headers, file, variable };
}

test("every example does what the README says", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "cairn-readme-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const readme = readFileSync(path.join(PROJECT, "README.md"), "utf8");
  const lines = Array.from(readme.matchAll(/^ *((?:[A-Z]+=\$\()?curl .*)$/gm), ([, line = ""]) => line);
  const examples = lines.map(parseExample);
  expect(examples.length).toBeGreaterThan(12);

  const answers: { readonly path: string; readonly status: number; readonly text: string }[] = [];
  const variables = new Map<string, string>();
  for (const { url, json, headers, file, variable } of examples) {
    const at = url
      .replace(LOCAL, "")
      .replace(/\$([A-Z]+)/g, (_, name: string) => variables.get(name) ?? "unset");
    const response = await fetch(`${server.url}${at}`, {
      headers: { ...headers, ...(json === null ? {} : { "content-type": "application/json" }) },
      ...(json === null ? {} : { method: "POST", body: json }),
    });
    const text = await response.text();
    answers.push({ path: at, status: response.status, text });
    if (file !== null) writeFileSync(path.join(folder, file), text);
    if (variable !== null) {
      const said = spawnSync(process.execPath, ["-p", variable.script], { input: text, encoding: "utf8" });
      variables.set(variable.name, said.stdout.trim());
    }
  }

  expect(answers.filter((answer) => ![200, 201, 202].includes(answer.status))).toEqual([]);
  expect(variables.get("APPROVAL")).toMatch(/^r\d+s\d+c\d+a\d+$/);
  expect(variables.get("RUN")).toBe("demo.r2");
  const [stream, events, session, , card, decided] = answers.map((answer) => answer.text);
  expect(stream).toContain('"type":"data-approval"');
  expect(stream).toContain("[DONE]");
  expect(events).toContain('"kind":"approval_requested"');
  expect(session).toContain('"pendingApprovals":1');
  expect(card).toContain('"state":"pending"');
  expect(decided).toContain('"state":"approved"');
  expect(answers.some((answer) => answer.text.includes('"type":"data-question"'))).toBe(true);
  const answered = (await fetchLog(server.url, "demo")).filter((entry) => entry.kind === "human_answered");
  expect(answered).toHaveLength(1);

  expect(readme).toContain("npm run replay -- demo.json");
  const replayed = await run("npm", ["run", "--silent", "replay", "--", path.join(folder, "demo.json")]).exit;
  expect(replayed).toMatchObject({
    code: 0,
    out: expect.stringContaining("equal\nThe seal of the file holds."),
  });
});
