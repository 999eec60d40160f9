import { AIChatAgent, type OnChatMessageOptions } from "@cloudflare/ai-chat";
import { getAgentByName } from "agents";
import { convertToModelMessages, isStepCount, streamText } from "ai";
import { answer, measureTurn, type BenchObject, type Turn } from "../worker/bench.ts";
import { installMeter } from "../worker/meter.ts";
import { createScriptedModel, type Script } from "../worker/script.ts";
import { INSTRUCTIONS } from "../worker/words.ts";
import { scriptMessage, seededMessages } from "./messages.ts";
import { put, STEPS_MAX } from "./tool.ts";

/** `AIChatAgent` of `@cloudflare/ai-chat`, as its documentation sets it up. */

export class Contender extends AIChatAgent<Bindings> implements BenchObject {
  constructor(context: DurableObjectState, env: Bindings) {
    installMeter(context.storage);
    super(context, env);
  }

  override async onChatMessage(_onFinish: unknown, options?: OnChatMessageOptions): Promise<Response> {
    const result = streamText({
      model: createScriptedModel(),
      instructions: INSTRUCTIONS,
      messages: await convertToModelMessages(this.messages),
      tools: { put },
      stopWhen: isStepCount(STEPS_MAX),
      maxRetries: 0,
      ...(options?.abortSignal === undefined ? {} : { abortSignal: options.abortSignal }),
    });
    return result.toUIMessageStreamResponse();
  }

  turn(script: Script, metered: boolean): Promise<Turn> {
    return measureTurn(script, metered, async () => {
      const result = await this.saveMessages((messages) => [...messages, scriptMessage(script)]);
      if (result.status !== "completed") throw new Error(`${result.status}: ${result.error ?? ""}`);
    });
  }

  async begin(script: Script): Promise<void> {
    // saveMessages resolves when the turn has ended, and dies with the object.
    void this.saveMessages((messages) => [...messages, scriptMessage(script)]).catch(() => {});
  }

  async seed(messages: number): Promise<void> {
    await this.persistMessages([...this.messages, ...seededMessages(messages)]);
  }

  async die(): Promise<void> {
    this.ctx.abort("bench");
  }

  async ping(): Promise<void> {}
}

interface Bindings extends Cloudflare.Env {
  readonly OBJECT: DurableObjectNamespace<Contender>;
}

export default {
  fetch(request: Request, env: Bindings): Promise<Response> {
    return answer(
      request,
      async (name) => (await getAgentByName(env.OBJECT, name)) as unknown as BenchObject,
      async (session, script) => watch(await getAgentByName(env.OBJECT, session), script),
    );
  },
};

interface Reply {
  readonly type: string;
  readonly id: string;
  readonly body: string;
  readonly done: boolean;
}

/** Adapts the socket protocol of AIChatAgent: passes its frames on as server-sent events. */
async function watch(
  agent: { fetch(request: Request): Promise<Response> },
  script: Script,
): Promise<Response> {
  const upgrade = new Request("http://bench/", { headers: { upgrade: "websocket" } });
  const { webSocket } = await agent.fetch(upgrade);
  if (webSocket === null) throw new Error("no socket was opened");
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  webSocket.addEventListener("message", ({ data }) => {
    const reply = JSON.parse(String(data)) as Reply;
    if (reply.type !== "cf_agent_use_chat_response" || reply.id !== script.key) return;
    if (reply.body !== "") void writer.write(encoder.encode(`data: ${reply.body}\n\n`));
    if (!reply.done) return;
    void writer.close();
    webSocket.close();
  });
  webSocket.accept();
  const body = JSON.stringify({ messages: [scriptMessage(script)], trigger: "submit-message" });
  const init = { method: "POST", body };
  webSocket.send(JSON.stringify({ type: "cf_agent_use_chat_request", id: script.key, init }));
  return new Response(readable, { headers: { "content-type": "text/event-stream" } });
}
