import { ID_PATTERN } from "../core/log/names.ts";
import * as z from "zod";
import type { RunSource } from "../core/log/entry.ts";
import { hasTooManyValues, JSON_VALUES_MAX } from "../core/log/json-values.ts";
import { isTooDeep, JSON_DEPTH_MAX, type Json } from "../core/log/json.ts";
import { rememberSchema } from "./approval.ts";
import { inputModeSchema, messageIdSchema, wellFormedText } from "./chat-body.ts";
import { fieldFaults, type Issue } from "./issues.ts";
import { json, parseDeepJson } from "./json.ts";
import { MESSAGE_FIELD_NAMES } from "./run-spec/message-fields.ts";
import { traceIdSchema } from "./trace-id.ts";
import type { UiChunk, UiMessage } from "./stream/ui-chunk.ts";
import type { Event } from "./views.ts";

/**
 * Every frame that crosses a socket. What a client sends is parsed here and nowhere else. Frames of the stock
 * chat protocol are loose, because stock clients add fields that Cairn ignores; Cairn's own are strict.
 */

const eventId = z.string().regex(ID_PATTERN, "1 to 64 of A-Z a-z 0-9 _ -");
const runName = z.string().min(1).max(160);
const reason = wellFormedText.pipe(z.string().max(2_000));
const probeId = z.string().max(128).optional();

export const stockFrameSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("cf_agent_use_chat_request"),
    id: z.string().min(1).max(128),
    init: z.object({ method: z.literal("POST").optional(), body: z.string() }),
  }),
  z.object({ type: z.literal("cf_agent_chat_request_cancel"), id: z.string().max(256) }),
  z.object({ type: z.literal("cf_agent_chat_clear") }),
  z.object({ type: z.literal("cf_agent_chat_messages") }),
  z.object({ type: z.literal("cf_agent_stream_resume_request"), probeId }),
  z.object({ type: z.literal("cf_agent_stream_resume_ack"), id: z.string().max(256) }),
  z.object({
    type: z.literal("cf_agent_tool_approval"),
    toolCallId: z.string().max(128),
    approved: z.boolean(),
  }),
  z.object({
    type: z.literal("cf_agent_tool_result"),
    toolCallId: z.string().max(128),
    toolName: z.string().max(256).optional().catch(undefined),
    output: z.unknown().optional(),
    state: z.string().max(64).optional().catch(undefined),
    errorText: z.unknown().optional(),
  }),
  z.object({ type: z.literal("cf_agent_state") }),
  z.object({ type: z.literal("rpc"), id: z.string().max(128), method: z.string().max(256) }),
]);
export type StockFrame = z.output<typeof stockFrameSchema>;

const RUN_FIELDS = Object.fromEntries(MESSAGE_FIELD_NAMES.map((name) => [name, z.unknown().optional()]));
const ids = { eventId };
export const nativeFrameSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("cairn:send"),
    ...ids,
    text: wellFormedText.optional(),
    parts: z.array(z.unknown()).optional(),
    id: messageIdSchema.optional(),
    mode: inputModeSchema.optional(),
    traceId: traceIdSchema.optional(),
    /** as they came: they are validated as those of a run specification */
    ...RUN_FIELDS,
  }),
  z.strictObject({
    type: z.literal("cairn:approve"),
    ...ids,
    approvalId: z.string().min(1).max(128),
    decision: z.enum(["approve", "deny", "edit"]),
    args: json.optional(),
    reason: reason.optional(),
    remember: rememberSchema.optional(),
    digest: z.string().max(128).optional(),
    /** of the approval as it was shown */
    createdAt: z.iso.datetime().optional(),
  }),
  z.strictObject({
    type: z.literal("cairn:answer"),
    ...ids,
    questionId: z.string().max(128),
    value: json,
  }),
  z.strictObject({
    type: z.literal("cairn:steer"),
    ...ids,
    text: z.string(),
    id: messageIdSchema.optional(),
    traceId: traceIdSchema.optional(),
  }),
  z.strictObject({
    type: z.literal("cairn:cancel"),
    ...ids,
    runId: runName.optional(),
    all: z.boolean().optional(),
    hold: z.boolean().optional(),
    reason: reason.optional(),
  }),
  z.strictObject({
    type: z.literal("cairn:resume"),
    ...ids,
    runId: runName.optional(),
    pos: z.int().nonnegative().optional(),
  }),
  z.strictObject({ type: z.literal("cairn:subscribe"), ...ids, after: z.int().nonnegative() }),
  z.strictObject({ type: z.literal("cairn:unsubscribe"), ...ids }),
]);
export type NativeFrame = z.output<typeof nativeFrameSchema>;

export type ClientFrame =
  | { readonly kind: "stock"; readonly frame: StockFrame }
  | { readonly kind: "native"; readonly frame: NativeFrame }
  | {
      readonly kind: "bad";
      /** the frame's type as sent, `unknown` when it has none */
      readonly about: string;
      readonly eventId: string | null;
      readonly code: "invalid_json" | "unknown_field" | "invalid_request" | "unknown_frame";
      readonly message: string;
      readonly issues: readonly Issue[];
    };

