import * as z from "zod";
import type { Entry } from "../../src/core/entries.ts";
import type { Json } from "../../src/core/json.ts";
import type {
  DraftPiece,
  FinishReason,
  ModelOutcome,
  ModelReply,
  ModelRequest,
} from "../../src/core/model.ts";
import { fold } from "../../src/core/apply.ts";
import { EMPTY_STATE, type State } from "../../src/core/state.ts";
import { ACTIVE_MS_MAX, OUTPUT_TOKENS_MAX, STEPS_MAX, TOOL_CALLS_MAX } from "../../src/core/limits.ts";
import { receiveCancel, receiveDecision, receiveSay, type Say } from "../../src/core/receive.ts";
import { NO_HOOKS, type Hooks } from "../../src/core/hooks.ts";
import type { TranscriptPolicy } from "../../src/core/transcript.ts";
import { createRedactor, type Secret } from "../../src/core/redact.ts";
import { Engine } from "../../src/session/engine.ts";
import type { Audience, Model, PlacedDraft } from "../../src/session/ports.ts";
import { SqlStore } from "../../src/session/store.ts";
import { sessionObservations } from "../../src/session/observations.ts";
import { builtinPack } from "../../src/tools/builtin/pack.ts";
import { definePack, defineTool, type ToolError } from "../../src/tools/define.ts";
import { Registry } from "../../src/tools/registry.ts";
import { SimDisk } from "./disk.ts";

/** What the scripted model says in one call, or how it fails. */
export type Line =
  | {
      readonly text?: string;
      readonly thought?: string;
      readonly calls?: readonly [tool: string, input: Json][];
      readonly finish?: FinishReason;
    }
  | { readonly fail: Extract<ModelOutcome, { kind: "failed" }>["failure"] };

/** The world outside one session: what its tools have done to it, counted. */
export interface Effects {
  readonly keyed: Map<string, number>;
  readonly once: string[];
  reads: number;
  /** fails the next runs of a tool, by name */
  readonly failures: Map<string, ToolError[]>;
  /** called when a tool has begun, before its effect */
  onTool: ((tool: string) => void | Promise<void>) | null;
  cross: (where: string) => void;
  /** what the tool `bulk` answers */
  bulk: string;
}

/** One session on a simulated platform. Time moves only when the test moves it. */
export class World {
  now = 1_700_000_000_000;
  readonly disk = new SimDisk(() => this.now);
  readonly published: Entry[] = [];
  readonly drafts: PlacedDraft[] = [];
  readonly requests: ModelRequest[] = [];
  readonly effects: Effects = {
    keyed: new Map(),
    once: [],
    reads: 0,
    failures: new Map(),
    onTool: null,
    cross: (where) => this.cross(where),
    bulk: "",
  };
  script: (request: ModelRequest, index: number) => Line;
  /** called in the middle of a model call, after its first text */
  onModel: ((request: ModelRequest) => void | Promise<void>) | null = null;
  wakes = 0;
  transcript: TranscriptPolicy = "whole";
  hooks: Hooks = NO_HOOKS;
  /** other versions of tools than 1, as after a deployment */
  versions: Readonly<Record<string, number>> = {};
  secrets: readonly Secret[] = [];
  /** the deployment lacks something that every run needs */
  broken = false;
  /** called at every crossing of a port; throwing a Crash there kills the isolate */
  cross: (where: string) => void = () => {};
  engine: Engine;
  store: SqlStore;
  readonly #model: Model;
  #ids = 0;

  /** A script stands for a model that says it; a real model is called as it is. */
  constructor(script: readonly Line[] | ((request: ModelRequest, index: number) => Line) | Model) {
    this.disk.cross = (where) => this.cross(where);
    this.#model = typeof script !== "function" && "call" in script ? this.#watched(script) : this.#scripted();
    this.script =
      typeof script === "function"
        ? script
        : (_request, index) => ("call" in script ? undefined : script[index]) ?? { text: "Nothing more." };
    this.store = new SqlStore(this.disk);
    this.engine = this.#boot();
  }

  /** The isolate dies; a new one stands on the same disk. The alarm that was being handled fires again. */
  restart(): void {
    if (this.disk.firing !== null) this.disk.alarm ??= this.disk.firing;
    this.disk.firing = null;
    this.store = new SqlStore(this.disk);
    this.engine = this.#boot();
  }

