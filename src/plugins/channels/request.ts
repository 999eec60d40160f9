import { endOf, startOf } from "../../cairn/core/text/cut.ts";
import type * as z from "zod";
import { readBytes } from "../../cairn/core/bytes.ts";
import { readJson } from "../../cairn/core/log/json.ts";
import { ChannelFault, type Received } from "./channel.ts";

/** Requests of a vendor before they are verified. */

/** of one request */
export const REQUEST_BYTES_MAX = 1_048_576;

/** The whole body. Throws ChannelFault `too_large`, without reading on. */
export async function readRequest(request: Request): Promise<Uint8Array> {
  const tooLarge = new ChannelFault("too_large", `A request may have ${REQUEST_BYTES_MAX} bytes.`);
  if (Number(request.headers.get("content-length") ?? 0) > REQUEST_BYTES_MAX) throw tooLarge;
  // `dropUnread` waits for the rest.
  const bytes = await readBytes(request.body, REQUEST_BYTES_MAX, "leave");
  if (bytes === null) throw tooLarge;
  return bytes;
}

/** Throws ChannelFault `malformed`. */
export function parseJson(bytes: Uint8Array | string): unknown {
  const value = readJson(typeof bytes === "string" ? bytes : new TextDecoder().decode(bytes));
  if (value === undefined) throw new ChannelFault("malformed", "The request is no JSON.");
  return value;
}

/** Throws ChannelFault `malformed`, with the path. */
export function parseAs<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ChannelFault(
    "malformed",
    `The request is not as expected at ${issue?.path.join(".") || "its root"}.`,
  );
}

/**
 * Words of a request of the vendor. Others may have read what we cannot read: its codes must not stay valid, so it is
 * `posted`, with the fault.
 */
export async function readOrPosted(
  json: unknown,
  read: () => Received | null | Promise<Received | null>,
): Promise<Received | null> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ChannelFault)) throw error;
    return { kind: "posted", text: textsIn(json), fault: error };
  }
}

/** A message with the body of its request, so that it can be held and read again. Files are what takes long. */
export const withBody = (received: Received | null, body: string): Received | null =>
  received?.kind === "message" && received.files.length > 0 ? { ...received, body } : received;

/** Every text anywhere in a value of JSON, with blanks between them. */
export function textsIn(value: unknown): string {
  const texts: string[] = [];
  const found = [value];
  for (const each of found) {
    if (typeof each === "string") texts.push(each);
    else if (typeof each === "object" && each !== null)
      for (const inside of Object.values(each)) found.push(inside);
  }
  return texts.join(" ");
}

/** `/name args` or, to one bot of several, `/name@bot args`; null for any other text. */
export function parseCommand(text: string): { name: string; bot: string | null; args: string } | null {
  const [, name, bot, args] =
    /^\/([A-Za-z0-9_]{1,32})(?:@(\w{1,64}))?(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  if (name === undefined) return null;
  return { name: name.toLowerCase(), bot: bot ?? null, args: (args ?? "").trim() };
}

const NAME_CHARS_MAX = 120;

/** A file name that is safe to show and store: without a path and control characters. */
export function fileName(name: string | null | undefined, otherwise: string): string {
  const last = (name ?? "").split(/[/\\]/).at(-1) ?? "";
  const clean = last.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "").trim();
  if (clean === "" || /^\.+$/.test(clean)) return otherwise;
  return clean.length <= NAME_CHARS_MAX
    ? clean
    : `${startOf(clean, NAME_CHARS_MAX / 2)}…${endOf(clean, NAME_CHARS_MAX / 2 - 1)}`;
}
