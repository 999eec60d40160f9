import { afterAll, beforeAll, expect, test } from "vitest";
import { png } from "../../worker/cms/media/image-bytes.ts";
import { startOpenAiServer, type OpenAiServer } from "../clients/openai-server.ts";
import { scriptedModel } from "../clients/scripted-model.ts";
import { useServer } from "../clients/server.ts";

/** A model that can see is shown the picture that a person sends, and describes it for the library. */

let says = "";
let model: OpenAiServer;
beforeAll(async () => {
  model = await startOpenAiServer({ model: scriptedModel(() => says) });
});
afterAll(() => model.close());
const server = useServer(() => [
  "MODEL:openai-compatible:eyes",
  "MODELS_ALLOWED:openai-compatible:*",
  "VISION_MODELS:openai-compatible:eyes",
  `OPENAI_COMPATIBLE_BASE_URL:${model.baseUrl}`,
]);

const ask = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
  const response = await fetch(server.url + path, init);
  expect(response.ok, `${path}: ${response.status}`).toBe(true);
  return (await response.json()) as T;
};
const json = (body: object): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

async function tell(session: string, parts: readonly object[], more: object = {}): Promise<void> {
  const path = `/api/sessions/${session}`;
  const { runId } = await ask<{ runId: string }>(`${path}/messages`, json({ parts, ...more }));
  await expect
    .poll(async () => (await ask<{ outcome: string | null }>(`/api/runs/${runId}`)).outcome, {
      timeout: 20_000,
    })
    .toBe("answered");
}

test("the picture goes with the words that name it, again for the next question, and never to a model that cannot see", async () => {
  const form = new FormData();
  form.set("file", new File([png({ seed: 77 })], "IMG_2041.png"));
  form.set("session", "seeing");
  const { imageId, url } = await ask<{ imageId: string; url: string }>("/api/uploads", {
    method: "POST",
    body: form,
  });
  const stored = Buffer.from(await (await fetch(server.url + url)).arrayBuffer()).toString("base64");
  const file = { type: "file", mediaType: "image/png", url };
  says = "A red square.";
  await tell("seeing", [{ type: "text", text: "What is on it?" }, file]);
  expect(model.pictures).toEqual([`data:image/png;base64,${stored}`]);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain(`<cairn-image id=\\"${imageId}\\"`);
  await tell("seeing", [{ type: "text", text: "And which colour was it?" }]);
  expect(model.pictures).toHaveLength(2);

  await tell("blind", [{ type: "text", text: "What is on it?" }, file], { model: "openai-compatible:blind" });
  expect(model.pictures).toHaveLength(2);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain(`<cairn-image id=\\"${imageId}\\"`);

  says = `Here it is: {"description": "A red square on white.", "alt": "Red square", "tags": ["red"], "objects": [], "colors": ["red"]}`;
  await fetch(`${server.url}/cdn-cgi/handler/scheduled?time=${Date.now()}`);
  expect(await ask(`/api/images/${imageId}`)).toMatchObject({
    alt: "Red square",
    altSource: "model",
    metadata: { status: "done", description: "A red square on white." },
  });
  expect(model.pictures).toHaveLength(3);
});
