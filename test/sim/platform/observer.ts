import { RECOVERY_MS_MAX } from "../../../src/cairn/core/limits.ts";
import { digestOf } from "../../../src/cairn/core/log/digest.ts";
import type { ModelRequest } from "../../../src/cairn/core/log/model.ts";
import type { State } from "../../../src/cairn/core/state/state.ts";
import type { CallOrder } from "../../../src/cairn/core/log/tool.ts";
import type { Tools } from "../../../src/cairn/session/engine/ports.ts";

/** An effect that was begun, with where the log stood: what can be seen from outside. */
export interface Begun {
  readonly what: "model" | "tool" | "preview";
  /** a step, or a call */
  readonly effect: string;
  readonly tool: string | null;
  readonly key: string | null;
  /** digest of the arguments */
  readonly args: string | null;
  /** milliseconds that it was given, of a tool or preview */
  readonly timeMs: number | null;
  /** seq of the last entry on disk */
  readonly head: number;
  /** whether the run was being stopped */
  readonly stopped: boolean;
  /** whether an alarm stood behind it, should its wake die */
  readonly guarded: boolean;
}

/** A run that begins so many effects has lost its way. */
export class Endless extends Error {}
const EFFECTS_MAX = 5_000;

/** Session as the observer sees it when an effect begins. */
interface Observed {
  readonly now: number;
  readonly state: State;
  readonly disk: { readonly alarm: number | null };
}

/** Stands outside the session and writes down every effect that begins, over all lives of the isolate. */
export class Observer {
  readonly begun: Begun[] = [];
  readonly #session: Observed;

  constructor(session: Observed) {
    this.#session = session;
  }

  asked({ step }: ModelRequest): void {
    this.#write({ what: "model", effect: step, tool: null, key: null, args: null, timeMs: null });
  }

  /** The tools, each run and preview of them written down before it begins. */
  watch(tools: Tools): Tools {
    const begin = (what: "tool" | "preview", { call, tool, key, input, timeMs }: CallOrder): void =>
      this.#write({ what, effect: call, tool, key, args: digestOf(input), timeMs: timeMs ?? null });
    return {
      cards: () => tools.cards(),
      prompts: (taught) => tools.prompts(taught),
      notOffered: () => tools.notOffered(),
      offers: () => tools.offers(),
      check: (...call) => tools.check(...call),
      preview: (order, signal) => {
        begin("preview", order);
        return tools.preview(order, signal);
      },
      run: (order, signal, tell) => {
        begin("tool", order);
        return tools.run(order, signal, tell);
      },
    };
  }

  #write(effect: Pick<Begun, "what" | "effect" | "tool" | "key" | "args" | "timeMs">): void {
    if (this.begun.length >= EFFECTS_MAX) throw new Endless();
    const { now, disk, state } = this.#session;
    const guarded =
      disk.alarm !== null && disk.alarm > now && disk.alarm <= Math.max(now, state.at) + RECOVERY_MS_MAX;
    const stopped = state.run !== null && state.run.cancel !== null;
    this.begun.push({ ...effect, head: state.head, stopped, guarded });
  }
}
