import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { PROJECT } from "../../src/cli/dev-server.ts";
import { fetchLog } from "./log.ts";
import { useServer } from "./server.ts";

/** The curl examples of README.md, in their order, as one conversation with a real server. */

const LOCAL = "http://127.0.0.1:8787";
const APPROVAL = /r\d+s\d+c\d+a\d+/;

const server = useServer();

interface Example {
  readonly url: string;
  readonly json: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** The examples use few of curl's words; one that is not known here is a mistake, not skipped. */
function parseCurl(command: string): Example {
  const words = Array.from(
    command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g),
    ([, single, double, bare]) => single ?? double ?? bare ?? "",
  );
  let url = "";
  let json: string | null = null;
  const headers: Record<string, string> = {};
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "-N") continue;
    else if (word === "--json") json = words[++at] ?? "";
    else if (word === "-H") {
      const [name = "", value = ""] = (words[++at] ?? "").split(": ");
      headers[name] = value;
    } else if (word.startsWith(LOCAL)) url = word;
    else throw new Error(`${word} in: ${command}`);
  }
  return { url, json, headers };
}

test("every example does what the README says", async () => {
  const readme = readFileSync(path.join(PROJECT, "README.md"), "utf8");
  const examples = Array.from(readme.matchAll(/^ *(curl .*)$/gm), ([, command = ""]) => parseCurl(command));
  expect(examples.length).toBeGreaterThan(7);

  const answers: { readonly path: string; readonly status: number; readonly text: string }[] = [];
  for (const { url, json, headers } of examples) {
    const log = answers.length === 0 ? [] : await fetchLog(server.url, "demo");
    const asked = log.findLast((entry) => entry.kind === "approval_requested");
    const approval = APPROVAL.exec(JSON.stringify(asked?.body ?? null))?.[0] ?? "none";
    const at = url.replace(LOCAL, "").replace(APPROVAL, approval);
    const response = await fetch(`${server.url}${at}`, {
      headers: { ...headers, ...(json === null ? {} : { "content-type": "application/json" }) },
      ...(json === null ? {} : { method: "POST", body: json }),
    });
    answers.push({ path: at, status: response.status, text: await response.text() });
  }

  expect(answers.filter((answer) => ![200, 201, 202].includes(answer.status))).toEqual([]);
  const [stream, events, session, card, decided] = answers.map((answer) => answer.text);
  expect(stream).toContain('"type":"data-approval"');
  expect(stream).toContain("[DONE]");
  expect(events).toContain('"kind":"approval_requested"');
  expect(session).toContain('"pendingApprovals":1');
  expect(card).toContain('"state":"pending"');
  expect(decided).toContain('"state":"approved"');
});
