import { AGENT_NAME } from "../../core/log/names.ts";
import { err, ok } from "../../core/log/result.ts";
import * as z from "zod";
import { dollars } from "../../core/guards/budget/amounts.ts";
import { sha256Hex } from "../../core/log/digest.ts";
import type { Limits } from "../../core/log/entry.ts";
import { type PromptPart, modelText, parseModelName } from "../../core/log/model.ts";
import { MODEL_UNAVAILABLE } from "../../session/api/errors.ts";
import {
  refusal,
  type ApiResult,
  type CancelCommand,
  type DecideCommand,
  type ExtendCommand,
  type SendCommand,
  type SteerCommand,
} from "../../session/api/session-api.ts";
import { rememberSchema } from "../../protocol/approval.ts";
import {
  FILE_URL,
  isVisible,
  MEDIA_TYPE,
  MESSAGE_ID,
  PARTS_MAX,
  wellFormedText,
} from "../../protocol/chat-body.ts";
import { type Models, modelAllowed, modelGap, ownNames } from "../../config/config.ts";
import { json } from "../../protocol/json.ts";
import { MESSAGE_FIELDS } from "../../protocol/run-spec/message-fields.ts";
import { parseFields } from "./parse.ts";
import { invalid } from "./responses.ts";

/** Bodies of the session routes, and the commands that they become. Pure. */

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/;
const REASON_CHARS_MAX = 1_000;
const RUN_ID_CHARS_MAX = 128;

const partSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: wellFormedText }),
  z.strictObject({
    type: z.literal("file"),
    mediaType: z.string().regex(MEDIA_TYPE),
    url: z.string().min(1),
  }),
]);

/** name of an agent */
export const agentName = z.string().regex(AGENT_NAME);

/** The fields of a message without those that only a run specification has (protocol/run-spec/message-fields.ts). */
const saySchema = z.strictObject({
  text: wellFormedText.optional(),
  parts: z.array(partSchema).min(1).max(PARTS_MAX).optional(),
  id: z.string().optional(),
  mode: z.enum(["queue", "join", "replace"]).optional(),
  model: z.string().optional(),
  agent: agentName.optional(),
  max_iterations: z.int().min(1).max(200).optional(),
  budget: z
    .strictObject({
      tokens: z.int().positive().optional(),
      cost_usd: z.number().positive().max(1_000_000).optional(),
      tool_calls: z.int().positive().optional(),
      messages: z.int().positive().optional(),
    })
    .optional(),
});
/** run fields that a message has under its own names */
export const SAY_FIELDS: readonly string[] = Object.keys(saySchema.shape);
export const messageSchema = z.strictObject({ ...MESSAGE_FIELDS, ...saySchema.shape });

const more = z.int().positive().max(1_000_000_000).optional();
export const extendSchema = z.strictObject({
  runId: z.string().min(1).max(RUN_ID_CHARS_MAX),
  steps: more,
  tokens: more,
  costUsd: z.number().positive().max(1_000_000).optional(),
  minutes: more,
});

/** of one request */
const DECISIONS_MAX = 50;
/** Several approvals, each with the digest of what was shown of it. */
export const decisionsSchema = z.strictObject({
  decisions: z
    .array(
      z.strictObject({
        sessionId: z.string().min(1).max(RUN_ID_CHARS_MAX),
        approvalId: z.string().min(1).max(RUN_ID_CHARS_MAX),
        decision: z.enum(["approve", "deny"]),
        digest: z.string().min(1).max(RUN_ID_CHARS_MAX),
        reason: wellFormedText.pipe(z.string().max(REASON_CHARS_MAX)).optional(),
      }),
    )
    .min(1)
    .max(DECISIONS_MAX),
});

export const budgetAnswerSchema = z.strictObject({
  decision: z.enum(["extend", "finish"]),
  /** of the question as it was shown */
  askedAt: z.iso.datetime().optional(),
});

export const steerSchema = z.strictObject({ text: wellFormedText, id: z.string().optional() });

export const cancelSchema = z.strictObject({
  runId: z.string().min(1).max(RUN_ID_CHARS_MAX).optional(),
  all: z.boolean().optional(),
  hold: z.boolean().optional(),
  reason: wellFormedText.pipe(z.string().max(REASON_CHARS_MAX)).optional(),
});

