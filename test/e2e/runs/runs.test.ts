import { afterAll, beforeAll, expect, test } from "vitest";
import { startOpenAiServer, type OpenAiServer } from "../clients/openai-server.ts";
import { useServer } from "../clients/server.ts";

/** Runs through a real server and a real database, with a provider that has too many requests. */

let model: OpenAiServer;
let isBusy = true;
beforeAll(async () => {
  model = await startOpenAiServer({ tooMany: () => (isBusy ? 120 : null) });
});
afterAll(() => model.close());

const server = useServer(() => [
  "MODEL:openai-compatible:test",
  `OPENAI_COMPATIBLE_BASE_URL:${model.baseUrl}`,
  "TITLES:0",
]);
const within = { timeout: 20_000, interval: 100 };

async function ask(path: string, init?: RequestInit): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${server.url}${path}`, init);
  const text = await response.text();
  return { status: response.status, body: text === "" ? null : JSON.parse(text) };
}
const post = (body: object): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});
const show = async (id: string): Promise<unknown> => (await ask(`/api/runs/${id}`)).body;
const listed = async (query: string): Promise<string[]> => {
  const { items } = (await ask(`/api/runs${query}`)).body as { items: { id: string }[] };
  return items.map(({ id }) => id);
};

test("a wait for a provider is shown, ended by a person, and the run comes to its result", async () => {
  await ask("/api/sessions/waits/messages", post({ text: "/say It is green." }));
  await expect
    .poll(() => show("waits.r1"), within)
    .toMatchObject({ status: "running", waitingFor: { kind: "provider", id: null } });
  const asked = model.requests.length;
  isBusy = false;
  const retried = await ask("/api/runs/waits.r1/resume", post({ retry: true }));
  expect(retried).toMatchObject({ status: 202, body: { id: "waits.r1", waitingFor: null } });
  await expect
    .poll(() => show("waits.r1"), within)
    .toMatchObject({
      status: "completed",
      result: { result: { answer: "It is green.", confidence: null, summary: null } },
    });
  expect(model.requests).toHaveLength(asked + 1);
  const again = await ask("/api/runs/waits.r1/resume", post({ retry: true }));
  expect(again).toMatchObject({ status: 409, body: { error: { code: "not_waiting" } } });
});

test("a run that waits for a provider is stopped, and both are in the list", async () => {
  isBusy = true;
  await ask("/api/sessions/stopped/messages", post({ text: "/say Never." }));
  await expect.poll(() => show("stopped.r1"), within).toMatchObject({ waitingFor: { kind: "provider" } });
  expect(await ask("/api/runs/stopped.r1", { method: "DELETE" })).toMatchObject({
    status: 202,
    body: { id: "stopped.r1" },
  });
  await expect.poll(() => show("stopped.r1"), within).toMatchObject({ status: "cancelled" });
  expect((await ask("/api/runs/stopped.r1", { method: "DELETE" })).status).toBe(204);
  await expect.poll(() => listed("?status=cancelled"), within).toEqual(["stopped.r1"]);
  expect(await listed("")).toEqual(["stopped.r1", "waits.r1"]);
});
