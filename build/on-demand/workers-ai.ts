/** The adapter of Workers AI; src/cli/start/build-modules.ts makes build/modules/workers-ai.mjs of it. */
export { createWorkersAI } from "workers-ai-provider";
