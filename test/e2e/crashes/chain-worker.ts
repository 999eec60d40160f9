import * as z from "zod";
import type { OfferContext } from "../../../src/cairn/plugin.ts";
import type { Model, ModelOutcome, ModelRequest } from "../../../src/cairn/core/log/model.ts";
import type { Actor } from "../../../src/cairn/session/api/session-api.ts";
import { definePack, defineTool } from "../../../src/cairn/tools/define.ts";
import { Registry } from "../../../src/cairn/tools/registry.ts";
import app, { Intake, Session as CairnSession } from "../../../src/worker.ts";

/**
 * A worker whose session goes from alarm to alarm as fast as it can: the model answers at once and without a network,
 * and while it answers it gives the session its next run. That is inside a live wake, where a message arms nothing
 * (Engine.record): every alarm of the chain is set by the commit of a step, and a lost one is not made good by anyone.
 */
export { Intake };

export default app;

/** Told to `CHAIN_URL` after so many wakes, as `{ wakes }`, so that a chain that stands still is noticed. */
const BEAT_WAKES = 500;

/** Summary of a chain, reported when the session has nothing left to do. */
export interface ChainReport {
  /** for each wake the time that its alarm was set for, milliseconds since the epoch */
  readonly armed: readonly number[];
  /** for each wake the time at which it began */
  readonly began: readonly number[];
  readonly modelCalls: number;
  readonly ended: number;
}

/** Text of the first message. */
export const chainOrder = z.object({ wakes: z.int().positive() });

/** Tool steps of the n-th run: from none, the answer alone, to the most that a run's limit leaves room for. */
const TOOL_STEPS_MAX = 12;
const toolSteps = (run: number): number => run % (TOOL_STEPS_MAX + 1);

const FEEDER: Actor = { subject: "anonymous", scopes: ["read", "send"], via: "http" };

const tick = defineTool({
  name: "tick",
  version: 1,
  title: "Tick",
  description: "Does nothing, at once.",
  input: z.object({ run: z.int(), step: z.int() }),
  effect: "read",
  tier: "open",
  run: async (input) => input,
});
const ticking = definePack<null, null>({ name: "chain", tools: [tick], prompts: [], services: () => null });

export class Session extends CairnSession {
  readonly #armed: number[] = [];
  readonly #began: number[] = [];
  #modelCalls = 0;
  #wanted = 0;

  protected override createTools({ session }: OfferContext): Registry {
    return new Registry(session, Date.now).add(ticking, null);
  }

  protected override createModel(): Model {
    return { call: (request) => this.#answer(request) };
  }

  override async alarm(): Promise<void> {
    this.#began.push(Date.now());
    this.#armed.push(this.#armedAt() ?? 0);
    await super.alarm();
    if (this.#armedAt() !== null) return;
    await this.#tell({
      armed: this.#armed,
      began: this.#began,
      modelCalls: this.#modelCalls,
      ended: Date.now(),
    });
  }

  async #answer(request: ModelRequest): Promise<ModelOutcome> {
    this.#modelCalls += 1;
    const [, run = 0, step = 0] = (/^r(\d+)s(\d+)$/.exec(request.step) ?? []).map(Number);
    if (run === 1 && step === 1) this.#wanted = chainOrder.parse(JSON.parse(firstText(request))).wakes;
    if (this.#began.length % BEAT_WAKES === 0) await this.#tell({ wakes: this.#began.length });
    if (step === 1 && this.#began.length < this.#wanted) await this.#feed(run + 1);
    const done = step > toolSteps(run) || this.#began.length >= this.#wanted;
    return {
      kind: "replied",
      reply: {
        parts: done
          ? [{ type: "text", text: `Run ${run}.` }]
          : [{ type: "call", tool: "tick", input: { run, step } }],
        finish: done ? "stop" : "tool-calls",
        usage: {
          inputTokens: 1,
          cachedInputTokens: 0,
          outputTokens: 1,
          reasoningTokens: 0,
          estimated: false,
        },
        model: "chain",
        ms: 0,
        firstTokenMs: 0,
      },
    };
  }

  async #feed(run: number): Promise<void> {
    const said = await this.api.send(FEEDER, {
      id: `feed-${run}`,
      parts: [{ type: "text", text: `Run ${run}.` }],
      mode: "queue",
      source: "api",
      request: null,
      ask: {},
    });
    if (!said.ok) throw new Error(`the chain is not fed: ${said.error.message}`);
  }

  /** Alarm time stored by the log: before a wake the time of that wake, after it the time of the next. */
  #armedAt(): number | null {
    const [row] = this.ctx.storage.sql.exec<{ armed_at: number | null }>("SELECT armed_at FROM cursor");
    return row?.armed_at ?? null;
  }

  async #tell(news: ChainReport | { readonly wakes: number }): Promise<void> {
    const { CHAIN_URL } = this.env as Env & { readonly CHAIN_URL: string };
    await fetch(CHAIN_URL, { method: "POST", body: JSON.stringify(news) });
  }
}

function firstText(request: ModelRequest): string {
  const [first] = request.messages.flatMap((message) => (message.role === "user" ? message.parts : []));
  return first?.type === "text" ? first.text : "";
}
