import { beforeAll, describe, expect, test } from "vitest";
import { makeSite } from "../cms/fixture.ts";
import { post } from "../http/routes-fixture.ts";
import { gated, openApi } from "../sessions/session-fixture.ts";
import {
  api,
  MODERN,
  message,
  ask,
  rpc,
  refusalOf,
  start,
  load,
  settled,
  update,
  tool,
  keyOf,
  yes,
  type Rpc,
  type ToolResult,
} from "./mcp-client.ts";

/** Runs as tasks of `/mcp`: whose they are, and what an answer to one decides. */

beforeAll(makeSite);

describe("a run as a task", () => {
  test("completes with its answer, and an update to it is refused", async () => {
    const taskId = await start("/say Done.");
    const ended = await settled(taskId);
    expect(ended).toMatchObject({
      taskId,
      status: "completed",
      ttlMs: null,
      result: { content: [{ text: "Answered.\nNothing was changed." }, { text: "Done." }, {}] },
    });
    expect(await refusalOf(update(taskId, {}))).toEqual([-32_602, "not_waiting"]);
    expect((await rpc(ask("tasks/cancel", { taskId }))).result).toMatchObject({ resultType: "complete" });
    expect((await load(taskId)).status).toBe("completed");
  });

  test("waits with an input request that shows impact and digest; another digest decides nothing", async () => {
    const taskId = await start(gated());
    const waiting = await settled(taskId);
    expect(waiting.status).toBe("input_required");
    const key = keyOf(waiting);
    const [, approval = "", digest = ""] = key.split("/");
    const shown = waiting.inputRequests?.[key]?.params;
    expect(shown?.message).toContain(`Digest: ${digest}`);
    expect(shown?.message).toContain("What it changes:");
    expect(
      await refusalOf(update(taskId, { [`approval/${approval}/sha256:${"0".repeat(64)}`]: yes })),
    ).toEqual([-32_602, "digest_mismatch"]);
    expect(await refusalOf(update(taskId, { [`approval/r9s1c0a1/${digest}`]: yes }))).toEqual([
      -32_602,
      "digest_mismatch",
    ]);
    expect(
      await refusalOf(update(taskId, { [key]: { action: "accept", content: { decision: "maybe" } } })),
    ).toEqual([-32_602, "invalid_request"]);
    expect((await rpc(update(taskId, { "unknown-key": yes }))).result).toMatchObject({
      resultType: "complete",
    });
    expect((await rpc(update(taskId, { [key]: { action: "cancel" } }))).result).toMatchObject({
      resultType: "complete",
    });
    expect((await load(taskId)).status).toBe("input_required");
    expect((await rpc(update(taskId, { [key]: yes }))).result).toMatchObject({ resultType: "complete" });
    expect(await settled(taskId)).toMatchObject({ status: "completed" });
    expect(await refusalOf(update(taskId, { [key]: yes }))).toEqual([-32_602, "not_waiting"]);
  });

  test("that somebody edited asks anew: the answer to what was shown before is refused", async () => {
    const started = await api.json<{ id: string }>(
      202,
      "/api/runs",
      post({
        objective: `/call page_create {"name":"Spare part"}\n/then\n${gated()}`,
        approval: { k: 2, of: 2 },
      }),
    );
    const before = await settled(started.id);
    const key = keyOf(before);
    const [, approval = "", digest = ""] = key.split("/");
    const path = `/api/sessions/${started.id.split(".")[0] ?? ""}/approvals/${approval}`;
    await api.json(200, path, post({ decision: "edit", args: { pages: ["spare-part"] }, digest }));
    expect(await refusalOf(update(started.id, { [key]: yes }))).toEqual([-32_602, "digest_mismatch"]);
    const after = keyOf(await load(started.id));
    expect([after === key, after.startsWith(`approval/${approval}/`)]).toEqual([false, true]);
  });

  test("whose person declines is denied, with the digest that was shown", async () => {
    const taskId = await start(gated());
    const key = keyOf(await settled(taskId));
    await update(taskId, { [key]: { action: "decline" } });
    const [, approval = ""] = key.split("/");
    expect((await settled(taskId)).status).toBe("completed");
    const decided = await api.json<{ state: string }>(
      200,
      `/api/sessions/${taskId.split(".")[0] ?? ""}/approvals/${approval}`,
    );
    expect(decided.state).toBe("denied");
  });

  test("that asks a question is answered, with one of its options where it has some", async () => {
    const taskId = await start(
      '/call ask_human {"question":"Which colour?","options":["red","blue"]}\n/then\n/say Painted.',
    );
    const waiting = await settled(taskId);
    const key = keyOf(waiting);
    expect(waiting.inputRequests?.[key]?.params).toMatchObject({
      requestedSchema: { properties: { answer: { enum: ["red", "blue"] } } },
    });
    expect(
      await refusalOf(update(taskId, { [key]: { action: "accept", content: { answer: "green" } } })),
    ).toEqual([-32_602, "invalid_answer"]);
    await update(taskId, { [key]: { action: "accept", content: { answer: "blue" } } });
    expect(await settled(taskId)).toMatchObject({ status: "completed" });
  });

  test("is cancelled, or fails with its reason", async () => {
    const taskId = await start(gated());
    await settled(taskId);
    await ask("tasks/cancel", { taskId });
    expect(await settled(taskId)).toMatchObject({ status: "cancelled" });
    const failing = {
      objective: "/call page_list {}\n/then\n/call page_list {}\n/then\n/say No.",
      max_iterations: 1,
      on_exhausted: "fail",
    };
    const { id } = await api.json<{ id: string }>(200, "/api/runs", post(failing));
    expect(await load(id)).toMatchObject({ status: "failed", error: { code: -32_000 } });
  });

  test("of another caller is missing, whatever is asked of it", async () => {
    const taskId = await start(gated());
    const key = keyOf(await settled(taskId));
    const [, approvalId = "", digest = ""] = key.split("/");
    const bob = { who: "bob" } as const;
    const none = [-32_602, "not_found"];
    expect(await refusalOf(ask("tasks/get", { taskId }, bob))).toEqual(none);
    expect(await refusalOf(update(taskId, { [key]: yes }, bob))).toEqual(none);
    expect(await refusalOf(ask("tasks/cancel", { taskId }, bob))).toEqual(none);
    expect(await refusalOf(ask("tasks/get", { taskId: "ses_never.r1" }, bob))).toEqual(none);
    expect(await refusalOf(ask("tasks/get", { taskId: "../x" }, bob))).toEqual(none);
    for (const [name, args] of [
      ["agent_get", {}],
      ["agent_update", { approvalId, digest, decision: "approve" }],
      ["agent_cancel", {}],
    ] as const) {
      const { isError, content } = await tool(name, { runId: taskId, ...args }, bob);
      expect([isError, content[0]?.text]).toEqual([true, expect.stringContaining("There is no such run.")]);
    }
    expect((await load(taskId)).status).toBe("input_required");
  });
});

