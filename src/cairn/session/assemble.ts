import type { Agents } from "../agents/define.ts";
import type { People } from "../config/rights.ts";
import type { KnownTools } from "../core/guards/named-tools.ts";
import type { Json } from "../core/log/json.ts";
import type { Model } from "../core/log/model.ts";
import type { Hooks } from "../core/loop/hooks.ts";
import { complaintOf } from "../core/text/redact.ts";
import { logError } from "../operator-log.ts";
import type { MessagingServices } from "../tools/messaging/services.ts";
import type { WebMemory } from "../outbound/web-memory.ts";
import type { SessionServices } from "../tools/builtin/pack.ts";
import type { SessionApi } from "./commands/commands.ts";
import { createCommands, type CommandDeps } from "./commands/create-commands.ts";
import { loadRun } from "./api/log-reader.ts";
import type { SessionService } from "./commands/service.ts";
import { calendar } from "./background/cron.ts";
import { DueLoads, type LoadsDue } from "./background/due-loads.ts";
import { SessionHeartbeat } from "./background/heartbeat.ts";
import { Digest, type PeopleReader } from "./background/notes.ts";
import { OutboxSender } from "./background/outbox-sender.ts";
import { SessionOutbox, type Deliveries, type OutboxDeps } from "./background/outbox.ts";
import { ScheduleStore } from "./background/schedules.ts";
import { createWebhookSender, type Post } from "./background/webhook-sender.ts";
import type { Engine, EngineDependencies } from "./engine/engine.ts";
import type { Background, EngineBase, Facts, Ports, Tools } from "./engine/ports.ts";
import { createFamily } from "./family/create-family.ts";
import type { SessionFamily } from "./family/family.ts";
import type { Reach } from "./family/reach.ts";
import type { SessionHost } from "./part.ts";
import { ownCapsules } from "./commands/own-capsules.ts";
import { ownSchedules } from "./commands/own-schedules.ts";
import { policiesNow, StandingWatch } from "./runs/standing.ts";
import { sessionObservations } from "./storage/observations.ts";
import type { Disk, SqlStore } from "./storage/store.ts";
import { sessionWebMemory } from "./storage/web-memory.ts";
import type { RunDefaults } from "./runs/run-defaults.ts";
import { earlier } from "./engine/transaction.ts";

/** The parts that plugins have in the session. */
export interface PluginParts {
  /** by the names under which failures of their loads are stored */
  readonly background: Readonly<Record<string, Background & LoadsDue>>;
  readonly deliveries: () => readonly Deliveries[];
  readonly people: PeopleReader;
}

/** Services that the session itself gives its tools. */
export type OwnServices = SessionServices & MessagingServices & { readonly web: WebMemory };

/** The tools of the session, and what depends on them. */
export interface Offer {
  readonly hooks: Hooks;
  readonly partsOf?: Ports["partsOf"];
  readonly beginsAnew?: Ports["beginsAnew"];
  /** of a run without restrictions by an agent */
  readonly tools: Tools;
  /** present names, for validating a new run */
  readonly known: KnownTools;
  readonly agents: Agents;
  /** loads that precede each wake */
  readonly loads?: Readonly<Record<string, LoadsDue>>;
}

/** Dependencies of a session. */
export interface SessionPlan<Parts extends PluginParts> extends EngineBase {
  /** it has only the log yet */
  readonly engine: Engine;
  readonly wakeModule: EngineDependencies["wakeModule"];
  readonly store: SqlStore;
  readonly disk: Disk;
  /** bindings and variables, for the parts of plugins */
  readonly env: object;
  /** who may log in; null: no rights can end */
  readonly people: People | null;
  /** null without an available model */
  readonly model: Model | null;
  readonly defaults: Omit<RunDefaults, "session" | "agents" | "tools">;
  readonly notices: Pick<OutboxDeps, "targets" | "links" | "publicUrl"> & { readonly post: Post };
  readonly parts: (host: SessionHost) => Parts;
  /** Called once, after the parts were created. */
  readonly offer: (own: OwnServices, parts: Parts) => Offer;
  readonly facts: (parts: Parts, zone: () => string | null) => Facts;
  /** connection to parent and children; null: there can be none */
  readonly reach: Reach | null;
  /** work that precedes all other background work, such as the index of sessions */
  readonly first?: readonly (Background | null)[];
  /** loads that precede each wake, ahead of all others */
  readonly loads?: Readonly<Record<string, LoadsDue>>;
  readonly sessionIndex: CommandDeps["sessionIndex"];
  /**
   * distinguishes runs and calls from those of an earlier session of the same name; default: creation time of the
   * session
   */
  readonly createdAt?: Ports["createdAt"];
  /** Reports a schedule that is due and cannot be read. */
  readonly reportUnread: (id: string) => void;
}

