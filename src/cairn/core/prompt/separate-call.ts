import type { Json } from "../log/json.ts";
import type { ModelRequest, PromptPart } from "../log/model.ts";
import { fence, quoteLine } from "../text/untrusted.ts";
import { textPart } from "./notes.ts";

/**
 * Model calls outside a conversation: naming a session, sorting a request, reading a page, describing a picture. Such a
 * call has no tools. Its variable text reaches the model only through the fence, whoever wrote it, so this file and the
 * composition of a run's own request are the only places that build a `ModelRequest` (test/house/model-calls.test.ts).
 */

/** Text that the call is about. */
export interface Material {
  /** names the text in its fence, such as `page` */
  readonly source: string;
  readonly text: string;
}

export interface SeparateCall extends Pick<
  ModelRequest,
  "model" | "session" | "step" | "maxOutputTokens" | "temperature" | "timeoutMs"
> {
  /** constant: never built from text of a person, a page or a model. It ends with the rule that fenced text is data (`callText`) */
  readonly instructions: string;
  /** short values of the request, by a constant label; each becomes one line of JSON */
  readonly fields?: Readonly<Record<string, Json>>;
  readonly material: readonly Material[];
  /** shown after the text */
  readonly pictures?: readonly { readonly mediaType: string; readonly dataUrl: string }[];
}

export function separateCall(call: SeparateCall): ModelRequest {
  const { model, session, step, maxOutputTokens, temperature, timeoutMs } = call;
  return {
    model,
    session,
    step,
    attempt: 1,
    instructions: call.instructions,
    messages: [{ role: "user", parts: partsOf(call) }],
    dialect: "native",
    takesWritten: false,
    tools: [],
    maxOutputTokens,
    temperature,
    timeoutMs,
  };
}

/** Characters of the request's text: instructions and message, without pictures. */
export function separateCallChars({
  instructions,
  messages,
}: Pick<ModelRequest, "instructions" | "messages">): number {
  const parts = messages.flatMap((message) => (message.role === "user" ? message.parts : []));
  return parts.reduce(
    (sum, part) => sum + (part.type === "text" ? part.text.length : 0),
    instructions.length,
  );
}

function partsOf({ fields: asked = {}, material, pictures = [] }: SeparateCall): readonly PromptPart[] {
  const lines = Object.entries(asked).map(([label, value]) => `${label}: ${jsonLine(value)}`);
  const fences = material.map(({ source, text }) => fence(text, source));
  return [
    textPart([...lines, ...fences].join("\n\n")),
    ...pictures.map(({ mediaType, dataUrl }): PromptPart => ({ type: "file", mediaType, url: dataUrl })),
  ];
}

/** JSON of which every string and key went through `quoteLine`. */
function jsonLine(value: Json): string {
  if (typeof value === "string") return quoteLine(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(jsonLine).join(",")}]`;
  return `{${Object.entries(value)
    .map(([key, one]) => `${quoteLine(key)}:${jsonLine(one ?? null)}`)
    .join(",")}}`;
}
