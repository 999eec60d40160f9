import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { run, type Command } from "../clients/command.ts";
import { useServer } from "../clients/server.ts";

/** `npm run rollouts -- …` against a real server, which is killed in the middle. */

const server = useServer();
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "rollouts-"));
});
afterAll(() => rm(folder, { recursive: true }));

const script = (...lines: readonly string[]): string => lines.join("\n");
const QUESTIONS = [
  {
    id: "pages",
    question: script("/call page_list {}", "/then", "/say The hut opens in May."),
    answer: "May",
  },
  // A person would be asked. Nobody is there, so it is denied, and the run goes on.
  {
    id: "gated",
    question: script('/call page_delete {"pages":["about"]}', "/then", "/say It stays."),
    answer: "it stays",
  },
  { id: "wrong", question: "/say In June.", answer: "May" },
];
/** held until the server is killed */
const SLOW = { id: "slow", question: script("/wait 20000", "/say At last.") };

const rollouts = (...args: readonly string[]): Command =>
  run("npm", ["run", "--silent", "rollouts", "--", ...args, "--url", server.url]);

test("questions are asked, survive a Cairn that goes away, and are scored", async () => {
  const questions = path.join(folder, "questions.jsonl");
  const out = path.join(folder, "results.jsonl");
  const lines = (all: readonly object[]): string => all.map((one) => `${JSON.stringify(one)}\n`).join("");
  await writeFile(questions, lines([...QUESTIONS, SLOW]));
  const args = [questions, "--n", "2", "--out", out];

  const cut = rollouts(...args, "--concurrency", "1");
  await cut.saw("3 of 8  wrong (1): answer, wrong, 0 calls");
  await server.kill();
  const { code, err } = await cut.exit;
  expect([code, err]).toEqual([1, expect.stringContaining("cannot be reached")]);

  await server.start();
  await writeFile(questions, lines(QUESTIONS));
  const done = await rollouts(...args, "--concurrency", "3").exit;
  expect(done.code, done.err).toBe(0);
  expect(done.out).toContain(`3 of 6 rollouts are in ${out}. 3 are left.`);
  expect(done.out).toContain("pass@1   0.667\npass@2   0.667\n");
  expect(done.out).toContain("Ended: answer 6.");

  const rowSchema = z.looseObject({ messages: z.array(z.object({ role: z.string() })) });
  const rows = (await readFile(out, "utf8"))
    .trim()
    .split("\n")
    .map((line) => rowSchema.parse(JSON.parse(line)));
  expect(rows.map(({ id, rollout }) => `${String(id)} ${String(rollout)}`).toSorted()).toEqual(
    ["gated", "pages", "wrong"].flatMap((id) => [`${id} 1`, `${id} 2`]),
  );
  const pages = rows.find(({ id }) => id === "pages");
  expect(pages).toMatchObject({ termination: "answer", prediction: "The hut opens in May.", tool_calls: 1 });
  expect(pages?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  expect(new Set(rows.map(({ run: name }) => String(name))).size).toBe(6);
});

test("a file that is not there ends it with a sentence", async () => {
  const none = path.join(folder, "none.jsonl");
  expect(await rollouts(none, "--out", path.join(folder, "o.jsonl")).exit).toMatchObject({
    code: 1,
    err: `There is no file ${none}.\n`,
  });
});
