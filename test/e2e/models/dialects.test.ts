import type { UIMessage } from "ai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openChat } from "../clients/chat-client.ts";
import { chat } from "../clients/command.ts";
import { fetchLog, ofKind } from "../clients/log.ts";
import { expectAnswerIsLast, expectGoodConduct, expectPageIsPublic, WISH } from "../clients/main-wish.ts";
import { startOpenAiServer, type Behaviour, type OpenAiServer } from "../clients/openai-server.ts";
import { useServer } from "../clients/server.ts";
import { createWordedModel } from "../clients/worded.ts";

/** Models without tool calling do the main job: the page is made, approved and published. */

const TAG =
  /<\/?(?:think|tool_call|tool_response|answer)\b|"action_input"|"action":|FINAL_ANSWER:|Observation:/u;

const CASES = [
  { name: "json", dialect: "json", vars: ['DIALECTS:{"openai-compatible:*":"json"}'], refuses: false },
  { name: "tags", dialect: "tags", vars: ['DIALECTS:{"openai-compatible:test":"tags"}'], refuses: false },
  { name: "json, once its provider has refused tools", dialect: "json", vars: [], refuses: true },
] as const;

describe.each(CASES)("a model without tools, in $name", ({ dialect, vars, refuses }) => {
  let model: OpenAiServer;
  beforeAll(async () => {
    const behaviour: Behaviour = { model: createWordedModel(dialect), refusesTools: refuses };
    model = await startOpenAiServer(behaviour);
  });
  afterAll(() => model.close());
  const server = useServer(() => [
    "MODEL:openai-compatible:test",
    `OPENAI_COMPATIBLE_BASE_URL:${model.baseUrl}`,
    ...vars,
  ]);

  test("creates the About page with a hero, asks, publishes, and shows no tag and no marker", async () => {
    const session = "worded";
    let streamed = "";
    const live = openChat(server.url, session, "http", [], (text) => (streamed += text));
    await live.sendMessage({ text: WISH });
    for (let approved = 0; approved < APPROVALS_MAX; approved += 1) {
      const asked = approvalsOf(live.lastMessage);
      if (asked.length === 0) break;
      for (const id of asked) await live.addToolApprovalResponse({ id, approved: true });
      await expect
        .poll(() => live.status === "ready" && approvalsOf(live.lastMessage).join() !== asked.join(), {
          timeout: 20_000,
        })
        .toBe(true);
    }
    await expectPageIsPublic(server.url);
    await expectGoodConduct(server.url, session);

    const log = await fetchLog(server.url, session);
    const steps = ofKind(log, "step_started").map(({ body }) => body["dialect"] ?? "native");
    expect(new Set(steps.slice(refuses ? 1 : 0))).toEqual(new Set([dialect]));
    expect(ofKind(log, "model_failed").map(({ body }) => [body["class"], body["then"]])).toEqual(
      refuses ? [["no_tools", "dialect"]] : [],
    );
    expect(model.requests.filter(({ tools }) => (tools?.length ?? 0) > 0)).toHaveLength(refuses ? 1 : 0);

    const stored = await (await fetch(`${server.url}/api/sessions/${session}/messages`)).text();
    for (const shown of [streamed, stored]) {
      expect(shown).toContain("I will look at the site");
      expect(shown).toContain("is published at /site/prices");
      expect(shown).not.toMatch(TAG);
    }
  });

  test("and does so in the terminal, where the answer is the last that is said", async () => {
    const { code, out, err } = await chat(server.url, ["List the pages", "--yes", "--session", "shell"]).exit;
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(out).not.toMatch(TAG);
    await expectAnswerIsLast(server.url, "shell", out);
  });
});

const APPROVALS_MAX = 6;

function approvalsOf(message: UIMessage | undefined): readonly string[] {
  return (message?.parts ?? []).flatMap((part) =>
    "approval" in part && part.state === "approval-requested" ? [part.approval.id] : [],
  );
}
