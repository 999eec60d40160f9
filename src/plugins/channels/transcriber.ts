import { startOf } from "../../cairn/core/text/cut.ts";
import * as z from "zod";
import { readBytes } from "../../cairn/core/bytes.ts";
import { readJson } from "../../cairn/core/log/json.ts";
import type { Endpoint } from "../../cairn/core/log/model.ts";
import { base64Of } from "../../cairn/core/base64.ts";

/** A model that writes down recordings: Workers AI, or the `/audio/transcriptions` of an API in the format of OpenAI. */

export interface TranscriptionSettings {
  /** the provider's own name of the model */
  readonly id: string;
  /** null: Workers AI */
  readonly endpoint: Endpoint | null;
  readonly ai: Ai | null;
  readonly fetch?: typeof fetch;
}

/** A model that writes down the words of a recording. Never throws. */
export interface Transcriber {
  transcribe(recording: Recording, signal: AbortSignal): Promise<TranscriptOutcome>;
}

export interface Recording {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mediaType: string;
}

export type TranscriptOutcome =
  | { readonly kind: "written"; readonly text: string }
  /** safe for people: no key, no text of a provider */
  | { readonly kind: "failed"; readonly message: string };

/** of a recording; OpenAI takes 25 MB (https://platform.openai.com/docs/guides/speech-to-text) */
const RECORDING_BYTES_MAX = 20 * 1_048_576;
/** of one that is sent as a list of numbers, each of which takes eight bytes of memory */
const LISTED_BYTES_MAX = 2 * 1_048_576;
/** of one that is sent as base64 in JSON, while the recording is in memory too */
const ENCODED_BYTES_MAX = 10 * 1_048_576;
const ANSWER_BYTES_MAX = 4 * 1_048_576;
/** times of words, which some servers add */
const ANSWER_VALUES_MAX = 500_000;
/** of a transcript: half an hour of speech */
const TEXT_CHARS_MAX = 30_000;

const answerSchema = z.object({ text: z.string() });

export function createTranscriber(settings: TranscriptionSettings): Transcriber {
  const { endpoint, ai } = settings;
  return {
    transcribe: async (recording, signal) => {
      const max =
        endpoint !== null
          ? RECORDING_BYTES_MAX
          : isEncoded(settings.id)
            ? ENCODED_BYTES_MAX
            : LISTED_BYTES_MAX;
      if (recording.bytes.length > max)
        return failed(`A recording may have ${Math.floor(max / 1_048_576)} MB here.`);
      try {
        const answer =
          endpoint !== null
            ? await askServer(settings, endpoint, recording, signal)
            : ai === null
              ? failed("This deployment has no AI binding for Workers AI.")
              : await askWorkersAi(settings.id, ai, recording, signal);
        if ("kind" in answer) return answer;
        const text = answer.text.trim();
        if (!/[\p{L}\p{N}]/u.test(text)) return failed("No words can be heard in it.");
        return { kind: "written", text: cut(text) };
      } catch {
        return failed(
          signal.aborted
            ? "It was not transcribed in time."
            : "The model that transcribes cannot be reached.",
        );
      }
    },
  };
}

type Answer = z.infer<typeof answerSchema>;

const failed = (message: string): TranscriptOutcome => ({ kind: "failed", message });

const cut = (text: string): string =>
  text.length <= TEXT_CHARS_MAX ? text : `${startOf(text, TEXT_CHARS_MAX)}… (the rest was cut off)`;

/** Servers know the format by the end of the name. */
const ENDINGS: readonly (readonly [type: RegExp, ending: string])[] = [
  [/webm/, "webm"],
  [/ogg|opus/, "ogg"],
  [/mpeg|mp3/, "mp3"],
  [/wav/, "wav"],
  [/flac/, "flac"],
  [/m4a|aac|mp4/, "m4a"],
];

/** https://platform.openai.com/docs/api-reference/audio/createTranscription */
async function askServer(
  { id, fetch: ask = fetch }: TranscriptionSettings,
  { baseUrl, apiKey, headers }: Endpoint,
  { bytes, mediaType }: Recording,
  signal: AbortSignal,
): Promise<Answer | TranscriptOutcome> {
  const ending = ENDINGS.find(([type]) => type.test(mediaType.toLowerCase()))?.[1];
  if (ending === undefined) return failed("Its format cannot be transcribed.");
  const form = new FormData();
  form.set("model", id);
  form.set("response_format", "json");
  form.set("file", new File([bytes], `recording.${ending}`, { type: mediaType }));
  const response = await ask(`${baseUrl}/audio/transcriptions`, {
    method: "POST",
    headers: { ...headers, ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }) },
    body: form,
    // A key goes to the address that it is for.
    redirect: "manual",
    signal,
  });
  if (!response.ok) {
    await response.body?.cancel();
    return failed(`The model that transcribes answered ${response.status}.`);
  }
  const body = await readBytes(response.body, ANSWER_BYTES_MAX);
  const json = body === null ? undefined : readJson(new TextDecoder().decode(body), ANSWER_VALUES_MAX);
  return readAnswer(json);
}

/** Newer models of Whisper take base64, older ones a list of bytes (developers.cloudflare.com/workers-ai/models). */
const isEncoded = (id: string): boolean => id.includes("turbo");

async function askWorkersAi(
  id: string,
  ai: Ai,
  { bytes }: Recording,
  signal: AbortSignal,
): Promise<Answer | TranscriptOutcome> {
  const audio = isEncoded(id) ? base64Of(bytes) : [...bytes];
  const run: unknown = Reflect.apply(ai.run, ai, [id, { audio }, { signal }]);
  return readAnswer(await orAborted(run, signal));
}

function readAnswer(value: unknown): Answer | TranscriptOutcome {
  const { data } = answerSchema.safeParse(value);
  return data ?? failed("The model that transcribes gave no text.");
}

/** The binding does not promise to heed a signal. */
function orAborted(work: unknown, signal: AbortSignal): Promise<unknown> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(new Error("aborted"));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", stop));
}
