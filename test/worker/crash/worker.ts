import type { OfferContext } from "../../../src/cairn/plugin.ts";
import { Session as DeployedSession } from "../worker.ts";
import { objectDisk } from "../../../src/cairn/session/storage/durable-disk.ts";
import type { Model } from "../../../src/cairn/core/log/model.ts";
import { SqlStore } from "../../../src/cairn/session/storage/store.ts";
import { Registry } from "../../../src/cairn/tools/registry.ts";
import {
  LATE_MS,
  orderBindings,
  orderPack,
  outsideOf,
  outsidePack,
  scriptedModel,
  type Outside,
} from "./outside.ts";

export { default, Intake } from "../worker.ts";

/** The deployed session, with tools and a fake of what is outside it (outside.ts), and a platform that can fail it. */
export class Session extends DeployedSession {
  readonly #outside: Outside;
  readonly #store: SqlStore;

  constructor(context: DurableObjectState, env: Env) {
    const outside = outsideOf(nameOf(context));
    const store = new SqlStore(objectDisk(context.storage));
    const sockets = context.getWebSockets.bind(context);
    // Every publishing asks for the sockets first, and it is made after its entries are written.
    context.getWebSockets = (tag) => {
      if (
        outside.diesShowing !== null &&
        store.entriesBefore(Number.MAX_SAFE_INTEGER, 1)[0]?.kind === outside.diesShowing
      ) {
        outside.diesShowing = null;
        context.abort("between commit and publish");
      }
      return outside.muted ? [] : sockets(tag);
    };
    const { storage } = context;
    const getAlarm = storage.getAlarm.bind(storage);
    const setAlarm = storage.setAlarm.bind(storage);
    storage.getAlarm = () => (outside.stalledAt === null ? getAlarm() : Promise.resolve(outside.stalledAt));
    storage.setAlarm = (at) => {
      outside.stalledAt = null;
      return setAlarm(at);
    };
    super(context, env);
    this.#outside = outside;
    this.#store = store;
  }

  protected override createTools({ session }: OfferContext): Registry {
    const outside = outsideOf(session);
    return new Registry(session, Date.now).add(outsidePack, outside).add(orderPack, orderBindings(outside));
  }

  protected override createModel(): Model {
    return scriptedModel(outsideOf(nameOf(this.ctx)));
  }

  override async alarm(): Promise<void> {
    await super.alarm();
    this.#outside.log = this.#store.entriesAfter(0, 1_000);
    if (this.#outside.log.at(-1)?.kind === this.#outside.lateAfter) {
      await this.ctx.storage.setAlarm(Date.now() + LATE_MS);
    }
  }
}

function nameOf(context: DurableObjectState): string {
  const { name } = context.id;
  if (name === undefined) throw new Error("a session of the tests has a name");
  return name;
}
