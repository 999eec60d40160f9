import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { AGENT_BYTES_MAX } from "../../../src/cairn/http/agents/routes.ts";
import { AGENTS_STORED_MAX } from "../../../src/cairn/http/agents/rows.ts";
import { parseConfig } from "../../fixtures/config.ts";
import { openDoors, openShelf, post, TOKENS, verdictOf } from "./routes-fixture.ts";

/** Agents as JSON: stored by name, with a version, and told everything that is wrong with them at once. */

const doors = openDoors();
type Body = Record<string, unknown>;

const put = (name: string, body: unknown, headers: Record<string, string> = {}, at = doors) =>
  at.call(`/api/agents/${name}`, { ...post(body, headers), method: "PUT", who: "admin" });
const get = (name: string) => doors.call(`/api/agents/${name}`);
const remove = (name: string, headers: Record<string, string> = {}) =>
  doors.call(`/api/agents/${name}`, { method: "DELETE", headers, who: "admin" });
const bodyOf = async (response: Response): Promise<Body> => response.json();
/** `code path → suggestion` of each issue */
async function issuesOf(response: Response): Promise<readonly string[]> {
  const { error } = await response.json<{
    error: { issues: readonly { path: string; code: string; suggestion?: string }[] };
  }>();
  return error.issues.map(
    ({ code, path, suggestion }) => `${code} ${path}${suggestion === undefined ? "" : ` → ${suggestion}`}`,
  );
}

const WRITER = {
  description: "Writes drafts.",
  instructions: "Write short sentences.",
  tools: ["page_list", "page_create", "pack:images"],
  gates: { page_create: "ask" },
  approvals: { page_delete: { approvers: ["bob", "carol"], needed: 2 } },
  unattended: ["page_create"],
  model: "rehearsal:",
  limits: { steps: 5, costUsd: 1.5 },
  resultKey: "draft",
  onStuck: { action: "answer", iterations: 3 },
  questions: { waitMs: 60_000, otherwise: "end" },
  output: { type: "object", properties: { title: { type: "string" } } },
};

