import type { Bindings } from "../bindings.ts";
import { loadWake } from "../../../build/modules/wake.ts";
import { Lifecycle } from "agents/lifecycle";
import { DurableObject } from "cloudflare:workers";
import type { Isolate, IsolateOf } from "../isolate.ts";
import type { OfferContext } from "../plugin.ts";
import { sharedLoads } from "../start-plugins.ts";
import { peopleWhoseRightsEnd, versionOf } from "../config/rights.ts";
import type { Model } from "../core/log/model.ts";
import { err } from "../core/log/result.ts";
import { complaintOf } from "../core/text/redact.ts";
import type { Providers } from "../models/providers.ts";
import { createLazyModel } from "../models/lazy-model.ts";
import { loadedWith, onDemand } from "../core/on-demand.ts";
import { logError } from "../operator-log.ts";
import type { Registry } from "../tools/registry.ts";
import { assemble, type WholeSession } from "./assemble.ts";
import { Callers } from "./commands/callers.ts";
import type { CommandName, SessionApi } from "./commands/commands.ts";
import { NO_ACCESS } from "./api/errors.ts";
import type { SessionService } from "./commands/service.ts";
import { ACTOR_HEADER, type Actor, type ApiError } from "./api/session-api.ts";
import type { SessionIndex } from "./background/session-index.ts";
import type { SessionTitle } from "./background/session-title.ts";
import { publishDiagnostics } from "./diagnostics.ts";
import { Engine } from "./engine/engine.ts";
import { memberIn } from "./family/create-family.ts";
import {
  createIndex,
  createReading,
  createSockets,
  createTitle,
  noticesOf,
  openDisk,
  pluginParts,
  runDefaults,
} from "./host.ts";
import { offerTools } from "./offer-tools.ts";
import type { SessionParts } from "./parts.ts";
import { sessionFacts } from "./session-facts.ts";
import { parseActor } from "./sockets/connection.ts";
import type { SessionSockets } from "./sockets/platform.ts";
import { SqlStore } from "./storage/store.ts";
import { UsedTickets } from "./storage/tickets.ts";

/** A session's Durable Object: subclass it under the name that wrangler.toml binds. */
export type SessionClass = new (context: DurableObjectState, env: Bindings) => SessionObject;

/** Loaded once for all sessions of an isolate. */
const WAKE = onDemand(loadWake);

/** The class of the sessions of a project. */
export const createSession = (isolateOf: IsolateOf): SessionClass =>
  class extends SessionObject {
    constructor(context: DurableObjectState, env: Bindings) {
      super(context, env, isolateOf(env));
    }
  };

/**
 * One session as a Durable Object. It wires and decides nothing: the alarm goes to the engine, requests to the commands (commands.ts),
 * sockets and streams watch what the engine commits.
 */
export class SessionObject extends DurableObject<Bindings> {
  /** Name in log lines of `Lifecycle`, unless a project subclasses it: minification removes class names. */
  static override readonly name: string = "Session";
  protected readonly isolate: Isolate;
  readonly #engine: Engine;
  readonly #whole: WholeSession<SessionParts>;
  /**
   * The session's commands. A field, like `service`: RPC reaches the prototype, so a getter would be open to other
   * Workers.
   */
  readonly api: SessionApi;
  protected readonly service: SessionService;
  readonly #sockets: SessionSockets;
  readonly #upkeep: { readonly title: SessionTitle | null; readonly index: SessionIndex };
  readonly #tickets: UsedTickets;
  readonly #callers: Callers;
  readonly lifecycle: Lifecycle;

  constructor(context: DurableObjectState, env: Bindings, isolate: Isolate) {
    super(context, env);
    this.isolate = isolate;
    const { config, redact } = isolate;
    const session = context.id.name ?? context.id.toString();
    const { disk, plugins } = openDisk(context.storage, isolate);
    const store = new SqlStore(disk);
    const engine = new Engine({ session, store, clock: Date.now, redact });
    const model = isolate.providers === null ? null : this.createModel(env, isolate.providers);
    const people = peopleWhoseRightsEnd(config);
    const defaults = runDefaults({ isolate, env, session, store, people });
    const { title, index } = (this.#upkeep = {
      title: createTitle({ isolate, session, store, engine, model }),
      index: createIndex({ isolate, env, session, store, engine }),
    });
    const reading = createReading(model, config);

