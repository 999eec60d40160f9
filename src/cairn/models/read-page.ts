import { callText } from "../call-prompts.ts";
import { isObject, toJson, type Json } from "../core/log/json.ts";
import { chargeUsage, costOf, type Price } from "../core/model-tables.ts";
import type { Model } from "../core/log/model.ts";
import { separateCall, type SeparateCall } from "../core/prompt/separate-call.ts";
import { objectIn } from "./reply.ts";

/** A model that is given a page and nothing else: no tools, no conversation. */

const TIMEOUT_MS = 25_000;
const OUTPUT_TOKENS_MAX = 1_500;
/** characters of the instructions, of ten fields with twenty choices each, and of a page, in scripts that take a token a letter */
const VALUES_INPUT_TOKENS_MAX = 32_000;

/** US dollars. */
const dollarsOf = (millionths: number | null): number => (millionths ?? 0) / 1_000_000;

interface Reading {
  readonly name: string;
  readonly price: Price;
  readonly instructions: string;
  readonly inputTokensMax: number;
}

/** `costUsdMax`: US dollars of one call at most. `ask` throws where the model fails, takes too long or answers no JSON object. */
export function createAsk(model: Model, { name, price, instructions, inputTokensMax }: Reading) {
  return {
    costUsdMax: dollarsOf(costOf(price, { input: inputTokensMax, output: OUTPUT_TOKENS_MAX })),
    async ask(
      fields: NonNullable<SeparateCall["fields"]>,
      page: { readonly title: string; readonly text: string },
      signal: AbortSignal,
    ): Promise<{ answer: unknown; costUsd: number }> {
      const outcome = await model.call(
        separateCall({
          model: name,
          session: "pages",
          step: "extract",
          instructions,
          fields,
          material: [{ source: "page", text: `${page.title}\n\n${page.text}` }],
          maxOutputTokens: OUTPUT_TOKENS_MAX,
          temperature: null,
          timeoutMs: TIMEOUT_MS,
        }),
        () => {},
        signal,
      );
      if (outcome.kind === "failed") throw new Error(`${outcome.failure.class}: ${outcome.failure.message}`);
      if (outcome.kind === "aborted") throw new Error("the model took too long");
      const costUsd = dollarsOf(chargeUsage(price, outcome.reply.usage).cost);
      return { answer: objectIn(outcome.reply), costUsd };
    },
  };
}

interface PageQuestion {
  readonly question: string;
  readonly fields: readonly {
    readonly name: string;
    readonly type: string;
    readonly choices?: readonly string[] | undefined;
    readonly description: string;
  }[];
  readonly title: string;
  readonly text: string;
}

/** As a `ValueReader` of the tools of the web (documents/value-reader.ts), which checks what is answered. */
export function createValueReader(model: Model, name: string, price: Price) {
  const inputTokensMax = VALUES_INPUT_TOKENS_MAX;
  const instructions = callText("read-values");
  const ask = createAsk(model, { name, price, instructions, inputTokensMax });
  return {
    costUsdMax: ask.costUsdMax,
    async read(
      { question, fields, title, text }: PageQuestion,
      signal: AbortSignal,
    ): Promise<{ values: Json; quotes: Json; costUsd: number }> {
      const request = { "What is wanted": question, Fields: toJson(fields) };
      const { answer, costUsd } = await ask.ask(request, { title, text }, signal);
      const json = toJson(answer);
      const { values = null, quotes = null } = isObject(json) ? json : {};
      return { values, quotes, costUsd };
    },
  };
}
