import { readBytes } from "../../core/bytes.ts";
import { SESSION_NAME } from "../../core/log/names.ts";
import { err, ok } from "../../core/log/result.ts";
import type { Context } from "hono";
import type * as z from "zod";
import { hasTooManyValues, JSON_VALUES_MAX } from "../../core/log/json-values.ts";
import { isTooDeep, JSON_DEPTH_MAX } from "../../core/log/json.ts";
import { refusal, type ApiResult } from "../../session/api/session-api.ts";
import { fieldFaults } from "../../protocol/issues.ts";
import type { Cursor } from "./index-reader.ts";
import { NOT_FOUND, invalid } from "./responses.ts";

/** Reading a JSON body: its type, its size, its syntax, its fields, in this order. */

const NO_JSON_TYPE = refusal(
  415,
  "unsupported_media_type",
  "The body must be application/json.",
  "Send the header content-type: application/json; curl does with --json.",
);

const NOT_JSON = refusal(400, "invalid_json", "The body is not JSON.");

/**
 * The parsed JSON of the body; `{}` when there is neither a body nor a content type.
 * Refuses with 415 (also a compressed body), 413 (more than `bytesMax`, counted while reading), 400 `invalid_json` or,
 * cut off, nested too deep or of too many values, 400 `invalid_request`.
 */
export async function readJson(request: Request, bytesMax: number): Promise<ApiResult<unknown>> {
  const type = request.headers.get("content-type");
  if (type !== null && !/^application\/json\s*(;|$)/i.test(type)) {
    return err(NO_JSON_TYPE);
  }
  // Nothing on the way decompresses a request, so its bytes would be read as broken JSON.
  if (!/^(identity)?$/i.test(request.headers.get("content-encoding") ?? "")) {
    return err(
      refusal(415, "unsupported_media_type", "The body must not be compressed.", "Send it as it is."),
    );
  }
  const body = await readBody(request, bytesMax);
  if (!body.ok) return body;
  const valuesMax = Math.max(JSON_VALUES_MAX, Math.floor(bytesMax / BYTES_PER_VALUE));
  const bytes = body.value;
  if (type === null && bytes.length === 0) return ok({});
  if (type === null) {
    return err(NO_JSON_TYPE);
  }
  let value: unknown;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    if (hasTooManyValues(text, valuesMax)) return err(invalid(`The body has more than ${valuesMax} values.`));
    value = JSON.parse(text);
  } catch {
    return err(NOT_JSON);
  }
  return isTooDeep(value)
    ? err(invalid(`The body is nested more than ${JSON_DEPTH_MAX} levels deep.`))
    : ok(value);
}

/** The bytes of the body. Refuses with 413 (more than `bytesMax`, counted while reading) or, cut off, 400. */
export async function readBody(request: Request, bytesMax: number): Promise<ApiResult<Uint8Array>> {
  const tooLarge = err(refusal(413, "body_too_large", `The body is larger than ${bytesMax} bytes.`));
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) return tooLarge;
  try {
    // `dropUnread` waits for the rest.
    const bytes = await readBytes(request.body, bytesMax, "leave");
    return bytes === null ? tooLarge : ok(bytes);
  } catch {
    // The client disconnected or sent less than announced, which is not a server fault.
    return err(invalid("The body ended before its end."));
  }
}

/** of a session as a file, a value has 22 bytes on average */
const BYTES_PER_VALUE = 20;

/** bytes of a refused body that are waited for */
const UNREAD_BYTES_MAX = 16_777_216;

/**
 * Reads and drops the unread rest of a body: a client that is still sending does not read the answer, and would only
 * see a closed connection. `wrangler dev` even crashes then (workers-sdk issue 15203). Never throws.
 */
export async function dropUnread(request: Request): Promise<void> {
  if (request.body !== null && !request.body.locked) await drop(request.body);
}

async function drop(body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.getReader();
  let bytes = 0;
  try {
    while (bytes <= UNREAD_BYTES_MAX) {
      const { done, value } = await reader.read();
      if (done) return;
      bytes += value.length;
    }
    await reader.cancel();
  } catch {
    // The client disconnected.
  }
}

