import { createRedactor, type Redactor, type Secret } from "../../../src/core/text/redact.ts";
import type { SessionApi } from "../../../src/session/api/commands.ts";
import { createCommands, type CommandDeps } from "../../../src/session/api/create-commands.ts";
import type { SessionService } from "../../../src/session/api/service.ts";
import { allOf } from "../../../src/session/background/all-of.ts";
import { calendar } from "../../../src/session/background/cron.ts";
import { SessionHeartbeat } from "../../../src/session/background/heartbeat.ts";
import { type Delivery, SessionOutbox } from "../../../src/session/background/outbox.ts";
import { ScheduleStore } from "../../../src/session/background/schedules.ts";
import {
  createStanding,
  createVoterNow,
  policiesNow,
  StandingWatch,
  type Standing,
  type VoterNow,
} from "../../../src/session/runs/standing.ts";
import { WebhookSender, type Post } from "../../../src/session/background/webhook-sender.ts";
import { Engine } from "../../../src/session/engine/engine.ts";
import { createFamily } from "../../../src/session/family/create-family.ts";
import type { SessionFamily } from "../../../src/session/family/family.ts";
import type { Model } from "../../../src/core/log/model.ts";
import type { Audience, Facts, Ports } from "../../../src/session/engine/ports.ts";
import { ChannelSender } from "../../../src/plugins/channels/session/sender.ts";
import { Digest, type PeopleReader } from "../../../src/session/background/notes.ts";
import { SocketHub } from "../../../src/session/sockets/hub.ts";
import { sessionObservations } from "../../../src/session/storage/observations.ts";
import { ownCapsules } from "../../../src/session/runs/own-capsules.ts";
import { ownSchedules } from "../../../src/session/runs/own-schedules.ts";
import { agentsPack } from "../../../src/tools/agents/pack.ts";
import { builtinPack } from "../../../src/tools/builtin/pack.ts";
import { messagingPack } from "../../../src/tools/messaging/pack.ts";
import { GovernedTools } from "../../../src/tools/governed.ts";
import { Registry } from "../../../src/tools/registry.ts";
import type { FakePlatform } from "./platform.ts";
import { agentsOf, NO_SITES, PLAIN_FILES } from "../../fixtures/agents.ts";
import { packAt, tellPack } from "./tools.ts";

/** What a Durable Object holds in memory, and loses when it dies. */
export interface Isolate {
  readonly engine: Engine;
  readonly commands: CommandDeps;
  readonly api: SessionApi;
  readonly service: SessionService;
  readonly hub: SocketHub;
  readonly outbox: SessionOutbox;
  readonly webhookSender: WebhookSender;
  /** null where the deployment has no channels */
  readonly sender: ChannelSender | null;
  readonly scheduleStore: ScheduleStore;
  readonly digest: Digest;
  readonly people: PeopleReader;
  /** null where it has no relatives */
  readonly family: SessionFamily | null;
}

/** Made once for the secrets of a deployment, however many isolates it has. */
const redactors = new WeakMap<readonly Secret[], Redactor>();

function redactorFor(secrets: readonly Secret[]): Redactor {
  const known = redactors.get(secrets) ?? createRedactor(secrets);
  redactors.set(secrets, known);
  return known;
}

