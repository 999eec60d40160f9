/** Everything that a project is written with, in any runtime: `createCairn` alone needs a Worker. */
export { fromAiTool, type AiToolOptions } from "./tools/ai-tool.ts";
export {
  definePack,
  defineTool,
  ToolError,
  type AnyTool,
  type Pack,
  type Tool,
  type ToolContext,
} from "./tools/define.ts";
export { defineAgent, type Agent, type AgentDefinition } from "./agents/define.ts";
export { defineWebhooks, type Webhooks, type WebhookRule, type WebhookSource } from "./webhooks/rules.ts";
export { CairnError, isCairnError, type CairnIssue, type CairnRefusal } from "./cairn-error.ts";
export { offered, type Plugin, type SharedPart, type ToolPlace } from "./plugin.ts";
export type { SessionHost, SessionPart } from "./session/part.ts";
export type { Bindings } from "./bindings.ts";
export type { CairnOptions } from "./project.ts";
export type { ModelFactories, ModelFactory } from "./models/own-models.ts";
export type { Preview, Tier } from "./core/log/tool.ts";
export type { EffectClass } from "./core/log/names.ts";
export type { ApprovalRules } from "./core/log/approval.ts";
export {
  stepCountIs,
  toolCalled,
  type Hooks,
  type HookView,
  type StepFinish,
  type StepView,
  type StopCondition,
} from "./core/loop/hooks.ts";
export type { Entry } from "./core/log/entry.ts";
export type { Json, JsonObject } from "./core/log/json.ts";
export {
  onDiagnostics,
  type ApprovalEvent,
  type CallEvent,
  type DiagnosticEvents,
  type RunEvent,
  type StepEvent,
} from "./session/diagnostics.ts";
