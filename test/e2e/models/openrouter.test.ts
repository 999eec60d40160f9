import { afterAll, beforeAll, expect, test } from "vitest";
import { startOpenAiServer, type OpenAiServer } from "../clients/openai-server.ts";
import { useServer } from "../clients/server.ts";

let router: OpenAiServer;
beforeAll(async () => {
  router = await startOpenAiServer({ cost: 0.0125 });
});
afterAll(() => router.close());

const server = useServer(() => [
  "MODEL:openai-compatible:gone",
  // Nobody listens there: what the first model cannot do, the other does.
  "OPENAI_COMPATIBLE_BASE_URL:http://127.0.0.1:9/v1",
  "MODEL_FALLBACKS:openrouter:meta-llama/llama-3.3:free",
  "OPENROUTER_API_KEY:a-key-of-the-router",
  `OPENROUTER_BASE_URL:${router.baseUrl}`,
  "TITLES:0",
]);

test("OpenRouter takes over from another provider, and what it says that a call cost is what it cost", async () => {
  const at = `${server.url}/api/sessions/routed`;
  const said = await fetch(`${at}/messages?wait=true`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id: "m1", text: "/say Hello." }),
  });
  expect(said.ok).toBe(true);
  await expect.poll(() => router.replies, { timeout: 60_000 }).toBe(1);
  expect(router.requests.map((each) => each.model)).toEqual(["meta-llama/llama-3.3:free"]);
  const spent = async (): Promise<unknown> => {
    const answer = await fetch(`${server.url}/api/usage?groupBy=model`);
    return ((await answer.json()) as { readonly total: unknown }).total;
  };
  await expect.poll(spent).toMatchObject({ runs: 1, costUsd: 0.0125 });
});
