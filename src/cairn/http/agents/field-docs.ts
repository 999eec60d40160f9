import { fieldDescriptions, type FieldDoc } from "../../protocol/field-doc.ts";
import type { AgentDefinition } from "../../agents/define.ts";

/** Every field of an agent, for the OpenAPI document and for the table in docs/agents.md, in the order of that table. */
export const AGENT_FIELD_DOCS: { readonly [Name in keyof AgentDefinition]-?: FieldDoc } = {
  description: { meaning: "For people", unset: null },
  instructions: { meaning: "Added to the prompt, at most 20,000 characters", unset: "none" },
  tools: {
    meaning: "Names, `pack:<name>`, `run_agent` or `agent:<name>`; built-in tools are always included",
    unset: "all",
    see: "agents.md#agents-that-call-agents",
  },
  gates: { meaning: 'Stricter approval: `{ page_delete: "deny", page_create: "ask" }`', unset: "none" },
  approvals: {
    meaning: "Who decides the calls of a tool",
    unset: "the session's owner",
    see: "agents.md#approval-rules",
  },
  unattended: {
    meaning: "Tools of the tier `write` for runs without a person",
    unset: "none",
    see: "agents.md#unattended-runs",
  },
  admins: { meaning: "Who of the scope `admin` is an admin; `default` only", unset: "all" },
  model: { meaning: "A model such as `workers-ai:<id>`", unset: "the session's, the deployment's" },
  fallbacks: { meaning: "Up to three fallback models", unset: "the deployment's" },
  dialect: {
    meaning: "`native`, `json`, `tags` or `auto`",
    unset: "`auto`",
    see: "configuration.md#models-without-tool-calling",
  },
  preset: { meaning: "Set of limits", unset: "none", see: "agents.md#presets" },
  profile: { meaning: "Class of every run", unset: "by message", see: "agents.md#classes-and-limits" },
  limits: {
    meaning: "`steps`, `tokens`, `costUsd`, `activeMs`, `toolCalls`, `messages`, `outputTokens`",
    unset: "the class's",
  },
  day: {
    meaning: "Limit per session and UTC day: `{ tokens, costUsd }`",
    unset: "50 million tokens, 50 US dollars",
  },
  onExhausted: { meaning: "`answer`: a spent run answers from what it knows; `fail`", unset: "`answer`" },
  onStuck: {
    meaning: "Response to loops",
    unset: "forced answer",
    see: "agents.md#loops-and-questions",
  },
  questions: {
    meaning: "How long questions wait",
    unset: "7 days, then continue",
    see: "agents.md#loops-and-questions",
  },
  hooks: { meaning: "Functions in the loop", unset: "none", see: "agents.md#hooks" },
  targets: {
    meaning: "What tools work on, by names of plugins",
    unset: "the deployment's",
  },
  options: {
    meaning: "Values for plugins, by their names",
    unset: "none",
    see: "plugins.md#agent-options",
  },
  resultKey: { meaning: "Key of the result", unset: "`result`" },
  output: { meaning: "JSON Schema of the result; `pattern` is not checked", unset: "none" },
  citations: {
    meaning: "`check`: marks must exist; `require`: there must be one; `off`",
    unset: "by class",
    see: "research.md#citations",
  },
  deliver: {
    meaning: "`tool`: runs answer with `send_message`; `reply`: the requester gets the answer",
    unset: "`reply`",
  },
  quarantine: {
    meaning: "`true`: outside pages only through `read_values`",
    unset: "`false`",
    see: "research.md#typed-values",
  },
  clientTools: {
    meaning: "`false`: refuse tools of chat pages",
    unset: "`true`",
    see: "protocol.md#client-tools",
  },
  showThoughts: { meaning: "`false`: only admins see thoughts", unset: "`true`" },
  objectiveTemplate: { meaning: "Prompt text with `{{objective}}`", unset: "the message" },
  transcript: {
    meaning:
      "Run history in the prompt: `compact` (the middle is summarized), `window` (newest messages) or `none` (summarized only if too long)",
    unset: "`compact`",
  },
  observationChars: {
    meaning: "Characters of a result in the prompt: `{ reads, others }`",
    unset: "by tool",
  },
  marker: { meaning: "`true`: offers the line `FINAL_ANSWER:`", unset: "`false`" },
  classLabel: {
    meaning: "`true`: a model helps to choose the class",
    unset: "`false`",
    see: "agents.md#choice-of-a-class",
  },
  planFirst: { meaning: "`true`: a planned run must plan in its first step", unset: "`false`" },
};

/** Descriptions by field, for the OpenAPI document. */
export const AGENT_FIELD_DESCRIPTIONS = fieldDescriptions(AGENT_FIELD_DOCS);
