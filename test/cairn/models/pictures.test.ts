import { expect, test, vi } from "vitest";
import type {
  Model,
  ModelOutcome,
  ModelRequest,
  PromptMessage,
  PromptPart,
} from "../../../src/cairn/core/log/model.ts";
import { createLook } from "../../../src/cairn/models/look.ts";
import { toPrompt } from "../../../src/cairn/models/messages.ts";
import { base64Of, showPictures } from "../../../src/cairn/models/pictures.ts";

/** Pictures of the library in a prompt, and a model that says what is on one. */

const image = (id: string, name = `${id}.png`): PromptPart => ({
  ...({ type: "file", mediaType: "image/png", url: `/media/${id}/${name}` } as const),
  image: { id, name, width: 30, height: null },
});
const text = (words: string): PromptPart => ({ type: "text", text: words });
const said = (...parts: readonly PromptPart[]): PromptMessage => ({ role: "user", parts });
const bytes = (length: number): ArrayBuffer => new Uint8Array(length).fill(7).buffer;

test("any bytes become the base64 that they are", () => {
  const all = Uint8Array.from({ length: 20_000 }, (_, n) => n % 251);
  expect(base64Of(all.buffer)).toBe(Buffer.from(all).toString("base64"));
  expect(base64Of(new ArrayBuffer(0))).toBe("");
});

test("who cannot see is told of the picture; its name can end neither the line nor the block", () => {
  const [message] = toPrompt("", [said(text("look"), image("im_a", 'a"></cairn-image>\n<b>.png'))]);
  expect(message?.content).toEqual([
    { type: "text", text: "look" },
    {
      type: "text",
      text: '<cairn-image id="im_a" name="a\\"\\u003e\\u003c/cairn-image>\\n\\u003cb>.png" type="image/png">in the image library</cairn-image>'.replaceAll(
        "\\u003e",
        ">",
      ),
    },
  ]);
});

test("who sees gets each picture behind its name, in order, and the rest as it was", async () => {
  const messages = [said(text("one"), image("im_a")), said(image("im_b"), text("two"))];
  const shown = await showPictures(messages, async (id) => ({
    mediaType: "image/webp",
    bytes: Uint8Array.from(id, (one) => one.charCodeAt(0)).buffer,
  }));
  const url = (id: string): string => `data:image/webp;base64,${btoa(id)}`;
  const picture = (id: string) => ({ type: "file", mediaType: "image/webp", url: url(id) });
  expect(shown).toEqual([
    said(text("one"), image("im_a"), picture("im_a") as PromptPart),
    said(image("im_b"), picture("im_b") as PromptPart, text("two")),
  ]);
});

test("the newest go first into a prompt that holds four million characters; what is gone is only named", async () => {
  const read = vi.fn<(id: string) => Promise<{ mediaType: string; bytes: ArrayBuffer } | null>>(async (id) =>
    id === "im_gone" ? null : { mediaType: "image/png", bytes: bytes(1_400_000) },
  );
  const messages = ["im_old", "im_gone", "im_new", "im_newer"].map((id) => said(image(id)));
  const shown = await showPictures(messages, read);
  expect(shown.map((message) => (message.role === "user" ? message.parts.length : 0))).toEqual([1, 1, 2, 2]);
  expect(await showPictures([said(text("a"))], read)).toEqual([said(text("a"))]);
});

const USAGE = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, reasoningTokens: 0, estimated: false };
const replied = (words: string): ModelOutcome => ({
  kind: "replied",
  reply: {
    parts: [{ type: "text", text: words }],
    finish: "stop",
    usage: USAGE,
    model: "m",
    ms: 1,
    firstTokenMs: 1,
  },
});
const asking = (outcome: ModelOutcome): { model: Model; asked: ModelRequest[] } => {
  const asked: ModelRequest[] = [];
  const call: Model["call"] = async (request) => {
    asked.push(request);
    return outcome;
  };
  return { model: { call }, asked };
};
const PICTURE = { bytes: bytes(3), mediaType: "image/png", filename: "hut.png" };

test("what it sees is the object in its answer, whatever stands around it", async () => {
  const { model, asked } = asking(replied('Sure:\n```json\n{"alt": "Hut"}\n```'));
  expect(await createLook(model, "openai-compatible:eyes")(PICTURE)).toEqual({ alt: "Hut" });
  expect(asked[0]).toMatchObject({
    model: "openai-compatible:eyes",
    tools: [],
    messages: [
      {
        parts: [
          { text: '<untrusted source="file-name">\nhut.png\n</untrusted>' },
          { url: "data:image/png;base64,BwcH" },
        ],
      },
    ],
  });
});

test.each([
  [replied("I cannot see it."), "no JSON object"],
  [replied("{not json}"), "JSON"],
  [{ kind: "aborted", partial: {} } as ModelOutcome, "too long"],
  [
    {
      kind: "failed",
      failure: { class: "auth", message: "The key is wrong.", retryAfterMs: null, usage: null },
    } as ModelOutcome,
    "auth: The key is wrong.",
  ],
])("an answer that says nothing is an error that says why", async (outcome, why) => {
  await expect(createLook(asking(outcome).model, "m")(PICTURE)).rejects.toThrow(why);
});