/** A complete session. It does nothing until an alarm, a command or a frame reaches it. */
export interface WholeSession<Parts extends PluginParts> {
  readonly parts: Parts;
  readonly api: SessionApi;
  readonly service: SessionService;
  readonly commands: CommandDeps;
  readonly outbox: SessionOutbox;
  readonly outboxSender: OutboxSender;
  readonly scheduleStore: ScheduleStore;
  readonly digest: Digest;
  readonly family: SessionFamily | null;
  /** Loads due data, before a wake. A part that throws is reported and skipped. */
  readonly loadDue: () => Promise<void>;
}

/**
 * Wires a session, on any disk, clock and network: in its Durable Object, in the simulation, and in the tests of a
 * project.
 */
export function assemble<Parts extends PluginParts>(plan: SessionPlan<Parts>): WholeSession<Parts> {
  const { session, engine, store, disk, clock, redact, notices } = plan;
  const owner = (): string | null => store.loadMeta()?.owner ?? null;
  const createdAt = (): number | null => store.loadMeta()?.createdAt ?? null;

  // Tools and new runs need each other; these run only when a tool works, when the session is complete.
  const own: OwnServices = {
    observations: sessionObservations(store),
    web: sessionWebMemory(store),
    capsules: ownCapsules(() => ({ engine, store, defaults })),
    schedules: ownSchedules(() => ({ engine, schedules, store, calendar })),
  };
  const zone = (): string | null => own.schedules.zone();
  const outbox = new SessionOutbox(disk, {
    ...notices,
    session,
    store,
    redact,
    owner,
    inputSchema: (tool) => inputSchema(tool),
    deliveries: () => parts.deliveries(),
  });
  const parts = plan.parts({
    session,
    env: plan.env,
    disk,
    clock,
    redact,
    outbox,
    people: plan.people,
    createdAt,
    owner,
    zone,
    state: () => engine.log.cachedState(),
    entriesOf: (run, state) => loadRun(store, state, run),
    transaction: (body) => engine.rearm(body),
  });
  const { tools, known, agents, partsOf, hooks, beginsAnew, loads } = plan.offer(own, parts);
  const inputSchema = (tool: string): Json => {
    const card = tools.cards().find(({ name }) => name === tool);
    return card?.argsSchema ?? card?.inputSchema ?? null;
  };
  const defaults: RunDefaults = { ...plan.defaults, session, agents, tools: known };
  const { standing, voterNow } = defaults;

  const scheduleStore = new ScheduleStore(disk, {
    defaults,
    store,
    calendar,
    reportUnread: plan.reportUnread,
  });
  const heartbeat = new SessionHeartbeat({ defaults, store, schedules: scheduleStore });
  const digest = new Digest(outbox.held, parts.people, owner);
  const { reach } = plan;
  const kin = reach === null ? null : createFamily(disk, { session, store, redact, clock, engine, reach });

  const work = { schedules: scheduleStore, heartbeat, digest, ...parts.background };
  const dueLoads = new DueLoads(disk, store, (part, error) =>
    logError(`due work was not loaded: ${part}`, complaintOf(error, redact)),
  );
  // The watch is last, so that it also checks a run that has just fallen due.
  const watch = standing === undefined ? null : new StandingWatch(standing);
  const resting = Object.entries(work).map(([name, part]) => dueLoads.resting(name, part));
  const background = allOf([...(plan.first ?? []), outbox, ...resting, kin?.members ?? null, watch]);

  const facts = plan.facts(parts, zone);
  engine.connect({
    wakeModule: plan.wakeModule,
    model: plan.model,
    tools,
    facts,
    hooks,
    partsOf,
    beginsAnew,
    family: kin?.family,
    background,
    createdAt: plan.createdAt ?? createdAt,
    policies: (at) => policiesNow(store.loadMeta(), voterNow, at),
  });
  const outboxSender = new OutboxSender({
    engine,
    outbox,
    people: parts.people,
    clock,
    redact,
    webhooks: createWebhookSender(notices.targets, notices.post),
  });
  const commands: CommandDeps = {
    ...defaults,
    engine,
    store,
    scheduleStore,
    outbox,
    calendar,
    clock,
    redact,
    inputSchema,
    day: facts.day,
    family: kin?.family,
    prompts: { facts, tools, redact, partsOf },
    sessionIndex: plan.sessionIndex,
    dismiss: () => engine.watchers.dismiss(),
  };
  const { api, service, schedules } = createCommands(commands);
  return {
    parts,
    api,
    service,
    commands,
    outbox,
    outboxSender,
    scheduleStore,
    digest,
    family: kin?.family ?? null,
    loadDue: () => dueLoads.load({ ...plan.loads, ...work, ...loads }, clock),
  };
}

/** Combines several kinds of background work, in this order. */
function allOf(parts: readonly (Background | null)[]): Background {
  const all = parts.filter((part) => part !== null);
  return {
    due: (state) => all.map((part) => part.due(state)).reduce(earlier, null),
    fallDue: (log, since) => {
      for (const part of all) part.fallDue?.(log, since);
    },
    wrote: (entries, state) => {
      for (const part of all) part.wrote?.(entries, state);
    },
  };
}