describe("an agent as JSON", () => {
  test("is stored, shown with its tools, replaced by version and deleted", async () => {
    const made = await put("writer", WRITER);
    expect([made.status, made.headers.get("etag"), made.headers.get("location")]).toEqual([
      201,
      '"1"',
      "/api/agents/writer",
    ]);
    const shown = await bodyOf(made);
    expect(shown).toMatchObject({
      name: "writer",
      source: "stored",
      version: 1,
      description: "Writes drafts.",
      problem: null,
      definition: WRITER,
      updatedAt: "2026-11-21T12:00:00.000Z",
      updatedBy: "root",
      model: "rehearsal:",
      limits: { steps: 5, cost: 1_500_000 },
    });
    expect(shown["tools"]).toEqual(
      expect.arrayContaining(["page_list", "page_create", "image_search", "complete"]),
    );
    expect(shown["tools"]).not.toContain("page_delete");
    const found = await get("writer");
    expect([found.status, found.headers.get("etag"), await bodyOf(found)]).toEqual([200, '"1"', shown]);
    const changed = await put(
      "writer",
      { description: "Reads.", tools: ["page_list"] },
      { "if-match": '"1"' },
    );
    expect([changed.status, changed.headers.get("etag")]).toEqual([200, '"2"']);
    expect(await bodyOf(await get("writer"))).toMatchObject({
      version: 2,
      definition: { description: "Reads.", tools: ["page_list"] },
    });
    expect((await remove("writer", { "if-match": '"2"' })).status).toBe(204);
    expect(await verdictOf(await get("writer"))).toEqual([404, "not_found"]);
    expect(await verdictOf(await remove("writer"))).toEqual([404, "not_found"]);
  });

  test("is listed beside the files, which are no definitions", async () => {
    await put("lister", { description: "Lists.", tools: [] });
    const { items, models } = await (
      await doors.call("/api/agents")
    ).json<{ items: readonly Body[]; models: readonly string[] }>();
    expect(items.map(({ name, source, version }) => [name, source, version])).toEqual([
      ["default", "file", null],
      ["editor", "file", null],
      ["desk", "file", null],
      ["reader", "file", null],
      ["lister", "stored", 1],
    ]);
    expect(items.every((item) => !("definition" in item))).toBe(true);
    expect(models).toEqual(expect.any(Array));
    const file = await get("editor");
    expect(file.headers.get("etag")).toBeNull();
    expect(await bodyOf(file)).toMatchObject({ source: "file", definition: null, limits: { steps: 5 } });
    await remove("lister");
  });

  test("of another version than was meant is left as it is", async () => {
    expect(await verdictOf(await put("versioned", { description: "One." }, { "if-match": '"1"' }))).toEqual([
      412,
      "version_mismatch",
    ]);
    expect((await get("versioned")).status).toBe(404);
    await put("versioned", { description: "One." });
    await put("versioned", { description: "Two." });
    for (const refused of [
      await put("versioned", { description: "Three." }, { "if-match": '"1"' }),
      await remove("versioned", { "if-match": '"1"' }),
    ])
      expect(await verdictOf(refused)).toEqual([412, "version_mismatch"]);
    expect(await verdictOf(await put("versioned", { description: "Three." }, { "if-match": "1" }))).toEqual([
      400,
      "invalid_request",
    ]);
    expect(await bodyOf(await get("versioned"))).toMatchObject({ version: 2, description: "Two." });
    await remove("versioned");
  });

  test("put many times at once under one key is one version", async () => {
    const key = { "idempotency-key": "once" };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => put("keyed", { description: "Keyed." }, key)),
    );
    const bodies = await Promise.all(answers.map(bodyOf));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(bodies).toEqual(Array(20).fill(bodies[0]));
    expect(answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true")).toHaveLength(19);
    expect(await verdictOf(await put("keyed", { description: "Other." }, key))).toEqual([
      409,
      "idempotency_conflict",
    ]);
    await put("keyed", { description: "Newer." });
    const late = await put("keyed", { description: "Keyed." }, key);
    expect([late.status, late.headers.get("idempotent-replayed"), await bodyOf(late)]).toEqual([
      201,
      "true",
      bodies[0],
    ]);
    expect(await bodyOf(await get("keyed"))).toMatchObject({ version: 2, description: "Newer." });
    await remove("keyed");
  });

  test("takes no name of a file, and none that is no name", async () => {
    for (const refused of [await put("editor", { description: "Mine." }), await remove("default")])
      expect(await verdictOf(refused)).toEqual([409, "id_taken"]);
    for (const name of ["Writer", "1st", "a.b", "a".repeat(65)])
      expect(await verdictOf(await put(name, { description: "Mine." }))).toEqual([400, "invalid_id"]);
  });

  test("is changed by an admin of this deployment alone, where it names its admins", async () => {
    const config = parseConfig({ ...env });
    const named = openDoors({}, { agents: openShelf(config, ["carol"]) });
    expect(await verdictOf(await put("mine", { description: "Mine." }, {}, named))).toEqual([
      403,
      "missing_scope",
    ]);
    const root = openDoors({}, { agents: openShelf(config, ["root"]) });
    expect((await put("mine", { description: "Mine." }, {}, root)).status).toBe(201);
    await remove("mine");
  });

  test("is one of a bounded number", async () => {
    const rows = Array.from({ length: AGENTS_STORED_MAX }, (_, n) =>
      env.DB.prepare(
        "INSERT INTO agents (name, version, body, updated_at, updated_by) VALUES (?, 1, ?, 0, 'root')",
      ).bind(`many-${n}`, '{"description":"Many."}'),
    );
    await env.DB.batch(rows);
    expect(await verdictOf(await put("one-more", { description: "More." }))).toEqual([
      409,
      "too_many_agents",
    ]);
    expect((await put("many-1", { description: "Replaced." })).status).toBe(200);
    await env.DB.exec("DELETE FROM agents");
    expect((await put("one-more", { description: "More." })).status).toBe(201);
    await remove("one-more");
  });
});

