import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { sessionClient } from "../../../src/cairn/http/kit/session-client.ts";
import { asKind, type Entry } from "../../../src/cairn/core/log/entry.ts";
import type { Actor } from "../../../src/cairn/session/api/session-api.ts";
import { makeSite } from "../cms/fixture.ts";
import { post } from "../http/routes-fixture.ts";
import { gated, openApi } from "../sessions/session-fixture.ts";

/** Runs of agents that were stored over the API: as they stood when the run was accepted, or not at all. */

const ada: Actor = { subject: "alice", scopes: ["read", "send", "approve"], via: "http" };
const doors = openApi();
beforeAll(makeSite);

const put = (name: string, body: object) =>
  doors.json<{ version: number }>(
    name.endsWith("-again") ? 200 : 201,
    `/api/agents/${name.replace(/-again$/, "")}`,
    {
      ...post({ description: `The agent ${name}.`, ...body }),
      method: "PUT",
      who: "root",
    },
  );
const remove = async (name: string): Promise<void> => {
  const gone = await doors.call(`/api/agents/${name}`, { method: "DELETE", who: "root" });
  expect(gone.status).toBe(204);
};
async function log(session: string): Promise<readonly Entry[]> {
  const page = await sessionClient(env, session).events(ada, 0, 1_000);
  return page.ok ? page.value.items : [];
}
/** Entries of a run, once it has ended. */
async function ended(session: string, run: string): Promise<readonly Entry[]> {
  let entries: readonly Entry[] = [];
  const isOver = async (): Promise<boolean> => {
    entries = (await log(session)).filter((entry) => entry.run === run);
    return entries.at(-1)?.kind === "run_ended";
  };
  await expect.poll(isOver, { timeout: 15_000, interval: 20 }).toBe(true);
  return entries;
}
const of = <Kind extends Entry["kind"]>(entries: readonly Entry[], kind: Kind) =>
  entries.flatMap((entry) => asKind(entry, kind) ?? []).map(({ body }) => body);
const toolsOf = (entries: readonly Entry[]): readonly string[] =>
  of(entries, "run_started")[0]?.grant.map(({ tool }) => tool) ?? [];

const send = (session: string, fields: object) =>
  doors.call(`/api/sessions/${session}/messages`, post(fields));
async function refusalOf(response: Response) {
  const { error } = await response.json<{
    error: { code: string; message: string; hint: string; issues?: readonly object[] };
  }>();
  return { status: response.status, ...error };
}

describe("a session of a stored agent", () => {
  test("works with its tools, words and limits, beside one with those of the deployment", async () => {
    await put("drafter", {
      instructions: "Write in Danish.",
      tools: ["page_list", "page_create"],
      limits: { steps: 4 },
      resultKey: "draft",
    });
    await doors.json(201, "/api/sessions", post({ id: "sa-drafter", agent: "drafter" }));
    await doors.json(201, "/api/sessions", post({ id: "sa-plain" }));
    await doors.say("sa-drafter", '/call page_delete {"pages":["about"]}\n/then\n/say Not done.');
    await doors.say("sa-plain", "/say Done.");
    const entries = await ended("sa-drafter", "r1");
    expect(toolsOf(entries)).toEqual(expect.arrayContaining(["page_list", "page_create", "complete"]));
    expect(toolsOf(entries)).not.toContain("page_delete");
    expect(of(entries, "call_intended")).toEqual([]);
    expect(of(entries, "run_started")[0]?.limits.steps).toBe(4);
    const [queued] = of(entries, "run_queued");
    expect(queued?.spec).toMatchObject({
      agent: "drafter",
      resultKey: "draft",
      instructions: "Write in Danish.",
    });
    expect(queued?.spec.agentDigest).toMatch(/^\w+/);
    const trace = await doors.call("/api/sessions/sa-drafter/trace?include=prompts");
    expect(await trace.text()).toContain("Write in Danish.");
    expect(toolsOf(await ended("sa-plain", "r1"))).toContain("page_delete");
  });

  test("asks where its gates say so", async () => {
    await put("asker", { gates: { page_create: "ask" } });
    expect(
      (await send("sa-asker", { text: '/call page_create {"name":"Asked"}', agent: "asker" })).status,
    ).toBe(202);
    const asks = async () => of(await log("sa-asker"), "approval_requested").map(({ tool }) => tool);
    await expect.poll(asks, { timeout: 15_000, interval: 20 }).toEqual(["page_create"]);
  });
});

