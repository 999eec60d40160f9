/** One call of a model; src/cli/start/build-modules.ts makes build/modules/model-step.mjs of it. */
export { createProviders } from "../../src/cairn/models/providers.ts";
export { createModel } from "../../src/cairn/models/step.ts";
