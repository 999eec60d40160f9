import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chat } from "./clients/command.ts";
import { fetchLog, ofKind } from "./clients/log.ts";
import { expectAnswerIsLast, expectGoodConduct, expectPageIsPublic, WISH } from "./clients/main-wish.ts";
import { startOpenAiServer, type Behaviour, type OpenAiServer } from "./clients/openai-server.ts";
import { useServer } from "./clients/server.ts";
import { createWordedModel } from "./clients/worded.ts";

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
    const live = watch(server.url, session);
    const { code, out, err } = await chat(server.url, [WISH, "--yes", "--session", session]).exit;
    expect({ code, err }).toMatchObject({ code: 0 });
    await expectPageIsPublic(server.url);
    await expectGoodConduct(server.url, session);
    await expectAnswerIsLast(server.url, session, out);

    const log = await fetchLog(server.url, session);
    const steps = ofKind(log, "step_started").map(({ body }) => body["dialect"] ?? "native");
    expect(new Set(steps.slice(refuses ? 1 : 0))).toEqual(new Set([dialect]));
    expect(ofKind(log, "model_failed").map(({ body }) => [body["class"], body["then"]])).toEqual(
      refuses ? [["no_tools", "dialect"]] : [],
    );
    expect(model.requests.filter(({ tools }) => (tools?.length ?? 0) > 0)).toHaveLength(refuses ? 1 : 0);

    expect(out).not.toMatch(TAG);
    const streamed = await live.text();
    const messages = await (await fetch(`${server.url}/api/sessions/${session}/messages`)).text();
    expect(streamed).toContain("text-delta");
    expect(streamed).not.toMatch(TAG);
    expect(messages).not.toMatch(TAG);
  });
});

/** Everything that the event stream of a session sends, from before its first message. */
function watch(url: string, session: string): { text(): Promise<string> } {
  const abort = new AbortController();
  let heard = "";
  const reading = (async () => {
    for (;;) {
      const response = await fetch(`${url}/api/sessions/${session}/events?until=idle`, {
        headers: { accept: "text/event-stream" },
        signal: abort.signal,
      });
      if (!response.ok || response.body === null) continue;
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) heard += chunk;
    }
  })().catch(() => undefined);
  return {
    async text() {
      abort.abort();
      await reading;
      return heard;
    },
  };
}
