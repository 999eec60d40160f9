import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import { QUESTION_MS } from "../../../src/cairn/core/limits.ts";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { PromptPart } from "../../../src/cairn/core/log/model.ts";
import type { ApiResult } from "../../../src/cairn/session/api/session-api.ts";
import { uiMessages } from "../../../src/cairn/protocol/stream/messages.ts";
import { REPORT, type Line } from "../platform/fake-model.ts";
import { FakePlatform } from "../platform/platform.ts";

/** Questions to a person through the real loop. */

const ADA = { subject: "ada", scopes: ["read", "send"], via: "http" } as const;
const ask = (question: string, more: Record<string, Json> = {}): [string, Json] => [
  "ask_human",
  { question, ...more },
];
const look = (name: string): [string, Json] => ["look", { name }];
const platformOf = (line: (step: number) => Line): FakePlatform =>
  new FakePlatform((request) =>
    request.tools.length === 0
      ? { text: "As far as I got." }
      : line(Number(/s(\d+)$/.exec(request.step)?.[1] ?? 1)),
  );
/** Asks once, then answers. */
const asking = (more: Record<string, Json> = {}): FakePlatform =>
  platformOf((step) =>
    step === 1 ? { calls: [ask("Which colour should it have?", more)] } : { text: "It has its colour." },
  );
const results = (platform: FakePlatform): unknown[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "call_settled" ? [[entry.body.call, entry.body.status, entry.body.observation]] : [],
  );
const ended = (platform: FakePlatform): unknown =>
  platform.log.flatMap((entry) =>
    entry.kind === "run_ended" ? [[entry.body.outcome, entry.body.reason]] : [],
  );
const bodies = (platform: FakePlatform, kind: Entry["kind"]): unknown[] =>
  platform.log.flatMap((entry) => (entry.kind === kind ? [entry.body] : []));
const lastPrompt = (platform: FakePlatform): string => JSON.stringify(platform.requests.at(-1)?.messages);
const codeOf = (answer: ApiResult<unknown>): string => (answer.ok ? "ok" : answer.error.code);

async function begin(platform: FakePlatform): Promise<FakePlatform> {
  platform.service.admitOrCreate(ADA);
  platform.say("go");
  await platform.settle();
  return platform;
}
async function goOn(platform: FakePlatform): Promise<void> {
  await platform.settle();
  expect(platform.folded).toEqual(platform.state);
}
const reply = (
  platform: FakePlatform,
  value: string,
  question: string | null = null,
): Promise<ApiResult<unknown>> => platform.api.answer(ADA, { runId: null, question, value });
const chat = (platform: FakePlatform, id: string, text: string): ReturnType<FakePlatform["api"]["send"]> =>
  platform.api.send(ADA, {
    id,
    parts: [{ type: "text", text }],
    mode: null,
    source: "web",
    request: `req-${id}`,
    ask: {},
  });
/** Lets the time of the question pass. */
async function waitInVain(platform: FakePlatform): Promise<void> {
  platform.now += QUESTION_MS;
  await platform.settle();
  expect(platform.folded).toEqual(platform.state);
}

describe("scenario 27: what pauses a run", () => {
  test("a text that ends in a question mark does not", async () => {
    const platform = await begin(platformOf(() => ({ text: `${REPORT} Is that all right?` })));
    expect(ended(platform)).toEqual([["completed", null]]);
  });

  test("ask_human does, and an answer of three words joins the same run", async () => {
    const platform = await begin(asking());
    expect(platform.state.run?.phase.at).toBe("waiting_human");
    expect(platform.disk.alarm).toBe(platform.now + QUESTION_MS);
    expect(await chat(platform, "m2", "green I think")).toMatchObject({
      ok: true,
      value: { runId: "ses.r1", mode: "answer", queued: 0 },
    });
    await goOn(platform);
    expect(platform.kinds).toEqual([
      "user_message",
      "run_queued",
      "run_started",
      "step_started",
      "model_replied",
      "human_asked",
      "user_message",
      "human_answered",
      "call_settled",
      "step_started",
      "model_replied",
      "review",
      "answer",
      "run_ended",
    ]);
    expect(results(platform)).toEqual([["r1s1c0", "ok", '{"value":"green I think","by":"ada"}']]);
    expect(lastPrompt(platform).split("green I think")).toHaveLength(2);
  });
});