    const whole = assemble({
      session,
      engine,
      wakeModule: loadedWith(WAKE, isolate.words),
      store,
      disk,
      env,
      clock: Date.now,
      redact,
      people,
      model,
      defaults,
      notices: noticesOf(config, people),
      parts: (host) => pluginParts(plugins(), host, isolate),
      offer: (own, parts) =>
        offerTools({
          isolate,
          engine,
          disk,
          env,
          session,
          targets: defaults.targets,
          services: { ...own, ...reading },
          parts: parts.byPlugin,
          createTools: (at) => this.createTools(at),
        }),
      facts: ({ reachable }, zone) => sessionFacts(isolate, session, reachable, zone),
      reach: (name) => memberIn(env.SESSION, name),
      first: [index, title],
      loads: sharedLoads(isolate.shared),
      sessionIndex: index,
      reportUnread: (id) => logError("a schedule that is due cannot be read", id),
    });
    this.#engine = engine;
    this.#whole = whole;
    this.api = whole.api;
    this.service = whole.service;
    this.#callers = new Callers(people, versionOf(env));
    this.#tickets = new UsedTickets(disk, Date.now, () => store.loadMeta()?.createdAt ?? null);
    this.#sockets = createSockets({ isolate, session, store, engine, whole, callers: this.#callers });
    this.lifecycle = Lifecycle.install(this).use(this.#sockets.capability);
    this.#open(context, session);
  }

  #open(context: DurableObjectState, session: string): void {
    this.#watch(session);
    // Answered by the platform without waking the object.
    context.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    this.#sockets.boot((ready) => context.blockConcurrencyWhile(ready));
  }

  /** Adds everyone who sees committed entries, in this order. */
  #watch(session: string): void {
    const { redact } = this.isolate;
    const { outboxSender, family, parts, service } = this.#whole;
    const { watchers } = this.#engine;
    watchers.add({
      committed: (entries) =>
        publishDiagnostics(session, entries, (error) =>
          logError("a diagnostics listener failed", complaintOf(error, redact)),
        ),
    });
    watchers.add({
      committed: () => {
        outboxSender.kick();
        family?.kick();
      },
    });
    watchers.add(parts);
    watchers.add(service);
    watchers.add(this.#sockets);
    watchers.add({
      committed: () => {
        // While a model runs, the index is updated; this never throws.
        if (this.#engine.isAwake) void this.#upkeep.index.flush();
      },
    });
  }

  /** The tools of this deployment. Called by the constructor, and for runs that name targets. */
  protected createTools(context: OfferContext): Registry {
    return this.isolate.createTools(context);
  }

  /** Calls the model of each name. Called once, by the constructor. */
  protected createModel(_env: Bindings, providers: Providers): Model {
    const { config, pictures } = this.isolate;
    return createLazyModel({
      providers,
      pictures: {
        sees: (name) => config.visionModels.includes(name),
        read: async (imageId) => (await pictures?.read(imageId)) ?? null,
      },
    });
  }

  /** Works one step. Never throws once its claim is written: a failure is an entry, a retry a later alarm. */
  override async alarm(): Promise<void> {
    await this.#whole.loadDue();
    await this.#engine.wake();
    // Not awaited: a slow receiver would delay the next step's alarm.
    this.#whole.outboxSender.kick();
    this.#whole.family?.kick();
    void this.#upkeep.title?.kick();
    // Writes the changes of this wake. A step that comes at once does not wait for it.
    const written = this.#upkeep.index.flush();
    if (!this.#engine.goesOn) await written;
  }

  /**
   * Loads the data of parts that all sessions of the isolate share. A part that throws is reported, and the session
   * works.
   */
  async #readyParts(): Promise<void> {
    const { shared, started, redact } = this.isolate;
    for (const [plugin, part] of shared) {
      try {
        await part.ready?.(Date.now());
      } catch (error) {
        logError(`the shared part of the plugin ${plugin} is not ready`, complaintOf(error, redact));
        started.faults.note(plugin, "shared part", error);
      }
    }
  }

  /** The one RPC method: runs a command by its name, with its arguments after the actor. Only the worker reaches it. */
  async command(name: CommandName, actor: Actor, args: readonly unknown[]): Promise<unknown> {
    await this.#readyParts();
    const present = this.#callers.ofRequest(actor, Date.now());
    if (present === null) return err(NO_ACCESS);
    const ask = this.api[name] as (actor: Actor, ...args: readonly unknown[]) => Promise<unknown>;
    return ask(present, ...args);
  }

  /** Sockets and streams. Only the worker reaches this, and it passes the caller in a header that it alone can set. */
  override async fetch(request: Request): Promise<Response> {
    const claimed = parseActor(request.headers.get(ACTOR_HEADER));
    if (claimed === null) return refusal(401, "unauthenticated", "Nobody says who asks.");
    const actor = this.#callers.ofRequest(claimed, Date.now());
    if (actor === null) return Response.json(NO_ACCESS, { status: NO_ACCESS.status });
    await this.#engine.restoreAlarm();
    if (request.headers.get("upgrade")?.toLowerCase() === "websocket") {
      // The first caller of an unused session ID becomes its owner.
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

/** A refusal, from which the worker makes its own error body. */
function refusal(status: number, code: string, message: string): Response {
  const error: ApiError = { status, code, message };
  return Response.json(error, { status });
}
