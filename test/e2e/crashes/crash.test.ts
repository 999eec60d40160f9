import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { chat } from "../clients/command.ts";
import { callsOf, fetchLog, ofKind, say, watch, type Logged } from "../clients/log.ts";
import { expectAnswerIsLast, expectGoodConduct, expectPageIsPublic, WISH } from "../clients/main-wish.ts";
import { startOpenAiServer, type OpenAiServer } from "../clients/openai-server.ts";
import { useServer } from "../clients/server.ts";
import { signal } from "../clients/signal.ts";

/** The whole process group is killed, as a power cut would, in the middle of something; then it is started again. */

// Next action of the model server; each test sets its own.
let gate: (at: { readonly request: number; readonly piece: number }) => Promise<void> | void = () => {};
let onReply: (calls: number) => void = () => {};
let model: OpenAiServer;
beforeAll(async () => {
  model = await startOpenAiServer({ gate: (at) => gate(at), onReply: ({ calls }) => onReply(calls) });
});
afterAll(() => model.close());

const server = useServer(() => [
  "MODEL:openai-compatible:test",
  // The test counts model requests, so turn titles off.
  "TITLES:0",
  `OPENAI_COMPATIBLE_BASE_URL:${model.baseUrl}`,
]);

/** A run that looks, creates a page and answers; nobody has to be asked. */
function script(name: string): string {
  return [
    "/call site_overview {}",
    "/then",
    `/call page_create ${JSON.stringify({ name })}`,
    "/then",
    `/say ${name} is there.`,
  ].join("\n");
}

/** Stops the model in the middle of the next reply but `after`; `held` says when it stands there, for ever. */
function holdReply(after: number): Promise<void> {
  const held = signal();
  const first = model.requests.length + 1;
  gate = ({ request, piece }) => {
    if (request !== first + after || piece !== 2) return;
    held.fire();
    return new Promise<void>(() => {});
  };
  return held.came;
}

/** The model has said its last word. Nobody asks the server. */
function answerSent(): Promise<void> {
  const sent = signal();
  onReply = (calls) => {
    if (calls === 0) sent.fire();
  };
  return sent.came;
}

/** The log when the run has ended. The first look is a touch, so it comes after the model's last word. */
async function finishedLog(session: string): Promise<Logged[]> {
  const watcher = await watch(server.url, session);
  const log = await fetchLog(server.url, session);
  if (ofKind(log, "run_ended").length === 0) await watcher.saw("run_ended");
  watcher.close();
  return fetchLog(server.url, session);
}

async function pagesNamed(name: string): Promise<number> {
  const session = `count-${crypto.randomUUID()}`;
  gate = () => {};
  await say(server.url, session, `/call page_list ${JSON.stringify({ q: name })}\n/then\n/say Counted.`);
  const [result] = ofKind(await finishedLog(session), "call_settled");
  const { observation } = z.object({ status: z.literal("ok"), observation: z.string() }).parse(result?.body);
  return observation.split(`"name":"${name}"`).length - 1;
}

function expectWhole(log: readonly Logged[], name: string): void {
  expect(log.map((each) => each.seq)).toEqual(log.map((_, at) => at + 1));
  expect(ofKind(log, "run_ended").map((each) => each.body["outcome"])).toEqual(["completed"]);
  expect(ofKind(log, "answer").map((each) => each.body["text"])).toEqual([`${name} is there.`]);
  expect(callsOf(log).map(({ tool, status, results }) => ({ tool, status, results }))).toEqual([
    { tool: "site_overview", status: "ok", results: 1 },
    { tool: "page_create", status: "ok", results: 1 },
  ]);
}

describe("killed in the middle of a model call", () => {
  test.each([
    ["the first", 0],
    ["the one after the page", 2],
  ])("(%s), a run goes on by itself and ends", async (which, after) => {
    const name = `Cut ${after}`;
    const session = `model-${after}`;
    const held = holdReply(after);
    await say(server.url, session, script(name));
    await held;
    await server.kill();

    gate = () => {};
    const sent = answerSent();
    await server.start();
    // Not touched until the model has heard from it and said its last word.
    await sent;
    const log = await finishedLog(session);
    expectWhole(log, name);
    expect(
      ofKind(log, "attempt_lost").map((each) => each.body["what"]),
      which,
    ).toEqual(["model"]);
    expect(await pagesNamed(name)).toBe(1);
  });
});

describe("killed inside a tool call", () => {
  // The kill races with the tool: it falls before, into or after the work. What must be true is true in each case.
  test.each([1, 2, 3])("the page exists once and the call has one result (round %i)", async (round) => {
    const name = `Torn ${round}`;
    const session = `tool-${round}`;
    gate = () => {};
    const watcher = await watch(server.url, session);
    const intended = watcher.saw("call_intended", (entry) => entry.body["tool"] === "page_create");
    const sent = answerSent();
    await say(server.url, session, script(name));
    await intended;
    await server.kill();
    watcher.close();

    await server.start();
    await sent;
    const log = await finishedLog(session);
    expectWhole(log, name);
    expect(await pagesNamed(name)).toBe(1);
  });
});

describe("a client over a crash", () => {
  test("that watches the log sees every entry once, in order", async () => {
    const session = "watched";
    const watcher = await watch(server.url, session);
    const held = holdReply(1);
    await say(server.url, session, script("Watched"));
    await held;
    await server.kill();
    gate = () => {};
    await server.start();
    await watcher.saw("run_ended");
    const log = await fetchLog(server.url, session);
    watcher.close();
    expectWhole(log, "Watched");
    expect(watcher.seqs).toEqual(log.map((each) => each.seq));
  });

  test("in the terminal goes on with the run and prints nothing twice", async () => {
    const held = holdReply(2);
    const command = chat(server.url, [WISH, "--yes", "--session", "terminal"]);
    await held;
    await server.kill();
    gate = () => {};
    await server.start();
    const { code, out, err } = await command.exit;
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(err).toContain("Connected again.");
    // Once, however often it was tried.
    expect(err.match(/The connection is lost/g)).toHaveLength(1);
    const shown = out.split("\n").filter((line) => line.startsWith("→ "));
    const calls = callsOf(await fetchLog(server.url, "terminal"));
    expect(shown.map((line) => line.split(" ")[1])).toEqual(calls.map((each) => each.tool));
    await expectPageIsPublic(server.url);
    await expectGoodConduct(server.url, "terminal");
    await expectAnswerIsLast(server.url, "terminal", out);
  });
});
