import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { buffer as bytesOf, text as bodyOf } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isRight } from "../../src/cli/rollouts/judge.ts";
import { parseRolloutOptions, type RolloutOptions } from "../../src/cli/rollouts/options.ts";
import { parseQuestions } from "../../src/cli/rollouts/questions.ts";
import { readRows } from "../../src/cli/rollouts/rows.ts";
import { runRollouts } from "../../src/cli/rollouts/run-rollouts.ts";

/** Questions of a file, each asked several times of a server of the test that answers like Cairn. */

/** Result of a run; a status refuses the run. */
interface Said {
  readonly answer?: string;
  readonly outcome?: "answered" | "partial" | "failed";
  readonly calls?: number;
  readonly value?: unknown;
  readonly refuse?: { readonly status: number; readonly code: string; readonly message: string };
  /** it goes on until it is stopped */
  readonly endless?: true;
}

interface StubRun {
  readonly question: string;
  readonly said: Said;
  stopped: boolean;
}

let server: Server;
let url = "";
let folder = "";
let runs: StubRun[] = [];
let bodies: { readonly [field: string]: unknown }[] = [];
/** what the next run comes to, by its question and how many runs there were */
let say: (question: string, n: number) => Said = () => ({ answer: "42" });
/** what a model that judges is asked, and says */
let judged: { readonly [field: string]: unknown }[] = [];
interface Rule {
  readonly verdict?: unknown;
  readonly refuse?: { readonly code: string; readonly message: string };
}
let rule: (input: { readonly [name in "question" | "answer" | "prediction"]: string }) => Rule = () => ({});
let uploads: { readonly session: string; readonly name: string; readonly size: number }[] = [];
const formOf = async (request: IncomingMessage): Promise<FormData> =>
  new Response(new Uint8Array(await bytesOf(request)), {
    headers: { "content-type": request.headers["content-type"] ?? "" },
  }).formData();
let heard: () => void = () => {};

const END = "2026-11-25T10:00:07.500Z";

function viewOf(run: StubRun): object {
  const { said, stopped } = run;
  const ended = said.endless === undefined || stopped;
  const outcome = stopped ? "cancelled" : (said.outcome ?? "answered");
  return {
    id: `ses${runs.indexOf(run)}.r1`,
    sessionId: `ses${runs.indexOf(run)}`,
    status: ended ? "completed" : "running",
    outcome: ended ? outcome : null,
    reason: ended && outcome !== "answered" ? `it was ${outcome}` : null,
    answer: said.answer ?? null,
    ...(said.value === undefined ? {} : { result: { verdict: { answer: said.value } } }),
    firstSeq: 1,
    lastSeq: 9,
    createdAt: "2026-11-25T10:00:00.000Z",
    endedAt: ended ? END : null,
  };
}

