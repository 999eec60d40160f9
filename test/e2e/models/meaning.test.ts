import { afterAll, beforeAll, expect, test } from "vitest";
import { answerOf, fetchLog } from "../clients/log.ts";
import { useServer } from "../clients/server.ts";
import { startEmbeddingServer, type EmbeddingServer } from "./embedding-server.ts";

/** A page of a real server is found by what it means, once the cron trigger was pulled; by words while the model is away. */

let model: EmbeddingServer;
beforeAll(async () => {
  model = await startEmbeddingServer();
});
afterAll(() => model.close());
const server = useServer(() => [
  "EMBEDDING_MODEL:openai-compatible:concepts",
  `EMBEDDING_BASE_URL:${model.baseUrl}`,
  "EMBEDDING_API_KEY:k-embedding",
  "EMBEDDING_SIMILARITY:0.2-0.9",
]);

const cron = (time: number) => fetch(`${server.url}/cdn-cgi/handler/scheduled?time=${time}`);
const NOW = Date.now();
/** The page of the sample site says telephone, and none of these. */
const QUESTION = "phone messages";
let asked = 0;

/** Answer of `find`, as the model reads it. */
async function find(query: string): Promise<string> {
  asked += 1;
  const session = `meaning-${asked}`;
  const text = `/call find ${JSON.stringify({ query, types: ["page"] })}\n/then\n/say Done.`;
  const sent = await fetch(`${server.url}/api/sessions/${session}/messages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text }),
  });
  expect(sent.ok).toBe(true);
  await expect
    .poll(async () => answerOf(await fetchLog(server.url, session)), { timeout: 20_000 })
    .toBe("Done.");
  const log = await fetchLog(server.url, session);
  const settled = log.find((entry) => entry.kind === "call_settled");
  return String(settled?.body["observation"]);
}

test("a failed pass is made up for, and then a question finds a page with which it shares no word", async () => {
  expect(await find(QUESTION)).toContain("nothing of this site is embedded yet");
  expect(model.requests).toEqual([]);

  model.refusals.push(503);
  expect((await cron(NOW)).status).toBe(200);
  expect(model.requests).toHaveLength(1);
  expect(await find(QUESTION)).not.toContain('"semantic"');
  expect((await cron(NOW + 600_000)).status).toBe(200);
  const texts = model.requests.slice(1).flat();
  expect(texts.length).toBeGreaterThan(10);
  expect(new Set(texts).size).toBe(texts.length);
  expect(model.authorization).toBe("Bearer k-embedding");

  const found = await find(QUESTION);
  expect(found).toMatch(/"id":"pg_contact"[^}]*"match":"semantic"/);
  expect(found).not.toContain("words only");
  const before = model.requests.length;
  expect((await cron(NOW + 1_200_000)).status).toBe(200);
  expect(model.requests).toHaveLength(before);

  model.refusals.push(503);
  expect(await find("phones")).toContain("the embedding model did not answer");
});
