import { shortened } from "../core/text/cut.ts";
import * as z from "zod";
import type { InputMode } from "../core/log/entry.ts";
import { hasTooManyValues, JSON_VALUES_MAX } from "../core/log/json-values.ts";
import { isTooDeep, JSON_DEPTH_MAX } from "../core/log/json.ts";
import type { PromptPart } from "../core/log/model.ts";
import { ASK_HUMAN } from "../core/entries/question.ts";
import type { ClientTool } from "../core/log/client-tool.ts";
import { readClientResult, readClientTools, type ClientResult } from "./client-tools.ts";
import { parseDeepJson } from "./json.ts";
import { splitMessage } from "./run-spec/message-fields.ts";
import { traceIdSchema } from "./trace-id.ts";

/**
 * The body of the stock chat interfaces: `cf_agent_use_chat_request`, POST /api/chat and its socket. A body has the
 * whole conversation. Cairn reads the user's last message from it, and all decisions and answers given on the client:
 * responses to approvals, outputs for `ask_human`, and those of client tools. The session knows which of them are new.
 */

/** UTF-8 bytes of the text of a message; default for a deployment */
export const MESSAGE_BYTES_MAX = 65_536;
export const PARTS_MAX = 32;

export const MESSAGE_ID = /^[A-Za-z0-9_-]{1,128}$/;
/** `text/plain`, without parameters */
export const MEDIA_TYPE = /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/;
export const messageIdSchema = z.string().regex(MESSAGE_ID, "1 to 128 of A-Z a-z 0-9 _ -");
export const inputModeSchema = z.enum(["queue", "join", "replace"]);
/** of this deployment, or in the body itself: nothing that a server would have to fetch elsewhere */
export const FILE_URL =
  /^(data:[^,\s]*,\S*|\/uploads\/f_[0-9a-f]{24}|\/media\/(?!.*(?:\.\.|%2[ef]))[A-Za-z0-9._~!$&'()*+,;=:@%/-]+)$/i;
/** Half a surrogate pair has no UTF-8: it would be one text here and another wherever it is sent. */
export const wellFormedText = z.string().transform((text) => text.toWellFormed());
/** The parts of a message that Cairn takes. Other fields of a stock part are ignored. */
export const inputPartSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: wellFormedText }),
  z.object({
    type: z.literal("file"),
    mediaType: z.string().regex(MEDIA_TYPE),
    url: z.string().regex(FILE_URL),
  }),
]);

const bodySchema = z.object({
  messages: z.array(z.unknown()).min(1),
  trigger: z.enum(["submit-message", "regenerate-message"]).default("submit-message"),
  messageId: z.string().max(256).optional(),
  mode: inputModeSchema.optional(),
  traceId: traceIdSchema.optional(),
  clientTools: z.unknown().optional(),
});
const userSchema = z.object({ role: z.literal("user"), id: z.unknown(), parts: z.array(z.unknown()) });
const assistantSchema = z.object({ role: z.literal("assistant"), parts: z.array(z.unknown()) });
const stateSchema = z.object({ state: z.string() });
const typeSchema = z.object({ type: z.string() });
/** The client stores the descriptor of the request, so its digest proves what the person was shown. */
const respondedSchema = z.object({
  approval: z.object({
    id: z.string().min(1).max(128),
    approved: z.boolean(),
    reason: wellFormedText.nullish(),
    descriptor: z
      .object({ digest: z.string().max(128) })
      .nullish()
      .catch(null),
  }),
});
const outputSchema = z.object({
  type: z.string(),
  toolName: z.string().optional(),
  toolCallId: z.string().max(128),
  state: z.enum(["output-available", "output-error"]),
  output: z.unknown().optional(),
  errorText: z.unknown().optional(),
});
const REASON_CHARS_MAX = 1_000;

/** A response to an approval. */
export interface Decided {
  readonly approval: string;
  readonly approved: boolean;
  readonly reason: string | null;
  /** of the content that the person was shown; absent where the client does not send it */
  readonly digest?: string;
}

/** An output that a client gave to a call of `ask_human`. */
export interface Answered {
  readonly call: string;
  /** null: not a text, so no answer */
  readonly value: string | null;
}

/** The output of a tool part. Which of them are answers of a client, and new, is the session's to see. */
export interface Output {
  readonly call: string;
  readonly result: ClientResult;
}

/** Decisions and answers of a body, each once, in the order of the messages. Absent: none. */
interface Responses {
  readonly decisions?: readonly Decided[];
  readonly answers?: readonly Answered[];
  /** of the last step of the last message of the assistant: a call of an earlier step waits for nothing */
  readonly outputs?: readonly Output[];
}

