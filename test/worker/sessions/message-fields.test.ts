import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { asKind } from "../../../src/cairn/core/log/entry.ts";
import { sessionClient } from "../../../src/cairn/http/kit/session-client.ts";
import type { Actor } from "../../../src/cairn/session/api/session-api.ts";
import type { RunView } from "../../../src/cairn/protocol/views.ts";
import { makeSite } from "../cms/fixture.ts";
import { post, verdictOf } from "../http/routes-fixture.ts";
import { openApi } from "./session-fixture.ts";

/** A message over HTTP asks of its run what `POST /api/runs` may ask, and its request names its trace. */

const api = openApi();
beforeAll(makeSite);
const root: Actor = { subject: "root", scopes: ["admin"], via: "http" };

const say = (session: string, body: object, headers: Record<string, string> = {}) =>
  api.call(`/api/sessions/${session}/messages`, post({ text: "/say Done.", ...body }, headers));
const specOf = async (session: string) => {
  const page = await sessionClient(env, session).events(root, 0, 1_000);
  const entries = page.ok ? page.value.items : [];
  return entries.flatMap((entry) => asKind(entry, "run_queued") ?? []).map(({ body }) => body.spec);
};
const issuesOf = async (response: Response) => {
  const { error } = await response.json<{
    error: { code: string; issues?: { path: string; code: string; suggestion?: string }[] };
  }>();
  const issues = (error.issues ?? []).map(({ path, code, suggestion }) =>
    suggestion === undefined ? [path, code] : [path, code, suggestion],
  );
  return [response.status, error.code, issues];
};

const OUTPUT = { type: "object", properties: { title: { type: "string" } }, required: ["title"] };
const FIELDS = {
  instructions: "Answer in one line.",
  metadata: { ticket: 7 },
  fallback_models: ["rehearsal:"],
  output: OUTPUT,
  result_key: "page",
  tools: ["page_list"],
  on_exhausted: "fail",
  timeout_ms: 60_000,
  preset: "hyphen",
  approval: { rules: { page_list: "ask" } },
};
const SPEC = {
  instructions: "Answer in one line.",
  metadata: { ticket: 7 },
  output: OUTPUT,
  resultKey: "page",
  tools: ["page_list"],
  gates: { page_list: "ask" },
  traceId: "their-own-id-1",
};