// Made once: zod compiles a schema when it first parses with it.
const headSchema = z.object({ type: z.string().max(128) });
const idSchema = z.object({ eventId });

/** Parses a text frame. Never throws: for a bad one, returns the fault, and its `eventId` if readable. */
export function parseFrame(text: string): ClientFrame {
  const value = parseDeepJson(text);
  if (value === undefined) return bad("unknown", null, "invalid_json", "A frame is one JSON object.", []);
  const head = headSchema.safeParse(value);
  if (!head.success) return bad("unknown", null, "invalid_request", "A frame has a type.", []);
  const { type } = head.data;
  const native = type.startsWith("cairn:");
  const known = (native ? nativeFrameSchema : stockFrameSchema).options.some(
    ({ shape }) => shape.type.value === type,
  );
  if (!known) return bad(type, null, "unknown_frame", `There is no frame ${JSON.stringify(type)}.`, []);
  const id = native ? (idSchema.safeParse(value).data?.eventId ?? null) : null;
  // The schemas of the frames note a fault for each value.
  if (hasTooManyValues(text))
    return bad(type, id, "invalid_request", `The frame has more than ${JSON_VALUES_MAX} values.`, []);
  if (native) {
    if (isTooDeep(value)) {
      const message = `The frame is nested more than ${JSON_DEPTH_MAX} levels deep.`;
      return bad(type, id, "invalid_request", message, []);
    }
    const parsed = nativeFrameSchema.safeParse(value);
    return parsed.success ? { kind: "native", frame: parsed.data } : refused(type, id, parsed.error);
  }
  const parsed = stockFrameSchema.safeParse(value);
  return parsed.success ? { kind: "stock", frame: parsed.data } : refused(type, null, parsed.error);
}

function refused(type: string, id: string | null, error: z.ZodError): ClientFrame {
  const { code, message, issues } = fieldFaults(error.issues, "The frame");
  return bad(type, id, code, message, issues);
}

function bad(
  about: string,
  id: string | null,
  code: (ClientFrame & { kind: "bad" })["code"],
  message: string,
  issues: readonly Issue[],
): ClientFrame {
  return { kind: "bad", about, eventId: id, code, message, issues };
}

export interface FrameError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly requestId: string;
  readonly issues?: readonly Issue[];
}

export interface QueueItem {
  readonly runId: string;
  readonly messageId: string;
  readonly text: string;
  /** source of the run, which explains its position */
  readonly source: RunSource;
}

export type ServerFrame =
  | {
      readonly type: "cf_agent_use_chat_response";
      readonly id: string;
      /** one chunk as JSON text, a safe sentence with `error`, or empty */
      readonly body: string;
      readonly done: boolean;
      readonly seq?: number;
      readonly continuation?: true;
      readonly replay?: true;
      readonly replayComplete?: true;
      readonly error?: true;
      readonly outcome?: "completed" | "aborted" | "error" | "skipped";
      readonly messageIds?: readonly string[];
    }
  | { readonly type: "cf_agent_message_updated"; readonly message: UiMessage }
  | {
      readonly type: "cf_agent_chat_messages";
      readonly messages: readonly UiMessage[];
      readonly connect?: true;
    }
  | { readonly type: "cf_agent_chat_clear" }
  | {
      readonly type: "cf_agent_stream_resuming" | "cf_agent_stream_pending";
      readonly id: string;
      readonly probeId?: string;
    }
  | {
      readonly type: "cf_agent_stream_resume_none";
      readonly reason: "idle";
      readonly probeId?: string;
    }
  | { readonly type: "cf_agent_chat_recovering"; readonly recovering: boolean; readonly id: string }
  | { readonly type: "cf_agent_state_error"; readonly error: string }
  | { readonly type: "rpc"; readonly id: string; readonly success: false; readonly error: string }
  | {
      readonly type: "cairn:hello";
      readonly protocol: 1;
      readonly sessionId: string;
      readonly subject: string;
      readonly scopes: readonly string[];
      /** this and the next four: for connections that may read */
      readonly status?: "idle" | "running" | "waiting";
      readonly lastSeq?: number;
      readonly activeRunId?: string | null;
      readonly held?: boolean;
      readonly queue?: readonly QueueItem[];
      readonly limits: { readonly [name: string]: number };
    }
  | {
      readonly type: "cairn:ack";
      readonly eventId: string;
      readonly ok: boolean;
      readonly seq?: number;
      readonly result?: Json;
      readonly error?: FrameError;
      readonly duplicate?: true;
    }
  | {
      readonly type: "cairn:chunk";
      readonly runId: string;
      readonly pos: number | null;
      readonly chunk: UiChunk;
    }
  | {
      readonly type: "cairn:caught-up";
      readonly runId: string | null;
      readonly pos: number;
      readonly seq: number;
    }
  | { readonly type: "cairn:event"; readonly event: Event }
  | {
      readonly type: "cairn:queue";
      readonly activeRunId: string | null;
      /** the queue waits until somebody lets it go on */
      readonly held: boolean;
      readonly queue: readonly QueueItem[];
    }
  | { readonly type: "cairn:head"; readonly lastSeq: number }
  | { readonly type: "cairn:error"; readonly about: string; readonly error: FrameError };
