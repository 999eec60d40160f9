import { NO_WORDS } from "../core/guards/no-words.ts";
import { loadedWith } from "../core/on-demand.ts";
import { defineAgent, type Agent } from "../agents/define.ts";
import type { Entry } from "../core/log/entry.ts";
import { ownValue, type Json } from "../core/log/json.ts";
import type { Model, ModelRequest } from "../core/log/model.ts";
import { ok, type Result } from "../core/log/result.ts";
import { createRedactor } from "../core/text/redact.ts";
import type { Actor, ApiError } from "../session/api/session-api.ts";
import type { SessionApi } from "../session/commands/commands.ts";
import { assemble } from "../session/assemble.ts";
import { GONE } from "../session/background/webhook-sender.ts";
import { Engine } from "../session/engine/engine.ts";
import { readTargets } from "../session/runs/targets.ts";
import { SessionParts as PluginSessions } from "../session/parts.ts";
import type { TablePart } from "../session/storage/migrations.ts";
import { SESSION_TABLES, tablesWith } from "../session/storage/tables.ts";
import { SqlStore } from "../session/storage/store.ts";
import type { AnyTool } from "../tools/define.ts";
import { GovernedTools } from "../tools/governed.ts";
import type { Plugin } from "../plugin.ts";
import { checkProject } from "../project.ts";
import { sharedLoads, startPlugins } from "../start-plugins.ts";
import { createTools } from "../project-tools.ts";
import { SimDisk } from "./disk.ts";
import { WAKE } from "./wake.ts";
import { replyOf, type Line } from "./script.ts";

/** The parts of a project that a test is about. */
export interface SessionParts {
  readonly tools?: readonly AnyTool[];
  readonly plugins?: readonly Plugin[];
  /** default: an agent that may call every tool */
  readonly agent?: Agent;
  /** the bindings, which tools get as their services */
  readonly env?: object;
}

/** A call of a tool, as the log has it. */
export interface SettledCall {
  readonly tool: string;
  readonly status: string;
  /** as the model reads it */
  readonly observation: string;
}

export interface Say {
  /** whose message it is: the owner of the session as an admin (default), or as a member without rights beyond their own */
  readonly as?: "admin" | "member";
}

const SESSION = "test";
const NAME = "rehearsal:test";
const ADMIN: Actor = { subject: "ada", scopes: ["read", "send", "approve", "admin"], via: "http" };
const MEMBER: Actor = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" };
/** A wait of a session that is longer than this is for a person: `wait` passes it. */
const PATIENCE_MS = 60_000;
const WAKES_MAX = 1_000;

interface Isolate {
  readonly engine: Engine;
  readonly api: SessionApi;
  /** what the session's alarm does */
  readonly wake: () => Promise<void>;
}

/**
 * One session in memory: the real loop, guards, approvals and storage, with a model that answers each step with one
 * line of a script. Each method resolves when the session waits for a person, or has nothing more to do.
 */
export class TestSession {
  /** what the model was sent, for each step */
  readonly requests: ModelRequest[] = [];
  readonly #parts: SessionParts;
  readonly #script: readonly Line[];
  readonly #disk: SimDisk;
  #now = Date.UTC(2026, 0, 1);
  #ids = 0;
  /** the model was asked for more than the script has */
  #hasScriptEnded = false;
  #store!: SqlStore;
  #isolate!: Isolate;

  constructor(parts: SessionParts, script: readonly Line[]) {
    this.#parts = parts;
    this.#script = script;
    this.#disk = new SimDisk(() => this.#now, tablesOf(parts.plugins));
    this.#start();
  }