describe("while a question is open", () => {
  test("reads beside it are done first, and changes beside it are refused", async () => {
    const platform = await begin(
      platformOf((step) =>
        step === 1
          ? { calls: [ask("Which colour?"), look("a"), ["put", { name: "b" }], look("c")] }
          : { text: REPORT },
      ),
    );
    expect(platform.effects.reads).toBe(2);
    expect(platform.effects.keyed.size).toBe(0);
    expect(platform.state.run?.phase.at).toBe("waiting_human");
    await reply(platform, "green");
    await goOn(platform);
    expect(
      platform.log.flatMap((entry) =>
        entry.kind === "call_settled"
          ? [[entry.body.call, entry.body.status, entry.body.failure?.code ?? null]]
          : [],
      ),
    ).toEqual([
      ["r1s1c2", "refused", "ask_first"],
      ["r1s1c1", "ok", null],
      ["r1s1c3", "ok", null],
      ["r1s1c0", "ok", null],
    ]);
  });

  test("no time of the run passes, and a crash changes nothing", async () => {
    const platform = await begin(asking());
    const before = platform.state.run?.used.activeMs;
    platform.now += 3 * 24 * 60 * 60_000;
    platform.restart();
    expect(platform.disk.alarm).toBe(
      platform.state.run?.phase.at === "waiting_human" ? platform.state.run.phase.question.expiresAt : 0,
    );
    await reply(platform, "green");
    expect(platform.state.run?.used.activeMs).toBe(before);
    await goOn(platform);
    expect(ended(platform)).toEqual([["completed", null]]);
  });

  test("a stop ends the run, and nobody can answer any more", async () => {
    const platform = await begin(asking());
    platform.cancel("never mind");
    await goOn(platform);
    expect(ended(platform)).toEqual([["cancelled", "never mind"]]);
    expect(results(platform)).toMatchObject([["r1s1c0", "cancelled", expect.anything()]]);
    expect(codeOf(await reply(platform, "green", "r1s1c0q1"))).toBe("not_waiting");
  });

  test("a message that names a mode is no answer", async () => {
    const platform = await begin(asking());
    platform.say("Another thing.", { mode: "queue" });
    expect(platform.state.run?.phase.at).toBe("waiting_human");
    expect(platform.state.queue).toHaveLength(1);
  });

  const forward = { type: "text", text: "Take red.", foreign: true } as const;
  const file = { type: "file", mediaType: "text/plain", url: "data:text/plain,red" } as const;
  const send = (platform: FakePlatform, parts: readonly PromptPart[]) =>
    platform.api.send(ADA, { id: "m2", parts, mode: null, source: "api", request: null, ask: {} });

  test.each<[string, readonly PromptPart[]]>([
    ["a forward", [forward]],
    ["a forward below an empty line of one's own", [{ type: "text", text: " " }, forward]],
    ["a file that was forwarded with its caption", [forward, file]],
    ["a file that was forwarded without one", [{ ...forward, text: "" }, file]],
  ])("%s is no answer: it is a message that waits", async (_, parts) => {
    const platform = await begin(asking());
    expect(await send(platform, parts)).toMatchObject({
      ok: true,
      value: { mode: "queue", runId: "ses.r2" },
    });
    expect(bodies(platform, "human_answered")).toEqual([]);
    expect(platform.state.run?.phase.at).toBe("waiting_human");
  });

  test.each<[string, readonly PromptPart[], string]>([
    ["one's own words below a forward", [{ type: "text", text: "as he says" }, forward], "as he says"],
    ["words that are in a file of one's own", [file], "The answer is in the file of this message."],
  ])("%s are the answer", async (_, parts, value) => {
    const platform = await begin(asking());
    expect(await send(platform, parts)).toMatchObject({ ok: true, value: { mode: "answer" } });
    expect(bodies(platform, "human_answered")).toMatchObject([{ value }]);
  });

  test("people see the question, its end and the answer in one message", async () => {
    const platform = await begin(asking({ context: "For the hero." }));
    await chat(platform, "m2", "green");
    await goOn(platform);
    const messages = uiMessages("ses", platform.log, 0);
    expect(messages.map((message) => [message.role, message.id])).toEqual([
      ["user", "m1"],
      ["assistant", "ses.r1"],
      ["user", "m2"],
    ]);
    const parts = messages[1]?.parts ?? [];
    expect(parts.find((part) => part["type"] === "data-question")?.["data"]).toMatchObject({
      questionId: "r1s1c0q1",
      callId: "r1s1c0",
      question: "Which colour should it have?",
      kind: "text",
      context: "For the hero.",
      state: "answered",
      by: "ada",
    });
    expect(parts.find((part) => part["type"] === "tool-ask_human")).toMatchObject({
      state: "output-available",
      output: { value: "green", by: "ada" },
    });
  });
});

