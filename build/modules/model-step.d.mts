export * from "../on-demand/model-step.ts";
