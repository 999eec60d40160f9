import { startOf } from "../../cairn/core/text/cut.ts";
import * as z from "zod";
import { isTooDeep, toJson, type Json, type JsonObject } from "../../cairn/core/log/json.ts";
import { ToolError } from "../../cairn/tools/define.ts";

/** A tool's result as the model gets it: its texts, its structured content, and a note on the rest. */

const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  mimeType: z.string().optional(),
  uri: z.string().optional(),
  name: z.string().optional(),
  data: z.string().optional(),
  resource: z
    .looseObject({ uri: z.string(), mimeType: z.string().optional(), text: z.string().optional() })
    .optional(),
});

export const callResult = z.looseObject({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});

const FAILURE_CHARS_MAX = 2_000;

/**
 * The output as JSON. A tool that reports its own failure fails with its text (`tool_failed`): the server has
 * answered, so the outcome is known.
 */
export function readAnswer(result: unknown, tool: string): JsonObject {
  const parsed = callResult.safeParse(result);
  if (!parsed.success || isTooDeep(parsed.data))
    throw new ToolError(
      "conflict",
      "answer_invalid",
      `${tool} has run, and what it answered cannot be read.`,
      {
        mayBeDone: true,
        hint: "Look at what it was to change before you call it again.",
      },
    );
  const { content, structuredContent, isError = false } = parsed.data;
  const blocks = content.map(readBlock);
  const text = blocks.flatMap((one) => (one.text === undefined ? [] : [one.text])).join("\n\n");
  if (isError)
    throw new ToolError("invalid_args", "tool_failed", `${tool} says that it failed.`, {
      details: text === "" ? null : startOf(text, FAILURE_CHARS_MAX).toWellFormed(),
      hint: "Correct what it names, or tell the person.",
    });
  const others = blocks.flatMap((one) => (one.other === undefined ? [] : [one.other]));
  return {
    ...(text === "" ? {} : { text }),
    ...(structuredContent === undefined ? {} : { structured: toJson(structuredContent) }),
    ...(others.length === 0 ? {} : { others }),
  };
}

/** A text, or a line that describes the block: pictures and sounds are not stored, and links are not fetched. */
function readBlock(value: unknown): { readonly text?: string; readonly other?: Json } {
  const parsed = block.safeParse(value);
  if (!parsed.success) return { other: "something that cannot be read" };
  const { type, text, mimeType = "of no named type", uri, name, data, resource } = parsed.data;
  if (type === "text" && text !== undefined) return { text };
  if (type === "resource_link" && uri !== undefined)
    return { other: toJson({ link: uri, name: name ?? null }) };
  if (type === "resource" && resource !== undefined)
    return resource.text === undefined
      ? { other: `a file that is no text, ${resource.uri}` }
      : { text: `${resource.uri}:\n${resource.text}` };
  if (data !== undefined)
    return { other: `${type} ${mimeType}, ${Math.floor((data.length * 3) / 4)} bytes, which is not kept` };
  return { other: `${type}, which is not read` };
}
