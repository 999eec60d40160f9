import { NO_WORDS } from "../../../../src/cairn/core/guards/no-words.ts";
import { GovernedTools } from "../../../../src/cairn/tools/governed.ts";
import { LISTED, NO_TARGETS, PLAIN_FILES, PLAIN_AGENTS } from "../../../fixtures/agents.ts";
import type { Json } from "../../../../src/cairn/core/log/json.ts";
import type {
  DraftPiece,
  Model,
  ModelOutcome,
  ModelReply,
  ModelRequest,
} from "../../../../src/cairn/core/log/model.ts";
import { NO_HOOKS } from "../../../../src/cairn/core/loop/hooks.ts";
import { createRedactor } from "../../../../src/cairn/core/text/redact.ts";
import type { CommandName, SessionApi } from "../../../../src/cairn/session/commands/commands.ts";
import { createCommands } from "../../../../src/cairn/session/commands/create-commands.ts";
import type { SessionService } from "../../../../src/cairn/session/commands/service.ts";
import { Callers } from "../../../../src/cairn/session/commands/callers.ts";
import type { Actor, Scope } from "../../../../src/cairn/session/api/session-api.ts";
import { calendar } from "../../../../src/cairn/session/background/cron.ts";
import { ScheduleStore } from "../../../../src/cairn/session/background/schedules.ts";
import { Engine, type EngineDependencies } from "../../../../src/cairn/session/engine/engine.ts";
import { WAKE } from "../../../../src/cairn/testing/wake.ts";
import { SocketHub } from "../../../../src/cairn/session/sockets/hub.ts";
import { SqlStore } from "../../../../src/cairn/session/storage/store.ts";
import { builtinPack } from "../../../../src/cairn/tools/builtin/pack.ts";
import { Registry } from "../../../../src/cairn/tools/registry.ts";
import { SimDisk } from "../../../../src/cairn/testing/disk.ts";
import { ServerSocket } from "../../../sim/platform/socket.ts";
import { SCOPES, type Grant } from "../../../../src/cairn/config/tokens.ts";
import { simPack, type Effects } from "../../../sim/platform/tools.ts";

/** One session with its real engine, door and hub on a simulated disk; its model reads a script, a piece at a time. */

export const SESSION = "ses_demo";

export interface Line {
  readonly thought?: string;
  readonly text?: string;
  readonly calls?: readonly [tool: string, input: Json][];
  readonly fail?: true;
}

function grantOf(line: string): Grant {
  const [name = "", scopes = "read,send,approve"] = line.split(" ");
  return {
    name,
    digest: "",
    subject: "ann",
    scopes: SCOPES.filter((scope) => scopes.split(",").includes(scope)),
    expiresAt: null,
  };
}

export class LiveSession {
  now = Date.UTC(2026, 7, 20, 12);
  readonly disk = new SimDisk(() => this.now);
  readonly sockets = new Set<ServerSocket>();
  /** what its tools have done, and shall do */
  readonly tools = effects();
  readonly #script: Line[];
  engine!: Engine;
  service!: SessionService;
  /** what its sockets ask of it; a test may put a function of its own in place of one */
  api!: { -readonly [Name in CommandName]: SessionApi[Name] };
  hub!: SocketHub;
  store!: SqlStore;
  /** called before each piece of a reply, with its number in the call */
  onPiece: ((index: number) => void | Promise<void>) | null = null;
  /** called with each request to the model */
  onRequest: ((request: ModelRequest) => void) | null = null;
  #ids = 0;
  framesPerMinute = 1_000;
  socketMaxAgeMs = 43_200_000;
  /** the code of a wake, from the next boot on */
  wakeModule: EngineDependencies["wakeModule"] = WAKE;
  /** no model can be called, from the next boot on */
  modelless = false;
  /** false, from the next boot on: the digest of an approval is that of the releases before */
  digestsNameSession = true;
  /** adds tools of a test's own, from the next boot on */
  own: ((tools: Registry) => void) | null = null;
  /** what may log in, from the next boot on: `NAME SCOPE,SCOPE`, of ann; all scopes but admin where none is named */
  grants: readonly string[] = [];

