import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/core/log/entry.ts";
import { QUESTION_MS } from "../../../src/core/limits.ts";
import type { Json } from "../../../src/core/log/json.ts";
import type { ApiResult } from "../../../src/session/api/session-api.ts";
import { uiMessages } from "../../../src/wire/stream/messages.ts";
import { REPORT, type Line } from "../platform/fake-model.ts";
import { World } from "../platform/platform.ts";

/** Questions to a person through the real loop. */

const ADA = { subject: "ada", scopes: ["read", "send"], via: "http" } as const;
const ask = (question: string, more: Record<string, Json> = {}): [string, Json] => [
  "ask_human",
  { question, ...more },
];
const look = (name: string): [string, Json] => ["look", { name }];
const worldOf = (line: (step: number) => Line): World =>
  new World((request) =>
    request.tools.length === 0
      ? { text: "As far as I got." }
      : line(Number(/s(\d+)$/.exec(request.step)?.[1] ?? 1)),
  );
/** Asks once, then answers. */
const asking = (more: Record<string, Json> = {}): World =>
  worldOf((step) =>
    step === 1 ? { calls: [ask("Which colour should it have?", more)] } : { text: "It has its colour." },
  );
const results = (world: World): unknown[] =>
  world.log.flatMap((row) =>
    row.kind === "call_settled" ? [[row.body.call, row.body.status, row.body.observation]] : [],
  );
const ended = (world: World): unknown =>
  world.log.flatMap((row) => (row.kind === "run_ended" ? [[row.body.outcome, row.body.reason]] : []));
const bodies = (world: World, kind: Entry["kind"]): unknown[] =>
  world.log.flatMap((row) => (row.kind === kind ? [row.body] : []));
const lastPrompt = (world: World): string => JSON.stringify(world.requests.at(-1)?.messages);
const codeOf = (answer: ApiResult<unknown>): string => (answer.ok ? "ok" : answer.error.code);

async function begin(world: World): Promise<World> {
  world.service.admitOrCreate(ADA);
  world.say("go");
  await world.settle();
  return world;
}
async function goOn(world: World): Promise<void> {
  await world.settle();
  expect(world.folded).toEqual(world.state);
}
const reply = (world: World, value: string, question: string | null = null): Promise<ApiResult<unknown>> =>
  world.service.answer(ADA, { runId: null, question, value });
const chat = (world: World, id: string, text: string): ReturnType<World["service"]["say"]> =>
  world.service.say(ADA, {
    id,
    parts: [{ type: "text", text }],
    mode: null,
    source: "web",
    request: `req-${id}`,
    model: null,
  });
/** Lets the time of the question pass. */
async function waitInVain(world: World): Promise<void> {
  world.now += QUESTION_MS;
  await world.settle();
  expect(world.folded).toEqual(world.state);
}

describe("scenario 27: what pauses a run", () => {
  test("a text that ends in a question mark does not", async () => {
    const world = await begin(worldOf(() => ({ text: `${REPORT} Is that all right?` })));
    expect(ended(world)).toEqual([["completed", null]]);
  });

  test("ask_human does, and an answer of three words joins the same run", async () => {
    const world = await begin(asking());
    expect(world.state.run?.phase.at).toBe("waiting_human");
    expect(world.disk.alarm).toBe(world.now + QUESTION_MS);
    expect(await chat(world, "m2", "green I think")).toMatchObject({
      ok: true,
      value: { runId: "ses.r1", mode: "answer", queued: 0 },
    });
    await goOn(world);
    expect(world.kinds).toEqual([
      "user_said",
      "run_queued",
      "run_started",
      "step_started",
      "model_replied",
      "human_asked",
      "user_said",
      "human_answered",
      "call_settled",
      "step_started",
      "model_replied",
      "review",
      "answer",
      "run_ended",
    ]);
    expect(results(world)).toEqual([["r1s1c0", "ok", '{"value":"green I think","by":"ada"}']]);
    expect(lastPrompt(world).split("green I think")).toHaveLength(2);
  });
});

