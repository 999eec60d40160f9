/** The rehearsal model; src/cli/start/build-modules.ts makes build/modules/rehearsal-model.mjs of it. */
export { createRehearsalModel } from "../../src/plugins/rehearsal/model.ts";
