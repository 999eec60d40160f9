/** Adapters of model providers, each loaded at its first call (pdf.ts says why they lie here). */
export const loadOpenAiCompatible = () => import("./openai-compatible.mjs");
export const loadWorkersAi = () => import("./workers-ai.mjs");
