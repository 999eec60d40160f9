import { NO_WORDS } from "../../../src/cairn/core/guards/no-words.ts";
import { agents } from "../../../src/agents/agents.ts";
import { createCairn } from "../../../src/cairn/create.ts";
import type { OfferContext } from "../../../src/cairn/plugin.ts";
import { rehearsal } from "../../../src/plugins/rehearsal/plugin.ts";
import { GovernedTools } from "../../../src/cairn/tools/governed.ts";
import { PLAIN_SPEC } from "../../../src/cairn/core/log/run-spec.ts";
import { createRedactor } from "../../../src/cairn/core/text/redact.ts";
import * as z from "zod";
import type { Model, ModelReply } from "../../../src/cairn/core/log/model.ts";
import { RUN_LIMITS } from "../../../src/cairn/core/limits.ts";
import { NO_HOOKS } from "../../../src/cairn/core/loop/hooks.ts";
import { receiveSend } from "../../../src/cairn/core/loop/receive.ts";
import { createModel } from "../../../src/cairn/models/step.ts";
import { objectDisk } from "../../../src/cairn/session/storage/durable-disk.ts";
import { ACTOR_HEADER, type Actor } from "../../../src/cairn/session/api/session-api.ts";
import { Engine } from "../../../src/cairn/session/engine/engine.ts";
import { WAKE } from "../../../src/cairn/testing/wake.ts";
import { NEVER_INDEXED } from "../../../src/cairn/session/storage/meta.ts";
import { SqlStore } from "../../../src/cairn/session/storage/store.ts";
import { definePack, defineTool } from "../../../src/cairn/tools/define.ts";
import { Registry } from "../../../src/cairn/tools/registry.ts";
import kernelTables from "../../../migrations/0001_kernel.sql";
import { answer, measureTurn, type BenchObject, type Turn } from "../worker/bench.ts";
import { journalOf } from "../worker/journal.ts";
import { installMeter } from "../worker/meter.ts";
import { createScriptedModel, scriptText, type Script } from "../worker/script.ts";
import { seededText } from "../worker/words.ts";

/** Cairn on the bench: the real Session, with the scripted model behind the real adapter and one tool. */

const ADA: Actor = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" };

const put = z.strictObject({ turn: z.string(), n: z.number() });
const pack = definePack<null, null>({
  name: "bench",
  prompts: [],
  services: () => null,
  tools: [
    defineTool<null, typeof put, { readonly ok: true }>({
      name: "put",
      version: 1,
      title: "Put",
      description: "Puts a number.",
      input: put,
      // As most tools of a site do, it writes, and what it wrote is remembered.
      effect: "keyed",
      tier: "write",
      entities: ({ n }) => [{ op: "touch", type: "page", id: `p${n}`, name: `Page ${n}` }],
      run: async ({ turn }) => {
        journalOf(turn).ranTool();
        return { ok: true };
      },
    }),
  ],
});

const cairn = createCairn({ agents, plugins: [rehearsal()] });

export class Contender extends cairn.Session implements BenchObject {
  #waiting: { readonly script: Script; readonly ended: () => void } | null = null;

  constructor(context: DurableObjectState, env: Env) {
    installMeter(context.storage);
    super(context, env);
  }

  protected override createTools({ session }: OfferContext): Registry {
    return new Registry(session, Date.now).add(pack, null);
  }

  protected override createModel(): Model {
    return createModel({ providers: async () => createScriptedModel() });
  }