  constructor(script: readonly Line[]) {
    this.#script = [...script];
    this.boot();
  }

  /** A new isolate on the same disk; sockets that are open stay open, as after hibernation. */
  boot(): void {
    this.disk.firing = null;
    this.store = new SqlStore(this.disk);
    const registry = new Registry(SESSION, () => this.now)
      .add(builtinPack, { observations: { read: () => null } })
      .add(simPack, this.tools);
    for (const names of LISTED) registry.expectLists(names);
    this.own?.(registry);
    const tools = new GovernedTools(registry, { approvals: {} });
    const engine = new Engine({
      session: SESSION,
      store: this.store,
      clock: () => this.now,
      redact: createRedactor([]),
    }).connect({
      wakeModule: this.wakeModule,
      model: this.modelless ? null : this.#model(),
      tools,
      facts: {
        session: SESSION,
        harness: "test",
        words: NO_WORDS,
        instructions: () => "You are Cairn.",
        transcript: () => "compact",
      },
      hooks: NO_HOOKS,
      partsOf: (spec) => ({ tools: new GovernedTools(registry, spec), hooks: NO_HOOKS }),
      ...(this.digestsNameSession ? { createdAt: () => this.store.loadMeta()?.createdAt ?? null } : {}),
    });
    const { store } = this;
    const defaults = {
      session: SESSION,
      model: this.modelless ? null : "rehearsal:",
      fallbacks: [],
      admins: null,
      messagesPerMinute: Infinity,
      agents: PLAIN_AGENTS,
      targets: NO_TARGETS,
      tools: registry,
      files: PLAIN_FILES,
    };
    const { api, service } = createCommands({
      ...defaults,
      engine,
      store,
      calendar,
      redact: createRedactor([]),
      clock: () => this.now,
      scheduleStore: new ScheduleStore(this.disk, { defaults, store, calendar, reportUnread: () => {} }),
      outbox: { page: () => ({ items: [], nextCursor: null }), held: { note: () => {} } },
      sessionIndex: { flush: async () => {}, leave: async () => {}, left: () => {} },
      inputSchema: () => null,
      prompts: null,
      dismiss: () => {},
    });
    this.api = api;
    this.hub = new SocketHub(
      {
        session: SESSION,
        store: this.store,
        state: () => service.state(),
        api: Object.assign(this.api, { admit: service.admit.bind(service) }),
        clock: () => this.now,
        touch: () => engine.restoreAlarm(),
        limits: {
          frameBytes: 262_144,
          framesPerMinute: this.framesPerMinute,
          socketsPerSession: 8,
          socketMaxAgeMs: this.socketMaxAgeMs,
        },
        callers: new Callers({ tokens: this.grants.map(grantOf), anonymous: true }),
        newId: () => `req_${++this.#ids}`,
        redact: createRedactor([]),
      },
      () => this.sockets,
    );
    engine.watchers.add({
      committed: (entries, state) => this.hub.committed(entries, state),
      draft: (piece) => this.hub.draft(piece),
      progress: (told) => this.hub.progress(told),
    });
    this.engine = engine;
    this.service = service;
    this.hub.boot();
  }

  get state() {
    return this.service.state();
  }

  actor(scopes: readonly Scope[] = ["read", "send", "approve"], subject = "ann"): Actor {
    return { subject, scopes, via: "http" };
  }

  /** Works until no alarm is due within a minute. */
  async settle(): Promise<void> {
    for (;;) {
      const { alarm } = this.disk;
      if (alarm === null || alarm === Number.NEGATIVE_INFINITY || alarm > this.now + 60_000) return;
      this.now = Math.max(this.now, alarm);
      await this.fire();
    }
  }

  async fire(): Promise<void> {
    this.disk.firing = this.disk.alarm;
    this.disk.alarm = null;
    await this.engine.wake();
    this.disk.firing = null;
  }