describe("the fields of a run in a message", () => {
  test("reach its run, from POST …/messages and from POST /api/chat", async () => {
    const headers = { "x-request-id": "their-own-id-1" };
    const said = await say("fields-http", FIELDS, headers);
    expect([said.status, said.headers.get("x-request-id")]).toEqual([202, "their-own-id-1"]);
    const message = { id: "m1", role: "user", parts: [{ type: "text", text: "/say Done." }] };
    const body = { id: "fields-chat", messages: [message], trigger: "submit-message", ...FIELDS };
    const chat = await api.call("/api/chat", post(body, headers));
    await chat.text();
    expect(chat.status).toBe(200);
    expect(await specOf("fields-http")).toMatchObject([SPEC]);
    expect(await specOf("fields-chat")).toMatchObject([SPEC]);
    const run = await api.json<RunView>(200, "/api/runs/fields-http.r1");
    expect([run.traceId, run.metadata]).toEqual(["their-own-id-1", { ticket: 7 }]);
  });

  test("name an ended run that the message goes on from", async () => {
    await api.say("fields-before", "/say The first answer.");
    expect((await say("fields-after", { previous_run_id: "fields-before.r1" })).status).toBe(202);
    expect(await specOf("fields-after")).toMatchObject([{ previous: { run: "fields-before.r1" } }]);
    expect(await issuesOf(await say("fields-after", { previous_run_id: "fields-none.r1" }))).toEqual([
      422,
      "invalid_run",
      [["previous_run_id", "previous_run_not_found"]],
    ]);
  });

  test.each([
    ["metadata", { metadata: [] }, "metadata", "wrong_type"],
    ["a temperature", { temperature: 3 }, "temperature", "out_of_range"],
    ["a schema", { output: { type: "thing" } }, "output", "bad_output_schema"],
    ["a fallback", { fallback_models: ["openai-compatible:gpt"] }, "fallback_models[0]", "unknown_model"],
    ["a target", { targets: { site: "main" } }, "targets.site", "wrong_type"],
    ["a profile", { profile: "huge" }, "profile", "out_of_range"],
    ["two presets", { profile: "hyphen", preset: "orcbot" }, "preset", "duplicate_setting"],
    [
      "a capsule without its cost",
      { profile: "time_capsule", timeout_ms: 600_000 },
      "budget.cost_usd",
      "out_of_range",
    ],
    ["an escalation", { approval: { on_expiry: "escalate" } }, "approval.on_expiry", "approval_weakened"],
  ])("are refused as those of a run are: %s", async (_, fields, path, code) => {
    const asMessage = await issuesOf(await say("fields-refused", fields));
    const [status, refused, issues] = asMessage;
    expect([status, refused]).toEqual([422, "invalid_run"]);
    expect((issues as string[][]).map(([at, kind]) => [at, kind])).toContainEqual([path, code]);
    const asRun = await api.call("/api/runs", post({ objective: "/say Done.", ...fields }));
    expect(await issuesOf(asRun)).toEqual(asMessage);
  });

  test("name the tool that was meant, and refuse a field that no run has", async () => {
    expect(await issuesOf(await say("fields-refused", { tools: ["page_lst"] }))).toEqual([
      422,
      "invalid_run",
      [["tools[0]", "unknown_tool", "page_list"]],
    ]);
    for (const field of ["instructons", "objective", "session_id", "channel", "config"])
      expect(await issuesOf(await say("fields-refused", { [field]: "x" }))).toEqual([
        400,
        "unknown_field",
        [[field, "unknown_field"]],
      ]);
    expect(await specOf("fields-refused")).toEqual([]);
  });

  test("make another message under the same id another one", async () => {
    expect((await say("fields-again", { id: "m1", metadata: { a: 1 } })).status).toBe(202);
    expect((await say("fields-again", { id: "m1", metadata: { a: 1 } })).status).toBe(202);
    expect(await verdictOf(await say("fields-again", { id: "m1", metadata: { a: 2 } }))).toEqual([
      409,
      "message_exists",
    ]);
    expect(await specOf("fields-again")).toHaveLength(1);
  });

  test.each([
    ["model", { model: "rehearsal:" }],
    ["max_iterations", { max_iterations: 4 }],
    ["targets", { targets: { site: { siteId: "site_main", environmentId: "env_main" } } }],
    ["output", { output: OUTPUT }],
  ])("are refused where the message joins a live run: %s", async (field, fields) => {
    const session = `fields-join-${field}`;
    await say(session, { text: "/wait 3000\n/say Done." });
    await expect
      .poll(async () => (await api.json<RunView>(200, `/api/runs/${session}.r1`)).status)
      .toBe("running");
    expect(await issuesOf(await say(session, { mode: "join", ...fields }))).toEqual([
      422,
      "invalid_run",
      [[field, "not_supported"]],
    ]);
    expect((await say(session, { mode: "join" })).status).toBe(202);
  });
});

describe("the id of a request", () => {
  test.each(["short", "x".repeat(65), "has space 1", "<script>alert"])(
    "is replaced where it is %s",
    async (id) => {
      const said = await say(`trace-${id.length}`, {}, { "x-request-id": id });
      const made = said.headers.get("x-request-id");
      expect(made).toMatch(/^[A-Za-z0-9_-]{8,64}$/);
      expect(made).not.toBe(id);
      expect((await specOf(`trace-${id.length}`)).map(({ traceId }) => traceId)).toEqual([made]);
    },
  );
});
