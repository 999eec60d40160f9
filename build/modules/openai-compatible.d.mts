export * from "../beside/openai-compatible.ts";
