import { exports } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { makeSite } from "../cms/fixture.ts";

/** Large files on the platform: real rows, real RPC, real streams. */

beforeAll(makeSite);

const call = (path: string, init?: RequestInit): Promise<Response> =>
  exports.default.fetch(new Request(`http://localhost/api/sessions/ses_large${path}`, init));

test("a file of nearly a body is said, listed and streamed, and no row of the log holds it", async () => {
  const url = `data:image/png;base64,${"A".repeat(900_000)}`;
  const parts = [
    { type: "text", text: "/say Seen." },
    { type: "file", mediaType: "image/png", url },
  ];
  const headers = { "content-type": "application/json", accept: "text/event-stream" };
  const said = await call("/messages", {
    method: "POST",
    headers,
    body: JSON.stringify({ id: "m1", parts }),
  });
  expect(said.status).toBe(200);
  expect(await said.text()).toContain("Seen.");
  const listed = await (await call("/messages")).json();
  expect(listed).toMatchObject([{ id: "m1", parts }, { role: "assistant" }]);
  const events = await call("/events?until=idle", { headers: { accept: "text/event-stream" } });
  const text = await events.text();
  expect(text.length).toBeLessThan(100_000);
  expect(text).toContain('"url":"blob:m1/1","bytes":900022');
});