export type ChatBody =
  | ({
      readonly kind: "say";
      readonly id: string;
      readonly parts: readonly PromptPart[];
      readonly mode: InputMode | null;
      /** fields of a run specification, as they came (run-spec/message-fields.ts) */
      readonly run: { readonly [name: string]: unknown };
      /** absent: none */
      readonly clientTools?: readonly ClientTool[];
      readonly traceId?: string;
    } & Responses)
  | ({ readonly kind: "decide" } & Responses)
  /** `message`: the answer, or the words before it, that is meant; null for the last */
  | ({
      readonly kind: "regenerate";
      readonly message: string | null;
      readonly clientTools?: readonly ClientTool[];
      readonly traceId?: string;
    } & Responses)
  | InputRefusal;

export interface InputRefusal {
  readonly kind: "refused";
  readonly status: 400 | 413 | 422;
  readonly code:
    | "invalid_json"
    | "invalid_request"
    | "unsupported_part"
    | "invalid_client_tools"
    | "message_too_large"
    | "nothing_new";
  readonly message: string;
}

/** Parses a chat body. Never throws. */
export function parseChatBody(text: string, messageBytesMax = MESSAGE_BYTES_MAX): ChatBody {
  if (hasTooManyValues(text))
    return refuse(400, "invalid_request", `The body has more than ${JSON_VALUES_MAX} values.`);
  const value = parseDeepJson(text);
  if (value === undefined) return refuse(400, "invalid_json", "The body is not JSON.");
  if (isTooDeep(value))
    return refuse(400, "invalid_request", `The body is nested more than ${JSON_DEPTH_MAX} levels deep.`);
  return readChatBody(value, messageBytesMax);
}

/** As parseChatBody, of a body that is JSON already. */
export function readChatBody(value: unknown, messageBytesMax = MESSAGE_BYTES_MAX): ChatBody {
  const body = bodySchema.safeParse(value);
  if (!body.success)
    return refuse(400, "invalid_request", "The body has messages, and a trigger and a mode that are known.");
  const responses = readResponses(body.data.messages);
  if ("kind" in responses) return responses;
  const parsedTools = readClientTools(body.data.clientTools);
  if (!parsedTools.ok) return refuse(422, "invalid_client_tools", parsedTools.error);
  const { traceId } = body.data;
  const more = {
    ...(traceId === undefined ? {} : { traceId }),
    ...(parsedTools.value.length === 0 ? {} : { clientTools: parsedTools.value }),
  };
  if (body.data.trigger === "regenerate-message")
    return { kind: "regenerate", message: body.data.messageId ?? null, ...more, ...responses };
  const last = body.data.messages.at(-1);
  const user = userSchema.safeParse(last);
  if (user.success) {
    const id = messageIdSchema.safeParse(user.data.id);
    if (!id.success)
      return refuse(400, "invalid_request", "The id of a message is 1 to 128 of A-Z a-z 0-9 _ -.");
    const input = parseInput(user.data.parts, messageBytesMax);
    if ("kind" in input) return input;
    const { mode = null } = body.data;
    const run = runFields(value);
    return { kind: "say", id: id.data, parts: input, mode, run, ...more, ...responses };
  }
  if (!assistantSchema.safeParse(last).success)
    return refuse(400, "invalid_request", "The last message is no message of a person.");
  if (responses.decisions === undefined && responses.answers === undefined && responses.outputs === undefined)
    return refuse(422, "nothing_new", "There is nothing new in these messages.");
  return { kind: "decide", ...responses };
}

/**
 * The fields of a run in the body of a chat. Stock clients leave optional fields undefined or null, and some describe their
 * own tools as an object: neither asks for anything.
 */
function runFields(value: unknown): { readonly [name: string]: unknown } {
  const entries = Object.entries(splitMessage(value).fields);
  return Object.fromEntries(
    entries.filter(
      ([name, field]) => field !== null && field !== undefined && (name !== "tools" || Array.isArray(field)),
    ),
  );
}