  /** Sends a message. Throws with the words of the refusal where it is refused. */
  async say(text: string, { as = "admin" }: Say = {}): Promise<void> {
    const sent = await this.#isolate.api.send(as === "admin" ? ADMIN : MEMBER, {
      id: `m${++this.#ids}`,
      parts: [{ type: "text", text }],
      mode: null,
      source: "api",
      request: null,
      ask: {},
    });
    accepted(sent);
    await this.#settle();
  }

  /** Decides about the call that waits for a person. Throws where none does. */
  async decide(decision: "approve" | "deny", reason: string | null = null): Promise<void> {
    const approval = this.waiting;
    if (approval === null) throw new Error("No call waits for a decision.");
    const command = { approval: approval.id, decision, args: null, reason, digest: null };
    accepted(await this.#isolate.api.decide(ADMIN, command));
    await this.#settle();
  }

  /** Answers the question that the agent has asked. Throws where it has asked none. */
  async answer(value: Json): Promise<void> {
    accepted(await this.#isolate.api.answer(ADMIN, { runId: null, question: null, value }));
    await this.#settle();
  }

  /** Lets time pass: what falls due within it happens. */
  async wait(milliseconds: number): Promise<void> {
    const until = this.#now + milliseconds;
    await this.#settle(until);
    this.#now = Math.max(this.#now, until);
  }

  /** The process ends here and a new one starts with what is stored. */
  async crash(): Promise<void> {
    if (this.#disk.firing !== null) this.#disk.alarm ??= this.#disk.firing;
    this.#disk.firing = null;
    this.#start();
    await this.#settle();
  }

  /** The call that waits for a decision; null: none does. */
  get waiting(): {
    readonly id: string;
    readonly tool: string;
    readonly input: Json;
    readonly title: string;
  } | null {
    const phase = this.#isolate.engine.log.state().run?.phase;
    if (phase?.at !== "waiting_approval") return null;
    const { approval } = phase.approval;
    const request = this.log.findLast(
      (entry) => entry.kind === "approval_requested" && entry.body.approval === approval,
    );
    if (request?.kind !== "approval_requested") return null;
    const { tool, args, title } = request.body;
    return { id: approval, tool, input: args, title };
  }

  /** Every entry of the log. */
  get log(): readonly Entry[] {
    return this.#store.entriesAfter(0, Number.MAX_SAFE_INTEGER);
  }

  /** The last answer; null: there is none yet. */
  get reply(): string | null {
    const answer = this.log.findLast((entry) => entry.kind === "answer");
    return answer?.kind === "answer" ? answer.body.text : null;
  }

  /** Calls that have ended, in their order. */
  get calls(): readonly SettledCall[] {
    return this.log.flatMap((entry) => {
      if (entry.kind !== "call_settled") return [];
      const { tool, status, observation } = entry.body;
      return [{ tool, status, observation }];
    });
  }

  #start(): void {
    const { env = {} } = this.#parts;
    const project = checkProject({
      agents: { default: this.#parts.agent ?? defineAgent({ description: "The agent of a test." }) },
      tools: this.#parts.tools ?? [],
      plugins: this.#parts.plugins ?? [],
    });
    // With its options as plugins read them.
    const agent = project.agents.deployment;
    const clock = (): number => this.#now;
    const disk = this.#disk;
    const store = (this.#store = new SqlStore(disk));
    const redact = createRedactor([]);
    const started = startPlugins(project.plugins, env, redact);
    const [fault] = started.faults.problems;
    if (fault !== undefined) throw new Error(`${fault.about}: ${fault.message}`);
    const engine = new Engine({ session: SESSION, store, clock, redact });
    const { api, loadDue, outboxSender } = assemble({
      session: SESSION,
      engine,
      wakeModule: loadedWith(WAKE, started.words),
      store,
      disk,
      env,
      clock,
      redact,
      people: null,
      model: this.#model(),
      defaults: {
        model: NAME,
        fallbacks: [],
        admins: null,
        targets: readTargets({ kinds: new Map(), clock, report: () => {} }),
        files: {
          identify: async <Parts>(parts: Parts) => parts,
          waiting: async () => [],
          drop: async () => {},
        },
        messagesPerMinute: Infinity,
      },
      notices: { targets: [], links: null, publicUrl: null, post: async () => GONE },
      parts: (host) =>
        new PluginSessions(started.plugins, host, (plugin, error) => {
          throw new Error(`The session's part of the plugin ${plugin} failed.`, { cause: error });
        }),
      offer: (services, { byPlugin }) => {
        const context = { env, session: SESSION, clock, targets: {}, redact };
        const registry = createTools(
          { plugins: started.plugins, tools: project.tools },
          { ...context, services, parts: byPlugin },
        );
        return {
          tools: new GovernedTools(registry, agent.spec, true),
          known: registry,
          agents: { find: () => ok(agent), names: () => ["default"], load: async () => {} },
          hooks: agent.hooks,
          partsOf: (spec) => ({ tools: new GovernedTools(registry, spec, true), hooks: agent.hooks }),
        };
      },
      facts: ({ reachable }) => ({
        session: SESSION,
        harness: "test",
        get words() {
          return started.words.loaded ?? NO_WORDS;
        },
        instructions: (prompts, own, options) =>
          project.prompts.prefix(
            prompts,
            own,
            Array.from(
              started.shared,
              ([plugin, part]) => part.prompt?.(prompts, ownValue(options, plugin)) ?? "",
            ),
          ),
        transcript: () => "none",
        reachable,
      }),
      reach: null,
      loads: sharedLoads(started.shared),
      reportUnread: (id) => {
        throw new Error(`the schedule ${id} cannot be read`);
      },
      sessionIndex: { flush: async () => {}, leave: async () => {}, left: () => {} },
    });
    this.#isolate = {
      engine,
      api,
      wake: async () => {
        await loadDue();
        await engine.wake();
        await outboxSender.work();
      },
    };
  }

  #model(): Model {
    return {
      call: async (request, draft, signal) => {
        const line = this.#script[this.requests.length];
        this.requests.push(request);
        if (line === undefined) {
          this.#hasScriptEnded = true;
          return { kind: "aborted", partial: replyOf({}, draft) };
        }
        if ("fail" in line) return { kind: "failed", failure: line.fail };
        const reply = replyOf(line, draft);
        return signal.aborted ? { kind: "aborted", partial: reply } : { kind: "replied", reply };
      },
    };
  }

  /** From alarm to alarm, until none is due by `until`. */
  async #settle(until = this.#now + PATIENCE_MS): Promise<void> {
    const disk = this.#disk;
    for (let wakes = 0; wakes < WAKES_MAX; wakes++) {
      const { alarm } = disk;
      if (alarm === null || alarm === Number.NEGATIVE_INFINITY || alarm > until) return;
      this.#now = Math.max(this.#now, alarm);
      disk.alarm = null;
      disk.firing = alarm;
      await this.#isolate.wake();
      disk.firing = null;
      if (this.#hasScriptEnded)
        throw new Error(
          `The script has ${this.#script.length} lines, and the model is asked once more: add a line for this step.`,
        );
    }
    throw new Error(`The session still works after ${WAKES_MAX} steps.`);
  }
}

const tablesOf = (plugins: readonly Plugin[] = []): readonly TablePart[] =>
  plugins.some(({ tables }) => tables !== undefined) ? tablesWith(plugins) : SESSION_TABLES;

function accepted(answer: Result<unknown, ApiError>): void {
  if (!answer.ok) throw new Error([answer.error.message, answer.error.hint].filter(Boolean).join(" "));
}

/**
 * A session with tools or plugins of your own, for a test on Node.
 *
 *     const session = sessionOf({ tools: [printLabel], env: { PRINTER } }, [
 *       { calls: [["print_label", { address: "Ada" }]] },
 *       { text: "Printed." },
 *     ]);
 *     await session.say("Print a label for Ada.");
 *     await session.decide("approve");
 */
export const sessionOf = (parts: SessionParts, script: readonly Line[]): TestSession =>
  new TestSession(parts, script);
