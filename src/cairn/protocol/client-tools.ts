import * as z from "zod";
import type { ClientTool } from "../core/log/client-tool.ts";
import { canonicalJson, isObject, type Json, type JsonObject } from "../core/log/json.ts";
import {
  CLIENT_DESCRIPTION_CHARS_MAX,
  CLIENT_ERROR_CHARS_MAX,
  CLIENT_OUTPUT_BYTES_MAX,
  CLIENT_TOOLS_CHARS_MAX,
  CLIENT_TOOLS_MAX,
} from "../core/limits.ts";
import { err, ok, type Result } from "../core/log/result.ts";
import { startOf } from "../core/text/cut.ts";
import { readOutputSchema } from "./run-spec/output-schema.ts";

/** Tools that a stock chat client brings (`clientTools` of a body), and what it answers to their calls. */

/** what providers accept as the name of a function */
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const toolSchema = z.object({
  name: z.string().regex(NAME, "1 to 64 of A-Z a-z 0-9 _ -, a letter first"),
  description: z.string().max(CLIENT_DESCRIPTION_CHARS_MAX).nullish(),
  parameters: z.unknown().optional(),
});

/** The tools of a body that is JSON within its bounds, or what is wrong with them. Null and undefined bring none. */
export function readClientTools(value: unknown): Result<readonly ClientTool[], string> {
  if (value === undefined || value === null) return ok([]);
  if (!Array.isArray(value)) return err("clientTools is a list.");
  if (value.length > CLIENT_TOOLS_MAX) return err(`clientTools has at most ${CLIENT_TOOLS_MAX} tools.`);
  const tools: ClientTool[] = [];
  let left = CLIENT_TOOLS_CHARS_MAX;
  for (const [index, one] of (value as unknown[]).entries()) {
    const read = readTool(one);
    if (!read.ok) return err(`clientTools[${index}]: ${read.error}`);
    const tool = read.value;
    if (tools.some(({ name }) => name === tool.name)) return err(`clientTools has ${tool.name} twice.`);
    left -= canonicalJson({ ...tool }).length;
    if (left < 0) return err(`clientTools has more than ${CLIENT_TOOLS_CHARS_MAX} characters as JSON.`);
    tools.push(tool);
  }
  return ok(tools);
}

const EMPTY: JsonObject = { type: "object", properties: {} };

function readTool(value: unknown): Result<ClientTool, string> {
  const parsed = toolSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return err(`${issue?.path.join(".") || "tool"}: ${issue?.message ?? "invalid"}.`);
  }
  const { name, description, parameters } = parsed.data;
  const given = (parameters ?? EMPTY) as Json;
  if (!isObject(given) || (given["type"] ?? "object") !== "object")
    return err('parameters: a JSON Schema with the type "object".');
  const { $schema: _dialect, ...schema } = given;
  const inputSchema: JsonObject = { ...schema, type: "object" };
  const read = readOutputSchema(inputSchema);
  if (!read.ok) return err(`parameters: ${read.why}`);
  return ok({ name, description: (description ?? "").toWellFormed(), inputSchema });
}

/** The answer of a client to a call. */
export type ClientResult =
  | { readonly kind: "output"; readonly value: Json }
  | { readonly kind: "error"; readonly text: string }
  /** larger than an output may be */
  | { readonly kind: "too_large" };

/** Reads `output`, or `errorText` of the state `output-error`. */
export function readClientResult(part: {
  readonly state?: string | undefined;
  readonly output?: unknown;
  readonly errorText?: unknown;
}): ClientResult {
  if (part.state === "output-error") {
    const text = typeof part.errorText === "string" ? part.errorText.trim() : "";
    return {
      kind: "error",
      text: startOf(text || "The client gave no reason.", CLIENT_ERROR_CHARS_MAX).toWellFormed(),
    };
  }
  // The output came as JSON.
  const value = (part.output ?? null) as Json;
  const bytes = new TextEncoder().encode(canonicalJson(value)).length;
  return bytes > CLIENT_OUTPUT_BYTES_MAX ? { kind: "too_large" } : { kind: "output", value };
}