describe("while a question is open", () => {
  test("reads beside it are done first, and changes beside it are refused", async () => {
    const world = await begin(
      worldOf((step) =>
        step === 1
          ? { calls: [ask("Which colour?"), look("a"), ["put", { name: "b" }], look("c")] }
          : { text: REPORT },
      ),
    );
    expect(world.effects.reads).toBe(2);
    expect(world.effects.keyed.size).toBe(0);
    expect(world.state.run?.phase.at).toBe("waiting_human");
    await reply(world, "green");
    await goOn(world);
    expect(
      world.log.flatMap((row) =>
        row.kind === "call_settled" ? [[row.body.call, row.body.status, row.body.failure?.code ?? null]] : [],
      ),
    ).toEqual([
      ["r1s1c2", "refused", "ask_first"],
      ["r1s1c1", "ok", null],
      ["r1s1c3", "ok", null],
      ["r1s1c0", "ok", null],
    ]);
  });

  test("no time of the run passes, and a crash changes nothing", async () => {
    const world = await begin(asking());
    const before = world.state.run?.activeMs;
    world.now += 3 * 24 * 60 * 60_000;
    world.restart();
    expect(world.disk.alarm).toBe(
      world.state.run?.phase.at === "waiting_human" ? world.state.run.phase.question.expiresAt : 0,
    );
    await reply(world, "green");
    expect(world.state.run?.activeMs).toBe(before);
    await goOn(world);
    expect(ended(world)).toEqual([["completed", null]]);
  });

  test("a stop ends the run, and nobody can answer any more", async () => {
    const world = await begin(asking());
    world.cancel("never mind");
    await goOn(world);
    expect(ended(world)).toEqual([["cancelled", "never mind"]]);
    expect(results(world)).toMatchObject([["r1s1c0", "cancelled", expect.anything()]]);
    expect(codeOf(await reply(world, "green", "r1s1c0q1"))).toBe("not_waiting");
  });

  test("a message that names a mode is no answer", async () => {
    const world = await begin(asking());
    world.say("Another thing.", { mode: "queue" });
    expect(world.state.run?.phase.at).toBe("waiting_human");
    expect(world.state.queue).toHaveLength(1);
  });

  test("people see the question, its end and the answer in one message", async () => {
    const world = await begin(asking({ context: "For the hero." }));
    await chat(world, "m2", "green");
    await goOn(world);
    const messages = uiMessages("ses", world.log, 0);
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
      const world = await begin(asking({ options: ["green", "blue"] }));
      expect(codeOf(await reply(world, "purple"))).toBe("invalid_answer");
      expect(codeOf(await reply(world, value))).toBe("ok");
      await goOn(world);
      expect(results(world)).toEqual([["r1s1c0", "ok", `{"value":"${taken}","by":"ada"}`]]);
    }
  });

  test("to a choice may be words of one's own in the chat", async () => {
    const world = await begin(asking({ options: ["green", "blue"] }));
    await chat(world, "m2", "neither, make it red");
    await goOn(world);
    expect(results(world)).toEqual([["r1s1c0", "ok", '{"value":"neither, make it red","by":"ada"}']]);
  });

  test("is taken once: the same again is no news, another comes too late", async () => {
    const world = await begin(asking());
    expect(codeOf(await reply(world, "green", "r1s1c0q1"))).toBe("ok");
    const { head } = world.state;
    expect(codeOf(await reply(world, "green", "r1s1c0q1"))).toBe("ok");
    expect(codeOf(await reply(world, "blue", "r1s1c0q1"))).toBe("already_answered");
    expect(codeOf(await reply(world, "blue"))).toBe("not_waiting");
    expect(codeOf(await reply(world, "blue", "r9s1c0q1"))).toBe("not_found");
    expect(codeOf(await reply(world, "blue", "nonsense"))).toBe("not_found");
    expect(world.state.head).toBe(head);
  });

  test("decides no approval", async () => {
    const world = await begin(
      worldOf((step) => (step === 1 ? { calls: [["publish", { name: "a" }]] } : { text: REPORT })),
    );
    expect(codeOf(await reply(world, "yes"))).toBe("waiting_for_approval");
    expect(world.state.run?.phase.at).toBe("waiting_approval");
  });

  test("needs the scope to send, in a session of one's own", async () => {
    const world = await begin(asking());
    const command = { runId: null, question: null, value: "green" };
    const other = { ...ADA, subject: "eve" };
    expect(codeOf(await world.service.answer(other, command))).toBe("not_found");
    const reader = { ...ADA, scopes: ["read"] as const };
    expect(codeOf(await world.service.answer(reader, command))).toBe("missing_scope");
  });

  test("as a chat message that comes twice is one answer", async () => {
    const world = await begin(asking());
    await chat(world, "m2", "green");
    expect(await chat(world, "m2", "green")).toMatchObject({ ok: true, value: { duplicate: true } });
    expect(bodies(world, "human_answered")).toHaveLength(1);
  });
});

describe("a question that nobody answers in seven days", () => {
  test("has its stated default for an answer", async () => {
    const world = await begin(asking({ default: "green" }));
    await waitInVain(world);
    expect(results(world)).toEqual([["r1s1c0", "ok", '{"expired":true,"default":"green"}']]);
    expect(ended(world)).toEqual([["completed", null]]);
  });

  test("without one the run goes on with the note that nobody answered", async () => {
    const world = await begin(asking());
    await waitInVain(world);
    expect(lastPrompt(world)).toContain("Nobody answered in time");
    expect(codeOf(await reply(world, "green", "r1s1c0q1"))).toBe("not_waiting");
    expect(ended(world)).toEqual([["completed", null]]);
  });

  test("ends the run where its agent says so", async () => {
    const world = asking();
    world.policy = { questions: { waitMs: QUESTION_MS, otherwise: "end" } };
    world.restart();
    await begin(world);
    await waitInVain(world);
    expect(ended(world)).toEqual([["expired", "question_expired"]]);
    expect(bodies(world, "answer")).toMatchObject([{ text: expect.stringContaining("Nobody answered") }]);
  });

  test("waits as long as its agent says", async () => {
    const world = asking();
    world.policy = { questions: { waitMs: 60 * 60_000, otherwise: "go_on" } };
    world.restart();
    await begin(world);
    expect(world.disk.alarm).toBe(world.now + 60 * 60_000);
  });
});

