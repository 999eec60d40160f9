import { DurableObject } from "cloudflare:workers";
import { answer, measureTurn, type BenchObject, type Turn } from "../worker/bench.ts";
import { installMeter } from "../worker/meter.ts";
import type { Script } from "../worker/script.ts";

/** A floor that works by alarms: a turn is stored, its first alarm is set, and each alarm sets the next. */
export abstract class FloorObject extends DurableObject<Env> implements BenchObject {
  protected ended = (): void => {};
  #alarmAt = 0;

  constructor(context: DurableObjectState, env: Env) {
    installMeter(context.storage);
    super(context, env);
  }

  /** Stores a turn, in the transaction that sets its first alarm. */
  protected abstract store(script: Script): void;

  turn(script: Script, metered: boolean): Promise<Turn> {
    return measureTurn(script, metered, async () => {
      const ended = new Promise<void>((resolve) => {
        this.ended = resolve;
      });
      await this.begin(script);
      await ended;
    });
  }

  async begin(script: Script): Promise<void> {
    this.ctx.storage.transactionSync(() => {
      this.store(script);
      this.arm();
    });
  }

  async seed(): Promise<void> {}

  async die(): Promise<void> {
    this.ctx.abort("bench");
  }

  async ping(): Promise<void> {}

  /** Never twice at the same millisecond: the platform would lose the second (workerd issue 6866). */
  protected arm(): void {
    this.#alarmAt = Math.max(Date.now(), this.#alarmAt) + 1;
    void this.ctx.storage.setAlarm(this.#alarmAt);
  }
}

interface Bindings {
  readonly OBJECT: DurableObjectNamespace;
}

/** The worker in front of a floor's objects. */
export const floorWorker = {
  fetch(request: Request, env: Bindings): Promise<Response> {
    return answer(request, async (name) => env.OBJECT.getByName(name) as unknown as BenchObject);
  },
};
