import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { RunView } from "../../../src/cairn/protocol/views.ts";
import { fetchLog, ofKind } from "../clients/log.ts";
import { startOpenAiServer, type OpenAiServer } from "../clients/openai-server.ts";
import { scriptedModel, type Reply } from "../clients/scripted-model.ts";
import { useServer } from "../clients/server.ts";

/**
 * The presets, each as the system that it stands in for is used: what the model is sent, in which form it answers, and how
 * such a run ends.
 */

/** Model replies in order; the last one repeats. */
let script: readonly Reply[] = [];
let said = 0;

let model: OpenAiServer;
beforeAll(async () => {
  model = await startOpenAiServer({
    model: scriptedModel(() => script[Math.min(said++, script.length - 1)] ?? ""),
  });
});
afterAll(() => model.close());
const server = useServer(() => [
  "MODEL:openai-compatible:test",
  `OPENAI_COMPATIBLE_BASE_URL:${model.baseUrl}`,
  "TITLES:0",
  "WEB:on",
]);

let before = 0;
beforeEach(() => {
  said = 0;
  before = model.requests.length;
});
const sent = () => model.requests.slice(before);
const textOf = (request: object | undefined): string => JSON.stringify(request ?? {});

async function start(body: object, replies: readonly Reply[]): Promise<RunView> {
  script = replies;
  const response = await fetch(`${server.url}/api/runs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const run = (await response.json()) as RunView;
  expect({ status: response.status, run }).toMatchObject({ status: expect.toBeOneOf([200, 202]) });
  return run;
}

const THINKS = (action: string, input: object): string =>
  JSON.stringify({ thought: "The list comes first.", action, action_input: input });

describe("hyphen", () => {
  const loop = (more: object = {}) => ({
    type: "loop",
    properties: {
      mode: "react",
      profile: "hyphen",
      objective: "Which pages are there?",
      available_tools: ["page_list", "__complete__", "__log_progress__"],
      result_key: "research",
      ...more,
    },
  });

  test("thinks, acts and observes in JSON, and completes under its result key", async () => {
    const run = await start(loop(), [
      THINKS("__log_progress__", { message: "Reading the list." }),
      THINKS("page_list", {}),
      THINKS("__complete__", {
        answer: "The pages are About, Contact and Home.",
        confidence: 0.9,
        summary: "Three pages.",
      }),
    ]);
    expect(run).toMatchObject({
      status: "completed",
      result: {
        research: {
          answer: "The pages are About, Contact and Home.",
          confidence: 0.9,
          summary: "Three pages.",
        },
      },
      progress: { text: "Reading the list." },
    });
    for (const request of sent()) {
      expect(request.temperature).toBe(0.7);
      expect(request.tools ?? []).toEqual([]);
    }
    // The whole run stands in its last prompt, in the words of the dialect.
    expect(textOf(sent().at(-1))).toContain("Observation: ");
    expect(ofKind(await fetchLog(server.url, run.sessionId), "run_started")[0]?.body).toMatchObject({
      dialect: "json",
      limits: { steps: 10, activeMs: 300_000 },
    });
  });

  test("fails when it is stuck", async () => {
    const run = await start(loop(), [THINKS("page_list", { limit: 3 })]);
    expect(run).toMatchObject({ status: "failed", reason: "stuck" });
    expect(run.steps).toBeLessThan(10);
  });
});

describe("deepresearch", () => {
  const think = (text: string): string => `<think>\n${text}\n</think>\n`;
  const call = `${think("Look.")}<tool_call>\n{"name": "page_list", "arguments": {}}\n</tool_call>`;
  const job = { objective: "Which pages are there?", preset: "deepresearch", tools: ["page_list"] };

  test("calls in tags, reads its observations in tags, and answers in tags", async () => {
    const run = await start(job, [
      call,
      `${think("Enough.")}<answer>\nThe pages are About, Contact and Home.\n</answer>`,
    ]);
    expect(run).toMatchObject({ status: "completed", answer: "The pages are About, Contact and Home." });
    expect(textOf(sent()[1])).toContain("<tool_response>");
    for (const request of sent()) {
      expect(request.temperature).toBe(0.6);
      expect(request.max_tokens).toBe(10_000);
      expect(textOf({ stop: request.stop })).toContain("<tool_response>");
    }
    expect(ofKind(await fetchLog(server.url, run.sessionId), "run_started")[0]?.body).toMatchObject({
      dialect: "tags",
      limits: { steps: 100, activeMs: 150 * 60_000 },
    });
  });

  test("offers the tools of research and none of a site", async () => {
    const bare = { objective: "Which pages are there?" };
    const answer = "<answer>About, Contact and Home.</answer>";
    await start({ ...bare, preset: "deepresearch" }, [answer]);
    const [research] = sent().map(textOf);
    await start({ ...bare, profile: "research", dialect: "tags", tools: ["pack:cms", "pack:web"] }, [answer]);
    const site = textOf(sent().at(-1));
    expect(research).toContain('{\\"name\\":\\"visit\\"');
    expect(site).toContain('{\\"name\\":\\"page_create\\"');
    expect(research).not.toContain("page_create");
    expect(research?.length).toBeLessThan(22_000);
  });

  test("is made to answer at its limit, with the last observation in view", async () => {
    const run = await start({ ...job, max_iterations: 2 }, [
      call,
      `<answer>\nAs far as I saw: About, Contact and Home.\n</answer>`,
    ]);
    expect(run).toMatchObject({ partial: true, answer: "As far as I saw: About, Contact and Home." });
    expect(textOf(sent().at(-1))).toContain("<tool_response>");
  });
});

describe("cms", () => {
  test("is told of its marker, and what follows it is the answer", async () => {
    const run = await start({ objective: "Which pages are there?", preset: "cms", tools: ["page_list"] }, [
      { tool: "page_list", input: {} },
      "I have read the list.\nFINAL_ANSWER: The pages are About, Contact and Home.",
    ]);
    expect(run).toMatchObject({ status: "completed", answer: "The pages are About, Contact and Home." });
    expect(textOf(sent()[0])).toContain("FINAL_ANSWER:");
    expect(sent()[0]?.tools?.map((tool) => tool.function.name)).toContain("page_list");
  });

  test("shows the last messages of a long conversation, and what is asked now", async () => {
    const session = "windowed";
    for (let n = 0; n < 12; n += 1)
      await start({ session_id: session, objective: `Remark number ${n}.`, preset: "cms", tools: [] }, [
        `Heard ${n}.`,
      ]);
    const last = textOf(sent().at(-1));
    expect(last).toContain("Remark number 11.");
    expect(last).not.toContain("Remark number 0.");
  });
});

describe("orcbot", () => {
  test("shows results cut, the whole under their names, and waits an hour for an answer", async () => {
    const run = await start({ objective: "Ask me which page.", preset: "orcbot", tools: ["pack:cms"] }, [
      '{"label":"simple","confidence":0.9}',
      { tool: "page_get", input: { page: "about", detail: "full" } },
      { tool: "ask_human", input: { question: "Which page?" } },
    ]);
    expect(run).toMatchObject({ status: "paused", waitingFor: { kind: "answer" } });
    const log = await fetchLog(server.url, run.sessionId);
    const [listed] = ofKind(log, "call_settled");
    expect(String(listed?.body["observation"]).length).toBeLessThanOrEqual(1_400);
    expect(Number(listed?.body["chars"])).toBeGreaterThan(1_400);
    const [asked] = ofKind(log, "human_asked");
    expect(Number(asked?.body["expiresAt"]) - Date.parse(String(asked?.at))).toBe(60 * 60_000);
    expect(ofKind(log, "run_started")[0]?.body).toMatchObject({ limits: { steps: 15, messages: 10 } });
  });

  test("has its class named and its plan made before it works, both paid by the run", async () => {
    const plan = {
      goal: "Say which pages there are",
      items: [{ id: "p1", text: "Tell what the list says", kind: "deliver", status: "open" }],
    };
    const run = await start({ objective: "Which pages are there?", preset: "orcbot", tools: ["page_list"] }, [
      '{"label":"complex","confidence":0.7}',
      { tool: "update_plan", input: plan },
      { tool: "page_list", input: {} },
      "The pages are About, Contact and Home.",
    ]);
    expect(run).toMatchObject({
      status: "completed",
      answer: "The pages are About, Contact and Home.",
      steps: 3,
    });
    const [label, first, second] = sent();
    expect(label?.tools ?? []).toEqual([]);
    expect(textOf(label)).not.toContain("cairn-situation");
    expect(first?.tools?.map((tool) => tool.function.name)).toEqual(["update_plan"]);
    expect(second?.tools?.map((tool) => tool.function.name)).toContain("page_list");
    const log = await fetchLog(server.url, run.sessionId);
    expect(ofKind(log, "run_started")[0]?.body).toMatchObject({ profile: "complex", limits: { steps: 15 } });
    expect(ofKind(log, "plan_changed")).not.toEqual([]);
    // Four requests of 100 tokens each: that for the class is one of them.
    expect(run.usage).toMatchObject({ inputTokens: 400 });
  });
});

describe("a run without a preset", () => {
  const BUILT_IN = [
    "ask_human",
    "complete",
    "log_progress",
    "read_observation",
    "retrieve_memory",
    "store_memory",
  ];

  test("offers the model what it names, and asks at its own temperature, in every request", async () => {
    await start(
      {
        objective: "Which pages are there?",
        profile: "simple",
        tools: ["page_list", "page_get"],
        temperature: 0.3,
      },
      [
        { tool: "page_list", input: {} },
        { tool: "page_delete", input: { pages: ["about"] } },
        "The pages are About, Contact and Home. None was deleted.",
      ],
    );
    expect(sent()).toHaveLength(3);
    for (const { temperature, tools } of sent()) {
      expect(temperature).toBe(0.3);
      expect(tools?.map((tool) => tool.function.name).toSorted()).toEqual(
        [...BUILT_IN, "page_get", "page_list"].toSorted(),
      );
    }
    // The model called page_delete, which this run does not offer: the call was refused.
    expect(textOf(sent().at(-1))).toContain("page_delete");
    expect((await fetch(`${server.url}/site/about`)).status).toBe(200);
  });
});