test("a run that is handed over as data names it, and a name that is none is told with the nearest", async () => {
  await put("worker", { tools: ["page_list"], resultKey: "list" });
  const run = await doors.json<{ sessionId: string }>(
    200,
    "/api/runs",
    post({ objective: "/say Listed.", agent: "worker" }),
  );
  const entries = await ended(run.sessionId, "r1");
  expect(of(entries, "run_queued")[0]?.spec).toMatchObject({ agent: "worker", resultKey: "list" });
  expect(toolsOf(entries)).not.toContain("page_create");
  const refused = await doors.call("/api/runs", post({ objective: "Hi.", agent: "worke" }));
  expect(await refusalOf(refused)).toMatchObject({
    status: 422,
    code: "invalid_run",
    issues: [{ path: "agent", code: "unknown_agent", suggestion: "worker" }],
  });
});

test("a queued run keeps what it was accepted with, whatever becomes of its agent", async () => {
  await put("keeper", { instructions: "The first version.", tools: ["page_list"], limits: { steps: 4 } });
  await send("sa-queue", { text: gated() });
  const waits = async () => of(await log("sa-queue"), "approval_requested").length;
  await expect.poll(waits, { timeout: 15_000, interval: 20 }).toBe(1);
  const queued = await send("sa-queue", { text: "/say Kept.", agent: "keeper" });
  expect(await queued.json()).toMatchObject({ runId: "sa-queue.r2", queued: 1 });
  const before = of(await log("sa-queue"), "run_queued")[1]?.spec;
  await put("keeper-again", { instructions: "The second version.", tools: [], limits: { steps: 9 } });
  await remove("keeper");
  const [asked] = of(await log("sa-queue"), "approval_requested");
  await doors.json(
    200,
    `/api/sessions/sa-queue/approvals/${asked?.approval ?? ""}`,
    post({ decision: "deny", reason: "Leave it." }),
  );
  const entries = await ended("sa-queue", "r2");
  expect(of(entries, "run_queued")[0]?.spec).toEqual(before);
  expect(before).toMatchObject({ agent: "keeper", instructions: "The first version.", tools: ["page_list"] });
  expect(toolsOf(entries)).toContain("page_list");
  expect(toolsOf(entries)).not.toContain("page_create");
  expect(of(entries, "run_started")[0]?.limits.steps).toBe(4);
  const trace = await (await doors.call("/api/sessions/sa-queue/trace?run=r2&include=prompts")).text();
  expect(trace).toContain("The first version.");
  expect(trace).not.toContain("The second version.");
});

