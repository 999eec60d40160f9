import { callText } from "../../call-prompts.ts";
import { startOf } from "../../core/text/cut.ts";
import { dayOf, type DayCaps } from "../../core/guards/budget/admit.ts";
import { isRulesName, type Model, type ModelReply, type ModelRequest } from "../../core/log/model.ts";
import { chargeUsage, priceOf, type PriceList } from "../../core/model-tables.ts";
import type { State } from "../../core/state/state.ts";
import { separateCall, type Material } from "../../core/prompt/separate-call.ts";
import type { Redactor } from "../../core/text/redact.ts";
import { removeHidden } from "../../core/text/untrusted.ts";
import type { Background } from "../engine/ports.ts";
import type { Engine } from "../engine/engine.ts";
import type { Meta } from "../storage/meta.ts";
import type { SqlStore } from "../storage/store.ts";

/**
 * Titles a session after its first answer, by one small call of its model outside of all runs. The model is asked once:
 * the intent is written first, so that a crash costs a title, not a second call. The cost is an entry, and counts for
 * the day.
 */

export interface TitleDeps {
  readonly session: string;
  readonly engine: Pick<Engine, "record" | "rearm" | "isAwake" | "log">;
  readonly store: SqlStore;
  /** null while none can be called */
  readonly model: Model | null;
  /** of the deployment; null while none is set */
  readonly modelName: string | null;
  readonly prices: PriceList;
  readonly day: DayCaps;
  readonly redact: Redactor;
  readonly clock: () => number;
  /** a fault, for the operator's log */
  readonly report: (error: unknown) => void;
}

/** A person who writes again at once is answered first. */
const REST_MS = 1_000;
const TIMEOUT_MS = 15_000;
const OUTPUT_TOKENS_MAX = 32;
const TITLE_CHARS_MAX = 60;
/** of a line that a title is taken from */
const LINE_CHARS_MAX = 500;
/** characters of what was asked, and of what was answered */
const WORDS_MAX = 1_500;

export class SessionTitle implements Background {
  readonly #deps: TitleDeps;

  constructor(deps: TitleDeps) {
    this.#deps = deps;
  }

  due(state: State): number | null {
    return this.#wanted(state) === null ? null : state.at + REST_MS;
  }

  /** Asks for the title when it is due. Not waited for by the alarm: a run that begins meanwhile goes first. Never throws. */
  async kick(): Promise<void> {
    const { engine, store, clock, report } = this.#deps;
    const state = engine.log.cachedState();
    const wanted = this.#wanted(state);
    if (wanted === null || engine.isAwake || clock() < state.at + REST_MS) return;
    const { meta, request } = wanted;
    try {
      engine.rearm(() => store.saveMeta({ ...meta, titleAsked: true }));
      await this.#ask(meta, request());
    } catch (error) {
      report(error);
    }
  }

  async #ask(meta: Meta, request: ModelRequest): Promise<void> {
    const { engine, store, model, prices, redact } = this.#deps;
    const outcome = await model?.call(request, () => {}, AbortSignal.timeout(TIMEOUT_MS));
    if (outcome?.kind !== "replied") return;
    const { usage } = outcome.reply;
    const price = priceOf(request.model, prices);
    const title = redact(titleIn(outcome.reply));
    engine.record((tx) => {
      const now = store.loadMeta();
      // Deleted meanwhile, or even made anew.
      if (now === null || now.createdAt !== meta.createdAt) return;
      const body = { title, model: request.model, usage: chargeUsage(price, usage) };
      tx.append([{ kind: "titled", run: null, step: null, body }]);
      if (now.titleSource === "auto" && title !== "") store.saveMeta({ ...now, title, changedAt: tx.at });
    });
  }

  /** Returns the title request for an untitled session with one answer and a capable model; null for any other. */
  #wanted(state: State): { readonly meta: Meta; readonly request: () => ModelRequest } | null {
    const { session, store, model, modelName, day, clock } = this.#deps;
    const last = state.ended.at(-1);
    if (model === null || state.run !== null || last?.outcome !== "completed" || last.answer === null)
      return null;
    const meta = store.loadMeta();
    if (meta === null || meta.titleSource !== "auto" || meta.titleAsked === true) return null;
    const name = meta.model ?? modelName;
    if (name === null || isRulesName(name)) return null;
    const { used, limit } = dayOf(state, clock(), day);
    if (used.tokens >= limit.tokens || used.cost >= limit.cost) return null;
    const { inputSeq, answer } = last;
    const request = (): ModelRequest =>
      separateCall({
        model: name,
        session,
        step: "title",
        instructions: callText("name-session"),
        material: this.#exchange(inputSeq, answer),
        maxOutputTokens: OUTPUT_TOKENS_MAX,
        temperature: null,
        timeoutMs: TIMEOUT_MS,
      });
    return { meta, request };
  }

  /** The request and the answer, each cut. Either may quote a stranger: a webhook, a forward, a page. */
  #exchange(inputSeq: number, answerSeq: number): readonly Material[] {
    const { store } = this.#deps;
    return [
      ...store.entriesBetween(inputSeq, inputSeq),
      ...store.entriesBetween(answerSeq, answerSeq),
    ].flatMap((entry): Material[] => {
      if (entry.kind === "answer") return [{ source: "answer", text: startOf(entry.body.text, WORDS_MAX) }];
      if (entry.kind !== "user_message") return [];
      const text = entry.body.parts.map((part) => (part.type === "text" ? part.text : "")).join(" ");
      return [{ source: "request", text: startOf(text, WORDS_MAX) }];
    });
  }
}

/** Returns the first line of the reply, without the decoration that models put around a title. */
function titleIn({ parts }: ModelReply): string {
  const shownText = removeHidden(parts.map((part) => (part.type === "text" ? part.text : "")).join(""));
  const line = shownText.split("\n").find((each) => each.trim() !== "") ?? "";
  const bare = startOf(line.trim(), LINE_CHARS_MAX)
    .replace(/^(?:(?:#+|title:)\s*)+/i, "")
    .replace(/^["'“„«*]+|["'”“»*.]+$/g, "")
    .trim();
  return bare.length > TITLE_CHARS_MAX ? `${startOf(bare, TITLE_CHARS_MAX - 1).trimEnd()}…` : bare;
}