  say(text: string, id: string): ReturnType<SessionApi["send"]> {
    return this.api.send(this.actor(), {
      id,
      parts: [{ type: "text", text }],
      mode: null,
      source: "api",
      request: null,
      ask: {},
    });
  }

  #model(): Model {
    return {
      call: async (request, draft, signal): Promise<ModelOutcome> => {
        this.onRequest?.(request);
        const line = this.#script.shift() ?? { text: "Nothing more." };
        if (line.fail === true) {
          const failure = { class: "overloaded", message: "busy", retryAfterMs: null, usage: null } as const;
          return { kind: "failed", failure };
        }
        const reply = await this.#reply(line, draft);
        return signal.aborted ? { kind: "aborted", partial: reply } : { kind: "replied", reply };
      },
    };
  }

  async #reply(line: Line, draft: (piece: DraftPiece) => void): Promise<ModelReply> {
    const parts: ModelReply["parts"][number][] = [];
    let index = 0;
    for (const type of ["reasoning", "text"] as const) {
      const text = type === "text" ? line.text : line.thought;
      if (text === undefined) continue;
      const part = parts.length;
      parts.push({ type, text });
      for (const piece of text.match(/[\s\S]{1,7}/g) ?? []) {
        await this.onPiece?.(index++);
        draft({ type, part, text: piece });
      }
    }
    for (const [tool, input] of line.calls ?? []) parts.push({ type: "call", tool, input });
    const finish = (line.calls?.length ?? 0) > 0 ? "tool-calls" : "stop";
    return { parts, finish, usage: USAGE, model: "scripted", ms: 5, firstTokenMs: 1 };
  }
}

const USAGE = {
  inputTokens: 100,
  cachedInputTokens: 0,
  outputTokens: 10,
  reasoningTokens: 0,
  estimated: false,
};

function effects(): Effects {
  return {
    keyed: new Map(),
    once: [],
    reads: 0,
    searches: 0,
    failures: new Map(),
    broken: new Map(),
    onTool: null,
    cross: () => {},
    outside: "",
    bulk: "",
  };
}

export type Frame = { readonly type: string; readonly [key: string]: unknown };

/** A client that keeps every frame and says what the test says. */
export class RawClient {
  frames: Frame[] = [];
  closed: number | null = null;
  readonly #session: LiveSession;
  readonly socket: ServerSocket;

  private constructor(session: LiveSession) {
    this.#session = session;
    this.socket = new ServerSocket(
      "raw",
      (text) => this.frames.push(text === "pong" ? { type: "pong" } : (JSON.parse(text) as Frame)),
      (code) => {
        this.closed = code;
        session.sockets.delete(this.socket);
      },
    );
  }

  static async connect(
    session: LiveSession,
    actor: (Actor & { expiresAt?: number }) | null = session.actor(),
    traceId: string | null = null,
  ): Promise<RawClient> {
    const client = new RawClient(session);
    session.sockets.add(client.socket);
    await session.hub.connect(client.socket, actor === null ? null : JSON.stringify(actor), traceId);
    return client;
  }

  async send(frame: unknown): Promise<void> {
    await this.#session.hub.receive(this.socket, typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  leave(): void {
    this.socket.open = false;
    this.#session.sockets.delete(this.socket);
  }

  /** Returns the frames received since the last call. */
  take(): Frame[] {
    const { frames } = this;
    this.frames = [];
    return frames;
  }

  ofType(type: string): Frame[] {
    return this.frames.filter((frame) => frame.type === type);
  }
}

/** A stock request for a run. */
export function chatRequest(id: string, messageId: string, text: string, mode?: string): Frame {
  const message = { id: messageId, role: "user", parts: [{ type: "text", text }] };
  const body = JSON.stringify({ messages: [message], trigger: "submit-message", mode });
  return { type: "cf_agent_use_chat_request", id, init: { method: "POST", body } };
}
