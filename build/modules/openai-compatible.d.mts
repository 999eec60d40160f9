export * from "../on-demand/openai-compatible.ts";
