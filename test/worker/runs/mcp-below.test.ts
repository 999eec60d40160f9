import { beforeAll, describe, expect, test } from "vitest";
import { makeSite } from "../cms/fixture.ts";
import { post } from "../http/routes-fixture.ts";
import { gated } from "../sessions/session-fixture.ts";
import { api, keyOf, refusalOf, rpc, settled, tool, update, yes } from "./mcp-client.ts";

/** Questions from child runs, as `/mcp` shows them. */

beforeAll(makeSite);

describe("a run below another", () => {
  const parted = (objective: string) =>
    `/call run_agent ${JSON.stringify({ objective })}\n/then\n/say All done.`;
  const gatedBelow = async (): Promise<{ readonly taskId: string; readonly child: string }> => {
    const body = {
      objective: parted(gated()),
      profile: "complex",
      tools: ["run_agent", "page_create", "page_delete"],
    };
    const { id } = await api.json<{ id: string }>(202, "/api/runs?async=true", post({ ...body }));
    return { taskId: id, child: `${id.split(".")[0] ?? ""}~r1s1c0.r1` };
  };

  test("is asked about where its parent is read, and answered there", async () => {
    const { taskId, child } = await gatedBelow();
    const waiting = await settled(taskId);
    expect(waiting.status).toBe("input_required");
    const key = keyOf(waiting);
    expect(key).toMatch(new RegExp(`^approval/r1s2c0a1/sha256:[0-9a-f]{64}/${child}$`));
    const [kind = "", approval = "", digest = ""] = key.split("/");
    expect(waiting.inputRequests?.[key]?.params.message).toContain(`Digest: ${digest}`);
    // The run itself asks nothing under this name.
    expect(await refusalOf(update(taskId, { [`${kind}/${approval}/${digest}`]: yes }))).toEqual([
      -32_602,
      "digest_mismatch",
    ]);
    expect((await rpc(update(taskId, { [key]: yes }))).result).toMatchObject({ resultType: "complete" });
    expect(await settled(taskId)).toMatchObject({
      status: "completed",
      result: {
        content: [
          {
            text: expect.stringMatching(
              /^Answered\.\nChanged: Create a page: .+; Delete pages: .+\. Nothing else was changed\.$/,
            ) as string,
          },
          { text: "All done." },
          {},
        ],
      },
    });
  });

  test("is read by its own id, and decided with that or its parent's", async () => {
    for (const by of ["child", "taskId"] as const) {
      const ids = await gatedBelow();
      await settled(ids.taskId);
      const plain = { capabilities: {} };
      const { structuredContent: below } = await tool("agent_get", { runId: ids.child }, plain);
      const { structuredContent: above } = await tool("agent_get", { runId: ids.taskId }, plain);
      expect([below["status"], above["status"]]).toEqual(["input_required", "input_required"]);
      expect(above["waitingFor"]).toEqual(below["waitingFor"]);
      const { approvalId, digest, runId } = above["waitingFor"] as Record<string, string>;
      expect(runId).toBe(ids.child);
      const decided = { runId: ids[by], approvalId, decision: "approve" };
      const other = await tool("agent_update", { ...decided, digest: `sha256:${"0".repeat(64)}` });
      expect([other.isError, other.content[0]?.text]).toEqual([
        true,
        expect.stringContaining("digest_mismatch"),
      ]);
      const bob = await tool("agent_update", { ...decided, digest }, { who: "bob" });
      expect(bob.content[0]?.text).toContain("There is no such run.");
      const done = await tool("agent_update", { ...decided, digest });
      expect(done.structuredContent).toMatchObject({ runId: ids[by], status: "completed" });
      expect(await settled(ids.taskId)).toMatchObject({ status: "completed" });
    }
  });

  test("asks a question, which is answered with its parent's id", async () => {
    const objective = parted('/call ask_human {"question":"Which colour?"}\n/then\n/say Painted.');
    const body = { objective, profile: "complex", tools: ["run_agent", "ask_human"] };
    const { id: runId } = await api.json<{ id: string }>(202, "/api/runs?async=true", post(body));
    const asked = await tool("agent_get", { runId }, { capabilities: {} });
    expect(asked.structuredContent).toMatchObject({
      status: "input_required",
      waitingFor: {
        kind: "question",
        question: "Which colour?",
        runId: expect.stringContaining("~r1s1c0.r1"),
      },
    });
    const answered = await tool("agent_update", { runId, answer: "red" });
    expect(answered.structuredContent).toMatchObject({ status: "completed", answer: "All done." });
  });
});