function eventsOf({ question, said }: StubRun): object[] {
  const calls = Array.from({ length: said.calls ?? 0 }, (_, at) => at);
  const entry = (seq: number, kind: string, body: object, run = "r1") => ({ seq, run, kind, body });
  return [
    entry(1, "user_message", { parts: [{ type: "text", text: question }] }),
    entry(2, "model_replied", {
      parts: [
        { type: "reasoning", text: "I look." },
        ...calls.map((at) => ({ type: "call", call: `c${at}`, tool: "look", input: { at } })),
      ],
    }),
    ...calls.map((at) => entry(3 + at, "call_settled", { observation: `seen ${at}` })),
    entry(7, "model_replied", { parts: [{ type: "text", text: "of another run" }] }, "r2"),
    ...(said.answer === undefined
      ? []
      : [
          // The answer is what the last reply says, word by word.
          entry(8, "model_replied", { parts: [{ type: "text", text: said.answer }] }),
          entry(9, "answer", { text: said.answer }),
        ]),
  ];
}

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "rollouts-"));
  runs = [];
  bodies = [];
  uploads = [];
  judged = [];
  rule = () => ({});
  say = () => ({ answer: "42" });
  heard = () => {};
  server = createServer((request, response) => {
    const json = (value: unknown, status = 200): void => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(value));
    };
    const at = new URL(request.url ?? "/", "http://stub").pathname;
    const known = runs[Number(/ses(\d+)/.exec(at)?.[1])];
    if (request.method === "POST" && at === "/api/runs")
      return void bodyOf(request).then((body) => {
        const spec = JSON.parse(body) as { readonly input: { readonly question: string } };
        const { question } = spec.input;
        if ("prediction" in spec.input) {
          judged.push(spec);
          const { refuse, verdict = { correct: true } } = rule(spec.input as never);
          if (refuse !== undefined) return json({ error: refuse }, 422);
          runs.push({ question, said: { value: verdict }, stopped: false });
          return json(viewOf(runs.at(-1) as StubRun), 202);
        }
        const said = say(question, runs.filter((run) => run.question === question).length);
        if (said.refuse !== undefined) {
          const { status, ...error } = said.refuse;
          return json({ error }, status);
        }
        bodies.push({ ...spec, key: request.headers["idempotency-key"] });
        const run: StubRun = { question, said, stopped: false };
        runs.push(run);
        json(viewOf(run), 202);
        heard();
      });
    if (request.method === "POST" && at === "/api/uploads")
      return void formOf(request).then((form) => {
        const file = form.get("file") as File;
        uploads.push({ session: form.get("session") as string, name: file.name, size: file.size });
        if (file.name.endsWith(".exe"))
          return json({ error: { code: "unsupported_media", message: "Text is accepted." } }, 415);
        json({ url: `/uploads/f_${file.name}` }, 201);
      });
    if (known === undefined) return json({ error: { code: "not_found", message: "No." } }, 404);
    if (request.method === "DELETE") {
      known.stopped = true;
      return json(viewOf(known), 202);
    }
    if (at.endsWith("/events")) return json({ items: eventsOf(known), more: false });
    return json(viewOf(known));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

