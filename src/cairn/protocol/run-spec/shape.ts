import { ID_PATTERN, RESULT_KEY } from "../../core/log/names.ts";
import * as z from "zod";
import { PRESETS, PROFILES } from "../../core/guards/budget/profiles.ts";
import {
  APPROVAL_MS_MAX,
  APPROVERS_MAX,
  REQUESTED_ACTIVE_MS_MAX,
  REQUESTED_STEPS_MAX,
} from "../../core/limits.ts";
import { canonicalJson } from "../../core/log/json.ts";
import { isRulesName, modelText, parseModelName } from "../../core/log/model.ts";
import { OBJECTIVE } from "../../core/log/run-spec.ts";
import { json } from "../json.ts";
import { targetsSchema } from "./targets.ts";
import { refuse } from "./faults.ts";
import { runFiles } from "./files.ts";
import { readOutputSchema } from "./output-schema.ts";
import { refuseTool } from "./tools.ts";

/**
 * Fields of a run requested by a program: those of `POST /api/runs`, flat. The OpenAPI document is generated from them;
 * other forms of the fields are converted first (forms.ts).
 */

const INPUT_BYTES_MAX = 65_536;
const METADATA_BYTES_MAX = 4_096;
export const OBJECTIVE_CHARS_MAX = 20_000;
const INSTRUCTIONS_CHARS_MAX = 20_000;
const HINT_CHARS_MAX = 1_000;
const NAME_CHARS_MAX = 300;
const TOOLS_MAX = 128;
const FALLBACKS_MAX = 3;
const TIMEOUT_MS = { min: 1_000, max: REQUESTED_ACTIVE_MS_MAX };
const OUTPUT_TOKENS = { min: 64, max: 32_000 };
const STUCK_ITERATIONS = { min: 2, max: 10 };
const ROLLOUTS_MAX = 8;
const WAIT_MS_MIN = 1_000;
const COST_USD_MAX = 1_000_000;

const PROFILE_NAMES = Object.keys(PROFILES) as (keyof typeof PROFILES)[];
export const PRESET_NAMES = Object.keys(PRESETS) as (keyof typeof PRESETS)[];

const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .transform((given) => given.toWellFormed());

/** Named in the log and in prompts; half of a character there would be lost on the way. */
const name = z.string().min(1).max(NAME_CHARS_MAX);

const amount = z.int().min(1);

const objectUpTo = (bytesMax: number) =>
  z.record(z.string(), json).superRefine((value, context) => {
    if (new TextEncoder().encode(canonicalJson(value)).length > bytesMax)
      refuse(context, "out_of_range", `As JSON it must have at most ${bytesMax} bytes.`);
  });

/** Refuses every value but the first: the others are in the specification and not built. */
function onlyFor<const Value extends string>(
  built: readonly Value[],
  others: readonly string[],
  why: string,
) {
  return z.enum([...built, ...others] as [Value, ...Value[]]).superRefine((value, context) => {
    if (others.includes(value)) refuse(context, "not_supported", why, built[0]);
  });
}

/** A model as it is called: `provider:id`; a bare name is one of the OpenAI-compatible provider. */
const model = name.transform((given, context) => {
  // Only the deployment knows which rules it has.
  if (isRulesName(given)) return given;
  const found =
    parseModelName(given) ?? (isBare(given) ? parseModelName(`openai-compatible:${given}`) : null);
  if (found !== null) return modelText(found);
  refuse(context, "unknown_model", "This is not the name of a model, such as workers-ai:@cf/….");
  return z.NEVER;
});

const isBare = (given: string): boolean => !/^(workers-ai|openai-compatible|openrouter|gateway):/.test(given);

/** A fault between two fields of an object, reported in addition to any others. */
const between = (path: string, code: string, message: string) => ({
  path: [path],
  message,
  params: { code },
  when: ({ value }: z.core.ParsePayload): boolean => typeof value === "object" && value !== null,
});

const onStuck = z
  .strictObject({
    iterations: z.int().min(STUCK_ITERATIONS.min).max(STUCK_ITERATIONS.max).optional(),
    action: z.enum(["force_answer", "answer", "fail", "escalate", "retry_with_hint"]).optional(),
    hint: text(HINT_CHARS_MAX).optional(),
  })
  .refine(
    ({ action, hint }) => hint === undefined || action === "retry_with_hint" || action === "escalate",
    between(
      "hint",
      "hint_unused",
      "Only retry_with_hint and escalate, which shows it to a person, read a hint.",
    ),
  );

