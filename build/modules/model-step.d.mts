export * from "../beside/model-step.ts";
