import * as z from "zod";
import type { InputMode } from "../core/log/entry.ts";
import type { PromptPart } from "../core/log/model.ts";
import { parseJson } from "./json.ts";

/**
 * The body of the two stock chat interfaces: `cf_agent_use_chat_request` and POST /api/chat. Only the last
 * message is read, and of it only a user's parts, or a person's decisions; history, tools and outputs never count.
 */

/** UTF-8 bytes of the text of a message, unless the deployment says otherwise */
export const MESSAGE_BYTES_MAX = 65_536;
export const PARTS_MAX = 32;

export const messageIdSchema = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, "1 to 128 of A-Z a-z 0-9 _ -");
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
    mediaType: z.string().regex(/^[\w.+-]{1,64}\/[\w.+-]{1,64}$/),
    url: z.string().regex(FILE_URL),
  }),
]);

const bodySchema = z.object({
  messages: z.array(z.unknown()).min(1),
  trigger: z.enum(["submit-message", "regenerate-message"]).default("submit-message"),
  messageId: z.string().max(256).optional(),
  mode: inputModeSchema.optional(),
});
const userSchema = z.object({ role: z.literal("user"), id: z.unknown(), parts: z.array(z.unknown()) });
const assistantSchema = z.object({ role: z.literal("assistant"), parts: z.array(z.unknown()) });
const respondedSchema = z.object({
  state: z.literal("approval-responded"),
  toolCallId: z.string(),
  approval: z.object({
    id: z.string().min(1).max(128),
    approved: z.boolean(),
    reason: z.string().max(1_000).optional(),
  }),
});

export interface Decided {
  readonly approval: string;
  readonly approved: boolean;
  readonly reason: string | null;
}

export type ChatBody =
  | {
      readonly kind: "say";
      readonly id: string;
      readonly parts: readonly PromptPart[];
      readonly mode: InputMode | null;
    }
  | { readonly kind: "decide"; readonly decisions: readonly Decided[] }
  /** `message`: the answer, or the words before it, that is meant; null for the last */
  | { readonly kind: "regenerate"; readonly message: string | null }
  | InputRefusal;

export interface InputRefusal {
  readonly kind: "refused";
  readonly status: 400 | 413 | 422;
  readonly code:
    "invalid_json" | "invalid_request" | "unsupported_part" | "message_too_large" | "nothing_new";
  readonly message: string;
}

/** What a chat body asks for. Never throws. */
export function parseChatBody(text: string, messageBytesMax = MESSAGE_BYTES_MAX): ChatBody {
  const value = parseJson(text);
  if (value === undefined) return refuse(400, "invalid_json", "The body is not JSON.");
  return readChatBody(value, messageBytesMax);
}

/** As parseChatBody, of a body that is JSON already. */
export function readChatBody(value: unknown, messageBytesMax = MESSAGE_BYTES_MAX): ChatBody {
  const body = bodySchema.safeParse(value);
  if (!body.success)
    return refuse(400, "invalid_request", "The body has messages, and a trigger and a mode that are known.");
  if (body.data.trigger === "regenerate-message")
    return { kind: "regenerate", message: body.data.messageId ?? null };
  const last = body.data.messages.at(-1);
  const user = userSchema.safeParse(last);
  if (user.success) {
    const id = messageIdSchema.safeParse(user.data.id);
    if (!id.success)
      return refuse(400, "invalid_request", "The id of a message is 1 to 128 of A-Z a-z 0-9 _ -.");
    const input = parseInput(user.data.parts, messageBytesMax);
    if ("kind" in input) return input;
    return { kind: "say", id: id.data, parts: input, mode: body.data.mode ?? null };
  }
  const assistant = assistantSchema.safeParse(last);
  if (!assistant.success)
    return refuse(400, "invalid_request", "The last message is no message of a person.");
  const decisions = assistant.data.parts.flatMap((part): Decided[] => {
    const responded = respondedSchema.safeParse(part);
    if (!responded.success) return [];
    const { id, approved, reason } = responded.data.approval;
    return [{ approval: id, approved, reason: reason ?? null }];
  });
  if (decisions.length === 0) return refuse(422, "nothing_new", "There is nothing new in these messages.");
  return { kind: "decide", decisions };
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
  const said = input.some((part) => part.type === "file" || isVisible(part.text));
  if (!said || input.length > PARTS_MAX) {
    return refuse(400, "invalid_request", `A message has 1 to ${PARTS_MAX} parts and says something.`);
  }
  if (textBytes(input) > messageBytesMax) {
    return refuse(413, "message_too_large", `The text is larger than ${messageBytesMax} bytes.`);
  }
  return input;
}

/** Whether a text says anything: spaces, controls, characters without a shape and the sign for a broken one do not. */
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
