import type { Bindings } from "../bindings.ts";
import { Lifecycle } from "agents/lifecycle";
import { DurableObject } from "cloudflare:workers";
import { version } from "../../../package.json";
import type { Isolate, IsolateOf } from "../isolate.ts";
import type { ToolPlace } from "../plugin.ts";
import type { Json } from "../core/log/json.ts";
import { err } from "../core/log/result.ts";
import { isRulesName, modelText, type Model } from "../core/log/model.ts";
import { priceOf } from "../core/model-tables.ts";
import { complaintOf } from "../core/text/redact.ts";
import { createExtractor } from "../models/extract.ts";
import { createValueReader } from "../models/read-page.ts";
import type { Providers } from "../models/providers.ts";
import { createModel } from "../models/step.ts";
import { prefixOf } from "../prompts.ts";
import { NO_HOOKS } from "../core/loop/hooks.ts";
import type { RunSpec, SiteTarget, SkillRules } from "../core/log/run-spec.ts";
import type { TranscriptPolicy } from "../core/prompt/transcript.ts";
import type { Agents } from "../agents/define.ts";
import type { StoredBindings } from "../tools/stored/pack.ts";
import { deploymentAgents } from "../agents/stored/stored-agents.ts";
import { GovernedTools } from "../tools/governed.ts";
import type { Registry } from "../tools/registry.ts";
import { dialectOf } from "../config/config.ts";
import { grantsOf, peopleWhoseRightsEnd, versionOf } from "../config/rights.ts";
import { Callers } from "./api/callers.ts";
import type { CommandName, SessionApi } from "./api/commands.ts";
import { createCommands } from "./api/create-commands.ts";
import { NO_ACCESS } from "./api/errors.ts";
import type { Schedules } from "./api/schedules.ts";
import type { SessionService } from "./api/service.ts";
import type { SessionHost } from "./part.ts";
import { ACTOR_HEADER, type Actor, type ApiError } from "./api/session-api.ts";
import { sessionView } from "./api/views.ts";
import { publishDiagnostics } from "./diagnostics.ts";
import { Digest } from "./background/notes.ts";
import { allOf } from "./background/all-of.ts";
import { calendar } from "./background/cron.ts";
import { DueLoads, type LoadsDue } from "./background/due-loads.ts";
import { SessionHeartbeat } from "./background/heartbeat.ts";
import { SessionOutbox } from "./background/outbox.ts";
import { ScheduleStore } from "./background/schedules.ts";
import { SessionIndex } from "./background/session-index.ts";
import { SessionTitle } from "./background/session-title.ts";
import { OutboxSender } from "./background/outbox-sender.ts";
import { createPost, createWebhookSender } from "./background/webhook-sender.ts";
import { loadRun } from "./api/log-reader.ts";
import { SessionParts } from "./parts.ts";
import { createFamily, relativeIn } from "./family/create-family.ts";
import type { SessionFamily } from "./family/family.ts";
import { Engine } from "./engine/engine.ts";
import { ListedTools } from "./runs/listed-tools.ts";
import { ownCapsules } from "./runs/own-capsules.ts";
import { localTime, ownSchedules } from "./runs/own-schedules.ts";
import { onSite } from "./runs/site-standing.ts";
import { readSites } from "./runs/sites.ts";
import { createStanding, createVoterNow, policiesNow, StandingWatch } from "./runs/standing.ts";
import { parseActor } from "./sockets/connection.ts";
import { SessionSockets } from "./sockets/platform.ts";
import { pluginOf, pluginTables } from "./storage/tables.ts";
import { indexDb, objectDisk, readStoredAgent } from "./storage/durable-disk.ts";
import { sessionFiles } from "./storage/files.ts";
import { sessionObservations } from "./storage/observations.ts";
import { SqlStore } from "./storage/store.ts";
import { UsedTickets } from "./storage/tickets.ts";
import { sessionWebMemory } from "./storage/web-memory.ts";
import { complain } from "../operator-log.ts";

/** A session's Durable Object: subclass it under the name that wrangler.toml binds. */
export type SessionClass = new (context: DurableObjectState, env: Bindings) => SessionObject;

/** The class of the sessions of a project. */
export const createSession = (isolateOf: IsolateOf): SessionClass =>
  class extends SessionObject {
    constructor(context: DurableObjectState, env: Bindings) {
      super(context, env, isolateOf(env));
    }
  };

