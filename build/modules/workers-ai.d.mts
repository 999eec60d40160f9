export * from "../beside/workers-ai.ts";