  override async alarm(): Promise<void> {
    await super.alarm();
    if (this.#waiting === null) return;
    const { script, ended } = this.#waiting;
    const last = journalOf(script.key).requests[script.calls - 1];
    if (last === undefined || last.to === null) return;
    this.#waiting = null;
    ended();
  }

  turn(script: Script, metered: boolean): Promise<Turn> {
    return measureTurn(script, metered, async () => {
      const ended = new Promise<void>((resolve) => {
        this.#waiting = { script, ended: resolve };
      });
      await this.begin(script);
      await ended;
    });
  }

  async begin(script: Script): Promise<void> {
    await this.#accept(script);
  }

  /** As the HTTP door streams a run. */
  async watch(script: Script): Promise<Response> {
    const query = new URLSearchParams({ run: await this.#accept(script), part: "first" });
    const headers = { [ACTOR_HEADER]: JSON.stringify(ADA) };
    return this.fetch(new Request(`https://session/stream/run?${query.toString()}`, { headers }));
  }

  /** The public id of its run. */
  async #accept(script: Script): Promise<string> {
    const said = await this.api.send(ADA, {
      id: script.key,
      parts: [{ type: "text", text: scriptText(script) }],
      mode: null,
      source: "api",
      request: null,
      ask: {},
    });
    if (!said.ok) throw new Error(said.error.message);
    return said.value.runId;
  }

  /** Real runs of the real loop, one for every two messages, with a model that answers at once and no alarm between. */
  async seed(messages: number): Promise<void> {
    const disk = objectDisk(this.ctx.storage);
    const store = new SqlStore({ ...disk, setAlarm: () => {}, deleteAlarm: () => {} });
    const engine = new Engine({
      session: this.lifecycle.name,
      store,
      clock: Date.now,
      redact: createRedactor([]),
    }).connect({
      wakeModule: WAKE,
      model: { call: async () => ({ kind: "replied", reply: seeded(at * 2 + 1) }) },
      tools: new GovernedTools(new Registry(this.lifecycle.name, Date.now), { approvals: {} }),
      facts: {
        session: this.lifecycle.name,
        harness: "bench",
        words: NO_WORDS,
        instructions: () => "",
        transcript: () => "compact",
      },
      hooks: NO_HOOKS,
    });
    let at = engine.log.state().head;
    for (const last = at + messages / 2; at < last; at++) {
      engine.record((tx) => {
        const received = receiveSend(tx.state, {
          id: `seed-${at}`,
          author: ADA.subject,
          source: "api",
          parts: [{ type: "text", text: seededText(at * 2) }],
          mode: "queue",
          request: null,
          model: "seeded",
          fallbacks: [],
          wanted: { limits: RUN_LIMITS, profile: "standard" },
          temperature: null,
          spec: PLAIN_SPEC,
          role: "member",
        });
        if (!received.ok) throw new Error("the seed was refused");
        tx.append(received.entries);
      });
      await engine.wake();
    }
    if (engine.log.state().run !== null) throw new Error("a seeded run has not ended");
    // A session that grew so has told the index all along.
    store.transaction(() => store.saveIndexed({ ...NEVER_INDEXED, seq: engine.log.state().head }));
  }

  async die(): Promise<void> {
    this.ctx.abort("bench");
  }

  async ping(): Promise<void> {
    await this.api.view(ADA);
  }
}

function seeded(index: number): ModelReply {
  return {
    parts: [{ type: "text", text: seededText(index) }],
    finish: "stop",
    usage: { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, reasoningTokens: 0, estimated: false },
    model: "seeded",
    ms: 1,
    firstTokenMs: 1,
  };
}

interface Watched {
  watch(script: Script): Promise<Response>;
}

interface Bindings {
  readonly OBJECT: DurableObjectNamespace;
  readonly DB: D1Database;
}

let migrated: Promise<unknown> | null = null;

/** The tables of the index, once for each server; a second isolate finds them there. */
function migrate(db: D1Database): Promise<unknown> {
  const statements = kernelTables.split(/;\n/).filter((statement) => statement.trim() !== "");
  migrated ??= db
    .prepare("SELECT name FROM sqlite_master WHERE name = 'sessions'")
    .first()
    .then((found) =>
      found === null ? db.batch(statements.map((statement) => db.prepare(statement))) : null,
    );
  return migrated;
}

export default {
  async fetch(request: Request, env: Bindings): Promise<Response> {
    await migrate(env.DB);
    const open = (name: string) => env.OBJECT.getByName(name) as unknown as BenchObject & Watched;
    return answer(
      request,
      async (name) => open(name),
      (session, script) => open(session).watch(script),
    );
  },
};