test("an answer stays as it was said when the middle of the run is summed up", async () => {
  const world = worldOf((step) =>
    step === 3
      ? { calls: [ask("Which colour?")] }
      : step <= 13
        ? { calls: [look(`p${step}`)] }
        : { text: REPORT },
  );
  world.transcript = "compact";
  world.restart();
  await begin(world);
  await reply(world, "a green like that of the old gate");
  await goOn(world);
  expect(world.kinds).toContain("compacted");
  expect(lastPrompt(world)).toContain("a green like that of the old gate");
});

describe("asking too often", () => {
  test("the same question in other words is answered with what was said", async () => {
    const world = await begin(
      worldOf((step) =>
        step === 1
          ? { calls: [ask("Which colour should the hero have?")] }
          : step === 2
            ? { calls: [ask("Which colour should the hero get?")] }
            : { text: REPORT },
      ),
    );
    await reply(world, "green");
    await goOn(world);
    expect(bodies(world, "human_asked")).toHaveLength(1);
    const second = JSON.stringify(results(world)[1]);
    expect(second).toContain("clarify_repeat");
    expect(second).toContain("green");
  });

  test("may be done again when something is new", async () => {
    const world = await begin(
      worldOf((step) =>
        step === 2
          ? { calls: [look("a")] }
          : step <= 3
            ? { calls: [ask("Which colour?")] }
            : { text: REPORT },
      ),
    );
    await reply(world, "green");
    await goOn(world);
    expect(bodies(world, "human_asked")).toHaveLength(2);
  });

  test("ends with the third question", async () => {
    const questions = ["Which colour?", "How many pages are there?", "Who reads it?", "When is it due?"];
    const world = await begin(
      worldOf((step) => (step <= 4 ? { calls: [ask(questions[step - 1] ?? "")] } : { text: REPORT })),
    );
    for (let n = 0; n < 3; n++) {
      await reply(world, `Answer ${n}.`);
      await goOn(world);
    }
    expect(bodies(world, "human_asked")).toHaveLength(3);
    expect(JSON.stringify(results(world)[3])).toContain("tool_cap");
    expect(ended(world)).toEqual([["completed", null]]);
  });
});

describe("a run that is stuck, where its agent says to ask a person", () => {
  /** Looks at the same thing again and again, until a person has said something. */
  const circling = (): World => {
    const world = new World((request) => {
      if (request.tools.length === 0) return { text: "As far as I got." };
      return JSON.stringify(request.messages).includes("try the other page")
        ? { text: REPORT }
        : { calls: [look("a")] };
    });
    world.policy = { onStuck: { action: "escalate" } };
    world.restart();
    return world;
  };

  test("waits with the pattern and where it was seen", async () => {
    const world = await begin(circling());
    expect(world.state.run?.phase.at).toBe("waiting_human");
    expect(bodies(world, "human_asked")).toMatchObject([
      {
        question: "r1s5q1",
        call: null,
        text: expect.stringContaining("look"),
        about: { code: "STUCK", rule: "loop.same_result", tools: ["look"], seqs: expect.any(Array) },
      },
    ]);
    expect(world.requests).toHaveLength(5);
  });

  test("goes on at level 0 with what the person says", async () => {
    const world = await begin(circling());
    await chat(world, "m2", "try the other page");
    expect(world.state.run?.guard.stuck).toMatchObject({ level: 0, blocked: [], retries: 0 });
    await goOn(world);
    expect(ended(world)).toEqual([["completed", null]]);
    expect(lastPrompt(world)).toContain("try the other page");
  });

  test("answers from what it knows when nobody says anything, and does not ask again", async () => {
    const world = await begin(circling());
    await waitInVain(world);
    expect(bodies(world, "human_asked")).toHaveLength(1);
    expect(ended(world)).toEqual([["completed_partial", "stuck"]]);
    expect(lastPrompt(world)).toContain("Nobody answered in time");
  });

  test("is asked what its agent wants asked", async () => {
    const world = circling();
    world.policy = { onStuck: { action: "escalate", hint: "Shall I stop?" } };
    world.restart();
    await begin(world);
    expect(bodies(world, "human_asked")).toMatchObject([{ text: "Shall I stop?" }]);
  });
});