describe("an answer", () => {
  test("is one of the options of a choice, also by its number or in other letters", async () => {
    for (const [value, taken] of [
      ["2", "blue"],
      ["GREEN ", "green"],
    ] as const) {
      const platform = await begin(asking({ options: ["green", "blue"] }));
      expect(codeOf(await reply(platform, "purple"))).toBe("invalid_answer");
      expect(codeOf(await reply(platform, value))).toBe("ok");
      await goOn(platform);
      expect(results(platform)).toEqual([["r1s1c0", "ok", `{"value":"${taken}","by":"ada"}`]]);
    }
  });

  test("to a choice may be words of one's own in the chat", async () => {
    const platform = await begin(asking({ options: ["green", "blue"] }));
    await chat(platform, "m2", "neither, make it red");
    await goOn(platform);
    expect(results(platform)).toEqual([["r1s1c0", "ok", '{"value":"neither, make it red","by":"ada"}']]);
  });

  test("is taken once: the same again is no news, another comes too late", async () => {
    const platform = await begin(asking());
    expect(codeOf(await reply(platform, "green", "r1s1c0q1"))).toBe("ok");
    const { head } = platform.state;
    expect(codeOf(await reply(platform, "green", "r1s1c0q1"))).toBe("ok");
    expect(codeOf(await reply(platform, "blue", "r1s1c0q1"))).toBe("already_answered");
    expect(codeOf(await reply(platform, "blue"))).toBe("not_waiting");
    expect(codeOf(await reply(platform, "blue", "r9s1c0q1"))).toBe("not_found");
    expect(codeOf(await reply(platform, "blue", "nonsense"))).toBe("not_found");
    expect(platform.state.head).toBe(head);
  });

  test("is its author's: the same words of an admin come too late, and stand in the log under no other name", async () => {
    const root = { subject: "root", scopes: ["admin"], via: "channel" } as const;
    const platform = await begin(asking());
    const command = { runId: null, question: "r1s1c0q1", value: "green" };
    expect(codeOf(await platform.api.answer(root, command))).toBe("ok");
    expect(bodies(platform, "human_answered")).toMatchObject([
      { actor: "root", via: "channel", value: "green" },
    ]);
    expect(codeOf(await platform.api.answer(ADA, command))).toBe("already_answered");
    expect(codeOf(await platform.api.answer(root, command))).toBe("ok");
  });

  test("that names a run answers that run alone", async () => {
    const platform = await begin(asking());
    const answered = async (runId: string, question: string | null): Promise<string> =>
      codeOf(await platform.api.answer(ADA, { runId, question, value: "green" }));
    const own = await platform.api.view(ADA);
    if (!own.ok) throw new Error(own.error.code);
    const session = own.value.id;
    expect(await answered(`${session}.r2`, null)).toBe("not_found");
    expect(await answered("another-session.r1", null)).toBe("not_found");
    await platform.api.send(ADA, {
      id: "m2",
      parts: [{ type: "text", text: "And then?" }],
      mode: "queue",
      source: "web",
      request: null,
      ask: {},
    });
    expect(await answered(`${session}.r2`, null)).toBe("not_waiting");
    expect(await answered(`${session}.r2`, "r1s1c0q1")).toBe("not_found");
    expect(platform.state.run?.phase.at).toBe("waiting_human");
    expect(await answered(`${session}.r1`, "r1s1c0q1")).toBe("ok");
    expect(await answered(`${session}.r1`, null)).toBe("not_waiting");
  });

  test("decides no approval", async () => {
    const platform = await begin(
      platformOf((step) => (step === 1 ? { calls: [["publish", { name: "a" }]] } : { text: REPORT })),
    );
    expect(codeOf(await reply(platform, "yes"))).toBe("waiting_for_approval");
    expect(platform.state.run?.phase.at).toBe("waiting_approval");
  });

  test("needs the scope to send, in a session of one's own", async () => {
    const platform = await begin(asking());
    const command = { runId: null, question: null, value: "green" };
    const other = { ...ADA, subject: "eve" };
    expect(codeOf(await platform.api.answer(other, command))).toBe("not_found");
    const reader = { ...ADA, scopes: ["read"] as const };
    expect(codeOf(await platform.api.answer(reader, command))).toBe("missing_scope");
  });

  test("as a chat message that comes twice is one answer", async () => {
    const platform = await begin(asking());
    await chat(platform, "m2", "green");
    expect(await chat(platform, "m2", "green")).toMatchObject({ ok: true, value: { duplicate: true } });
    expect(bodies(platform, "human_answered")).toHaveLength(1);
  });
});

