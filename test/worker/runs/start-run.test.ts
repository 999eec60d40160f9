import { beforeAll, describe, expect, test } from "vitest";
import type { RunView } from "../../../src/cairn/protocol/views.ts";
import { makeSite } from "../cms/fixture.ts";
import { post, verdictOf } from "../http/routes-fixture.ts";
import { gated, openApi } from "../sessions/session-fixture.ts";

/** A job handed over as data, through the real door and the real session. */

const api = openApi();
beforeAll(makeSite);

interface Fault {
  readonly error: {
    readonly code: string;
    readonly issues: readonly {
      readonly path: string;
      readonly code: string;
      readonly suggestion?: string;
    }[];
  };
}
const start = (body: object, more: { headers?: Record<string, string>; who?: "bob" } = {}) =>
  api.call("/api/runs", {
    ...post(body, more.headers),
    ...(more.who === undefined ? {} : { who: more.who }),
  });
const issuesOf = async (body: object): Promise<readonly (readonly [string, string])[]> => {
  const refused = await start(body);
  expect(refused.status).toBe(422);
  const { error } = await refused.json<Fault>();
  expect(error.code).toBe("invalid_run");
  return error.issues.map(({ path, code }) => [path, code] as const);
};

const REFERENCE = {
  type: "loop",
  properties: {
    mode: "react",
    objective: "/call page_list {}\n/then\n/say Found {{input.what}}.",
    input: { what: "them" },
    available_tools: ["page_list", "page_get", "__complete__"],
    max_iterations: 10,
    timeout_ms: 300_000,
    temperature: 0.7,
    on_stuck: { iterations: 3, action: "fail" },
    include_reasoning_trace: true,
    result_key: "research",
  },
};