/** The body as the schema has it, or 400 `unknown_field` or `invalid_request` with an issue per fault. */
export function parseFields<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): ApiResult<z.output<Schema>> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return ok(parsed.data);
  return err({ status: 400, ...fieldFaults(parsed.error.issues, "The body") });
}

/** The fields of a JSON body, as `readJson` and `parseFields` have them. */
export async function readFields<Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
  bytesMax: number,
): Promise<ApiResult<z.output<Schema>>> {
  const body = await readJson(c.req.raw, bytesMax);
  return body.ok ? parseFields(schema, body.value) : body;
}

/** Names in paths and numbers in queries. Pure. */

/** a client's message, or a run, whose id its answer has */
const MESSAGE_ID = /^[A-Za-z0-9_.~-]{1,160}$/;

export function parseSessionId(id: string | undefined): ApiResult<string> {
  if (id !== undefined && SESSION_NAME.test(id)) return ok(id);
  return err(refusal(400, "invalid_id", "The id of a session is 1 to 64 of A-Z a-z 0-9 _ -."));
}

/** A whole number from `from` to `to`; the default when it is absent. */
export function parseWhole(
  name: string,
  text: string | undefined,
  { from, to, otherwise }: { readonly from: number; readonly to: number; readonly otherwise: number },
): ApiResult<number> {
  if (text === undefined || text === "") return ok(otherwise);
  const number = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (number >= from && number <= to) return ok(number);
  return err({
    ...invalid(`${name} is a whole number from ${from} to ${to}.`),
    issues: [{ path: name, code: "out_of_range", message: `A whole number from ${from} to ${to}.` }],
  });
}

/** The id of a message that is named in a query; null when absent. */
export function parseMessageId(id: string | undefined): ApiResult<string | null> {
  if (id === undefined || MESSAGE_ID.test(id)) return ok(id ?? null);
  return err(refusal(400, "invalid_id", "This is not the id of a message."));
}

/** `"3"` as in an ETag, or `*`; null for any version. */
export function parseIfMatch(text: string | undefined): ApiResult<number | null> {
  if (text === undefined || text === "*") return ok(null);
  const version = /^"(\d{1,15})"$/.exec(text)?.[1];
  if (version !== undefined) return ok(Number(version));
  return err(invalid('If-Match is a version in quotes, such as "3".'));
}

const APPROVAL_ID = /^r[1-9]\d{0,8}s[1-9]\d{0,8}c\d{1,9}a[1-9]\d{0,8}$/;

export function parseApprovalId(id: string | undefined): ApiResult<string> {
  return id !== undefined && APPROVAL_ID.test(id) ? ok(id) : err(NOT_FOUND);
}

/** `/api/sessions`: making, finding, changing and deleting them; what they used; the agents that they may have. */

export const PAGE = { from: 1, to: 100, otherwise: 20 };

export const PAGE_QUERY = { limit: "1 to 100, else 20", cursor: "nextCursor of the page before" };

/** Which page a list is asked for: how many, and what came last on the page before. */
export function parsePage(query: {
  readonly limit?: string;
  readonly cursor?: string;
}): ApiResult<{ readonly limit: number; readonly before: Cursor | null }> {
  const limit = parseWhole("limit", query.limit, PAGE);
  if (!limit.ok) return limit;
  const before = query.cursor === undefined ? null : parseCursor(query.cursor);
  if (query.cursor !== undefined && before === null)
    return err(invalid("This cursor is not one that a page ended with."));
  return ok({ limit: limit.value, before });
}

function parseCursor(text: string): Cursor | null {
  try {
    const [, at, id] = /^(\d{1,16}) ([A-Za-z0-9_/-]{1,128})$/.exec(atob(text)) ?? [];
    return at === undefined || id === undefined ? null : { at: Number(at), id };
  } catch {
    return null;
  }
}

/** A page as it is answered. */
export const pageBody = <Item>(items: readonly Item[], next: Cursor | null) => ({
  items,
  nextCursor: next === null ? null : btoa(`${next.at} ${next.id}`).replace(/=+$/, ""),
});