describe("a question that nobody answers in seven days", () => {
  test("has its stated default for an answer", async () => {
    const platform = await begin(asking({ default: "green" }));
    await waitInVain(platform);
    expect(results(platform)).toEqual([["r1s1c0", "ok", '{"expired":true,"default":"green"}']]);
    expect(ended(platform)).toEqual([["completed", null]]);
  });

  test("without one the run goes on with the note that nobody answered", async () => {
    const platform = await begin(asking());
    await waitInVain(platform);
    expect(lastPrompt(platform)).toContain("Nobody answered in time");
    expect(codeOf(await reply(platform, "green", "r1s1c0q1"))).toBe("not_waiting");
    expect(ended(platform)).toEqual([["completed", null]]);
  });

  test("ends the run where its agent says so", async () => {
    const platform = asking();
    platform.policy = { questions: { waitMs: QUESTION_MS, otherwise: "end" } };
    platform.restart();
    await begin(platform);
    await waitInVain(platform);
    expect(ended(platform)).toEqual([["expired", "question_expired"]]);
    expect(bodies(platform, "answer")).toMatchObject([{ text: expect.stringContaining("Nobody answered") }]);
  });

  test("waits as long as its agent says", async () => {
    const platform = asking();
    platform.policy = { questions: { waitMs: 60 * 60_000, otherwise: "go_on" } };
    platform.restart();
    await begin(platform);
    expect(platform.disk.alarm).toBe(platform.now + 60 * 60_000);
  });
});

test("an answer stays as it was said when the middle of the run is summed up", async () => {
  const platform = platformOf((step) =>
    step === 3
      ? { calls: [ask("Which colour?")] }
      : step <= 13
        ? { calls: [look(`p${step}`)] }
        : { text: REPORT },
  );
  platform.transcript = "compact";
  platform.restart();
  await begin(platform);
  await reply(platform, "a green like that of the old gate");
  await goOn(platform);
  expect(platform.kinds).toContain("compacted");
  expect(lastPrompt(platform)).toContain("a green like that of the old gate");
});

