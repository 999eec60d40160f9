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
export type { ToolLister, ToolLists } from "./tools/lister.ts";
export { defineAgent, type Agent, type AgentDefinition } from "./agents/define.ts";
export { defineWebhooks, type Webhooks, type WebhookRule, type WebhookSource } from "./webhooks/rules.ts";
export { CairnError, isCairnError, type CairnIssue, type CairnRefusal } from "./cairn-error.ts";
export {
  offered,
  type JobContext,
  type Jobs,
  type Notice,
  type OfferedPack,
  type Plugin,
  type Problem,
  type PromptTexts,
  type SharedPart,
  type TargetKind,
  type OfferContext,
} from "./plugin.ts";
export type { SessionHost, SessionPart } from "./session/part.ts";
export type { Migration } from "./session/storage/migrations.ts";
/** Routes of a plugin: declared with their scopes and schemas, as those of the kernel are. */
export { refuse, route, type HttpContext, type Method, type OwnAnswer } from "./http/kit/route.ts";
export { readFields } from "./http/kit/parse.ts";
export { refusal, type ApiError, type Scope } from "./session/api/session-api.ts";
export type { Deps, RouteMounts } from "./http/deps.ts";
/** Requests to addresses that a model supplied: the only safe way. Each hop is checked, and the answer is bounded. */
export { safeFetch, type SafeRequest, type SafeResponse } from "./outbound/safe-fetch.ts";
export { accessOf, type AccessBindings, type WebAccess } from "./outbound/access.ts";
export type { FetchFault } from "./outbound/fetch-fault.ts";
export type { Result } from "./core/log/result.ts";
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
