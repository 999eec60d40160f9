import { DurableObject } from "cloudflare:workers";
import { answer, measureTurn, type BenchObject, type Turn } from "../worker/bench.ts";
import { journalOf } from "../worker/journal.ts";
import { installMeter } from "../worker/meter.ts";
import type { Script } from "../worker/script.ts";

/** The floor of anything that works by alarms: each one waits as a model would, writes a row of 1 KB and arms the next. */

const ROW = "x".repeat(1_000);

export class Contender extends DurableObject<Env> implements BenchObject {
  #ended = (): void => {};
  #alarmAt = 0;

  constructor(context: DurableObjectState, env: Env) {
    installMeter(context.storage);
    super(context, env);
    context.storage.sql.exec("CREATE TABLE IF NOT EXISTS steps (n INTEGER PRIMARY KEY, body TEXT NOT NULL)");
    context.storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS turn (one INTEGER PRIMARY KEY, script TEXT NOT NULL)",
    );
  }

  override async alarm(): Promise<void> {
    const row = this.ctx.storage.sql.exec<{ script: string }>("SELECT script FROM turn").one();
    const script = JSON.parse(row.script) as Script;
    const journal = journalOf(script.key);
    const request = journal.request(0);
    if (script.hangs && request === 0) await new Promise(() => {});
    if (script.thinkMs > 0) await new Promise((resolve) => setTimeout(resolve, script.thinkMs));
    journal.replied(request);
    const last = journal.requests.length >= script.calls;
    this.ctx.storage.transactionSync(() => {
      this.ctx.storage.sql.exec("INSERT INTO steps (body) VALUES (?)", ROW);
      if (!last) this.#arm();
    });
    if (last) this.#ended();
  }

  turn(script: Script, metered: boolean): Promise<Turn> {
    return measureTurn(script, metered, async () => {
      const ended = new Promise<void>((resolve) => {
        this.#ended = resolve;
      });
      await this.begin(script);
      await ended;
    });
  }

  async begin(script: Script): Promise<void> {
    this.ctx.storage.transactionSync(() => {
      this.ctx.storage.sql.exec("INSERT OR REPLACE INTO turn VALUES (1, ?)", JSON.stringify(script));
      this.#arm();
    });
  }

  async seed(): Promise<void> {}

  async die(): Promise<void> {
    this.ctx.abort("bench");
  }

  async ping(): Promise<void> {}

  /** Never twice at the same millisecond: the platform would lose the second (workerd issue 6866). */
  #arm(): void {
    this.#alarmAt = Math.max(Date.now(), this.#alarmAt) + 1;
    void this.ctx.storage.setAlarm(this.#alarmAt);
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
