import { createRedactor, type Redactor, type Secret } from "../../../src/cairn/core/text/redact.ts";
import type { SessionApi } from "../../../src/cairn/session/api/commands.ts";
import { createCommands, type CommandDeps } from "../../../src/cairn/session/api/create-commands.ts";
import type { SessionService } from "../../../src/cairn/session/api/service.ts";
import { allOf } from "../../../src/cairn/session/background/all-of.ts";
import { calendar } from "../../../src/cairn/session/background/cron.ts";
import { SessionHeartbeat } from "../../../src/cairn/session/background/heartbeat.ts";
import { SessionOutbox } from "../../../src/cairn/session/background/outbox.ts";
import { ScheduleStore } from "../../../src/cairn/session/background/schedules.ts";
import {
  createStanding,
  createVoterNow,
  policiesNow,
  StandingWatch,
  type Standing,
  type VoterNow,
} from "../../../src/cairn/session/runs/standing.ts";
import { OutboxSender } from "../../../src/cairn/session/background/outbox-sender.ts";
import { createWebhookSender, type Post } from "../../../src/cairn/session/background/webhook-sender.ts";
import { loadRun } from "../../../src/cairn/session/api/log-reader.ts";
import { createPart } from "../../../src/plugins/channels/session/part.ts";
import type { ShownCards } from "../../../src/plugins/channels/session/shown-cards.ts";
import type { Background } from "../../../src/cairn/session/engine/ports.ts";
import { Engine } from "../../../src/cairn/session/engine/engine.ts";
import { createFamily } from "../../../src/cairn/session/family/create-family.ts";
import type { SessionFamily } from "../../../src/cairn/session/family/family.ts";
import type { Model } from "../../../src/cairn/core/log/model.ts";
import type { Audience, Facts, Ports } from "../../../src/cairn/session/engine/ports.ts";
import type { Channels } from "../../../src/plugins/channels/channels.ts";
import type { ChannelSender } from "../../../src/plugins/channels/session/sender.ts";
import { Digest, type PeopleReader } from "../../../src/cairn/session/background/notes.ts";
import { SocketHub } from "../../../src/cairn/session/sockets/hub.ts";
import { sessionObservations } from "../../../src/cairn/session/storage/observations.ts";
import { ownCapsules } from "../../../src/cairn/session/runs/own-capsules.ts";
import { ownSchedules } from "../../../src/cairn/session/runs/own-schedules.ts";
import { agentsPack } from "../../../src/cairn/tools/agents/pack.ts";
import { builtinPack } from "../../../src/cairn/tools/builtin/pack.ts";
import { messagingPack } from "../../../src/cairn/tools/messaging/pack.ts";
import { GovernedTools } from "../../../src/cairn/tools/governed.ts";
import { Registry } from "../../../src/cairn/tools/registry.ts";
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
  readonly outboxSender: OutboxSender;
  /** null where the deployment has no channels */
  readonly sender: ChannelSender | null;
  readonly cards: ShownCards;
  readonly scheduleStore: ScheduleStore;
  readonly digest: Digest;
  readonly people: PeopleReader;
  /** null where it has no relatives */
  readonly family: SessionFamily | null;
}

const NO_CHANNELS: Channels = { find: () => null, names: [], states: [] };

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
    deliveries: () => (chat === null ? [] : [part.deliveries]),
    links: platform.links,
    publicUrl: platform.links?.origin ?? null,
  });
  const { chat } = platform;
  const part = createPart(
    {
      session,
      env: { DB: chat?.d1.binding },
      disk: platform.disk,
      clock,
      redact,
      outbox: chat?.watch(outbox) ?? outbox,
      people: null,
      createdAt: () => store.loadMeta()?.createdAt ?? null,
      owner,
      zone: () => null,
      state: () => engine.log.knownState(),
      entriesOf: (run, state) => loadRun(store, state, run),
      transaction: (body) => engine.rearm(body),
    },
    {
      channels: chat?.channels ?? NO_CHANNELS,
      notify: { zone: null, quiet: null, ask: "auto" },
      book: new Map(),
      alone: [],
    },
  );
  const told: Background = { due: () => null, wrote: part.wrote };
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
    background: allOf(() => [outbox, scheduleStore, heartbeat, digest, told, kin?.relatives ?? null, watch]),
    policies: (at) => policiesNow(store.loadMeta(), voterNow, at),
    ...(kin === null ? {} : { family: kin.family, createdAt: () => store.loadMeta()?.createdAt ?? null }),
  });
  const post: Post = (target, delivery) => platform.receiver.post(target, delivery);
  const outboxSender = new OutboxSender({
    engine,
    outbox,
    webhooks: createWebhookSender(targets, post),
    people,
    clock,
    redact,
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
    outboxSender,
    sender: chat === null ? null : part.sender,
    cards: part.cards,
    scheduleStore,
    digest,
    people,
    family: kin?.family ?? null,
  };
}
