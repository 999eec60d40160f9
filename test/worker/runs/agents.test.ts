import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { sessionClient } from "../../../src/cairn/http/kit/session-client.ts";
import { asKind, type Entry } from "../../../src/cairn/core/log/entry.ts";
import type { Actor } from "../../../src/cairn/session/api/session-api.ts";
import type { RunOptions } from "../../../src/cairn/protocol/run-spec/run-options.ts";
import { makeSite } from "../cms/fixture.ts";
import { post, verdictOf } from "../http/routes-fixture.ts";
import { openApi } from "../sessions/session-fixture.ts";

/** Several agents in one deployment: each run has the tools, words, limits and gates of its own. */

const ada: Actor = { subject: "alice", scopes: ["read", "send", "approve"], via: "http" };
const doors = openApi();
beforeAll(makeSite);

let messages = 0;

/** The entries of a run as soon as it has ended or waits for a person. */
async function run(session: string, text: string, ask: RunOptions = {}): Promise<readonly Entry[]> {
  const api = sessionClient(env, session);
  const parts = [{ type: "text", text }] as const;
  const command = { parts, mode: null, source: "api", request: null, ask } as const;
  const sent = await api.send(ada, { id: `m${++messages}`, ...command });
  if (!sent.ok) throw new Error(sent.error.code);
  const name = sent.value.runId.slice(session.length + 1);
  let entries: readonly Entry[] = [];
  const rests = async (): Promise<boolean> => {
    const page = await api.events(ada, 0, 1_000);
    entries = page.ok ? page.value.items.filter((entry) => entry.run === name) : [];
    return ["run_ended", "approval_requested"].includes(entries.at(-1)?.kind ?? "");
  };
  await expect.poll(rests, { timeout: 15_000, interval: 20 }).toBe(true);
  return entries;
}

const of = <Kind extends Entry["kind"]>(entries: readonly Entry[], kind: Kind) =>
  entries.flatMap((entry) => asKind(entry, kind) ?? []).map(({ body }) => body);
const toolsOf = (entries: readonly Entry[]): readonly string[] =>
  of(entries, "run_started")[0]?.grant.map(({ tool }) => tool) ?? [];

describe("a run of a named agent", () => {
  test("has its tools and limits, and its words are in the prompt", async () => {
    const entries = await run("a-editor", "/say Done.", { agent: "editor" });
    expect(toolsOf(entries)).toEqual(expect.arrayContaining(["page_create", "complete", "store_memory"]));
    for (const tool of ["page_delete", "set_status", "nav_update", "image_search"])
      expect(toolsOf(entries)).not.toContain(tool);
    expect(of(entries, "run_started")[0]?.limits.steps).toBe(5);
    expect(of(entries, "run_queued")[0]?.spec).toMatchObject({ agent: "editor", resultKey: "draft" });
    const trace = await doors.call("/api/sessions/a-editor/trace?include=prompts");
    const text = await trace.text();
    expect(text).toContain("Write short sentences.");
    expect(text).toContain("Create a page with all its sections");
  });

  test("runs no tool that it was not given, whatever the model asks for", async () => {
    const entries = await run("a-denied", '/call page_delete {"page":"about"}\n/then\n/say Not done.', {
      agent: "editor",
    });
    expect(of(entries, "call_intended")).toEqual([]);
    expect(of(entries, "call_settled")[0]).toMatchObject({
      status: "refused",
      failure: { code: "unknown_tool" },
    });
  });

  test("asks where its gates say so, and the agent of the next run does not", async () => {
    const create = '/call page_create {"name":"Gated"}\n/then\n/say Done.';
    const asked = await run("a-gated", create, { agent: "editor" });
    expect(of(asked, "approval_requested")[0]).toMatchObject({ tool: "page_create" });
    const free = await run("a-free", create);
    expect(of(free, "approval_requested")).toEqual([]);
    expect(of(free, "call_settled")[0]).toMatchObject({ tool: "page_create", status: "ok" });
  });

  test("is chosen for a session, and a message may name another", async () => {
    await doors.json(201, "/api/sessions", post({ id: "a-session", agent: "editor" }));
    expect(await doors.json(200, "/api/sessions/a-session")).toMatchObject({ agent: "editor" });
    expect(toolsOf(await run("a-session", "/say One."))).not.toContain("page_delete");
    expect(toolsOf(await run("a-session", "/say Two.", { agent: "default" }))).toContain("page_delete");
    await doors.json(200, "/api/sessions/a-session", {
      ...post({ agent: "default" }),
      method: "PATCH",
    });
    expect(toolsOf(await run("a-session", "/say Three."))).toContain("page_delete");
  });

  test("that does not exist is refused, and nothing is written", async () => {
    for (const [path, body] of [
      ["/api/sessions/a-none/messages", { text: "Hi.", agent: "edito" }],
      ["/api/sessions/a-none/schedules", { text: "Hi.", everyMs: 3_600_000, agent: "edito" }],
    ] as const) {
      const refused = await doors.call(path, post(body));
      expect(await verdictOf(refused)).toEqual([422, "unknown_agent"]);
    }
    expect((await doors.call("/api/sessions/a-none")).status).toBe(404);
  });
});

describe("the request of a run", () => {
  test("narrows its tools, names its gates and adds words", async () => {
    const entries = await run("a-asked", "/say Done.", {
      tools: ["page_list", "pack:images"],
      instructions: "Answer in Danish.",
      approval: { rules: { page_list: "ask" } },
      resultKey: "list",
    });
    expect(toolsOf(entries)).toEqual(expect.arrayContaining(["page_list", "image_search", "complete"]));
    expect(toolsOf(entries)).not.toContain("page_get");
    expect(of(entries, "run_queued")[0]?.spec).toMatchObject({
      instructions: "Answer in Danish.",
      gates: { page_list: "ask" },
      resultKey: "list",
    });
  });

  test.each<[string, RunOptions, string]>([
    ["a tool that there is not", { tools: ["page_lst"] }, "unknown_tool"],
    ["a tool of others", { agent: "editor", tools: ["page_delete"] }, "tool_not_available"],
    ["an approval that is loosened", { approval: { rules: { page_delete: "auto" } } }, "approval_weakened"],
    ["more votes than voters", { approval: { needed: 2, of: ["bob"] } }, "out_of_range"],
  ])("%s is refused", async (_name, ask, code) => {
    const api = sessionClient(env, "a-bad");
    const parts = [{ type: "text", text: "Hi." }] as const;
    const sent = await api.send(ada, { id: "m", parts, mode: null, source: "api", request: null, ask });
    expect(sent).toMatchObject({
      ok: false,
      error: { status: 422, code: "invalid_run", issues: [{ code }] },
    });
  });

  test("with no tools leaves the built-in ones, and no prompt of a pack", async () => {
    const entries = await run("a-bare", "/say Done.", { tools: [] });
    expect(toolsOf(entries)).toContain("complete");
    expect(toolsOf(entries).filter((tool) => /^(page|image|section|nav)_/.test(tool))).toEqual([]);
    const trace = await doors.call("/api/sessions/a-bare/trace?include=prompts");
    expect(await trace.text()).not.toContain("Create a page with all its sections");
  });

  test("has its limits cut to the class without the right to raise them, with a warning", async () => {
    const entries = await run("a-clipped", "/say Done.", { profile: "simple", limits: { steps: 40 } });
    expect(of(entries, "run_started")[0]?.limits.steps).toBe(12);
    expect(of(entries, "run_queued")[0]?.spec.warnings).toEqual([
      { code: "clipped_to_cap", path: "max_iterations", message: expect.stringContaining("12") },
    ]);
  });
});
