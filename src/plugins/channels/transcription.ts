import { parseModelName, type Endpoint } from "../../cairn/core/log/model.ts";
import { parseEndpoint } from "../../cairn/config/endpoints.ts";
import type { VariableProblem } from "./vendor.ts";
import { isObject, isSet, text } from "../../cairn/protocol/variables.ts";

/** The model that writes down recordings, such as voice messages of a chat. */
export interface Transcription {
  /** the provider's own name of the model */
  readonly id: string;
  /** null: Workers AI */
  readonly endpoint: Endpoint | null;
}

/** Variables that are secrets. */
export const TRANSCRIPTION_SECRETS = ["TRANSCRIPTION_API_KEY"];

/** Null without a model, or with one that cannot be asked: then recordings are not transcribed. */
export function parseTranscription(
  env: Readonly<Record<string, unknown>>,
  refuse: (variable: string, message: string) => void,
): Transcription | null {
  const own = {
    variable: "TRANSCRIPTION_BASE_URL",
    address: env["TRANSCRIPTION_BASE_URL"],
    key: env["TRANSCRIPTION_API_KEY"],
  };
  const endpoint = parseEndpoint(env, own, refuse);
  const value = env["TRANSCRIPTION_MODEL"];
  if (!isSet(value)) return null;
  const name = parseModelName(text(value) ?? "");
  const isOwn = name?.provider === "openai-compatible";
  if (name === null || (name.provider !== "workers-ai" && !isOwn)) {
    refuse("TRANSCRIPTION_MODEL", "Must be workers-ai:<id> or openai-compatible:<id>.");
    return null;
  }
  if (isOwn ? endpoint === null : !isObject(env["AI"])) {
    const lack = isOwn ? "TRANSCRIPTION_BASE_URL or OPENAI_COMPATIBLE_BASE_URL" : "the binding AI";
    refuse("TRANSCRIPTION_MODEL", `The model needs ${lack}.`);
    return null;
  }
  return { id: name.id, endpoint: isOwn ? endpoint : null };
}

/** The variables that cannot be read. */
export function transcriptionProblems(env: Readonly<Record<string, unknown>>): readonly VariableProblem[] {
  const problems: VariableProblem[] = [];
  parseTranscription(env, (about, message) => problems.push({ about, message }));
  return problems;
}
