import { describe, expect, test } from "vitest";
import { createTranscriber } from "../../../src/plugins/channels/transcriber.ts";

/** Recordings that are written down by Workers AI, and by servers in the format of OpenAI. */

const bytes = Uint8Array.from([1, 2, 3]);
const patient = (): AbortSignal => new AbortController().signal;
const endpoint = {
  baseUrl: "https://speech.example/v1",
  apiKey: "k-speech",
  headers: {},
  reportsCost: false,
};

function server(answer: () => Response | Promise<Response>) {
  const asked: { url: string; init: RequestInit; form: FormData }[] = [];
  const fetch = async (url: string | URL | Request, init: RequestInit = {}) => {
    asked.push({ url: String(url), init, form: init.body as FormData });
    return await answer();
  };
  return { asked, transcriber: createTranscriber({ id: "whisper-1", endpoint, ai: null, fetch }) };
}
const aiOf = (run: (id: string, input: { audio: unknown }) => unknown): Ai => ({ run }) as unknown as Ai;

describe("a server in the format of OpenAI", () => {
  test.each([
    ["audio/ogg", "recording.ogg"],
    ["audio/mpeg", "recording.mp3"],
    ["audio/webm;codecs=opus", "recording.webm"],
    ["audio/x-m4a", "recording.m4a"],
    ["video/mp4", "recording.m4a"],
    ["audio/x-wav", "recording.wav"],
  ])("is given %s as %s", async (mediaType, name) => {
    const { asked, transcriber } = server(() => Response.json({ text: " Good morning. " }));
    expect(await transcriber.transcribe({ bytes, mediaType }, patient())).toEqual({
      kind: "written",
      text: "Good morning.",
    });
    const [{ url, init, form }] = asked as [(typeof asked)[0]];
    const file = form.get("file") as File;
    expect([url, form.get("model"), file.name, file.size]).toEqual([
      "https://speech.example/v1/audio/transcriptions",
      "whisper-1",
      name,
      3,
    ]);
    expect(init.headers).toEqual({ authorization: "Bearer k-speech" });
  });

  test.each<[string, () => Response | Promise<Response>, string]>([
    ["refuses", () => new Response("no", { status: 400 }), "The model that transcribes answered 400."],
    ["answers a page", () => new Response("<html>"), "The model that transcribes gave no text."],
    [
      "answers an error with 200",
      () => Response.json({ error: "x" }),
      "The model that transcribes gave no text.",
    ],
    ["hears nothing", () => Response.json({ text: " ... " }), "No words can be heard in it."],
    [
      "is not there",
      () => Promise.reject(new Error("ECONNREFUSED")),
      "The model that transcribes cannot be reached.",
    ],
  ])("that %s is told in plain words", async (_, answer, message) => {
    const { transcriber } = server(answer);
    expect(await transcriber.transcribe({ bytes, mediaType: "audio/ogg" }, patient())).toEqual({
      kind: "failed",
      message,
    });
  });

  test("is not asked about a format that it does not know, nor about more than it takes", async () => {
    const { asked, transcriber } = server(() => Response.json({ text: "x" }));
    const amr = await transcriber.transcribe({ bytes, mediaType: "audio/amr" }, patient());
    const large = { bytes: new Uint8Array(20 * 1_048_576 + 1), mediaType: "audio/ogg" };
    expect([amr, await transcriber.transcribe(large, patient())]).toEqual([
      { kind: "failed", message: "Its format cannot be transcribed." },
      { kind: "failed", message: "A recording may have 20 MB here." },
    ]);
    expect(asked).toEqual([]);
  });

  test("cuts a transcript that is longer than a message", async () => {
    const { transcriber } = server(() => Response.json({ text: "la ".repeat(20_000) }));
    const written = await transcriber.transcribe({ bytes, mediaType: "audio/ogg" }, patient());
    expect(written.kind === "written" ? written.text.length : 0).toBe(30_024);
  });
});

describe("Workers AI", () => {
  test.each([
    ["@cf/openai/whisper", [1, 2, 3]],
    ["@cf/openai/whisper-tiny-en", [1, 2, 3]],
    ["@cf/openai/whisper-large-v3-turbo", "AQID"],
  ])("%s is given the recording as it takes it", async (id, audio) => {
    const inputs: unknown[] = [];
    const ai = aiOf((_, input) => (inputs.push(input.audio), { text: "Hello", word_count: 1 }));
    const transcriber = createTranscriber({ id, endpoint: null, ai });
    expect(await transcriber.transcribe({ bytes, mediaType: "audio/ogg" }, patient())).toEqual({
      kind: "written",
      text: "Hello",
    });
    expect(inputs).toEqual([audio]);
  });

  test("that does not answer in time is given up", async () => {
    const ai = aiOf(() => new Promise(() => {}));
    const limit = new AbortController();
    const written = createTranscriber({ id: "@cf/openai/whisper", endpoint: null, ai }).transcribe(
      { bytes, mediaType: "audio/ogg" },
      limit.signal,
    );
    limit.abort();
    expect(await written).toEqual({ kind: "failed", message: "It was not transcribed in time." });
  });
});
