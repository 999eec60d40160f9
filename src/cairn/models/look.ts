import { callText } from "../call-prompts.ts";
import type { Model } from "../core/log/model.ts";
import { separateCall } from "../core/prompt/separate-call.ts";
import { base64Of } from "./pictures.ts";
import { objectIn } from "./reply.ts";

/** A model that can see, asked what is on a picture. */

const TIMEOUT_MS = 60_000;
const OUTPUT_TOKENS_MAX = 1_000;
const CONTEXT_CHARS_MAX = 200;

/**
 * Asks the model of this name about a picture. Returns the JSON value in its answer, of any shape. Throws an `Error`
 * with the class of the failure, also for an answer without a JSON object.
 */
export function createLook(model: Model, name: string) {
  return async ({
    bytes,
    mediaType,
    filename,
  }: {
    bytes: ArrayBuffer;
    mediaType: string;
    filename: string;
  }) => {
    const dataUrl = `data:${mediaType};base64,${base64Of(bytes)}`;
    const outcome = await model.call(
      separateCall({
        model: name,
        session: "images",
        step: "look",
        instructions: callText("describe-picture"),
        material: [{ source: "file-name", text: filename.slice(0, CONTEXT_CHARS_MAX) }],
        pictures: [{ mediaType, dataUrl }],
        maxOutputTokens: OUTPUT_TOKENS_MAX,
        temperature: 0,
        timeoutMs: TIMEOUT_MS,
      }),
      () => {},
      AbortSignal.timeout(TIMEOUT_MS),
    );
    if (outcome.kind === "failed") throw new Error(`${outcome.failure.class}: ${outcome.failure.message}`);
    if (outcome.kind === "aborted") throw new Error("the model took too long");
    return objectIn(outcome.reply);
  };
}
