import { fieldDescriptions, type FieldDoc } from "../field-doc.ts";
import type { FieldName } from "./shape.ts";

/** Every field of a run, for the OpenAPI document and for the table in docs/api.md, in the order of that table. */
export const RUN_FIELD_DOCS: { readonly [Name in FieldName]: FieldDoc } = {
  objective: {
    meaning: "The task, at most 20,000 characters; `{{input.path}}` inserts a value",
    unset: null,
  },
  input: { meaning: "Values for the objective, at most 64 KiB", unset: "none" },
  objective_template: { meaning: "Prompt text with `{{objective}}`", unset: "the agent's" },
  session_id: { meaning: "An existing or new session", unset: "a new one" },
  files: {
    meaning: "Up to 20 uploads of that session, by `fileId` or `url`",
    unset: "see below",
    see: "api.md#uploads",
  },
  agent: { meaning: "Name of the agent", unset: "the session's", see: "agents.md" },
  profile: { meaning: "Class or preset", unset: "the agent's", see: "agents.md#classes-and-limits" },
  preset: { meaning: "Preset", unset: "the agent's", see: "agents.md#presets" },
  tools: {
    meaning: 'Narrows the tools: names, `pack:<name>`, or `{"type":"workflow","name"}` for an agent',
    unset: "the agent's",
  },
  model: { meaning: "A name in `MODELS_ALLOWED`", unset: "the session's" },
  fallback_models: { meaning: "Up to three such names", unset: "the agent's" },
  dialect: { meaning: "`auto`, `native`, `json` or `tags`", unset: "`auto`" },
  max_iterations: { meaning: "Steps, including the answer", unset: "the class's" },
  timeout_ms: { meaning: "Working time, at least 1,000", unset: "the class's" },
  temperature: { meaning: "For each model call", unset: "the agent's" },
  max_output_tokens: { meaning: "For each model call", unset: "the class's" },
  budget: { meaning: "`{tokens, cost_usd, tool_calls, messages}`", unset: "the class's" },
  on_stuck: {
    meaning: "Response to loops: `{iterations, action, hint}`",
    unset: "the agent's",
    see: "agents.md#loops-and-questions",
  },
  on_exhausted: { meaning: "`answer` or `fail` when a budget is spent", unset: "the agent's" },
  instructions: { meaning: "Added to the agent's, at most 20,000 characters", unset: "none" },
  result_key: { meaning: "Key of the result", unset: "`result`" },
  output: {
    meaning: "JSON Schema of the result (32 KiB, 8 levels; `pattern` is not checked)",
    unset: "none",
  },
  include_reasoning_trace: { meaning: "`false`: only admins see thoughts", unset: "`true`" },
  citations: { meaning: "`off`, `check` or `require`", unset: "the agent's", see: "research.md#citations" },
  quarantine: {
    meaning: "`true`: no text from outside",
    unset: "the agent's",
    see: "research.md#typed-values",
  },
  rollouts: {
    meaning: "1 to 8 parallel attempts",
    unset: "1",
    see: "research.md#several-attempts-one-answer",
  },
  approval: {
    meaning: '`{rules: {<tool>: "ask"/"deny"}, k, expires_ms, on_expiry: "deny"}`; only stricter',
    unset: "the tools'",
    see: "agents.md#approval-rules",
  },
  human: { meaning: '`{expires_ms, default: "go_on"/"end"}` for questions', unset: "the agent's" },
  previous_run_id: { meaning: "An ended run, shown as data", unset: "none" },
  targets: { meaning: "What tools work on; `{}` is the deployment's own", unset: "the agent's" },
  channel: { meaning: 'Only `{"kind":"api"}` or `{"kind":"web"}`', unset: "none" },
  metadata: { meaning: "Returned unchanged, at most 4 KiB", unset: "none" },
};

/** Descriptions by field, for the OpenAPI document. */
export const RUN_FIELD_DESCRIPTIONS = fieldDescriptions(RUN_FIELD_DOCS);
