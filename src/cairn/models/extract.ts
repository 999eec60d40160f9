import { callText } from "../call-prompts.ts";
import type { Price } from "../core/model-tables.ts";
import type { Model } from "../core/log/model.ts";
import { createAsk } from "./read-page.ts";

/** A model that reads a part of a page for somebody, without tools. */

const QUOTES_MAX = 8;
/** characters of the instructions, the goal and a part, with room for scripts that take a token a letter */
const INPUT_TOKENS_MAX = 14_000;

/** As an `Extractor` of the tools of the web (documents/extract.ts). */
export function createExtractor(model: Model, name: string, price: Price) {
  const instructions = callText("read-part", { quotes: QUOTES_MAX });
  const ask = createAsk(model, { name, price, instructions, inputTokensMax: INPUT_TOKENS_MAX });
  return {
    costUsdMax: ask.costUsdMax,
    async read(
      { goal, title, text }: { readonly goal: string; readonly title: string; readonly text: string },
      signal: AbortSignal,
    ) {
      const { answer, costUsd } = await ask.ask({ "What is wanted": goal }, { title, text }, signal);
      return { ...readAnswer(answer), costUsd };
    },
  };
}

/** Values other than text are dropped. */
function readAnswer(value: unknown): { readonly quotes: readonly string[]; readonly note: string } {
  const answer = value as { quotes?: unknown; note?: unknown };
  const quotes = Array.isArray(answer.quotes) ? answer.quotes : [];
  return {
    quotes: quotes.filter((one): one is string => typeof one === "string").slice(0, QUOTES_MAX),
    note: typeof answer.note === "string" ? answer.note : "",
  };
}
