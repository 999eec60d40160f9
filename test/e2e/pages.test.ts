import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { allAnswers as answers, type AnswerName } from "../fixtures/answers.ts";
import { fetchLog } from "./clients/log.ts";
import {
  isCurl,
  parseExamples,
  readPage,
  TYPED_PAGES,
  typeInto,
  type Answered,
  type Example,
  type Ran,
} from "./clients/pages.ts";
import { useServer } from "./clients/server.ts";

/**
 * Every command of the documentation is run. Those that ask a server are typed into a real shell against a real one, page by
 * page, and each answer is held against the line above its command: `# 200 Session` is the status and the shape, a name
 * of the OpenAPI document. The others are run by the tests of RUN_BY (test/docs/docs.test.ts) or need an account.
 */

/** Started as docs/api.md says. */
const START = parseExamples(readPage("docs/api.md")).find(({ command }) => command.startsWith("npm start "));
const variables = Array.from(
  (START?.command ?? "").matchAll(/--var (?:"([^"]*)"|'([^']*)')/g),
  ([, double, single]) => double ?? single ?? "",
);
const server = useServer(() => variables);

/** They ask nobody, but read what a command before them has written. */
const BESIDE = ["npm run replay -- demo.json"];

const examplesOf = (page: string): Example[] =>
  parseExamples(readPage(page)).filter((example) => isCurl(example) || BESIDE.includes(example.command));

/** Describes the fault of an answer; null if there is none. */
function faultOf({ promised }: Example, answered: Answered | null): string | null {
  if (promised === null) return "the page does not say what comes back";
  if (answered === null) return "no server was asked";
  const { status, type, text } = answered;
  if (status !== promised.status) return `${status} instead of ${promised.status}: ${text.slice(0, 300)}`;
  const { shape } = promised;
  if (shape === "nothing") return text === "" ? null : "there is a body";
  if (shape === "stream")
    return type.startsWith("text/event-stream") && /^data: ./m.test(text) ? null : `no stream: ${type}`;
  if (!type.startsWith("application/json")) return `no JSON: ${type}`;
  const value: unknown = JSON.parse(text);
  const fields = /^\{(.+)\}$/.exec(shape)?.[1]?.split(", ");
  if (fields !== undefined) {
    const missing = fields.filter((field) => !Object.hasOwn(value as object, field));
    return missing.length === 0 ? null : `no ${missing.join(", ")} in ${text.slice(0, 300)}`;
  }
  const [name = "", code] = shape.split(" ");
  if (!Object.hasOwn(answers(), name)) return `nothing is called ${name}`;
  const parsed = answers()[name as AnswerName].safeParse(value);
  if (!parsed.success) return parsed.error.message;
  return code === undefined || text.includes(`"code":"${code}"`)
    ? null
    : `not ${code}: ${text.slice(0, 300)}`;
}

async function typePage(page: string): Promise<readonly Ran[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "cairn-page-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const examples = examplesOf(page);
  const ran = await typeInto(folder, server.url, examples);
  const faults = ran
    .filter(({ example }) => isCurl(example))
    .map(({ example, answered }) => ({ command: example.command, fault: faultOf(example, answered) }));
  expect(faults.filter(({ fault }) => fault !== null)).toEqual([]);
  return ran;
}
const textOf = (ran: readonly Ran[], part: string): string =>
  ran.find(({ example }) => example.command.includes(part))?.answered?.text ?? "";

test("the server is started with the secrets that the page names", () => {
  expect(variables.map((each) => each.split(":")[0])).toEqual([
    "APPROVAL_LINK_SECRET",
    "PREVIEW_SECRET",
    "WEBHOOK_SECRETS",
  ]);
});

describe("every command of", () => {
  const ran = new Map<string, readonly Ran[]>();

  test.each(TYPED_PAGES)("%s does what it says", async (page) => {
    const typed = await typePage(page);
    expect(typed.length).toBeGreaterThan(1);
    ran.set(page, typed);
  });

  test("docs/api.md shows an approval, its decision, an answer and what is refused", async () => {
    const typed = ran.get("docs/api.md") ?? [];
    const [stream] = typed;
    expect(typed.length).toBeGreaterThan(50);
    expect(stream?.answered?.text).toContain('"type":"data-approval"');
    expect(stream?.answered?.text).toContain("[DONE]");
    expect(textOf(typed, "events?after=0")).toContain('"kind":"approval_requested"');
    expect(textOf(typed, '{"decision":"approve"}')).toContain('"state":"approved"');
    expect(textOf(typed, '"remember":')).toContain('"state":"approved"');
    expect(textOf(typed, "steer")).toContain('"code":"not_running"');
    const answered = (await fetchLog(server.url, "demo")).filter((entry) => entry.kind === "human_answered");
    expect(answered).toHaveLength(1);
  });

  test("docs/troubleshooting.md folds the log of that session again", () => {
    const typed = ran.get("docs/troubleshooting.md") ?? [];
    const replayed = typed.find(({ example }) => example.command === "npm run replay -- demo.json");
    expect(replayed?.out).toContain("equal\nThe file is as it was exported.");
  });
});

test("a command whose page promises nothing, or something else, is a fault", () => {
  const [bare, wrong, gone] = parseExamples(
    "```sh\ncurl x\n# 200 Session\ncurl y\n# 204 nothing\ncurl z\n```\n",
  );
  const answered = { status: 200, type: "application/json", text: '{"id":"demo"}' };
  if (bare === undefined || wrong === undefined || gone === undefined) throw new Error("they are not found");
  expect(faultOf(bare, answered)).toContain("does not say");
  expect(faultOf(wrong, answered)).toContain("title");
  expect(faultOf(gone, answered)).toContain("200 instead of 204");
  expect(faultOf(gone, null)).toContain("no server");
});
