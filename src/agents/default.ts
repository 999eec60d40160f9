import { defineAgent } from "../cairn/definitions.ts";

/**
 * The agent that every session has. This is the place to give yours its own words and hooks:
 * `prepareStep`, `onStepFinish` and `stopWhen` of core/loop/hooks.ts. `approvals` says who decides what a tool may do, such as
 * `{ page_delete: { approvers: ["bob", "carol", "dan"], needed: 2, requesterMayApprove: false } }`.
 */
export const defaultAgent = defineAgent({ description: "Works on the site and answers questions about it." });
