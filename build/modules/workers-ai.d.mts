export * from "../on-demand/workers-ai.ts";