/** Every response of the messages, each once. Refuses one that cannot be read, and two that contradict each other. */
function readResponses(messages: readonly unknown[]): Responses | InputRefusal {
  const decisions = new Map<string, Decided>();
  const answers = new Map<string, Answered>();
  for (const part of messages.flatMap(partsOfAssistant)) {
    const decided = readDecision(part);
    if (decided === "unreadable")
      return refuse(400, "invalid_request", "A response to an approval has an approval.id and approved.");
    if (decided !== null) {
      if ((decisions.get(decided.approval)?.approved ?? decided.approved) !== decided.approved)
        return contradiction(decided.approval);
      decisions.set(decided.approval, decided);
    }
    const answered = readAnswer(part);
    if (answered === null) continue;
    if ((answers.get(answered.call) ?? answered).value !== answered.value)
      return contradiction(answered.call);
    answers.set(answered.call, answered);
  }
  const outputs = readOutputs(messages);
  return {
    ...(decisions.size === 0 ? {} : { decisions: [...decisions.values()] }),
    ...(answers.size === 0 ? {} : { answers: [...answers.values()] }),
    ...(outputs.length === 0 ? {} : { outputs }),
  };
}

/** A step has fewer calls than this; of more parts the last ones are read. */
const OUTPUTS_MAX = 32;

function readOutputs(messages: readonly unknown[]): readonly Output[] {
  const parts = partsOfAssistant(messages.findLast((message) => assistantSchema.safeParse(message).success));
  const step = parts.slice(
    parts.findLastIndex((part) => typeSchema.safeParse(part).data?.type === "step-start") + 1,
  );
  const outputs = new Map<string, Output>();
  for (const part of step.slice(-OUTPUTS_MAX)) {
    const output = outputSchema.safeParse(part).data;
    if (output === undefined || toolOf(output) === ASK_HUMAN) continue;
    outputs.set(output.toolCallId, { call: output.toolCallId, result: readClientResult(output) });
  }
  return [...outputs.values()];
}

const toolOf = ({ type, toolName }: z.output<typeof outputSchema>): string | undefined =>
  type === "dynamic-tool" ? toolName : type.replace(/^tool-/, "");

const partsOfAssistant = (message: unknown): readonly unknown[] =>
  assistantSchema.safeParse(message).data?.parts ?? [];

const contradiction = (name: string): InputRefusal =>
  refuse(400, "invalid_request", `These messages say two different things about ${name}.`);

function readDecision(part: unknown): Decided | "unreadable" | null {
  if (stateSchema.safeParse(part).data?.state !== "approval-responded") return null;
  const responded = respondedSchema.safeParse(part);
  if (!responded.success) return "unreadable";
  const { id, approved, reason, descriptor } = responded.data.approval;
  return {
    approval: id,
    approved,
    reason: reason === null || reason === undefined || reason === "" ? null : cutReason(reason),
    ...(descriptor === null || descriptor === undefined ? {} : { digest: descriptor.digest }),
  };
}

const cutReason = (reason: string): string => shortened(reason, REASON_CHARS_MAX).toWellFormed();

function readAnswer(part: unknown): Answered | null {
  const output = outputSchema.safeParse(part).data;
  if (output === undefined) return null;
  if (toolOf(output) !== ASK_HUMAN) return null;
  const isText = output.state === "output-available" && typeof output.output === "string";
  return { call: output.toolCallId, value: isText ? String(output.output) : null };
}

/** The parts of a message, or why they are refused. */
export function parseInput(
  parts: readonly unknown[],
  messageBytesMax = MESSAGE_BYTES_MAX,
): readonly PromptPart[] | InputRefusal {
  const input: PromptPart[] = [];
  for (const part of parts) {
    const parsed = inputPartSchema.safeParse(part);
    if (!parsed.success) {
      return refuse(
        422,
        "unsupported_part",
        "A part is text, or a file with a data: URL, or with the /media/ or /uploads/ path that an upload answered.",
      );
    }
    if (parsed.data.type !== "text" || parsed.data.text !== "") input.push(parsed.data);
  }
  const hasContent = input.some((part) => part.type === "file" || isVisible(part.text));
  if (!hasContent || input.length > PARTS_MAX) {
    return refuse(400, "invalid_request", `A message has 1 to ${PARTS_MAX} parts and says something.`);
  }
  if (textBytes(input) > messageBytesMax) {
    return refuse(413, "message_too_large", `The text is larger than ${messageBytesMax} bytes.`);
  }
  return input;
}

/**
 * True if a text has visible content: spaces, controls, shapeless characters and the replacement character do not
 * count.
 */
export function isVisible(text: string): boolean {
  return /[^\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\uFFFD]/u.test(text);
}

function textBytes(parts: readonly PromptPart[]): number {
  const encoder = new TextEncoder();
  return parts.reduce((sum, part) => sum + (part.type === "text" ? encoder.encode(part.text).length : 0), 0);
}

function refuse(status: InputRefusal["status"], code: InputRefusal["code"], message: string): InputRefusal {
  return { kind: "refused", status, code, message };
}
