import { loadPlainWords } from "../../../build/modules/plain-words.ts";
import type { Plugin } from "../../cairn/plugin.ts";

/** Word lists, by which requests get their class and the review of an answer reads what it says. */
export const plainWords = (): Plugin => ({
  name: "plain-words",
  words: async () => (await loadPlainWords()).WORDS,
});
