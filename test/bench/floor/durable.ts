import { streamText, tool, type LanguageModel, type ModelMessage } from "ai";
import * as z from "zod";
import { journalOf } from "../worker/journal.ts";
import { createScriptedModel, scriptText, type Script } from "../worker/script.ts";
import { INSTRUCTIONS } from "../worker/words.ts";
import { joined } from "./joined.ts";
import { floorWorker, FloorObject } from "./object.ts";

/**
 * The same durability as Cairn's and nothing else: a commit before and after each model call and each round of tools, an
 * alarm for each step, and one `streamText` of one step in it. As with Cairn, the platform lets nothing out before the
 * commit. No guards, no approvals, no trace, no drafts, no index.
 */

const model: LanguageModel = joined(createScriptedModel());
const tools = {
  put: tool({
    description: "Puts a number.",
    inputSchema: z.strictObject({ turn: z.string(), n: z.number() }),
  }),
};

/**
 * Kinds of log rows: the turn's script, a model call that may start, its reply with the calls that may run, their
 * results.
 */
type Kind = "script" | "asked" | "replied" | "ran";

export class Contender extends FloorObject {
  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    context.storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS log (n INTEGER PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL)",
    );
  }

  override async alarm(): Promise<void> {
    const { script, messages } = this.#load();
    this.#keep("asked", { messages: messages.length });
    const step = streamText({ model, instructions: INSTRUCTIONS, messages, tools, maxRetries: 0 });
    let failure: unknown = null;
    await step.consumeStream({ onError: (error) => void (failure = error) });
    if (failure !== null) throw failure;
    const [response, calls] = await Promise.all([step.response, step.toolCalls]);
    this.#keep("replied", response.messages);
    if (calls.length === 0) return this.ended();
    const results = calls.map(({ toolCallId, toolName }) => {
      journalOf(script.key).ranTool();
      const output = { type: "json" as const, value: { ok: true } };
      return { type: "tool-result" as const, toolCallId, toolName, output };
    });
    this.ctx.storage.transactionSync(() => {
      this.#keep("ran", [{ role: "tool", content: results }] satisfies ModelMessage[]);
      this.arm();
    });
  }

  protected override store(script: Script): void {
    this.#keep("script", script);
  }

  /** The turn as far as its rows tell it. */
  #load(): { readonly script: Script; readonly messages: ModelMessage[] } {
    const rows = this.ctx.storage.sql
      .exec<{ kind: Kind; body: string }>(
        "SELECT kind, body FROM log WHERE n >= (SELECT max(n) FROM log WHERE kind = 'script') ORDER BY n",
      )
      .toArray();
    const script = JSON.parse(rows[0]?.body ?? "null") as Script;
    const said = rows
      .filter(({ kind }) => kind === "replied" || kind === "ran")
      .flatMap(({ body }) => JSON.parse(body) as ModelMessage[]);
    return { script, messages: [{ role: "user", content: scriptText(script) }, ...said] };
  }

  #keep(kind: Kind, body: unknown): void {
    this.ctx.storage.sql.exec("INSERT INTO log (kind, body) VALUES (?, ?)", kind, JSON.stringify(body));
  }
}

export default floorWorker;