  #boot(): Engine {
    const audience: Audience = {
      committed: (entries) => {
        this.cross("publish");
        this.published.push(...entries);
      },
      draft: (piece) => void this.drafts.push(piece),
    };
    return new Engine({
      store: this.store,
      model: this.#model,
      tools: new Registry("ses", () => this.now)
        .add(builtinPack, { observations: sessionObservations(this.store) })
        .add(packAt(this.versions), this.effects),
      audience,
      clock: () => this.now,
      facts: {
        session: "ses",
        harness: "test",
        instructions: () => this.#instructions(),
        transcript: this.transcript,
      },
      hooks: this.hooks,
      redact: createRedactor(this.secrets),
    });
  }

  #watched(model: Model): Model {
    return {
      call: async (request, draft, signal) => {
        this.cross("model: before");
        this.requests.push(request);
        const outcome = await model.call(request, draft, signal);
        this.cross("model: after");
        return outcome;
      },
    };
  }

  #scripted(): Model {
    return {
      call: async (request, draft, signal) => {
        this.cross("model: before");
        const line = this.script(request, this.requests.length);
        this.requests.push(request);
        if ("fail" in line) return { kind: "failed", failure: line.fail };
        const reply = replyOf(line, draft);
        await this.onModel?.(request);
        this.cross("model: after");
        return signal.aborted ? { kind: "aborted", partial: reply } : { kind: "replied", reply };
      },
    };
  }

  #instructions(): string {
    if (this.broken) throw new Error("there is no such module");
    return "You are Cairn.";
  }

  get state(): State {
    return this.engine.ledger.state();
  }

  get log(): Entry[] {
    return this.store.entriesAfter(0, 10_000);
  }

  get kinds(): string[] {
    return this.log.map((entry) => entry.kind);
  }

  /** The snapshot on disk is what the log folds to. */
  get folded(): State {
    return fold(EMPTY_STATE, this.log);
  }

  say(text: string, more: Partial<Say> = {}): ReturnType<typeof receiveSay> {
    return this.engine.record((tx) => {
      const received = receiveSay(tx.state, {
        id: `m${++this.#ids}`,
        author: "ada",
        source: "api",
        parts: [{ type: "text", text }],
        mode: "queue",
        request: null,
        model: "rehearsal:",
        fallbacks: [],
        limits: {
          steps: STEPS_MAX,
          activeMs: ACTIVE_MS_MAX,
          outputTokens: OUTPUT_TOKENS_MAX,
          toolCalls: TOOL_CALLS_MAX,
        },
        temperature: null,
        ...more,
      });
      if (received.ok) tx.append(received.entries);
      return received;
    });
  }

  decide(
    decision: "approve" | "deny",
    reason: string | null = null,
    digest: string | null = null,
  ): ReturnType<typeof receiveDecision> {
    return this.engine.record((tx) => {
      const phase = tx.state.run?.phase;
      const approval = phase?.at === "waiting_approval" ? phase.approval.approval : "none";
      const received = receiveDecision(
        tx.state,
        { approval, decision, actor: "ada", via: "http", reason, digest, edited: null },
        tx.at,
      );
      if (received.ok) tx.append(received.entries);
      return received;
    });
  }

  cancel(reason: string | null = null): readonly string[] {
    return this.engine.record((tx) => {
      const { entries, cancelled } = receiveCancel(tx.state, {
        id: `c${++this.#ids}`,
        actor: "ada",
        run: null,
        all: true,
        reason,
      });
      tx.append(entries);
      return cancelled;
    });
  }

  /** Fires the alarm if it is due, as the platform does: the row is gone while its handler runs. */
  async fire(): Promise<boolean> {
    const { alarm } = this.disk;
    if (alarm === null || alarm === Number.NEGATIVE_INFINITY || alarm > this.now) return false;
    this.disk.alarm = null;
    this.disk.firing = alarm;
    this.wakes++;
    await this.engine.wake();
    this.disk.firing = null;
    return true;
  }

  /** Lets time run from alarm to alarm until none is armed or it lies more than `patience` ahead. */
  async settle(patience = 60_000, wakesMax = 500): Promise<void> {
    for (let wakes = 0; wakes < wakesMax; wakes++) {
      const { alarm } = this.disk;
      if (alarm === null || alarm === Number.NEGATIVE_INFINITY || alarm > this.now + patience) return;
      this.now = Math.max(this.now, alarm);
      await this.fire();
    }
    throw new Error(`the session does not come to rest in ${wakesMax} wakes`);
  }
}

