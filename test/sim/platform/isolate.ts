import { createRedactor, type Redactor, type Secret } from "../../../src/cairn/core/text/redact.ts";
import type { SessionApi } from "../../../src/cairn/session/commands/commands.ts";
import type { CommandDeps } from "../../../src/cairn/session/commands/create-commands.ts";
import type { SessionService } from "../../../src/cairn/session/commands/service.ts";
import type { SessionOutbox } from "../../../src/cairn/session/background/outbox.ts";
import type { ScheduleStore } from "../../../src/cairn/session/background/schedules.ts";
import {
  createStanding,
  createVoterNow,
  type Standing,
  type VoterNow,
} from "../../../src/cairn/session/runs/standing.ts";
import type { OutboxSender } from "../../../src/cairn/session/background/outbox-sender.ts";
import { createPart } from "../../../src/plugins/channels/session/part.ts";
import type { ShownCards } from "../../../src/plugins/channels/session/shown-cards.ts";
import { assemble } from "../../../src/cairn/session/assemble.ts";
import { Engine } from "../../../src/cairn/session/engine/engine.ts";
import { WAKE } from "../../../src/cairn/testing/wake.ts";
import type { SessionFamily } from "../../../src/cairn/session/family/family.ts";
import type { Model } from "../../../src/cairn/core/log/model.ts";
import type { Channels } from "../../../src/plugins/channels/channels.ts";
import type { ChannelSender } from "../../../src/plugins/channels/session/sender.ts";
import type { Digest, PeopleReader } from "../../../src/cairn/session/background/notes.ts";
import { SocketHub } from "../../../src/cairn/session/sockets/hub.ts";
import { sessionObservations } from "../../../src/cairn/session/storage/observations.ts";
import { agentsPack } from "../../../src/cairn/tools/agents/pack.ts";
import { builtinPack } from "../../../src/cairn/tools/builtin/pack.ts";
import { messagingPack } from "../../../src/cairn/tools/messaging/pack.ts";
import { GovernedTools } from "../../../src/cairn/tools/governed.ts";
import { Registry } from "../../../src/cairn/tools/registry.ts";
import type { FakePlatform } from "./platform.ts";
import { agentsOf, NO_TARGETS, PLAIN_FILES } from "../../fixtures/agents.ts";
import { packAt, tellPack } from "./tools.ts";

/** Memory of a Durable Object, lost when it dies. */
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
  readonly loadDue: () => Promise<void>;
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

/** The session on the disk, the clock and the sockets of the fake platform. */
export function standUp(platform: FakePlatform, model: Model): Isolate {
  let ids = 0;
  const { store, session } = platform;
  const clock = (): number => platform.now;
  const redact = redactorFor(platform.secrets);
  const agent = platform.agent();
  const registry = new Registry(session, clock, redact).add(builtinPack, {
    observations: sessionObservations(store),
  });
  if (!platform.bare) registry.add(packAt(platform.versions), platform.effects);
  const people: PeopleReader = {
    timesOf: () => platform.chat?.d1.read(() => platform.readTimes()) ?? platform.readTimes(),
    channelOf: () => Promise.resolve(platform.ask),
  };
  const standing: Standing = (subject, at) =>
    platform.logins === null ? "unknown" : createStanding(platform.logins, platform.admins)(subject, at);
  const voterNow: VoterNow = (given, owner, at) =>
    platform.logins === null
      ? { ...given, owner: given.subject === owner, admin: true }
      : createVoterNow(platform.logins, platform.admins)(given, owner, at);
  const { chat, world } = platform;
  const engine = new Engine({ session, store, clock, redact });
  const whole = assemble({
    session,
    engine,
    wakeModule: WAKE,
    store,
    disk: platform.disk,
    env: { DB: chat?.d1.binding },
    clock,
    redact,
    people: null,
    model,
    defaults: {
      model: "rehearsal:",
      fallbacks: [],
      admins: platform.admins,
      targets: NO_TARGETS,
      files: PLAIN_FILES,
      messagesPerMinute: Infinity,
      standing,
      voterNow,
    },
    notices: {
      targets: platform.receiver.targets,
      links: platform.links,
      publicUrl: platform.links?.origin ?? null,
      post: (target, delivery) => platform.receiver.post(target, delivery),
    },
    parts: (host) => {
      const part = createPart(
        { ...host, outbox: chat?.watch(host.outbox) ?? host.outbox, zone: () => null },
        {
          channels: chat?.channels ?? NO_CHANNELS,
          notify: { zone: null, quiet: null, ask: "auto" },
          book: new Map(),
          alone: [],
        },
      );
      const told = { due: () => null, wrote: part.wrote, loadDue: () => Promise.resolve() };
      return {
        channels: part,
        background: { "part:channels": told },
        deliveries: () => (chat === null ? [] : [part.deliveries]),
        people,
      };
    },
    offer: ({ schedules, capsules }) => {
      if (platform.tells) registry.add(tellPack, platform.effects);
      if (platform.plans) registry.add(messagingPack, { schedules, capsules });
      if (world !== null) registry.add(agentsPack, null);
      platform.own?.(registry);
      return {
        tools: platform.observer.watch(new GovernedTools(registry, agent.spec)),
        known: registry,
        agents: agentsOf(agent),
        hooks: platform.hooks,
        partsOf: (spec) => ({
          tools: platform.observer.watch(new GovernedTools(registry, spec)),
          hooks: platform.hooks,
        }),
        beginsAnew: () => platform.anew,
      };
    },
    facts: () => ({
      session,
      harness: "test",
      words: platform.plainWords,
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
    }),
    reach: world === null ? null : (name) => world.reach(platform, name),
    // The index and whoever watches are tried beside the simulation.
    ...(world === null ? { createdAt: () => null } : {}),
    reportUnread: (id) => void platform.unread.push(id),
    sessionIndex: { flush: async () => {}, leave: async () => {}, left: () => {} },
  });
  const { api, service, parts } = whole;
  const hub = new SocketHub(
    {
      session,
      store,
      state: () => service.state(),
      touch: () => engine.restoreAlarm(),
      api: { ...api, admit: (actor, scope) => service.admit(actor, scope) },
      clock,
      limits: { frameBytes: 262_144, framesPerMinute: 100_000, socketsPerSession: 16 },
      newId: () => `req_${++ids}`,
      redact,
    },
    () => platform.sockets,
  );
  engine.watchers.add({
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
  });
  return {
    engine,
    api,
    service,
    hub,
    commands: whole.commands,
    outbox: whole.outbox,
    outboxSender: whole.outboxSender,
    sender: chat === null ? null : parts.channels.sender,
    cards: parts.channels.cards,
    scheduleStore: whole.scheduleStore,
    digest: whole.digest,
    people,
    loadDue: whole.loadDue,
    family: whole.family,
  };
}
