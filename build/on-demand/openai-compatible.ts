/** The adapter of APIs in the format of OpenAI; src/cli/start/build-modules.ts makes build/modules/openai-compatible.mjs of it. */
export { createOpenAICompatible } from "@ai-sdk/openai-compatible";