describe("the start of a run", () => {
  test("responds with its end, and the result under its key", async () => {
    const given = { result_key: "it", metadata: { ticket: 7 }, tools: ["page_list", "page_list"] };
    const body = { objective: "/say Done.", ...given };
    const response = await start(body, { headers: { "x-request-id": "their-own-id-1" } });
    expect(response.status).toBe(200);
    const run = await response.json<RunView>();
    expect(run).toMatchObject({
      status: "completed",
      outcome: "answered",
      source: "api",
      requester: "alice",
      agent: "default",
      result: { it: { answer: "Done.", confidence: null, summary: null } },
      metadata: { ticket: 7 },
      traceId: "their-own-id-1",
      previousRunId: null,
    });
    expect(run.warnings).toMatchObject([{ code: "duplicate_tool", path: "tools[1]" }]);
    expect(run.sessionId).toMatch(/^ses_[a-z0-9]{20}$/);
    expect(await api.json(200, `/api/runs/${run.id}`)).toEqual(run);
  });

  test("accepts the loop of a workflow, word for word", async () => {
    const response = await start(REFERENCE);
    expect(response.status).toBe(200);
    const run = await response.json<RunView>();
    expect(run.answer).toContain("Found them.");
    expect(run.steps).toBe(2);
  });

  test("responds at once if nobody waits for the end", async () => {
    const response = await start({ objective: "/wait 300\n/say Later.", config: { max_iterations: 3 } });
    expect(response.status).toBe(200);
    const later = await api.call("/api/runs?async=true", post({ objective: "/wait 300\n/say Later." }));
    expect(later.status).toBe(202);
    const { id } = await later.json<RunView>();
    expect([later.headers.get("location"), later.headers.get("retry-after")]).toEqual([
      `/api/runs/${id}`,
      "2",
    ]);
    await expect.poll(async () => (await api.json<RunView>(200, `/api/runs/${id}`)).status).toBe("completed");
  });

  test("responds with 202 as soon as the run waits for a person", async () => {
    const response = await start({ objective: gated() });
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({ status: "paused", waitingFor: { kind: "approval" } });
  });

  test("queues the run behind the current one of a named session", async () => {
    const body = { session_id: "ses_jobs", objective: "/wait 400\n/say One." };
    const [one, two] = await Promise.all([start(body), start({ ...body, objective: "/say Two." })]);
    expect([one?.status, two?.status]).toEqual([200, 200]);
    const runs = [await one?.json<RunView>(), await two?.json<RunView>()];
    expect(runs.map((run) => run?.sessionId)).toEqual(["ses_jobs", "ses_jobs"]);
    expect(new Set(runs.map((run) => run?.id)).size).toBe(2);
  });

  test("happens once per key, however many requests arrive at the same time", async () => {
    const headers = { "idempotency-key": "job-1" };
    const body = { objective: "/wait 200\n/say Once." };
    const answers = await Promise.all(Array.from({ length: 50 }, () => start(body, { headers })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(new Set(texts).size).toBe(1);
    const replayed = answers.filter((answer) => answer.headers.get("idempotent-replayed") === "true");
    expect(replayed).toHaveLength(49);
    const other = await start({ ...body, max_iterations: 4 }, { headers });
    expect(await verdictOf(other)).toEqual([409, "idempotency_conflict"]);
  });

  test("is not undone when the caller hangs up", async () => {
    const gone = new AbortController();
    const headers = { "idempotency-key": "hung-up" };
    const body = { objective: "/wait 300\n/say Still here." };
    const asked = api.call("/api/runs", { ...post(body, headers), signal: gone.signal }).catch(() => null);
    gone.abort();
    await asked;
    const again = await start(body, { headers });
    expect(again.status).toBe(200);
    expect((await again.json<RunView>()).answer).toContain("Still here.");
  });
});

describe("a run that goes on from another", () => {
  test("is shown it, and a foreign or a live one reads as missing or active", async () => {
    const first = await (await start({ objective: "/say The lake is 40 m deep." })).json<RunView>();
    const next = await start({ objective: "/say Noted.", previous_run_id: first.id });
    expect(next.status).toBe(200);
    const { sessionId } = await next.json<RunView>();
    const trace = await (await api.call(`/api/sessions/${sessionId}/trace?include=prompts`)).text();
    expect(trace).toContain("The lake is 40 m deep.");
    const foreign = await start({ objective: "/say Mine.", previous_run_id: first.id }, { who: "bob" });
    const missing = await start({ objective: "/say Mine.", previous_run_id: "ses_none.r1" }, { who: "bob" });
    for (const refused of [foreign, missing])
      expect((await refused.json<Fault>()).error.issues).toMatchObject([
        { path: "previous_run_id", code: "previous_run_not_found" },
      ]);
    const live = await api.json<RunView>(
      202,
      "/api/runs?async=true",
      post({ objective: "/wait 2000\n/say x" }),
    );
    expect(await issuesOf({ objective: "On.", previous_run_id: live.id })).toEqual([
      ["previous_run_id", "previous_run_active"],
    ]);
  });
});

describe("a specification with mistakes is refused with all of them", () => {
  test("each with its path, its code and a suggestion", async () => {
    const refused = await start({
      objective: "Go.",
      max_iteration: 3,
      temperature: 9,
      tools: ["page_lst"],
      result_key: "1x",
      model: "openai-compatible:none",
      agent: "nobody",
    });
    const { error } = await refused.json<Fault>();
    expect(error.issues).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          path: "max_iteration",
          code: "unknown_field",
          suggestion: "max_iterations",
        }),
        expect.objectContaining({ path: "temperature", code: "out_of_range" }),
        expect.objectContaining({ path: "tools[0]", code: "unknown_tool", suggestion: "page_list" }),
        expect.objectContaining({ path: "result_key" }),
        expect.objectContaining({ path: "agent", code: "unknown_agent" }),
      ]),
    );
  });

  test.each<[string, object, readonly (readonly [string, string])[]]>([
    [
      "a model that may not be named",
      { objective: "Go.", model: "workers-ai:x" },
      [["model", "unknown_model"]],
    ],
    [
      "a model that may not be named, with all else",
      {
        objective: "Go.",
        model: "workers-ai:x",
        fallback_models: ["workers-ai:y"],
        agent: "nobody",
        previous_run_id: "none.r1",
      },
      [
        ["agent", "unknown_agent"],
        ["fallback_models[0]", "unknown_model"],
        ["model", "unknown_model"],
        ["previous_run_id", "previous_run_not_found"],
      ],
    ],
    [
      "two spellings that disagree",
      { objective: "Go.", max_iterations: 3, config: { max_iterations: 4 } },
      [["config.max_iterations", "duplicate_setting"]],
    ],
    [
      "an approval that would be loosened",
      { objective: "Go.", approval: { rules: { page_delete: "auto" } } },
      [["approval.rules.page_delete", "approval_weakened"]],
    ],
    ["no objective", {}, [["objective", "wrong_type"]]],
  ])("%s", async (_name, body, issues) => {
    const found = await issuesOf(body);
    expect(found.toSorted()).toEqual(issues.toSorted());
  });

  test.each<[string, RequestInit, number, string]>([
    [
      "a body above 64 KiB",
      post({ objective: "x", metadata: { a: "y".repeat(66_000) } }),
      413,
      "body_too_large",
    ],
    ["cut-off JSON", { ...post({}), body: '{"objective":"Go' }, 400, "invalid_json"],
    ["two objects", { ...post({}), body: '{"objective":"Go."}{"objective":"Go."}' }, 400, "invalid_json"],
    ["a query that is not known", post({ objective: "Go." }), 400, "invalid_request"],
  ])("%s", async (name, init, status, code) => {
    const path = name.startsWith("a query") ? "/api/runs?sync=1" : "/api/runs";
    expect(await verdictOf(await api.call(path, init))).toEqual([status, code]);
  });

  test("limits above the class are cut, and the run says so", async () => {
    const response = await start({ objective: "/say Done.", profile: "simple", max_iterations: 150 });
    expect(response.status).toBe(200);
  });
});
