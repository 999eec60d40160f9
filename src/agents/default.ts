import { defineAgent } from "./define.ts";

/**
 * The agent that every session has. This is the place to give yours its own words and hooks:
 * `prepareStep`, `onStepFinish` and `stopWhen` of core/hooks.ts.
 */
export const defaultAgent = defineAgent({ description: "Works on the site and answers questions about it." });
