import { DurableObject } from "cloudflare:workers";
import { Lifecycle } from "agents/lifecycle";
import { version } from "../../package.json";
import { defaultAgent } from "../agents/default.ts";
import { createModel } from "../model/step.ts";
import { createProviders } from "../model/providers.ts";
import { instructions } from "../prompts.ts";
import { createTools } from "../tools/packs.ts";
import { createRedactor } from "../core/redact.ts";
import type { Json } from "../core/json.ts";
import { modelText } from "../core/model-name.ts";
import type { SessionServices } from "../tools/builtin/pack.ts";
import type { Registry } from "../tools/registry.ts";
import { parseConfig, type Config } from "../wire/config.ts";
import { secretsOf } from "../wire/secrets.ts";
import { objectDisk } from "./disk.ts";
import {
  ACTOR_HEADER,
  type Actor,
  type AnswerCommand,
  type CancelCommand,
  type DecideCommand,
  type DeliveryDoor,
  type DoorError,
  type SayCommand,
  type SessionDoor,
} from "./door.ts";
import { Courier } from "./courier.ts";
import { Engine } from "./engine.ts";
import { sessionObservations } from "./observations.ts";
import { SessionOutbox } from "./outbox.ts";
import type { Model } from "./ports.ts";
import { createPost } from "./post-webhook.ts";
import { Reception } from "./reception.ts";
import { parseActor } from "./socket-peer.ts";
import { SessionSockets } from "./sockets.ts";
import { SqlStore } from "./store.ts";

/**
 * One session as a Durable Object. It wires and decides nothing: the alarm goes to the engine, requests to the reception,
 * sockets and streams watch what the engine commits.
 */