describe("an agent that cannot lead a run", () => {
  test("because it was deleted: the next message is refused, and says what to do", async () => {
    await put("leaver", { tools: [] });
    await doors.json(201, "/api/sessions", post({ id: "sa-leaver", agent: "leaver" }));
    await remove("leaver");
    // An isolate takes an agent for some seconds as it has read it.
    const status = async () => (await send("sa-leaver", { text: "/say Hi." })).status;
    await expect.poll(status, { timeout: 15_000, interval: 250 }).toBe(422);
    const runs = of(await log("sa-leaver"), "run_queued").length;
    const refused = await refusalOf(await send("sa-leaver", { text: "/say Hi." }));
    expect(refused).toMatchObject({
      status: 422,
      code: "unknown_agent",
      message: "There is no agent leaver.",
    });
    expect(refused.hint).toContain("set it to another one");
    expect(of(await log("sa-leaver"), "run_queued")).toHaveLength(runs);
    await doors.json(200, "/api/sessions/sa-leaver", { ...post({ agent: "default" }), method: "PATCH" });
    expect((await send("sa-leaver", { text: "/say Hi." })).status).toBe(202);
  });

  test("because it was deleted: its live run is still steered", async () => {
    await put("steered", {});
    await doors.json(201, "/api/sessions", post({ id: "sa-steer", agent: "steered" }));
    await send("sa-steer", { text: gated() });
    const waits = async () => of(await log("sa-steer"), "approval_requested").length;
    await expect.poll(waits, { timeout: 15_000, interval: 20 }).toBe(1);
    await remove("steered");
    const status = async () => (await send("sa-steer", { text: "/say Hi." })).status;
    await expect.poll(status, { timeout: 15_000, interval: 500 }).toBe(422);
    const steered = await doors.call("/api/sessions/sa-steer/steer", post({ text: "In Danish." }));
    expect([steered.status, await steered.json()]).toMatchObject([202, { runId: "sa-steer.r1" }]);
  });

  test("because a deployment took its tool: it is refused with what does not fit", async () => {
    await put("broken", { tools: ["page_list"] });
    await env.DB.prepare(
      "UPDATE agents SET body = json_set(body, '$.tools[0]', 'page_gone') WHERE name = 'broken'",
    ).run();
    const refused = await refusalOf(await send("sa-broken", { text: "/say Hi.", agent: "broken" }));
    expect(refused).toMatchObject({
      status: 422,
      code: "invalid_agent",
      hint: expect.stringContaining("PUT /api/agents/broken"),
      issues: [{ path: "tools[0]", code: "unknown_tool" }],
    });
    expect(await log("sa-broken")).toEqual([]);
  });

  test("because it could not be read: nothing is started, under no other agent either", async () => {
    await put("hidden", { tools: [] });
    await env.DB.exec("ALTER TABLE agents RENAME TO agents_away");
    const doorsOfHers = [
      send("sa-hidden", { text: "/say Hi.", agent: "hidden" }),
      doors.call("/api/sessions", post({ id: "sa-hidden", agent: "hidden" })),
      doors.call(
        "/api/sessions/sa-hidden/schedules",
        post({ text: "Hi.", everyMs: 3_600_000, agent: "hidden" }),
      ),
    ];
    for (const refused of await Promise.all(doorsOfHers))
      expect(await refusalOf(refused)).toMatchObject({
        status: 503,
        code: "agents_unavailable",
        hint: "Send it again.",
      });
    expect(await log("sa-hidden")).toEqual([]);
    const asked = await doors.call("/api/runs", post({ objective: "Hi.", agent: "hidden" }));
    expect(await refusalOf(asked)).toMatchObject({ status: 503, code: "agents_unavailable" });
    // A file needs no read.
    expect((await send("sa-file", { text: "/say Hi.", agent: "editor" })).status).toBe(202);
    await env.DB.exec("ALTER TABLE agents_away RENAME TO agents");
    expect((await send("sa-hidden", { text: "/say Hi.", agent: "hidden" })).status).toBe(202);
    expect(toolsOf(await ended("sa-hidden", "r1"))).not.toContain("page_list");
  });
});

test("a schedule is worked by the agent that it names, or by that of its session", async () => {
  await put("timer", { tools: ["page_list"] });
  await doors.json(201, "/api/sessions", post({ id: "sa-of-session", agent: "timer" }));
  const at = new Date(Date.now() + 400).toISOString();
  await doors.json(
    201,
    "/api/sessions/sa-schedule/schedules",
    post({ text: "/say Hi.", at, agent: "timer" }),
  );
  await doors.json(201, "/api/sessions/sa-of-session/schedules", post({ text: "/say Hi.", at }));
  for (const session of ["sa-schedule", "sa-of-session"]) {
    const entries = await ended(session, "r1");
    expect(of(entries, "run_queued")[0]?.spec.agent).toBe("timer");
    expect(toolsOf(entries)).toContain("page_list");
    expect(toolsOf(entries)).not.toContain("page_create");
  }
});