/** no fields; unknown keys are refused as everywhere */
export const continueSchema = z.strictObject({});

export const decisionSchema = z.strictObject({
  decision: z.enum(["approve", "deny", "edit"]),
  args: json.optional(),
  reason: wellFormedText.pipe(z.string().max(REASON_CHARS_MAX)).optional(),
  digest: z.string().max(128).optional(),
  /** of the approval as it was shown */
  createdAt: z.iso.datetime().optional(),
  remember: rememberSchema.optional(),
});

export interface SayContext {
  readonly subject: string;
  readonly session: string;
  /** null where none may be named */
  readonly models: Models | null;
  readonly messageBytesMax: number;
  readonly idempotencyKey: string | null;
  readonly newId: () => string;
}

export interface ParsedMessage {
  readonly command: SendCommand;
  /** whether the id was made of the key, so that a conflict of ids is one of keys */
  readonly keyed: boolean;
}

/** A message, or 400, 413 `message_too_large`, 422 `unsupported_part`, 422 `model_not_allowed`, 503 `model_unavailable`. */
export function parseSay(body: unknown, context: SayContext): ApiResult<ParsedMessage> {
  const key = context.idempotencyKey;
  if (key !== null && !IDEMPOTENCY_KEY.test(key))
    return err(invalid("Idempotency-Key is 1 to 128 visible ASCII characters."));
  const fields = parseFields(saySchema, body);
  if (!fields.ok) {
    const kind = fields.error.issues?.find((issue) => /^parts\[\d+\]\.type$/.test(issue.path));
    if (fields.error.code === "invalid_request" && kind !== undefined) return err(unsupported(kind.path));
    return fields;
  }
  const { text, parts, id, mode, model, agent, max_iterations: steps, budget } = fields.value;
  if ((text === undefined) === (parts === undefined)) return err(invalid("Send either text or parts."));
  const whole: readonly PromptPart[] = parts ?? [{ type: "text", text: text ?? "" }];
  const file = whole.findIndex((part) => part.type === "file" && !FILE_URL.test(part.url));
  if (file !== -1) return err(unsupported(`parts[${file}].url`));
  // Providers refuse a text without a character.
  const nonEmpty = whole.filter((part) => part.type !== "text" || part.text !== "");
  if (nonEmpty.every((part) => part.type === "text" && !isVisible(part.text)))
    return err(invalid("The message is empty."));
  if (textBytes(nonEmpty) > context.messageBytesMax) {
    return err(
      refusal(
        413,
        "message_too_large",
        `The text is larger than ${context.messageBytesMax} bytes.`,
        "Send it in parts.",
      ),
    );
  }
  if (id !== undefined && !MESSAGE_ID.test(id)) {
    return err(refusal(400, "invalid_id", "The id of a message is 1 to 128 of A-Z a-z 0-9 _ -."));
  }
  const { models } = context;
  const named = model === undefined || models === null ? ok(null) : parseRunModel(model, models);
  if (!named.ok) return named;
  const command: SendCommand = {
    id: id ?? (key === null ? `msg_${context.newId()}` : keyedMessageId(context, key)),
    parts: nonEmpty,
    mode: mode ?? null,
    source: "api",
    request: null,
    named: ["agent", "model", "max_iterations", "budget"].filter((name) => Object.hasOwn(fields.value, name)),
    ask: {
      ...(named.value === null ? {} : { model: named.value }),
      ...(agent === undefined ? {} : { agent }),
      limits: limitsFrom(steps, budget),
    },
  };
  return ok({ command, keyed: id === undefined && key !== null });
}

/** The limits of a message are its own fields, and a profile is validated together with them. */
export function withLimits(
  fields: { readonly [name: string]: unknown },
  own: unknown,
): { readonly [name: string]: unknown } {
  const { max_iterations: steps, budget } = saySchema.partial().safeParse(own).data ?? {};
  if (Object.keys(fields).length === 0) return fields;
  return {
    ...fields,
    ...(steps === undefined ? {} : { max_iterations: steps }),
    ...(budget === undefined ? {} : { budget }),
  };
}

/** The message with what its further fields ask of its run. */
export function withSpec(
  command: SendCommand,
  spec: Pick<SendCommand, "ask" | "named"> & Pick<Partial<SendCommand>, "digest">,
  traceId: string,
): SendCommand {
  const { digest } = spec;
  return {
    ...command,
    named: [...new Set([...(command.named ?? []), ...(spec.named ?? [])])],
    ...(digest === undefined ? {} : { digest }),
    ask: { ...command.ask, ...spec.ask, traceId },
  };
}