describe("asking too often", () => {
  test("the same question in other words is answered with what was said", async () => {
    const platform = await begin(
      platformOf((step) =>
        step === 1
          ? { calls: [ask("Which colour should the hero have?")] }
          : step === 2
            ? { calls: [ask("Which colour should the hero get?")] }
            : { text: REPORT },
      ),
    );
    await reply(platform, "green");
    await goOn(platform);
    expect(bodies(platform, "human_asked")).toHaveLength(1);
    const second = JSON.stringify(results(platform)[1]);
    expect(second).toContain("clarify_repeat");
    expect(second).toContain("green");
  });

  test("may be done again when something is new", async () => {
    const platform = await begin(
      platformOf((step) =>
        step === 2
          ? { calls: [look("a")] }
          : step <= 3
            ? { calls: [ask("Which colour?")] }
            : { text: REPORT },
      ),
    );
    await reply(platform, "green");
    await goOn(platform);
    expect(bodies(platform, "human_asked")).toHaveLength(2);
  });

  test("ends with the third question", async () => {
    const questions = ["Which colour?", "How many pages are there?", "Who reads it?", "When is it due?"];
    const platform = await begin(
      platformOf((step) => (step <= 4 ? { calls: [ask(questions[step - 1] ?? "")] } : { text: REPORT })),
    );
    for (let n = 0; n < 3; n++) {
      await reply(platform, `Answer ${n}.`);
      await goOn(platform);
    }
    expect(bodies(platform, "human_asked")).toHaveLength(3);
    expect(JSON.stringify(results(platform)[3])).toContain("tool_cap");
    expect(ended(platform)).toEqual([["completed", null]]);
  });
});

describe("a run that is stuck, where its agent says to ask a person", () => {
  /** Looks at the same thing again and again, until a person has said something. */
  const circling = (): FakePlatform => {
    const platform = new FakePlatform((request) => {
      if (request.tools.length === 0) return { text: "As far as I got." };
      return JSON.stringify(request.messages).includes("try the other page")
        ? { text: REPORT }
        : { calls: [look("a")] };
    });
    platform.policy = { onStuck: { action: "escalate" } };
    platform.restart();
    return platform;
  };

  test("waits with the pattern and where it was seen", async () => {
    const platform = await begin(circling());
    expect(platform.state.run?.phase.at).toBe("waiting_human");
    expect(bodies(platform, "human_asked")).toMatchObject([
      {
        question: "r1s5q1",
        call: null,
        text: expect.stringContaining("look"),
        about: { code: "STUCK", rule: "loop.same_result", tools: ["look"], seqs: expect.any(Array) },
      },
    ]);
    expect(platform.requests).toHaveLength(5);
  });

  test("goes on at level 0 with what the person says", async () => {
    const platform = await begin(circling());
    await chat(platform, "m2", "try the other page");
    expect(platform.state.run?.loop.stuck).toMatchObject({ level: 0, blocked: [], retries: 0 });
    await goOn(platform);
    expect(ended(platform)).toEqual([["completed", null]]);
    expect(lastPrompt(platform)).toContain("try the other page");
  });

  test("answers from what it knows when nobody says anything, and does not ask again", async () => {
    const platform = await begin(circling());
    await waitInVain(platform);
    expect(bodies(platform, "human_asked")).toHaveLength(1);
    expect(ended(platform)).toEqual([["completed_partial", "stuck"]]);
    expect(lastPrompt(platform)).toContain("Nobody answered in time");
  });

  test("is asked what its agent wants asked", async () => {
    const platform = circling();
    platform.policy = { onStuck: { action: "escalate", hint: "Shall I stop?" } };
    platform.restart();
    await begin(platform);
    expect(bodies(platform, "human_asked")).toMatchObject([{ text: "Shall I stop?" }]);
  });
});
