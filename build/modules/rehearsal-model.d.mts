export * from "../on-demand/rehearsal-model.ts";
