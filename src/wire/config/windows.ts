import type { WindowList } from "../../core/windows.ts";
import { MODEL_FORMS, parseModelName } from "../../core/log/model-name.ts";
import { parseObject } from "./variables.ts";

/** fewer hold no step, more is a slip */
const WINDOW_MIN = 4_096;
const WINDOW_MAX = 100_000_000;

/** `{"<model>":200000}`: tokens that a model reads and writes in one call. */
export function parseWindows(value: unknown, refuse: (message: string) => void): WindowList {
  const table = parseObject(value);
  if (table === null) {
    refuse("Must be a JSON object of model → tokens of its window.");
    return {};
  }
  const windows: Record<string, number> = {};
  for (const [index, [model, tokens]] of Object.entries(table).entries()) {
    const wrong = (message: string): void => refuse(`Entry ${index + 1}: ${message}`);
    if (parseModelName(model) === null) wrong(`the model must be ${MODEL_FORMS}.`);
    else if (typeof tokens !== "number" || !(tokens >= WINDOW_MIN && tokens <= WINDOW_MAX))
      wrong(`a window is a number of tokens from ${WINDOW_MIN} to ${WINDOW_MAX}.`);
    else windows[model] = tokens;
  }
  return windows;
}