describe("the tools of the agent", () => {
  test("start a run with files only in the session that has them", async () => {
    const files = ["f_0123456789abcdef01234567"];
    const args = { objective: "/say Read.", sessionId: "mcp-files", files };
    for (const [wrong, words] of [
      [args, `No file /uploads/${files[0]} was sent to this session.`],
      [{ objective: "/say Read.", files }, "name the one that they were sent to as session_id"],
      [{ ...args, files: ["photo.png"] }, "It must be the fileId or the url that POST /api/uploads answered"],
    ] as const) {
      const { isError, content } = await tool("agent_start", wrong, { capabilities: {} });
      expect([isError, content[0]?.text]).toEqual([true, expect.stringContaining(words)]);
    }
  });

  test("start the same run for the same key, and another one never", async () => {
    const args = { objective: "/say Once.", idempotencyKey: "key-1" };
    const first = await tool("agent_start", args, { capabilities: {} });
    const second = await tool("agent_start", args, { capabilities: {} });
    expect(second.structuredContent["runId"]).toBe(first.structuredContent["runId"]);
    const other = await tool("agent_start", { ...args, objective: "/say Twice." }, { capabilities: {} });
    expect([other.isError, other.content[0]?.text]).toEqual([
      true,
      expect.stringContaining("idempotency_conflict"),
    ]);
  });

  test("decide by digest; the approval of another run, or half of a decision, decides nothing", async () => {
    const [one, two] = [await start(gated()), await start(gated())];
    const [, approvalId = "", digest = ""] = keyOf(await settled(one)).split("/");
    await settled(two);
    const decision = "approve";
    const words = async (args: Record<string, unknown>) =>
      (await tool("agent_update", args)).content[0]?.text ?? "";
    expect(await words({ runId: one, approvalId, decision })).toContain(
      "Send either a decision or an answer.",
    );
    expect(
      await words({ runId: one, approvalId: approvalId.replace(/^r1/, "r2"), digest, decision }),
    ).toContain("not_waiting");
    expect(await words({ runId: two, approvalId, digest, decision })).toContain("digest_mismatch");
    expect(await words({ runId: one, answer: "Yes!" })).toContain("waiting_for_approval");
    const done = await tool("agent_update", { runId: one, approvalId, digest, decision });
    expect(done.structuredContent).toMatchObject({ status: "completed", answer: "Done." });
  });

  test("are for who has the scope: who may only read neither starts nor decides", async () => {
    const [reader, sender] = ["reader-real-token-0001", "sender-real-token-0001"];
    const narrow = openApi({
      AUTH_TOKENS: {
        [reader]: { subject: "alice", scopes: ["read"] },
        [sender]: { subject: "alice", scopes: ["read", "send"] },
      },
    });
    const as = async (token: string, method: string, params: Record<string, unknown> = {}) => {
      const name = params["name"];
      const headers = {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": MODERN,
        "mcp-method": method,
        ...(typeof name === "string" ? { "mcp-name": name } : {}),
      };
      const response = await narrow.call("/mcp", {
        method: "POST",
        who: null,
        headers,
        body: message(method, params, {}),
      });
      return (await response.json<Rpc<ToolResult & { tools: { name: string }[] }>>()).result;
    };
    const names = async (token: string) => (await as(token, "tools/list")).tools.map(({ name }) => name);
    expect(await names(reader)).toEqual(["agent_get", "agent_update"]);
    expect(await names(sender)).toEqual(expect.arrayContaining(["agent_start", "agent_cancel", "page_list"]));
    const taskId = await start(gated());
    const [, approvalId = "", digest = ""] = keyOf(await settled(taskId)).split("/");
    for (const [token, name, args] of [
      [reader, "agent_start", { objective: "/say Hi." }],
      [reader, "agent_cancel", { runId: taskId }],
      [sender, "agent_update", { runId: taskId, approvalId, digest, decision: "approve" }],
    ] as const)
      expect((await as(token, "tools/call", { name, arguments: args })).content[0]?.text).toContain(
        "missing_scope",
      );
    expect((await load(taskId)).status).toBe("input_required");
  });

  test("that read are those of the packs, with their words when they fail", async () => {
    const found = await tool("page_list", {});
    expect(JSON.parse(found.content[0]?.text ?? "")).toHaveProperty("items");
    const missing = await tool("page_get", { page: "no-such-page" });
    expect([missing.isError, missing.content[0]?.text]).toEqual([
      true,
      expect.stringContaining("not_found: There is no page"),
    ]);
  });
});
