import type { Dialect } from "../core/log/model.ts";
import { isModelHead, modelForms, parseModelName, type OwnNames } from "../core/log/model.ts";
import type { PriceList, WindowList } from "../core/model-tables.ts";
import { isObject, parseObject } from "../protocol/variables.ts";

/** US dollars per million tokens; more is a slip of the point */
const PRICE_MAX = 10_000;

/**
 * `{"<model>":{"input":3,"cachedInput":0.3,"output":15}}`: US dollars per million tokens; `cachedInput` defaults to
 * `input`.
 */
export function parsePrices(value: unknown, own: OwnNames, refuse: (message: string) => void): PriceList {
  const table = parseObject(value);
  if (table === null) {
    refuse(
      "Must be a JSON object of model → {input, cachedInput?, output} in US dollars per million tokens.",
    );
    return {};
  }
  const isPrice = (price: unknown): price is number =>
    typeof price === "number" && Number.isFinite(price) && price >= 0 && price <= PRICE_MAX;
  const prices: Record<string, PriceList[string]> = {};
  for (const [index, [model, entry]] of Object.entries(table).entries()) {
    const wrong = (message: string): void => refuse(`Entry ${index + 1}: ${message}`);
    const fields = isObject(entry) && !Array.isArray(entry) ? entry : {};
    const { input, output, cachedInput = input, ...others } = fields as Record<string, unknown>;
    if (parseModelName(model, own) === null) wrong(`the model must be ${modelForms(own)}.`);
    else if (Object.keys(others).length > 0) wrong("only input, cachedInput and output are known.");
    else if (!isPrice(input) || !isPrice(output) || !isPrice(cachedInput))
      wrong(`input and output, and cachedInput where it is set, are numbers from 0 to ${PRICE_MAX}.`);
    else prices[model] = { input, cachedInput, output };
  }
  return prices;
}

/** fewer hold no step, more is a slip */
const WINDOW_MIN = 4_096;
const WINDOW_MAX = 100_000_000;

/** `{"<model>":200000}`: tokens that a model reads and writes in one call. */
export function parseWindows(value: unknown, own: OwnNames, refuse: (message: string) => void): WindowList {
  const table = parseObject(value);
  if (table === null) {
    refuse("Must be a JSON object of model → tokens of its window.");
    return {};
  }
  const windows: Record<string, number> = {};
  for (const [index, [model, tokens]] of Object.entries(table).entries()) {
    const wrong = (message: string): void => refuse(`Entry ${index + 1}: ${message}`);
    if (parseModelName(model, own) === null) wrong(`the model must be ${modelForms(own)}.`);
    else if (typeof tokens !== "number" || !(tokens >= WINDOW_MIN && tokens <= WINDOW_MAX))
      wrong(`a window is a number of tokens from ${WINDOW_MIN} to ${WINDOW_MAX}.`);
    else windows[model] = tokens;
  }
  return windows;
}

/** By an exact model string, or a head that ends in `*`. */
export type DialectList = Readonly<Record<string, Dialect>>;

const DIALECTS: readonly Dialect[] = ["native", "json", "tags"];

/** `{"<model>":"json"}`: in which form a model is asked and answers. */
export function parseDialects(value: unknown, own: OwnNames, refuse: (message: string) => void): DialectList {
  const table = parseObject(value);
  if (table === null) {
    refuse(`Must be a JSON object of model → ${DIALECTS.join(", ")}.`);
    return {};
  }
  const dialects: Record<string, Dialect> = {};
  for (const [index, [model, wanted]] of Object.entries(table).entries()) {
    const wrong = (message: string): void => refuse(`Entry ${index + 1}: ${message}`);
    const dialect = DIALECTS.find((one) => one === wanted);
    if (!isModelHead(model, own) && parseModelName(model, own) === null)
      wrong(`the model must be ${modelForms(own)}; it may end in *.`);
    else if (dialect === undefined) wrong(`a dialect is ${DIALECTS.join(", ")}.`);
    else dialects[model] = dialect;
  }
  return dialects;
}
