/** A model as configuration, requests and entries name it. */
export interface ModelName {
  readonly provider: "workers-ai" | "openai-compatible" | "gateway" | "rehearsal";
  /** the provider's own name of the model; empty for `rehearsal` */
  readonly id: string;
}

export const MODEL_FORMS = "workers-ai:<id>, openai-compatible:<id>, gateway:<id> or rehearsal:";
const MODEL_ID = /^[\x21-\x2b\x2d-\x7e]{1,200}$/;

/** `<provider>:<id>`, or null when the text is not a model name. The id is visible ASCII without a comma. */
export function parseModelName(text: string): ModelName | null {
  if (text === "rehearsal:") return { provider: "rehearsal", id: "" };
  const match = /^(workers-ai|openai-compatible|gateway):(.*)$/.exec(text);
  const id = match?.[2] ?? "";
  if (match === null || !MODEL_ID.test(id)) return null;
  return { provider: match[1] as ModelName["provider"], id };
}

export const modelText = (name: ModelName): string => `${name.provider}:${name.id}`;