/**
 * One session as a Durable Object. It wires and decides nothing: the alarm goes to the engine, requests to the commands (api/commands.ts),
 * sockets and streams watch what the engine commits.
 */
export class SessionObject extends DurableObject<Bindings> {
  /** The name in log lines of `Lifecycle`, where a project does not subclass it: a minified class has no name of its own. */
  static override readonly name: string = "Session";
  protected readonly isolate: Isolate;
  readonly #engine: Engine;
  /** What it can be asked. A field, so nobody reaches it over RPC but through `command`. */
  readonly api: SessionApi;
  protected readonly service: SessionService;
  readonly #sockets: SessionSockets;
  readonly #outboxSender: OutboxSender;
  readonly #family: SessionFamily;
  readonly #sessionIndex: SessionIndex;
  readonly #title: SessionTitle | null;
  readonly #tickets: UsedTickets;
  readonly #callers: Callers;
  readonly #dueLoads: DueLoads;
  /** loaded before each wake, by the names under which their failures are stored */
  readonly #loadsDue: Readonly<Record<string, LoadsDue>>;
  readonly #schedules: Schedules;
  readonly lifecycle: Lifecycle;

  constructor(context: DurableObjectState, env: Bindings, isolate: Isolate) {
    super(context, env);
    this.isolate = isolate;
    const session = context.id.name ?? context.id.toString();
    const { project, config, redact, agentCache, storedTools } = isolate;
    const { agents: files } = project;
    const { plugins, faults } = isolate.started;
    const { models, webhookTargets: targets } = config;
    const model = models === null ? null : modelText(models.primary);
    const { admins, budget } = files.deployment;
    const withoutTables = new Set<string>();
    const disk = objectDisk(context.storage, {
      parts: pluginTables(plugins),
      failed: (part, error) => {
        const plugin = pluginOf(part);
        withoutTables.add(plugin);
        complain(`the tables of a plugin could not be made: ${plugin}`, complaintOf(error, redact));
        faults.note(plugin, "tables", error);
      },
    });
    const store = new SqlStore(disk);
    const called = isolate.providers === null ? null : this.createModel(env, isolate.providers);
    const { extractorModel, prices } = config;
    const reads =
      called === null || extractorModel === null
        ? null
        : ([called, extractorModel, priceOf(extractorModel, prices)] as const);
    const people = peopleWhoseRightsEnd(config);
    const standing = people === null ? null : createStanding(people, admins);
    const voterNow = people === null ? undefined : createVoterNow(people, admins);
    const inputSchema = (tool: string): Json => {
      const card = tools.cards().find(({ name }) => name === tool);
      return card?.argsSchema ?? card?.inputSchema ?? null;
    };
    const owner = (): string | null => store.loadMeta()?.owner ?? null;
    const outbox = new SessionOutbox(disk, {
      session,
      targets,
      store,
      inputSchema,
      redact,
      owner,
      deliveries: () => parts.deliveries(),
      links:
        config.linkSecrets.length === 0 || config.publicUrl === null
          ? null
          : {
              secrets: config.linkSecrets,
              origin: config.publicUrl,
              ...(people === null ? {} : { grantsOf: (one: string) => grantsOf(people, one, Date.now()) }),
            },
      publicUrl: config.publicUrl,
    });
    const host: SessionHost = {
      session,
      env,
      disk,
      clock: Date.now,
      redact,
      outbox,
      people,
      createdAt: () => store.loadMeta()?.createdAt ?? null,
      owner,
      zone: () => lent.schedules.zone(),
      state: () => this.#engine.log.knownState(),
      entriesOf: (run, state) => loadRun(store, state, run),
      transaction: (body) => this.#engine.rearm(body),
    };
    const tabled = plugins.filter(({ name }) => !withoutTables.has(name));
    const parts = new SessionParts(tabled, host, (part, error) => {
      complain(`the session's part of a plugin failed: ${part}`, complaintOf(error, redact));
      faults.note(part, "part of a session", error);
    });
    const lent = {
      observations: sessionObservations(store),
      web: sessionWebMemory(store),
      extractor: reads === null ? null : createExtractor(...reads),
      reader: reads === null ? null : createValueReader(...reads),
      // Asked when a tool is at work: the session is whole then.
      capsules: ownCapsules(() => ({ engine: this.#engine, store, defaults })),
      schedules: ownSchedules(() => ({ engine: this.#engine, schedules: this.#schedules, store, calendar })),
    };
    const place: ToolPlace = {
      env,
      session,
      clock: Date.now,
      environment: null,
      embedder: isolate.embedder,
      redact,
      services: lent,
      parts: parts.byPlugin,
    };
    const registry = this.createTools(place);
    const bindings: StoredBindings = { ...(env as object) };
    const stored = {
      get tools() {
        return storedTools.tools;
      },
      load: () => storedTools.load(),
      loadOnce: () => storedTools.loadOnce(),
      onto: (code: Registry) => storedTools.onto(code, bindings),
    };
    const listers = new Map(
      [...isolate.shared].flatMap(([name, { lister }]) => (lister === undefined ? [] : [[name, lister]])),
    );
    const listed = new ListedTools(disk, listers, () => this.#engine.log.state(), stored);
    /** as they are now: a run is accepted that names a stored tool */
    const known = {
      cards: () => stored.onto(registry).cards(),
      notOffered: () => stored.onto(registry).notOffered(),
    };
    const tools = listed.follow(() => new GovernedTools(listed.onto(registry), files.deployment.spec, true));
    const storedAgents = deploymentAgents({
      files,
      read: (name) => readStoredAgent(env.DB, name),
      ground: { tools: known, models, admins },
      cache: agentCache,
      clock: Date.now,
      report: (error) => console.error("cairn: an agent was not read", complaintOf(error, redact)),
    });
    const agents: Agents = {
      ...storedAgents,
      load: async (name) => {
        await storedTools.load();
        await storedAgents.load(name);
      },
    };
    const sites = readSites({
      read: isolate.findSite,
      clock: Date.now,
      report: (error) => complain("a site was not read", complaintOf(error, redact)),
    });
    const defaults = {
      session,
      model,
      fallbacks: models?.fallbacks.map(modelText) ?? [],
      admins,
      agents,
      sites,
      files: sessionFiles(
        env,
        isolate.pictures,
        session,
        () => store.loadMeta()?.createdAt ?? null,
        (error) => complain("sent files were not looked up", complaintOf(error, redact)),
      ),
      tools: known,
      messagesPerMinute: config.limits.messagesPerMinute,
      ...(standing === null ? {} : { standing }),
      ...(voterNow === undefined ? {} : { voterNow }),
    };
    const watch = standing === null ? null : new StandingWatch(standing);
    const scheduleStore = new ScheduleStore(disk, {
      defaults,
      store,
      calendar,
      reportUnread: (id) => complain("a schedule that is due cannot be read", id),
    });
    const heartbeat = new SessionHeartbeat({ defaults, store, schedules: scheduleStore });
    const digest = new Digest(outbox.held, parts.people, owner);
    const { background } = parts;
    const shared = [...isolate.shared].flatMap(([name, { loadDue }]) =>
      loadDue === undefined ? [] : [[name, { loadDue }] as const],
    );
    this.#loadsDue = {
      ...Object.fromEntries(shared),
      schedules: scheduleStore,
      heartbeat,
      digest,
      listed,
      ...background,
    };
    const dueLoads = (this.#dueLoads = new DueLoads(disk, store, (part, error) =>
      complain(`due work was not loaded: ${part}`, complaintOf(error, redact)),
    ));
    const resting = {
      schedules: dueLoads.resting("schedules", scheduleStore),
      heartbeat: dueLoads.resting("heartbeat", heartbeat),
      digest: dueLoads.resting("digest", digest),
    };
    const restingParts = Object.entries(background).map(([name, part]) => dueLoads.resting(name, part));
    const { family, relatives } = createFamily(disk, {
      ...{ session, store, redact, clock: Date.now, engine: () => this.#engine },
      reach: (name) => relativeIn(env.SESSION, name),
    });
    this.#family = family;
    const facts = {
      session,
      harness: version,
      instructions: (prompts: readonly string[], own: string, rules?: SkillRules) =>
        prefixOf(
          prompts,
          own,
          Array.from(isolate.shared, ([plugin, part]) => {
            try {
              return part.prompt?.(prompts, rules) ?? "";
            } catch (error) {
              faults.note(plugin, "prompt", error);
              return "";
            }
          }),
        ),
      // Rules cannot read a summary: they walk through every call of their run again.
      transcript: (name: string, wanted: TranscriptPolicy) =>
        isRulesName(name) ? ("none" as const) : wanted,
      dialect: (name: string) => dialectOf(config, name),
      reachable: parts.reachable,
      windows: config.windows,
      prices: config.prices,
      day: budget.day,
      localTime: (at: number) => localTime(at, lent.schedules.zone()),
    };
    let elsewhere: { readonly environment: string; readonly tools: Registry } | null = null;
    const toolsFor = (site: SiteTarget | null): Registry => {
      if (site === null) return registry;
      const { environmentId: environment } = site;
      if (elsewhere?.environment !== environment)
        elsewhere = {
          environment,
          tools: this.createTools({ ...place, environment }),
        };
      return elsewhere.tools;
    };
    const partsOf = (spec: RunSpec) => ({
      tools: listed.follow(() => {
        const governed = new GovernedTools(listed.onto(toolsFor(spec.site)), spec, true);
        const asking = () => this.#engine.log.knownState().run?.request ?? null;
        return spec.site === null ? governed : onSite(governed, spec.site, { sites, asking });
      }),
      // Only the files of a deployment have hooks.
      hooks: files.find(spec.agent)?.hooks ?? NO_HOOKS,
    });
    this.#engine = new Engine({
      store,
      model: called,
      tools,
      audience: {
        committed: (entries, state) => {
          publishDiagnostics(session, entries, (error) =>
            complain("a diagnostics listener failed", complaintOf(error, redact)),
          );
          this.#outboxSender.kick();
          family.kick();
          parts.committed(entries, state);
          this.service.committed(entries);
          this.#sockets.committed(entries, state);
          // While a model is asked the index is told what began; it never throws.
          if (this.#engine.live) void this.#sessionIndex.flush();
        },
        draft: (piece) => this.#sockets.draft(piece),
        progress: (told) => this.#sockets.progress(told),
        watched: () => this.#sockets.watched(),
      },
      clock: Date.now,
      facts,
      hooks: NO_HOOKS,
      partsOf,
      beginsAnew: () => listed.isThere,
      redact,
      policies: (at) => policiesNow(store.loadMeta(), voterNow, at),
      createdAt: () => store.loadMeta()?.createdAt ?? null,
      family,
      background: allOf(() => [
        this.#sessionIndex,
        this.#title,
        outbox,
        resting.schedules,
        resting.heartbeat,
        resting.digest,
        ...restingParts,
        relatives,
        // Last: a run that has just fallen due is looked at, too.
        watch,
      ]),
    });
    this.#outboxSender = new OutboxSender({
      engine: this.#engine,
      outbox,
      webhooks: createWebhookSender(targets, createPost(Date.now)),
      people: parts.people,
      clock: Date.now,
      redact,
    });
    this.#title = config.titles
      ? new SessionTitle({
          ...{ session, store, redact, engine: this.#engine, clock: Date.now },
          ...{ model: called, modelName: model, prices: config.prices, day: budget.day },
          report: (error) => complain("the session was not named", complaintOf(error, redact)),
        })
      : null;
    this.#sessionIndex = new SessionIndex({
      session,
      store,
      state: () => this.#engine.log.knownState(),
      view: (meta, state) => sessionView({ session, model }, meta, state),
      db: indexDb(env.DB),
      clock: Date.now,
      rearm: (body) => this.#engine.rearm(body),
      report: (error) => complain("the index of sessions was not written", complaintOf(error, redact)),
    });
    const { api, service, schedules } = createCommands({
      ...defaults,
      engine: this.#engine,
      store,
      scheduleStore,
      outbox,
      sessionIndex: this.#sessionIndex,
      calendar,
      clock: Date.now,
      day: budget.day,
      inputSchema,
      prompts: { facts, tools, redact, partsOf },
      redact,
      family,
      dismiss: () => this.#sockets.dismiss(),
    });
    this.#callers = new Callers(people, versionOf(env));
    this.#schedules = schedules;
    this.api = api;
    this.service = service;
    this.#sockets = new SessionSockets({
      session,
      store,
      state: () => service.state(),
      api: { ...api, admit: (actor, scope) => service.admit(actor, scope) },
      clock: Date.now,
      touch: () => this.#engine.touch(),
      limits: config.limits,
      models,
      callers: this.#callers,
      redact,
    });
    this.#tickets = new UsedTickets(disk, Date.now, () => store.loadMeta()?.createdAt ?? null);
    this.lifecycle = Lifecycle.install(this).use(this.#sockets.capability);
    // Answered by the platform without waking the object.
    context.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    this.#sockets.boot();
  }

  /** The tools of this deployment. Called by the constructor, and for another environment of the site. */
  protected createTools(place: ToolPlace): Registry {
    return this.isolate.createTools(place);
  }

  /** What stands behind every model name. Called once, by the constructor. */
  protected createModel(_env: Bindings, providers: Providers): Model {
    const { config, pictures } = this.isolate;
    return createModel({
      providers,
      pictures: {
        sees: (name) => config.visionModels.includes(name),
        read: async (imageId) => (await pictures?.read(imageId)) ?? null,
      },
    });
  }

  /** Works one step. Never throws once its claim is written: a failure is an entry, a retry a later alarm. */
  override async alarm(): Promise<void> {
    await this.#dueLoads.load(this.#loadsDue, Date.now);
    await this.#engine.wake();
    // Not waited for: a slow receiver would keep the next step from its alarm.
    this.#outboxSender.kick();
    this.#family.kick();
    void this.#title?.kick();
    // What this wake has changed. A step that comes at once does not wait for it.
    const written = this.#sessionIndex.flush();
    if (!this.#engine.goesOn) await written;
  }

  /** Parts that all sessions of the isolate share read what they need. One that throws is reported, and the session works. */
  async #readyParts(): Promise<void> {
    const { shared, started, redact } = this.isolate;
    for (const [plugin, part] of shared) {
      try {
        await part.ready?.(Date.now());
      } catch (error) {
        complain(`the shared part of the plugin ${plugin} is not ready`, complaintOf(error, redact));
        started.faults.note(plugin, "shared part", error);
      }
    }
  }

  /** The one RPC method: a command by its name, with what it takes beside the actor. Only the worker reaches it. */
  async command(name: CommandName, actor: Actor, args: readonly unknown[]): Promise<unknown> {
    await this.#readyParts();
    const present = this.#callers.ofRequest(actor, Date.now());
    if (present === null) return err(NO_ACCESS);
    const ask = this.api[name] as (actor: Actor, ...args: readonly unknown[]) => Promise<unknown>;
    return ask(present, ...args);
  }

  /** Sockets and streams. Only the worker reaches this, and it says who asks in a header that it alone can set. */
  override async fetch(request: Request): Promise<Response> {
    const claimed = parseActor(request.headers.get(ACTOR_HEADER));
    if (claimed === null) return refusal(401, "unauthenticated", "Nobody says who asks.");
    const actor = this.#callers.ofRequest(claimed, Date.now());
    if (actor === null) return Response.json(NO_ACCESS, { status: NO_ACCESS.status });
    await this.#engine.touch();
    if (request.headers.get("upgrade")?.toLowerCase() === "websocket") {
      // A name that nobody uses becomes its first caller's.
      const refused = this.service.admitOrCreate({ ...actor, via: "socket" });
      // Refused before the socket is accepted, so that the worker closes it with its code at once. A socket without
      // `read` may stay: it can still send.
      if (refused !== null && refused.code !== "missing_scope")
        return Response.json(refused, { status: refused.status });
      if (actor.ticket !== undefined && !this.#tickets.use(actor.ticket, actor.ticketAt ?? null))
        return refusal(401, "unauthenticated", "This ticket was used before, or for a session that is gone.");
      const response = await this.lifecycle.fetch(request);
      return response.status === 500
        ? refusal(500, "internal", "Something went wrong on our side.")
        : response;
    }
    return (await this.#sockets.fetchStream(request, actor)) ?? refusal(404, "not_found", "No such stream.");
  }
}

/** What the worker makes its own error body of. */
function refusal(status: number, code: string, message: string): Response {
  const error: ApiError = { status, code, message };
  return Response.json(error, { status });
}
