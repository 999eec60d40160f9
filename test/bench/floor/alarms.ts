import { journalOf } from "../worker/journal.ts";
import type { Script } from "../worker/script.ts";
import { floorWorker, FloorObject } from "./object.ts";

/** The floor of anything that works by alarms: each one waits as a model would, writes a row of 1 KB and arms the next. */

const ROW = "x".repeat(1_000);

export class Contender extends FloorObject {
  constructor(context: DurableObjectState, env: Env) {
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
      if (!last) this.arm();
    });
    if (last) this.ended();
  }

  protected override store(script: Script): void {
    this.ctx.storage.sql.exec("INSERT OR REPLACE INTO turn VALUES (1, ?)", JSON.stringify(script));
  }
}

export default floorWorker;