const approval = z
  .strictObject({
    rules: z.record(z.string().min(1).max(NAME_CHARS_MAX), z.enum(["auto", "ask", "deny"])).optional(),
    k: z.int().min(1).max(APPROVERS_MAX).optional(),
    of: z.int().min(1).max(APPROVERS_MAX).optional(),
    expires_ms: z.int().min(WAIT_MS_MIN).max(APPROVAL_MS_MAX).optional(),
    on_expiry: z.enum(["deny", "escalate"]).optional(),
  })
  .refine(
    ({ k = 1, of = k }) => k <= of,
    between("k", "out_of_range", "So many cannot agree of those that of names."),
  );

const channel = z.strictObject({
  kind: onlyFor(
    ["api", "web"],
    ["webhook", "email"],
    "Answers go to where the run was asked for: api or web.",
  ),
  target: name
    .superRefine((_, context) =>
      refuse(context, "not_supported", "Answers go to where the run was asked for: name no target."),
    )
    .optional(),
  deliver: onlyFor(["reply"], ["tool"], "The answer is the reply; no tool sends it.").optional(),
});

export const RUN_REQUEST = z.strictObject({
  session_id: z.string().regex(ID_PATTERN, "The id of a session is 1 to 64 of A-Z a-z 0-9 _ -.").optional(),
  objective: text(OBJECTIVE_CHARS_MAX),
  objective_template: text(OBJECTIVE_CHARS_MAX)
    .superRefine((given, context) => {
      if (!given.includes(OBJECTIVE))
        refuse(context, "out_of_range", `It must say ${OBJECTIVE} where the objective stands.`);
    })
    .optional(),
  input: objectUpTo(INPUT_BYTES_MAX).optional(),
  files: runFiles.optional(),
  agent: name.optional(),
  profile: z.enum(["auto", ...PROFILE_NAMES, ...PRESET_NAMES]).optional(),
  preset: z.enum(PRESET_NAMES).optional(),
  tools: z
    .array(
      z
        .union(
          [
            name,
            z.strictObject({ type: z.literal("action").optional(), name }),
            z.strictObject({ type: z.literal("workflow"), name: name.optional(), id: name.optional() }),
          ],
          'It must be the name of a tool, pack:<name>, or {"type":"action","name":…}.',
        )
        .superRefine(refuseTool),
    )
    .max(TOOLS_MAX)
    .optional(),
  model: model.optional(),
  fallback_models: z.array(model).max(FALLBACKS_MAX).optional(),
  max_iterations: z.int().min(1).max(REQUESTED_STEPS_MAX).optional(),
  timeout_ms: z.int().min(TIMEOUT_MS.min).max(TIMEOUT_MS.max).optional(),
  temperature: z.number().min(0).max(2).optional(),
  max_output_tokens: z.int().min(OUTPUT_TOKENS.min).max(OUTPUT_TOKENS.max).optional(),
  on_stuck: onStuck.optional(),
  on_exhausted: z.enum(["answer", "fail"]).optional(),
  include_reasoning_trace: z.boolean().optional(),
  result_key: z
    .string()
    .regex(RESULT_KEY, "It must be a name: letters, digits and _, at most 64, no digit first.")
    .superRefine((key, context) => {
      if (key === "__proto__") refuse(context, "reserved_name", "This name is not free.");
    })
    .optional(),
  instructions: text(INSTRUCTIONS_CHARS_MAX).optional(),
  output: z
    .record(z.string(), json)
    .superRefine((schema, context) => {
      const read = readOutputSchema(schema);
      if (!read.ok) refuse(context, "bad_output_schema", read.why);
    })
    .optional(),
  approval: approval.optional(),
  channel: channel.optional(),
  previous_run_id: name.optional(),
  dialect: z.enum(["auto", "native", "json", "tags"]).optional(),
  budget: z
    .strictObject({
      tokens: amount.optional(),
      cost_usd: z.number().positive().max(COST_USD_MAX).optional(),
      tool_calls: amount.optional(),
      messages: amount.optional(),
    })
    .optional(),
  citations: z.enum(["off", "check", "require"]).optional(),
  quarantine: z.boolean().optional(),
  rollouts: z.int().min(1).max(ROLLOUTS_MAX).optional(),
  human: z
    .strictObject({
      expires_ms: z.int().min(WAIT_MS_MIN).max(APPROVAL_MS_MAX).optional(),
      default: z
        .enum(["go_on", "end"], "It must be go_on or end: a default answer is given by each question itself.")
        .optional(),
    })
    .optional(),
  metadata: objectUpTo(METADATA_BYTES_MAX).optional(),
  targets: targetsSchema.optional(),
});

export type RunFields = z.output<typeof RUN_REQUEST>;
export type FieldName = keyof typeof RUN_REQUEST.shape;

export const isField = (key: string): key is FieldName => Object.hasOwn(RUN_REQUEST.shape, key);
export const FIELD_NAMES: readonly string[] = Object.keys(RUN_REQUEST.shape);