describe("a fault of an agent", () => {
  test("is reported with all others, each with its place, and a suggestion for a misspelt name", async () => {
    const fields = {
      instructons: "Hi.",
      objectiveTemplate: "No place.",
      resultKey: "1st",
      output: { type: "object", $ref: "#/nowhere" },
      fallbacks: ["openai-compatible:secret"],
      preset: "hyphn",
      profile: "time_capsule",
      limits: { steps: 0, hours: 2 },
      onStuck: { action: "explode" },
      options: { skills: { list: "notes", show: "all", shows: "names" }, skils: {} },
    };
    const refused = await put("wrong", { ...fields, hooks: {}, admins: [], day: {} });
    expect(refused.status).toBe(422);
    expect((await issuesOf(refused)).toSorted()).toEqual([
      "bad_output_schema output",
      "model_not_allowed fallbacks[0]",
      "not_supported admins",
      "not_supported day",
      "not_supported hooks",
      "out_of_range limits.steps",
      "out_of_range objectiveTemplate",
      "out_of_range onStuck.action",
      "out_of_range options.skills.show",
      "out_of_range preset → hyphen",
      "out_of_range resultKey",
      "unknown_field instructons → instructions",
      "unknown_field limits.hours",
      "unknown_field options.skills.shows → show",
      "unknown_field options.skils → skills",
      "wrong_type description",
      "wrong_type options.skills.list",
    ]);
  });

  test("is also reported for its tools, wherever it names them", async () => {
    const refused = await put("wrong", {
      description: 1,
      tools: ["page_creat", "pack:image", "page_list", 7],
      gates: { page_delet: "deny", page_list: "auto" },
      approvals: {
        page_delete: { approver: ["bob"] },
        page_create: { onExpiry: "escalate" },
        page_updat: {},
      },
      unattended: ["page_lst", "page_list"],
    });
    expect((await issuesOf(refused)).toSorted()).toEqual([
      "out_of_range approvals.page_create",
      "out_of_range gates.page_list",
      "rule_never_holds unattended[1]",
      "unknown_field approvals.page_delete.approver → approvers",
      "unknown_tool approvals.page_updat → page_update",
      "unknown_tool gates.page_delet → page_delete",
      "unknown_tool tools[0] → page_create",
      "unknown_tool tools[1] → pack:images",
      "unknown_tool unattended[0] → page_list",
      "wrong_type description",
      "wrong_type tools[3]",
    ]);
  });

  test("is only counted beyond a number", async () => {
    const gates = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`no_tool_${n}`, "never"]));
    const issues = await issuesOf(await put("wrong", { description: "Wrong.", gates }));
    expect([issues.length, issues.at(-1)]).toEqual([21, "more_issues "]);
  });

  test.each<[string, Body, readonly string[]]>([
    ["a capsule without a cost", { profile: "time_capsule" }, ["out_of_range limits.costUsd"]],
    [
      "a capsule of a minute",
      { profile: "time_capsule", limits: { costUsd: 1, activeMs: 60_000 } },
      ["out_of_range limits.activeMs"],
    ],
    [
      "a capsule with a preset of a minute",
      { profile: "time_capsule", preset: "hyphen_router", limits: { costUsd: 1 } },
      ["out_of_range preset"],
    ],
    ["a model that may not be named", { model: "gateway:openai/gpt" }, ["model_not_allowed model"]],
    [
      "a hint that nothing reads",
      { onStuck: { action: "fail", hint: "Look." } },
      ["hint_unused onStuck.hint"],
    ],
    [
      "a rule for a tool that asks nobody",
      { approvals: { complete: {} } },
      ["rule_never_holds approvals.complete"],
    ],
    ["a tool that reads, unattended", { unattended: ["page_list"] }, ["rule_never_holds unattended[0]"]],
  ])("%s", async (_name, fields, issues) => {
    expect(await issuesOf(await put("wrong", { description: "Wrong.", ...fields }))).toEqual(issues);
  });

  test.each<[string, unknown, number, string]>([
    ["no object", [], 422, "invalid_agent"],
    ["null", null, 422, "invalid_agent"],
    ["a text", '"agent"', 422, "invalid_agent"],
    ["half of it", '{"description":', 400, "invalid_json"],
    ["more than 64 KiB", { description: "x".repeat(AGENT_BYTES_MAX) }, 413, "body_too_large"],
    ["a description without end", { description: "x".repeat(2_000) }, 422, "invalid_agent"],
    ["too many tools", { description: "x", tools: Array(129).fill("page_list") }, 422, "invalid_agent"],
  ])("%s is refused, and nothing is stored", async (_name, body, status, code) => {
    expect(await verdictOf(await put("refused", body))).toEqual([status, code]);
    expect((await get("refused")).status).toBe(404);
  });

  test("that a deployment introduced is shown in the list", async () => {
    await put("gone", { description: "Used a tool.", tools: ["page_list"] });
    await env.DB.prepare(
      "UPDATE agents SET body = json_set(body, '$.tools[0]', 'page_gone') WHERE name = 'gone'",
    ).run();
    expect(await bodyOf(await get("gone"))).toMatchObject({
      description: "Used a tool.",
      tools: [],
      problem: "tools[0]: There is no tool page_gone.",
    });
    await remove("gone");
  });
});

test("the scope `read` shows the definition; `send` alone does not", async () => {
  await put("seen", { description: "Seen." });
  const reader = await doors.call("/api/agents/seen", { who: "reader" });
  expect(await bodyOf(reader)).toMatchObject({ definition: { description: "Seen." } });
  expect(await verdictOf(await doors.call("/api/agents/seen", { who: "sender" }))).toEqual([
    403,
    "missing_scope",
  ]);
  expect(Object.keys(TOKENS)).toContain("sender");
  await remove("seen");
});