function replyOf(line: Exclude<Line, { fail: unknown }>, draft: (piece: DraftPiece) => void): ModelReply {
  const parts: ModelReply["parts"][number][] = [];
  const stream = (type: "text" | "reasoning", text: string): void => {
    const part = parts.length;
    parts.push({ type, text });
    for (const piece of text.match(/[\s\S]{1,7}/g) ?? []) draft({ type, part, text: piece });
  };
  if (line.thought !== undefined) stream("reasoning", line.thought);
  if (line.text !== undefined) stream("text", line.text);
  for (const [tool, input] of line.calls ?? []) parts.push({ type: "call", tool, input });
  const usage = {
    inputTokens: 100,
    cachedInputTokens: 0,
    outputTokens: 10,
    reasoningTokens: 0,
    estimated: false,
  };
  const finish = line.finish ?? ((line.calls?.length ?? 0) > 0 ? "tool-calls" : "stop");
  return { parts, finish, usage, model: "scripted", ms: 5, firstTokenMs: 1 };
}

async function begin(effects: Effects, tool: string): Promise<void> {
  effects.cross(`${tool}: before`);
  await effects.onTool?.(tool);
  const failure = effects.failures.get(tool)?.shift();
  if (failure !== undefined) throw failure;
}

const named = z.strictObject({ name: z.string().min(1) });

function packAt(versions: Readonly<Record<string, number>>): typeof simPack {
  const tools = simPack.tools.map((tool) => {
    const version = versions[tool.definition.name];
    return version === undefined ? tool : { definition: { ...tool.definition, version } };
  });
  return { ...simPack, tools };
}

/** One tool of each effect class, and one that always asks. */
export const simPack = definePack<Effects, Effects>({
  name: "sim",
  prompts: [],
  services: (effects) => effects,
  tools: [
    defineTool<Effects, typeof named, Json>({
      name: "look",
      version: 1,
      title: "Look",
      description: "Reads.",
      input: named,
      effect: "read",
      tier: "open",
      entities: (input) => [{ op: "touch", type: "page", id: input.name, name: input.name }],
      run: async (input, { services }) => {
        await begin(services, "look");
        services.reads++;
        services.cross("look: after");
        return { ok: true, name: input.name };
      },
    }),
    defineTool<Effects, typeof named, Json>({
      name: "bulk",
      version: 1,
      title: "Fetch much",
      description: "Reads a lot.",
      input: named,
      effect: "read",
      tier: "open",
      run: async (_input, { services }) => {
        await begin(services, "bulk");
        return /^[[{]/.test(services.bulk) ? (JSON.parse(services.bulk) as Json) : services.bulk;
      },
    }),
    defineTool<Effects, typeof named, Json>({
      name: "put",
      version: 1,
      title: "Put",
      description: "Writes, once per key.",
      input: named,
      effect: "keyed",
      tier: "write",
      run: async (input, { services, key }) => {
        await begin(services, "put");
        services.keyed.set(key, 1);
        services.cross("put: after");
        return { ok: true, put: input.name };
      },
    }),
    defineTool<Effects, typeof named, Json>({
      name: "send",
      version: 1,
      title: "Send",
      description: "Acts outside, never twice.",
      input: named,
      effect: "once",
      tier: "write",
      run: async (input, { services, call }) => {
        await begin(services, "send");
        services.once.push(call);
        services.cross("send: after");
        return { ok: true, sent: input.name };
      },
    }),
    defineTool<Effects, typeof named, Json>({
      name: "publish",
      version: 1,
      title: "Publish",
      description: "Makes public; a person decides.",
      input: named,
      effect: "keyed",
      tier: "publish",
      preview: async (input, { services }) => {
        const failure = services.failures.get("publish: preview")?.shift();
        if (failure !== undefined) throw failure;
        return {
          need: { kind: "ask", reason: "It becomes public." },
          title: `Publish ${input.name}`,
          summary: `${input.name} becomes public.`,
          impact: [`/${input.name} answers 200`],
          basis: `basis:${input.name}`,
        };
      },
      run: async (input, { services, key }) => {
        await begin(services, "publish");
        services.keyed.set(key, 1);
        services.cross("publish: after");
        return { ok: true, published: input.name };
      },
    }),
  ],
});
