import type * as z from "zod";
import type { Answer, DoorError } from "../session/door.ts";
import { given, refusal, refused } from "./answers.ts";

/** Reading a JSON body: its type, its size, its syntax, its fields, in this order. */

const NOT_JSON = refusal(400, "invalid_json", "The body is not JSON.");

/**
 * The parsed JSON of the body; `{}` when there is neither a body nor a content type.
 * Refuses with 415, 413 (more than `bytesMax`, counted while reading) or 400 `invalid_json`.
 */
export async function readJson(request: Request, bytesMax: number): Promise<Answer<unknown>> {
  const type = request.headers.get("content-type");
  const tooLarge = refused(refusal(413, "body_too_large", `The body is larger than ${bytesMax} bytes.`));
  if (type !== null && !/^application\/json\s*(;|$)/i.test(type)) {
    return refused(refusal(415, "unsupported_media_type", "The body must be application/json."));
  }
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) return tooLarge;
  const bytes = request.body === null ? new Uint8Array() : await readBytes(request.body, bytesMax);
  if (bytes === null) return tooLarge;
  if (type === null && bytes.length === 0) return given({});
  if (type === null) {
    return refused(
      refusal(415, "unsupported_media_type", "The body must be application/json.", "Set content-type."),
    );
  }
  try {
    return given(
      JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes)) as unknown,
    );
  } catch {
    return refused(NOT_JSON);
  }
}

async function readBytes(body: ReadableStream<Uint8Array>, bytesMax: number): Promise<Uint8Array | null> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > bytesMax) {
      await reader.cancel();
      return null;
    }
    pieces.push(value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** The body as the schema has it, or 400 `unknown_field` or `invalid_request` with an issue per fault. */
export function parseFields<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): Answer<z.output<Schema>> {
  const parsed = schema.safeParse(body);
  return parsed.success ? given(parsed.data) : refused(fieldsError(parsed.error.issues));
}

function fieldsError(found: readonly z.core.$ZodIssue[]): DoorError {
  const issues = found.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => ({
          path: pathText([...issue.path, key]),
          code: "unknown_field",
          message: "This field is not known.",
        }))
      : [{ path: pathText(issue.path), code: issueCode(issue), message: issue.message }],
  );
  const unknown = issues.find((issue) => issue.code === "unknown_field");
  const first = unknown ?? issues[0];
  const what = first === undefined || first.path === "" ? "The body" : `The field ${first.path}`;
  return {
    status: 400,
    code: unknown === undefined ? "invalid_request" : "unknown_field",
    message:
      unknown === undefined
        ? `${what} is not valid: ${first?.message ?? "see issues"}.`
        : `${what} is not known.`,
    issues,
  };
}

function issueCode(issue: z.core.$ZodIssue): string {
  if (issue.code === "too_big" || issue.code === "too_small") return "out_of_range";
  return issue.code === "custom" ? "invalid" : issue.code;
}

const pathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");
