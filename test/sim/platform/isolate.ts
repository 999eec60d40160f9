import { DEFAULT_RUN_POLICY } from "../../../src/core/log/run.ts";
import { createRedactor, type Redactor, type Secret } from "../../../src/core/text/redact.ts";
import { Schedules } from "../../../src/session/api/schedules.ts";
import { SessionService } from "../../../src/session/api/service.ts";
import { calendar } from "../../../src/session/background/cron.ts";
import { SessionOutbox } from "../../../src/session/background/outbox.ts";
import { ScheduleStore } from "../../../src/session/background/schedules.ts";
import { WebhookSender, type Post } from "../../../src/session/background/webhook-sender.ts";
import { Engine } from "../../../src/session/engine/engine.ts";
import type { Audience, Model } from "../../../src/session/engine/ports.ts";
import { earlier } from "../../../src/session/engine/transaction.ts";
import { SocketHub } from "../../../src/session/sockets/hub.ts";
import { sessionObservations } from "../../../src/session/storage/observations.ts";
import { builtinPack } from "../../../src/tools/builtin/pack.ts";
import { Registry } from "../../../src/tools/registry.ts";
import type { World } from "./platform.ts";
import { packAt, tellPack } from "./tools.ts";

const SESSION = "ses";

/** What a Durable Object holds in memory, and loses when it dies. */
export interface Isolate {
  readonly engine: Engine;
  readonly service: SessionService;
  readonly hub: SocketHub;
  readonly outbox: SessionOutbox;
  readonly webhookSender: WebhookSender;
  readonly book: ScheduleStore;
  readonly scheduling: Schedules;
}

/** Made once for the secrets of a deployment, however many isolates it has. */
const redactors = new WeakMap<readonly Secret[], Redactor>();

function redactorFor(secrets: readonly Secret[]): Redactor {
  const known = redactors.get(secrets) ?? createRedactor(secrets);
  redactors.set(secrets, known);
  return known;
}

/** Wires the session as `session/agent.ts` does, on the disk, the clock and the sockets of the world. */
export function standUp(world: World, model: Model): Isolate {
  let ids = 0;
  const { store } = world;
  const clock = (): number => world.now;
  const audience: Audience = {
    committed: (entries, state) => {
      world.cross("publish");
      world.published.push(...entries);
      hub.committed(entries, state);
    },
    draft: (piece) => {
      world.drafts.push(piece);
      hub.draft(piece);
    },
    watched: () => hub.watched(),
  };
  const redact = redactorFor(world.secrets);
  const tools = new Registry(SESSION, clock, redact)
    .add(builtinPack, { observations: sessionObservations(store) })
    .add(packAt(world.versions), world.effects);
  const { targets } = world.receiver;
  const outbox = new SessionOutbox(world.disk, {
    session: SESSION,
    targets,
    store,
    inputSchema: (tool) => tools.cards().find((card) => card.name === tool)?.inputSchema ?? null,
    redact,
    owner: () => store.loadMeta()?.owner ?? null,
    links: world.links,
  });
  const defaults = {
    session: SESSION,
    model: "rehearsal:",
    fallbacks: [],
    admins: world.admins,
    messagesPerMinute: Infinity,
  };
  const book = new ScheduleStore(world.disk, { defaults, store, calendar });
  if (world.tells) tools.add(tellPack, world.effects);
  tools.govern({ approvals: world.approvals });
  const engine = new Engine({
    store,
    model,
    tools: world.witness.watch(tools),
    audience,
    clock,
    facts: {
      session: SESSION,
      harness: "test",
      get prices() {
        return world.prices;
      },
      get day() {
        return world.day;
      },
      instructions: () => world.instructions(),
      transcript: () => world.transcript,
      get windows() {
        return world.windows;
      },
      unattended: world.unattended,
      ...(world.policy === null ? {} : { policy: { ...DEFAULT_RUN_POLICY, ...world.policy } }),
    },
    hooks: world.hooks,
    redact,
    background: {
      due: () => earlier(outbox.due(), book.due()),
      fallDue: (log, since) => book.fallDue(log, since),
      wrote: (entries, state) => outbox.wrote(entries, state),
    },
    policies: () => store.loadMeta()?.policies ?? [],
  });
  const post: Post = (target, delivery) => world.receiver.post(target, delivery);
  const webhookSender = new WebhookSender({ engine, outbox, targets, post, clock, redact });
  const service = new SessionService(engine, store, {
    ...defaults,
    clock,
    inputSchema: () => null,
    prompts: null,
  });
  const scheduling = new Schedules({
    engine,
    store,
    book,
    defaults,
    calendar,
    clock,
    redact,
    gated: service.gated,
  });
  const hub = new SocketHub(
    {
      session: SESSION,
      store,
      state: () => service.state(),
      touch: () => engine.touch(),
      api: service,
      clock,
      limits: { frameBytes: 262_144, framesPerMinute: 100_000, socketsPerSession: 16 },
      newId: () => `req_${++ids}`,
      redact,
    },
    () => world.sockets,
  );
  return { engine, service, hub, outbox, webhookSender, book, scheduling };
}