const at = (name: string): string => path.join(folder, name);
const write = (name: string, ...lines: readonly (object | string)[]): string => {
  const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  writeFileSync(at(name), `${texts.join("\n")}\n`);
  return at(name);
};
const optionsOf = (more: Partial<RolloutOptions> = {}): RolloutOptions => ({
  questions: at("q.jsonl"),
  out: at("out.jsonl"),
  n: 1,
  concurrency: 1,
  minutes: 180,
  agent: null,
  preset: null,
  model: null,
  tools: null,
  citations: null,
  judge: "words",
  url,
  token: null,
  ...more,
});
const rowsIn = (name = "out.jsonl"): Record<string, unknown>[] =>
  readFileSync(at(name), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
async function worked(more: Partial<RolloutOptions> = {}, signal?: AbortSignal) {
  const lines: string[] = [];
  const score = await runRollouts(optionsOf(more), (line) => lines.push(line), signal);
  return { score, lines };
}

describe("files of questions", () => {
  test("are sent to the new session of each rollout, and named by its run", async () => {
    write("lease.txt", "Notice: three months.");
    write("rent.csv", "a,b");
    write(
      "q.jsonl",
      { question: "How long?", files: ["lease.txt", "./rent.csv", "lease.txt"] },
      { question: "As GAIA has it?", file_name: "lease.txt" },
      { question: "One path?", files: "rent.csv" },
      { question: "None?", file_name: "" },
    );
    await worked({ n: 2 });
    const sessions = bodies.map((body) => body["session_id"]);
    expect(bodies.map((body) => body["files"])).toEqual([
      ["/uploads/f_lease.txt", "/uploads/f_rent.csv"],
      ["/uploads/f_lease.txt"],
      ["/uploads/f_rent.csv"],
      undefined,
      ["/uploads/f_lease.txt", "/uploads/f_rent.csv"],
      ["/uploads/f_lease.txt"],
      ["/uploads/f_rent.csv"],
      undefined,
    ]);
    expect(uploads.map(({ name, size }) => [name, size]).slice(0, 3)).toEqual([
      ["lease.txt", 22],
      ["rent.csv", 4],
      ["lease.txt", 22],
    ]);
    expect(uploads.map(({ session }) => session)).toEqual(
      [0, 0, 1, 2, 4, 4, 5, 6].map((index) => sessions[index]),
    );
    expect(new Set(sessions).size).toBe(7);
  });

  test("that Cairn refuses make a refused row, and the other questions go on", async () => {
    write("tool.exe", "MZ");
    write("q.jsonl", { question: "What is it?", files: ["tool.exe"] }, { question: "And this?" });
    await worked();
    expect(rowsIn().map(({ termination, reason }) => [termination, reason])).toEqual([
      ["refused", "tool.exe: Text is accepted."],
      ["answer", null],
    ]);
  });

  test.each([
    ["that are not there stop it before anything is asked", ["gone.txt"], /^There is no file gone\.txt in /],
    ["that are folders stop it too", ["."], /^\. in .* is not a file\.$/],
    ["must be paths", [7], /line 1: files must be a path, or a list of at most 20\.$/],
    ["are at most 20", Array.from({ length: 21 }, (_, n) => `${n}.txt`), /a list of at most 20\.$/],
  ])("%s", async (_, files, words) => {
    write("q.jsonl", { question: "What is it?", files });
    await expect(worked()).rejects.toThrow(words);
    expect([bodies, uploads, existsSync(at("out.jsonl"))]).toEqual([[], [], false]);
  });
});

describe("rollouts", () => {
  test("are rows with the fields of DeepResearch, each of a run of its own that nobody watches", async () => {
    write("q.jsonl", { question: "What is {{input.x}}?", answer: "42", id: 7, level: "easy" });
    say = () => ({ answer: "It is 42 [e1].", calls: 2 });
    await worked({ n: 2, preset: "deepresearch", agent: "scout" });
    expect(rowsIn()).toEqual(
      [1, 2].map((rollout) => ({
        question: "What is {{input.x}}?",
        answer: "42",
        prediction: "It is 42 [e1].",
        termination: "answer",
        messages: [
          { role: "user", content: "What is {{input.x}}?" },
          {
            role: "assistant",
            content:
              '<think>\nI look.\n</think>\n<tool_call>\n{"name":"look","arguments":{"at":0}}\n</tool_call>\n<tool_call>\n{"name":"look","arguments":{"at":1}}\n</tool_call>',
          },
          {
            role: "user",
            content: "<tool_response>\nseen 0\n</tool_response>\n<tool_response>\nseen 1\n</tool_response>",
          },
          { role: "assistant", content: "<answer>It is 42 [e1].</answer>" },
        ],
        id: "7",
        rollout,
        correct: true,
        reason: null,
        tool_calls: 2,
        seconds: 7.5,
        run: `ses${rollout - 1}.r1`,
      })),
    );
    expect(bodies[0]).toMatchObject({
      objective: "{{input.question}}",
      input: { question: "What is {{input.x}}?" },
      agent: "scout",
      preset: "deepresearch",
      human: { default: "go_on" },
      approval: { on_expiry: "deny" },
    });
    expect(bodies[0]).not.toHaveProperty("session_id");
    expect(new Set(bodies.map(({ key }) => key)).size).toBe(2);
  });

  test("are scored with what failed in the denominator, and what has no answer outside of it", async () => {
    write("q.jsonl", { question: "a", answer: "42" }, { question: "b", answer: "17" }, { question: "c" });
    say = (question, n) => {
      if (question === "a") return n === 0 ? { answer: "42", calls: 3 } : { outcome: "failed" };
      return question === "b" ? { answer: "16", outcome: "partial" } : { answer: "who knows" };
    };
    const { score, lines } = await worked({ n: 2 });
    expect(score).toEqual({
      questions: 3,
      graded: 2,
      rollouts: 6,
      passAt1: 0.25,
      passAtN: 0.5,
      averageCalls: 0.5,
      unjudged: 0,
      averageSeconds: 7.5,
      terminations: { answer: 3, failed: 1, partial: 2 },
    });
    expect(lines).toContain("pass@1   0.250");
    expect(lines).toContain("pass@2   0.500");
    expect(lines.join("\n")).toContain("No model judges.");
    expect(rowsIn().map(({ correct }) => correct)).toEqual([true, false, null, false, false, null]);
    expect(rowsIn()[3]).toMatchObject({ prediction: "", termination: "failed", reason: "it was failed" });
  });

  test("say how far they are and about how long the rest takes", async () => {
    write("q.jsonl", { question: "a", answer: "42" }, { question: "b", id: "second" });
    const { lines } = await worked();
    expect(lines[0]).toBe(`2 rollouts: 2 questions, 1 each, at ${url}.`);
    expect(lines[1]).toMatch(/^1 of 2 {2}a \(1\): answer, right, 0 calls, 7\.5 s\. About \d+ s left\.$/);
    expect(lines[2]).toBe("2 of 2  second (1): answer, 0 calls, 7.5 s.");
  });

  test("that are in the file are not asked again; a row that was cut off is done again whole", async () => {
    write("q.jsonl", { question: "a", answer: "42" }, { question: "b", answer: "42" });
    await worked({ n: 2 });
    const whole = readFileSync(at("out.jsonl"), "utf8");
    writeFileSync(at("out.jsonl"), whole.slice(0, -40));
    runs = [];
    const { lines, score } = await worked({ n: 2 });
    expect(lines.slice(0, 2)).toEqual([
      `The last result in ${at("out.jsonl")} was cut off in the middle: it is done again.`,
      `3 of 4 rollouts are in ${at("out.jsonl")}. 1 are left.`,
    ]);
    expect(runs.map(({ question }) => question)).toEqual(["b"]);
    expect(rowsIn()).toHaveLength(4);
    expect(score).toMatchObject({ rollouts: 4, passAt1: 1 });
    // More of them, or other questions, go on from there.
    write("q.jsonl", { question: "a", answer: "42" }, { question: "new" });
    runs = [];
    expect((await worked({ n: 3 })).score.rollouts).toBe(6);
    expect(runs.map(({ question }) => question)).toEqual(["new", "new", "a", "new"]);
  });

  test("are worked at the same time, and each row stays whole", async () => {
    write("q.jsonl", ...Array.from({ length: 20 }, (_, n) => ({ question: `q${n}`, answer: `${n}` })));
    say = (question) => ({ answer: `${question.slice(1)} ${"x".repeat(50_000)}`, calls: 4 });
    const { score } = await worked({ concurrency: 8 });
    expect(score.passAt1).toBe(1);
    expect(
      rowsIn()
        .map(({ question }) => question)
        .toSorted(),
    ).toEqual(Array.from({ length: 20 }, (_, n) => `q${n}`).toSorted());
  });
});

describe("a rollout that does not come to an answer", () => {
  test("because Cairn refuses the question is a row; because of an option it is the end", async () => {
    write("q.jsonl", { question: "too long", answer: "42" }, { question: "b", answer: "42" });
    const refuse = (message: string) => ({ refuse: { status: 422, code: "invalid_run", message } });
    say = (question) => (question === "b" ? {} : refuse("objective: Too long."));
    expect((await worked()).score).toMatchObject({ terminations: { refused: 1, answer: 1 }, passAt1: 0 });
    expect(rowsIn()[0]).toMatchObject({ termination: "refused", reason: "objective: Too long.", run: null });
    say = () => refuse("agent: There is no agent scout.");
    await expect(worked({ out: at("two.jsonl") })).rejects.toThrow("There is no agent scout.");
    expect(rowsIn("two.jsonl")).toEqual([]);
  });

  test("because it was interrupted is stopped at Cairn, and is no row", async () => {
    write("q.jsonl", { question: "a", answer: "42" }, { question: "b", answer: "42" });
    say = (question) => (question === "b" ? { endless: true } : { answer: "42" });
    const stop = new AbortController();
    heard = () => {
      if (runs.length === 2) stop.abort();
    };
    await expect(worked({}, stop.signal)).rejects.toThrow("aborted");
    expect(runs.map(({ stopped }) => stopped)).toEqual([false, true]);
    expect(rowsIn().map(({ question }) => question)).toEqual(["a"]);
  });

  test("in its time is stopped, and says so", async () => {
    write("q.jsonl", { question: "a", answer: "42" });
    say = () => ({ endless: true });
    expect((await worked({ minutes: 0 })).score.terminations).toEqual({ timed_out: 1 });
    expect(runs[0]?.stopped).toBe(true);
  });
});

describe("files as DeepResearch has them", () => {
  const LIST = [
    { question: "a", answer: "42" },
    { question: "b", answer: "17", file_name: "" },
  ];
  test.each([
    ["a list in .json", "q.json", JSON.stringify(LIST)],
    ["a list over several lines", "q.json", JSON.stringify(LIST, null, 2)],
    ["a list behind a byte order mark", "q.json", `\uFEFF ${JSON.stringify(LIST)}`],
    ["a list under another name", "q.txt", JSON.stringify(LIST, null, 1)],
    ["lines", "q.jsonl", LIST.map((row) => JSON.stringify(row)).join("\r\n")],
  ])("%s", (_, file, text) => {
    expect(parseQuestions(text, file).map(({ question, answer }) => [question, answer])).toEqual([
      ["a", "42"],
      ["b", "17"],
    ]);
  });

  test("one object over several lines, an answer that is true, and a question in messages", () => {
    const said = [{ content: "You are." }, { content: "Be brief.\nUser: How long?" }];
    expect(parseQuestions('{\n"question": "a",\n"answer": true\n}', "q.json")).toMatchObject([
      { question: "a", answer: "true" },
    ]);
    const rows = [
      { messages: said, answer: "3" },
      { question: "", messages: [said[0], { content: "Why?" }] },
    ];
    expect(parseQuestions(JSON.stringify(rows), "q.json").map(({ question }) => question)).toEqual([
      "How long?",
      "Why?",
    ]);
  });

  test.each([
    ["q.json", "[]", "q.json has no questions."],
    ["q.json", "[1]", "q.json, question 1 is no object with a question."],
    ["q.json", '[{"question":"a"},{"text":"b"}]', "q.json, question 2: question must be a text."],
    ["q.json", '[{"question":"a"},{"question":"a"}]', "question 2 asks the same as question 1."],
    ["q.json", '[{"question":"a"}', "q.json is no JSON. It is a list of objects"],
    ["q.jsonl", '["a"]\n{"question":"a"}', "line 1 is no object with a question"],
  ])("%s with %j is none", (file, text, why) => {
    expect(() => parseQuestions(text, file)).toThrow(why);
  });
});

describe("what a run is asked with", () => {
  const specFor = async (...args: readonly string[]) => {
    write("q.jsonl", { question: "a", answer: "42" });
    const read = parseRolloutOptions([at("q.jsonl"), "--out", at("out.jsonl"), "--url", url, ...args], {});
    if (read.kind !== "options") throw new Error(JSON.stringify(read));
    await runRollouts({ ...read.options, n: 1 }, () => {});
    const [{ model, tools, citations } = {}] = bodies;
    return { model, tools, citations };
  };

  test.each([
    [[], { citations: "check" }],
    [["--agent", "scout"], {}],
    [["--agent", "scout", "--citations", "off"], { citations: "off" }],
    [["--citations", "off"], { citations: "off" }],
    [["--citations", "require"], { citations: "require" }],
    [
      ["--model", "alibaba/tongyi-deepresearch-30b-a3b"],
      { citations: "check", model: "alibaba/tongyi-deepresearch-30b-a3b" },
    ],
    [["--tools", "pack:search, visit,visit"], { citations: "check", tools: ["pack:search", "visit"] }],
    [["--tools", "none"], { citations: "check", tools: [] }],
  ])("%j", async (args, spec) => {
    expect(await specFor(...args)).toEqual(spec);
  });

  test.each([
    [["--citations", "sometimes"], "--citations takes off, check, require, not"],
    [["--tools", "visit,"], "--tools takes names with commas"],
    [["--tools", ""], "--tools takes names with commas"],
    [["--model", ""], "--model takes the name of a model"],
    [["--judge", ""], "--judge takes exact, words or the name of a model"],
  ])("%j is wrong", (args, problem) => {
    expect(parseRolloutOptions(["q.jsonl", "--out", "o", ...args], {})).toMatchObject({
      kind: "usage",
      problem: expect.stringContaining(problem) as string,
    });
  });

  test("a model that may not be named stops it: it is wrong for every question", async () => {
    say = () => ({
      refuse: { status: 422, code: "invalid_run", message: "model: x:y may not be named here." },
    });
    await expect(specFor("--model", "x:y")).rejects.toThrow("x:y may not be named here.");
    expect(rowsIn()).toEqual([]);
  });
});

describe("the judge", () => {
  const JUDGE = "openai-compatible:judge";

  test("is a model that is named: its verdict is in the row, and is not asked for again", async () => {
    write("q.jsonl", { question: "Since when?", answer: "1889" }, { question: "Who?" });
    say = () => ({ answer: "It stands since the end of the eighties of that century [e1]." });
    rule = ({ answer }) => ({ verdict: { correct: answer === "1889", why: "The same year." } });
    const { score, lines } = await worked({ judge: JUDGE });
    expect([score.passAt1, score.graded, score.unjudged]).toEqual([1, 1, 0]);
    expect(rowsIn().map(({ correct, judge, judged: why }) => [correct, judge, why])).toEqual([
      [true, JUDGE, "The same year."],
      [null, undefined, undefined],
    ]);
    expect(judged).toMatchObject([
      {
        model: JUDGE,
        tools: [],
        citations: "off",
        input: {
          question: "Since when?",
          answer: "1889",
          prediction: expect.stringMatching(/^It stands/) as string,
        },
      },
    ]);
    expect(lines.join("\n")).toContain(`${JUDGE} judges each of them`);
    expect((await worked({ judge: JUDGE })).score.passAt1).toBe(1);
    expect(judged).toHaveLength(1);
    // Another judge judges what is there itself.
    expect((await worked({ judge: "words" })).score.passAt1).toBe(0);
    expect((await worked({ judge: "rehearsal:other" })).score.passAt1).toBe(1);
    expect(judged).toHaveLength(2);
  });

  test("that gives no verdict makes the row wrong, says so, and is asked again the next time", async () => {
    write("q.jsonl", { question: "a", answer: "42" });
    rule = () => ({ verdict: "I think so." });
    const { score, lines } = await worked({ judge: JUDGE });
    expect([score.passAt1, score.unjudged, rowsIn()[0]?.["correct"]]).toEqual([0, 1, null]);
    expect(lines).toContain("1 could not be judged, and count as wrong.");
    rule = () => ({ verdict: { correct: true } });
    expect((await worked({ judge: JUDGE })).score).toMatchObject({ passAt1: 1, unjudged: 0 });
  });

  test("that may not be named stops it, and what was worked is kept", async () => {
    write("q.jsonl", { question: "a", answer: "42" });
    rule = () => ({ refuse: { code: "invalid_run", message: "model: it may not be named here." } });
    await expect(worked({ judge: JUDGE })).rejects.toThrow("it may not be named here.");
    expect(rowsIn()).toMatchObject([{ question: "a", prediction: "42", correct: null }]);
  });

  test("is not asked of nothing", async () => {
    write("q.jsonl", { question: "a", answer: "42" });
    say = () => ({ outcome: "failed" });
    expect((await worked({ judge: JUDGE })).score.passAt1).toBe(0);
    expect(judged).toEqual([]);
  });

  test.each([
    ["42", "42", 1],
    ["  The Eiffel tower. ", "eiffel Tower", 1],
    ["1,024", "1024", 1],
    ["It is 42.", "42", 0],
    ["42 or 43", "42", 0],
    ["", "42", 0],
  ])("exact: %j for %j is %j", async (prediction, answer, part) => {
    write("q.jsonl", { question: "a", answer });
    say = () => ({ answer: prediction });
    expect((await worked({ judge: "exact" })).score.passAt1).toBe(part);
    expect(rowsIn()).toMatchObject([{ correct: part === 1, judge: "exact" }]);
  });
});

describe("what cannot be worked with", () => {
  test.each([
    ["", "has no questions"],
    ['{"question":"a"}\n{"question":"b"', "line 2 is no JSON"],
    ['{"question":"a"}\n\n{"text":"b"}', "line 3: question must be a text"],
    ["[1]", "line 1 is no object with a question"],
    ['{"question":"  "}', "line 1: question must be a text"],
    ['{"question":"a","answer":{}}', "line 1: answer must be a text"],
    ['{"question":"a"}\n{"question":"a"}', "line 2 asks the same as line 1"],
    ['{"question":"a","id":1}\n{"question":"b","id":"1"}', "line 2 has the id of line 1"],
  ])("is a file of questions such as %j", (text, why) => {
    expect(() => parseQuestions(text, "q.jsonl")).toThrow(why);
  });

  test("is a file that is not there, or results that cannot be written, or are none", async () => {
    await expect(worked()).rejects.toThrow(`There is no file ${at("q.jsonl")}.`);
    write("q.jsonl", { question: "a" });
    await expect(worked({ out: at("none/out.jsonl") })).rejects.toThrow("cannot be written (ENOENT)");
    await expect(worked({ out: folder })).rejects.toThrow("cannot be written (EISDIR)");
    const notes = write("notes.txt", "My notes,", '{"of":"mine"}');
    await expect(worked({ out: notes })).rejects.toThrow("line 1 is no result of a rollout");
    writeFileSync(notes, '{"of":"mine", and so on');
    await expect(worked({ out: notes })).rejects.toThrow("line 1 is no result of a rollout");
    expect(readFileSync(notes, "utf8")).toBe('{"of":"mine", and so on');
    expect(runs).toEqual([]);
  });

  test("are results that another process writes to; those of a process that is gone are taken over", async () => {
    write("q.jsonl", { question: "a", answer: "42" });
    const lock = at("out.jsonl.lock");
    say = () => ({ endless: true });
    const stop = new AbortController();
    const works = new Promise<void>((resolve) => (heard = resolve));
    const first = worked({}, stop.signal).catch((error: unknown) => String(error));
    await works;
    expect(readFileSync(lock, "utf8")).toBe(String(process.pid));
    await expect(worked()).rejects.toThrow(`${at("out.jsonl")} (process ${process.pid}). Wait for it`);
    stop.abort();
    expect(await first).toContain("aborted");
    expect([existsSync(lock), runs.length]).toEqual([false, 1]);
    say = () => ({ answer: "42" });
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    writeFileSync(at("dead.lock"), `${pid}`);
    writeFileSync(at("odd.lock"), "no number");
    await worked({ out: at("dead") });
    await worked({ out: at("odd") });
    expect(runs.length).toBe(3);
    expect(readdirSync(folder).filter((name) => name.includes(".lock"))).toEqual([]);
    // An empty lock belongs to a process that has not written its name yet, so it is live.
    writeFileSync(lock, "");
    await expect(worked()).rejects.toThrow(`delete ${lock}`);
    expect(readFileSync(lock, "utf8")).toBe("");
  });

  test("is a Cairn that lets nobody in", async () => {
    write("q.jsonl", { question: "a" });
    const message = "This token is not known.";
    say = () => ({ refuse: { status: 401, code: "unauthorized", message } });
    await expect(worked({ token: "wrong" })).rejects.toThrow(message);
    expect(rowsIn()).toEqual([]);
  });

  test.each([
    [[], "one file of questions"],
    [["a", "b", "--out", "o"], "one file of questions"],
    [["a"], "--out names"],
    [["a", "--out", "a"], "another file"],
    [["a", "--out", "o", "--n", "0"], '--n takes 1 to 32, not "0"'],
    [["a", "--out", "o", "--n", "x"], "--n takes 1 to 32"],
    [["a", "--out", "o", "--n", "33"], "--n takes 1 to 32"],
    [["a", "--out", "o", "--concurrency", "99"], "--concurrency takes"],
    [["a", "--out", "o", "--url", "ftp://x"], "--url takes"],
    [["a", "--out", "o", "--many", "3"], "--many"],
  ])("are the arguments %j", (argv, why) => {
    expect(parseRolloutOptions(argv, {})).toMatchObject({
      kind: "usage",
      problem: expect.stringContaining(why) as string,
    });
  });

  test("nothing of this: the arguments that most will give", () => {
    expect(parseRolloutOptions(["q.jsonl", "--n", "5", "--out", "o.jsonl"], { CAIRN_TOKEN: "t" })).toEqual({
      kind: "options",
      options: {
        questions: "q.jsonl",
        out: "o.jsonl",
        n: 5,
        concurrency: 2,
        minutes: 180,
        agent: null,
        preset: null,
        model: null,
        tools: null,
        citations: "check",
        judge: "words",
        url: "http://127.0.0.1:8787",
        token: "t",
      },
    });
  });
});

test("a file of results ends with a whole row, with a row without its line feed, or with the beginning of one", () => {
  const row =
    '{"question":"a","rollout":1,"prediction":"","termination":"failed","tool_calls":0,"seconds":1}';
  expect(readRows(`${row}\n${row}`, "o")).toMatchObject({ done: [{}, {}], isCut: false });
  for (const tail of ['{"que', row.slice(0, -3), "{"])
    expect(readRows(`${row}\n${tail}`, "o")).toMatchObject({ done: [{}], complete: `${row}\n`, isCut: true });
});

test.each([
  ["Paris", "paris", true],
  ["It is Paris, the capital [e1].", "Paris", true],
  ["The Great Gatsby", "great gatsby", true],
  ["1,234,567 people", "1234567", true],
  ["Ｐａｒｉｓ", "Paris", true],
  ["Parisian", "Paris", false],
  ["142", "42", false],
  ["I don't know", "Paris", false],
  ["", "Paris", false],
  ["It costs $5.", "$5", true],
  ["It is 3.5 km", "5", false],
  ["It is 3.5.", "3.5", true],
  ["It was 5 degrees", "-5", false],
  ["From 2019-2020", "2020", true],
  ["1,234", "234", false],
  ["vitamin C", "Vitamin A", false],
  ["They wrote it in C++.", "C++", true],
  ["They wrote it in C++.", "C", false],
  ["答案是东京。", "东京", true],
  ["答案是北京。", "东京", false],
  ["A", "A", true],
  ["?!", "?!", true],
  ["!", "?!", false],
])("%j against %j is %s", (prediction, answer, right) => {
  expect(isRight(prediction, answer)).toBe(right);
});
