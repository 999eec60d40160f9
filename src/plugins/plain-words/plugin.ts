import { loadPlainWords } from "../../../build/modules/plain-words.ts";
import type { Plugin } from "../../cairn/plugin.ts";

/** Word lists for classifying requests and for reviewing answers. */
export const plainWords = (): Plugin => ({
  name: "plain-words",
  words: async () => (await loadPlainWords()).WORDS,
});
