import { Think } from "@cloudflare/think";
import { getAgentByName } from "agents";
import type { LanguageModel, ToolSet } from "ai";
import { answer, measureTurn, type BenchObject, type Turn } from "../worker/bench.ts";
import { installMeter } from "../worker/meter.ts";
import { createScriptedModel, type Script } from "../worker/script.ts";
import { INSTRUCTIONS } from "../worker/words.ts";
import { scriptMessage, seededMessages } from "./messages.ts";
import { put, STEPS_MAX } from "./tool.ts";

/** `Think` of `@cloudflare/think`, as its documentation sets it up; only the bench's tool is offered to the model. */

export class Contender extends Think<Bindings> implements BenchObject {
  override maxSteps = STEPS_MAX;

  constructor(context: DurableObjectState, env: Bindings) {
    installMeter(context.storage);
    super(context, env);
  }

  override getModel(): LanguageModel {
    return createScriptedModel();
  }

  override getSystemPrompt(): string {
    return INSTRUCTIONS;
  }

  override getTools(): ToolSet {
    return { put };
  }

  override beforeTurn(): { activeTools: string[] } {
    return { activeTools: ["put"] };
  }

  turn(script: Script, metered: boolean): Promise<Turn> {
    return measureTurn(script, metered, async () => {
      const result = await this.saveMessages([scriptMessage(script)]);
      if (result.status !== "completed") throw new Error(`${result.status}: ${result.error ?? ""}`);
    });
  }

  async begin(script: Script): Promise<void> {
    // saveMessages resolves when the turn has ended, and dies with the object.
    void this.saveMessages([scriptMessage(script)]).catch(() => {});
  }

  async seed(messages: number): Promise<void> {
    // Appending tells every listener, which takes a minute for a long history; an import is what migrations use.
    let parentId = (await this.session.getLatestLeaf())?.id ?? null;
    for (const message of seededMessages(messages)) {
      await this.session.importMessage(message, { parentId, createdAt: Date.now() });
      parentId = message.id;
    }
    await this.syncMessagesFromStorage();
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
    );
  },
};