/** Words for the live run: a message of text alone. Refuses as a message is refused. */
export function parseSteer(
  body: unknown,
  context: Omit<SayContext, "models">,
): ApiResult<{ readonly command: SteerCommand; readonly keyed: boolean }> {
  const fields = parseFields(steerSchema, body);
  return fields.ok ? parseSay(fields.value, { ...context, models: null }) : fields;
}

/**
 * Returns the ID of a message whose sender gave a key but no ID: the same for a repetition, whatever its body, so that
 * the session itself finds the repetition and compares the bodies.
 */
function keyedMessageId(context: Pick<SayContext, "subject" | "session">, key: string): string {
  return `idem_${sha256Hex(JSON.stringify([context.subject, context.session, key])).slice(0, 40)}`;
}

function parseRunModel(text: string, models: Models): ApiResult<string> {
  const name = parseModelName(text, ownNames(models));
  if (name === null || !modelAllowed(models, name))
    return err(
      refusal(422, "model_not_allowed", "This model may not be named here.", "MODELS_ALLOWED lists them."),
    );
  return modelGap(models, name) === null ? ok(modelText(name)) : err(MODEL_UNAVAILABLE);
}

const unsupported = (path: string) => ({
  ...refusal(
    422,
    "unsupported_part",
    "A part is text, or a file with a data: URL, or with the /media/ or /uploads/ path that an upload answered.",
  ),
  issues: [{ path, code: "unsupported_part", message: "This part cannot be taken." }],
});

const textBytes = (parts: readonly PromptPart[]): number =>
  parts.reduce(
    (sum, part) => sum + (part.type === "text" ? new TextEncoder().encode(part.text).length : 0),
    0,
  );

function limitsFrom(
  steps: number | undefined,
  budget: z.output<typeof saySchema>["budget"] = {},
): Partial<Limits> {
  const { tokens, cost_usd: cost, tool_calls: toolCalls, messages } = budget;
  return {
    ...(steps === undefined ? {} : { steps }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(cost === undefined ? {} : { cost: dollars(cost) }),
    ...(toolCalls === undefined ? {} : { toolCalls }),
    ...(messages === undefined ? {} : { messages }),
  };
}

/** Extends a run by at least one amount; otherwise the session answers 422 `nothing_asked`. */
export function extendCommand(fields: z.output<typeof extendSchema>, id: string): ExtendCommand {
  const { runId, steps, tokens, costUsd, minutes } = fields;
  const amounts = {
    ...(steps === undefined ? {} : { steps }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(costUsd === undefined ? {} : { cost: dollars(costUsd) }),
    ...(minutes === undefined ? {} : { wall: minutes * 60_000 }),
  };
  return { id, runId, amounts };
}

export function parseCancel(body: unknown, id: string): ApiResult<CancelCommand> {
  const fields = parseFields(cancelSchema, body);
  if (!fields.ok) return fields;
  const { runId, all, hold, reason } = fields.value;
  return ok({ id, runId: runId ?? null, all: all ?? false, hold: hold ?? false, reason: reason ?? null });
}

/** A decision. Arguments belong to an edit only: an approval is for exactly what was shown. */
export function parseDecide(
  { decision, args, reason, digest, createdAt, remember }: z.output<typeof decisionSchema>,
  approval: string,
): ApiResult<DecideCommand> {
  if (decision === "edit" && args === undefined) {
    return err({
      ...refusal(422, "invalid_args", "An edit needs args."),
      issues: [{ path: "args", code: "missing", message: "The arguments to run with instead." }],
    });
  }
  if (decision !== "edit" && args !== undefined)
    return err(invalid("Only an edit has args.", "To change the arguments, send decision edit."));
  if (decision === "edit" && remember !== undefined)
    return err(invalid("An edit is not remembered.", "Only approve and deny may be."));
  const decided = { args: args ?? null, reason: reason ?? null, digest: digest ?? null };
  const requested = createdAt === undefined ? {} : { askedAt: Date.parse(createdAt) };
  return ok({ approval, decision, ...decided, ...requested, remember: remember ?? null });
}
