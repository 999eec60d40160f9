export * from "../beside/rehearsal-model.ts";