export class Session extends DurableObject<Env> implements SessionDoor, DeliveryDoor {
  /** What the log lines of `Lifecycle` call the object: a minified class has no name of its own. */
  static override readonly name: string = "Session";
  readonly #engine: Engine;
  readonly #reception: Reception;
  readonly #sockets: SessionSockets;
  readonly #outbox: SessionOutbox;
  readonly #courier: Courier;
  readonly lifecycle: Lifecycle;

  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    const session = context.id.name ?? context.id.toString();
    const config = parseConfig({ ...env });
    const { models, webhookTargets: targets } = config;
    const { unattended, admins } = defaultAgent;
    const disk = objectDisk(context.storage);
    const store = new SqlStore(disk);
    const redact = createRedactor(secretsOf({ ...env }));
    const tools = this.createTools(env, session, { observations: sessionObservations(store) });
    const inputSchema = (tool: string): Json =>
      tools.cards().find((card) => card.name === tool)?.inputSchema ?? null;
    this.#outbox = new SessionOutbox(disk, { session, targets, store, inputSchema, redact });
    this.#engine = new Engine({
      store,
      model: this.createModel(env, models),
      tools,
      audience: {
        committed: (entries, state) => {
          this.#courier.kick();
          this.#sockets.committed(entries, state);
        },
        draft: (piece) => this.#sockets.draft(piece),
        watched: () => this.#sockets.watched(),
      },
      clock: Date.now,
      facts: {
        session,
        harness: version,
        instructions: prefix,
        // Rules cannot read a summary: the rehearsal model walks through every call of its run again.
        transcript: (model) => (model.startsWith("rehearsal:") ? "none" : defaultAgent.transcript),
        windows: config.windows,
        unattended,
        ...(defaultAgent.conduct === null ? {} : { conduct: defaultAgent.conduct }),
      },
      hooks: defaultAgent.hooks,
      redact,
      outbox: this.#outbox,
    });
    this.#courier = new Courier({
      engine: this.#engine,
      outbox: this.#outbox,
      targets,
      post: createPost(Date.now),
      clock: Date.now,
      redact,
    });
    this.#reception = new Reception(this.#engine, store, {
      session,
      model: config.modelName ?? "rehearsal:",
      fallbacks: models?.fallbacks.map(modelText) ?? [],
      clock: Date.now,
      admins,
      inputSchema,
    });
    this.#sockets = new SessionSockets({
      session,
      store,
      state: () => this.#reception.state(),
      door: this.#reception,
      clock: Date.now,
      touch: () => this.#engine.touch(),
      limits: config.limits,
    });
    this.lifecycle = Lifecycle.install(this).use(this.#sockets.capability);
    // Answered by the platform without waking the object.
    context.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    this.#sockets.boot();
  }

  /** The tools of this deployment (tools/packs.ts). Called once, by the constructor. */
  protected createTools(env: Env, session: string, services: SessionServices): Registry {
    return createTools(env, session, Date.now, services, createRedactor(secretsOf({ ...env })));
  }

  /** What stands behind every model name. Called once, by the constructor. */
  protected createModel(env: Env, models: Config["models"]): Model {
    const providers = createProviders({
      ai: env.AI ?? null,
      baseUrl: models?.openaiCompatible?.baseUrl ?? null,
      apiKey: models?.openaiCompatible?.apiKey ?? null,
      gatewayId: models?.gatewayId ?? null,
    });
    return createModel({ providers });
  }

  /** Works one step. Never throws once its claim is written: a failure is an entry, a retry a later alarm. */
  override async alarm(): Promise<void> {
    await this.#engine.wake();
    // Not waited for: a slow receiver would keep the next step from its alarm.
    this.#courier.kick();
  }

  /** Sockets and streams. Only the worker reaches this, and it says who asks in a header that it alone can set. */
  override async fetch(request: Request): Promise<Response> {
    const actor = parseActor(request.headers.get(ACTOR_HEADER));
    if (actor === null) return refusal(401, "unauthenticated", "Nobody says who asks.");
    await this.#engine.touch();
    if (request.headers.get("upgrade")?.toLowerCase() === "websocket") {
      // A name that nobody uses becomes its first caller's.
      const refused = this.#reception.admitOrCreate({ ...actor, via: "socket" });
      // Refused before the socket is accepted, so that the worker closes it with its code at once. A socket without
      // `read` may stay: it can still send.
      if (refused !== null && refused.code !== "missing_scope")
        return Response.json(refused, { status: refused.status });
      const response = await this.lifecycle.fetch(request);
      return response.status === 500
        ? refusal(500, "internal", "Something went wrong on our side.")
        : response;
    }
    return (await this.#sockets.fetchStream(request, actor)) ?? refusal(404, "not_found", "No such stream.");
  }

  say(actor: Actor, command: SayCommand): ReturnType<SessionDoor["say"]> {
    return this.#reception.say(actor, command);
  }

  answer(actor: Actor, command: AnswerCommand): ReturnType<SessionDoor["answer"]> {
    return this.#reception.answer(actor, command);
  }

  cancel(actor: Actor, command: CancelCommand): ReturnType<SessionDoor["cancel"]> {
    return this.#reception.cancel(actor, command);
  }

  decide(actor: Actor, command: DecideCommand): ReturnType<SessionDoor["decide"]> {
    return this.#reception.decide(actor, command);
  }

  approval(actor: Actor, id: string): ReturnType<SessionDoor["approval"]> {
    return this.#reception.approval(actor, id);
  }

  events(actor: Actor, after: number, limit: number): ReturnType<SessionDoor["events"]> {
    return this.#reception.events(actor, after, limit);
  }

  messages(actor: Actor, limit: number, before: string | null): ReturnType<SessionDoor["messages"]> {
    return this.#reception.messages(actor, limit, before);
  }

  view(actor: Actor): ReturnType<SessionDoor["view"]> {
    return this.#reception.view(actor);
  }

  trace(actor: Actor, run: string | null, format: "json" | "jsonl"): ReturnType<SessionDoor["trace"]> {
    return this.#reception.trace(actor, run, format);
  }

  memory(actor: Actor): ReturnType<SessionDoor["memory"]> {
    return this.#reception.memory(actor);
  }

  deliveries(actor: Actor, limit: number, cursor: number | null): ReturnType<DeliveryDoor["deliveries"]> {
    const refused = this.#reception.admit(actor, "admin");
    return Promise.resolve(
      refused === null
        ? { ok: true, value: this.#outbox.page(limit, cursor) }
        : { ok: false, error: refused },
    );
  }
}

/** The prompt modules, then the words of the agent. */
function prefix(modules: readonly string[]): string {
  return [instructions(modules), defaultAgent.instructions].filter((text) => text !== "").join("\n\n");
}

/** What the worker makes its own error body of. */
function refusal(status: number, code: string, message: string): Response {
  const error: DoorError = { status, code, message };
  return Response.json(error, { status });
}
