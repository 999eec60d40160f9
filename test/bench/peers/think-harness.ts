import { DurableObject } from "cloudflare:workers";
import { ThinkHarness } from "agents/harness/think";
import { Lifecycle } from "agents/lifecycle";
import { answer, measureTurn, type BenchObject, type Turn } from "../worker/bench.ts";
import { installMeter } from "../worker/meter.ts";
import { createScriptedModel, type Script } from "../worker/script.ts";
import { INSTRUCTIONS } from "../worker/words.ts";
import { scriptMessage, seededMessages } from "./messages.ts";
import { put, STEPS_MAX } from "./tool.ts";

/** `ThinkHarness` of `agents`, as its documentation sets it up. */

type Configure = NonNullable<ConstructorParameters<typeof ThinkHarness>[0]["configureSession"]>;

export class Contender extends DurableObject<Env> implements BenchObject {
  #transcript: Parameters<Configure>[0] | null = null;
  readonly harness = new ThinkHarness({
    model: createScriptedModel(),
    system: INSTRUCTIONS,
    tools: { put: { ...put, recovery: "rerun" } },
    maxSteps: STEPS_MAX,
    configureSession: (session) => {
      this.#transcript = session;
    },
  });
  readonly lifecycle: Lifecycle;

  constructor(context: DurableObjectState, env: Env) {
    installMeter(context.storage);
    super(context, env);
    this.lifecycle = Lifecycle.install(this).use(this.harness);
  }

  turn(script: Script, metered: boolean): Promise<Turn> {
    return measureTurn(script, metered, async () => {
      await this.lifecycle.start();
      const receipt = await this.harness.submit(scriptMessage(script));
      const result = await this.harness.session().wait(receipt.operationId);
      if (result.status !== "done") throw new Error(result.reason);
    });
  }

  async begin(script: Script): Promise<void> {
    await this.lifecycle.start();
    await this.harness.submit(scriptMessage(script));
  }

  async seed(messages: number): Promise<void> {
    await this.lifecycle.start();
    // The first look at a session opens its transcript.
    await this.harness.session().messages();
    if (this.#transcript === null) throw new Error("no transcript was opened");
    for (const message of seededMessages(messages)) await this.#transcript.appendMessage(message);
  }

  async die(): Promise<void> {
    this.ctx.abort("bench");
  }

  async ping(): Promise<void> {
    await this.lifecycle.start();
    await this.harness.pending();
  }
}

interface Bindings {
  readonly OBJECT: DurableObjectNamespace;
}

export default {
  fetch(request: Request, env: Bindings): Promise<Response> {
    return answer(request, async (name) => env.OBJECT.getByName(name) as unknown as BenchObject);
  },
};
