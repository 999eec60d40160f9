/** The word lists; src/cli/start/build-modules.ts makes build/modules/plain-words.mjs of them. */
export { WORDS } from "../../src/plugins/plain-words/words.ts";