/** Wires the session as `session/session.ts` does, on the disk, the clock and the sockets of the fake platform. */
export function standUp(platform: FakePlatform, model: Model): Isolate {
  let ids = 0;
  const { store, session } = platform;
  const clock = (): number => platform.now;
  const audience: Audience = {
    committed: (entries, state) => {
      platform.cross("publish");
      platform.published.push(...entries);
      service.committed(entries);
      hub.committed(entries, state);
    },
    draft: (piece) => {
      platform.drafts.push(piece);
      hub.draft(piece);
    },
    watched: () => hub.watched(),
  };
  const redact = redactorFor(platform.secrets);
  const agent = platform.agent();
  const registry = new Registry(session, clock, redact).add(builtinPack, {
    observations: sessionObservations(store),
  });
  if (!platform.bare) registry.add(packAt(platform.versions), platform.effects);
  const { targets } = platform.receiver;
  const owner = (): string | null => store.loadMeta()?.owner ?? null;
  const people: PeopleReader = {
    timesOf: () => platform.chat?.d1.read(() => platform.readTimes()) ?? platform.readTimes(),
    placeOf: () => Promise.resolve(platform.ask),
  };
  const outbox = new SessionOutbox(platform.disk, {
    session,
    targets,
    store,
    inputSchema: (tool) => registry.cards().find((card) => card.name === tool)?.inputSchema ?? null,
    redact,
    owner,
    channels: platform.chat !== null,
    links: platform.links,
    publicUrl: platform.links?.origin ?? null,
  });
  const standing: Standing = (subject, at) =>
    platform.logins === null ? "unknown" : createStanding(platform.logins, platform.admins)(subject, at);
  const voterNow: VoterNow = (given, owner, at) =>
    platform.logins === null
      ? { ...given, owner: given.subject === owner, admin: true }
      : createVoterNow(platform.logins, platform.admins)(given, owner, at);
  const watch = new StandingWatch(standing);
  const defaults = {
    session,
    model: "rehearsal:",
    fallbacks: [],
    admins: platform.admins,
    agents: agentsOf(agent),
    sites: NO_SITES,
    files: PLAIN_FILES,
    tools: registry,
    messagesPerMinute: Infinity,
    standing,
    voterNow,
  };
  const scheduleStore = new ScheduleStore(platform.disk, {
    defaults,
    store,
    calendar,
    reportUnread: (id) => void platform.unread.push(id),
  });
  const heartbeat = new SessionHeartbeat({ defaults, store, schedules: scheduleStore });
  const digest = new Digest(outbox.held, people, owner);
  if (platform.tells) registry.add(tellPack, platform.effects);
  if (platform.plans)
    registry.add(messagingPack, {
      schedules: ownSchedules(() => ({ engine, schedules, store, calendar })),
      capsules: ownCapsules(() => ({ engine, store, defaults })),
    });
  const { world } = platform;
  const kin =
    world === null
      ? null
      : createFamily(platform.disk, {
          ...{ session, store, redact, clock, engine: () => engine },
          reach: (name) => world.reach(platform, name),
        });
  if (kin !== null) registry.add(agentsPack, null);
  platform.own?.(registry);
  const tools = new GovernedTools(registry, agent.spec);
  const facts: Facts = {
    session,
    harness: "test",
    get prices() {
      return platform.prices;
    },
    get day() {
      return platform.day;
    },
    instructions: (modules) => platform.instructions(modules),
    transcript: () => platform.transcript,
    dialect: () => platform.dialect,
    get reachable() {
      return platform.reachable;
    },
    get windows() {
      return platform.windows;
    },
  };
  const partsOf: Ports["partsOf"] = (spec) => ({
    tools: platform.observer.watch(new GovernedTools(registry, spec)),
    hooks: platform.hooks,
  });
  const engine = new Engine({
    store,
    model,
    tools: platform.observer.watch(tools),
    audience,
    clock,
    facts,
    hooks: platform.hooks,
    partsOf,
    beginsAnew: () => platform.anew,
    redact,
    background: allOf(() => [outbox, scheduleStore, heartbeat, digest, kin?.relatives ?? null, watch]),
    policies: (at) => policiesNow(store.loadMeta(), voterNow, at),
    ...(kin === null ? {} : { family: kin.family, createdAt: () => store.loadMeta()?.createdAt ?? null }),
  });
  const post: Post = (target, delivery) => platform.receiver.post(target, delivery);
  const { chat } = platform;
  const sender =
    chat === null
      ? null
      : new ChannelSender({
          session,
          createdAt: () => platform.store.loadMeta()?.createdAt ?? null,
          channels: chat.channels,
          db: chat.d1.binding,
          notifyDefaults: { zone: null, quiet: null, ask: "auto" },
          engine,
          outbox: chat.watch(outbox),
          clock,
          redact,
        });
  const tell = sender === null ? {} : { tell: (delivery: Delivery) => sender.tell(delivery) };
  const webhookSender = new WebhookSender({
    ...{ engine, outbox, targets, post, clock, redact, people },
    ...tell,
  });
  const commands: CommandDeps = {
    ...defaults,
    ...{ engine, store, scheduleStore, outbox, calendar, clock, redact },
    inputSchema: () => null,
    prompts: { facts, tools, redact, partsOf },
    // The index and whoever watches are tried beside the simulation.
    sessionIndex: { flush: async () => {}, leave: async () => {}, left: () => {} },
    dismiss: () => {},
    ...(kin === null ? {} : { family: kin.family }),
  };
  const { api, service, schedules } = createCommands(commands);
  const hub = new SocketHub(
    {
      session,
      store,
      state: () => service.state(),
      touch: () => engine.touch(),
      api: { ...api, admit: (actor, scope) => service.admit(actor, scope) },
      clock,
      limits: { frameBytes: 262_144, framesPerMinute: 100_000, socketsPerSession: 16 },
      newId: () => `req_${++ids}`,
      redact,
    },
    () => platform.sockets,
  );
  return {
    engine,
    commands,
    api,
    service,
    hub,
    outbox,
    webhookSender,
    sender,
    scheduleStore,
    digest,
    people,
    family: kin?.family ?? null,
  };
}
