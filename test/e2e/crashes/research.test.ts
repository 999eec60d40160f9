import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { exportSchema } from "../../../src/cairn/protocol/session-file.ts";
import { fetchLog, ofKind, say } from "../clients/log.ts";
import { useServer } from "../clients/server.ts";
import { signal, type Signal } from "../clients/signal.ts";

/** A run that reads 30 sources is killed twice, each time in the middle of five requests. */

const SOURCES = 30;
const OF_A_CALL = 5;
/** the sources at whose request the server is killed: of the third call, and of the fifth */
const KILLED_AT = [12, 23] as const;

const nameOf = (n: number): string => `http://source-${n}.example.com/`;
const factOf = (n: number): string => `The hut number ${n} opens on day ${100 + n}.`;

/** How often each source was asked for. */
const asked = new Map<number, number>();
/** sources whose answer does not come before the server was killed, and who hears that they are asked for */
const held = new Map<number, Signal>(KILLED_AT.map((n) => [n, signal()]));

function answer(url: string, response: ServerResponse): void {
  const { hostname, searchParams } = new URL(url);
  const type = searchParams.get("type");
  if (type !== null) {
    const Answer = type === "A" ? [{ type: 1, data: "93.184.215.14" }] : [];
    response.end(JSON.stringify({ Status: 0, Answer }));
    return;
  }
  const n = Number(/\d+/.exec(hostname)?.[0]);
  asked.set(n, (asked.get(n) ?? 0) + 1);
  const waiting = held.get(n);
  if (waiting !== undefined) return waiting.fire();
  response.setHeader("content-type", "text/html");
  response.end(`<title>Source ${n}</title><p>Words before it.</p><p>${factOf(n)}</p>`);
}

let web: Server;
beforeAll(async () => {
  web = createServer((request, response) => answer(String(request.headers["x-asked"]), response));
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  web.closeAllConnections();
  web.close();
});

const server = useServer(
  () => ["WEB:on", `WEB_STAND_IN:http://127.0.0.1:${(web.address() as AddressInfo).port}/`],
  "test/e2e/crashes/research-worker.ts",
);

const all = Array.from({ length: SOURCES }, (_, index) => index + 1);
const calls = Array.from({ length: SOURCES / OF_A_CALL }, (_, index) =>
  all.slice(index * OF_A_CALL, (index + 1) * OF_A_CALL),
);
const WISH = [
  ...calls.flatMap((some) => [
    `/call visit ${JSON.stringify({ urls: some.map(nameOf), goal: "on which day the hut opens" })}`,
    "/then",
  ]),
  ...all.map((n) => `/say ${factOf(n)} [e${n}]`),
].join("\n");

const named = z.object({
  pages: z.array(z.object({ page: z.string(), url: z.string(), chars: z.number() })),
  evidence: z.array(
    z.object({
      id: z.string(),
      page: z.string(),
      start: z.number(),
      end: z.number(),
      quote: z.string(),
    }),
  ),
});
const answered = z.object({ text: z.string(), citations: z.object({ items: named.shape.evidence }) });

test("a run of 30 sources that is killed twice names, keeps and cites each of them once", async () => {
  await say(server.url, "huts", WISH);
  for (const [n, arrived] of held) {
    await arrived.came;
    await server.kill();
    held.delete(n);
    await server.start();
  }
  await expect
    .poll(async () => ofKind(await fetchLog(server.url, "huts"), "run_ended").length, { timeout: 60_000 })
    .toBe(1);

  const log = await fetchLog(server.url, "huts");
  expect(ofKind(log, "run_ended").map(({ body }) => body["outcome"])).toEqual(["completed"]);
  expect(ofKind(log, "attempt_lost")).toHaveLength(KILLED_AT.length);
  const settled = ofKind(log, "call_settled");
  expect(settled.map(({ body }) => body["status"])).toEqual(calls.map(() => "ok"));

  const sources = settled.map(({ body }) => named.parse(body["sources"]));
  const pages = sources.flatMap((one) => one.pages);
  const evidence = sources.flatMap((one) => one.evidence);
  expect(pages.map(({ page, url }) => [page, url])).toEqual(all.map((n) => [`p${n}`, nameOf(n)]));
  expect(evidence.map(({ id, page }) => [id, page])).toEqual(all.map((n) => [`e${n}`, `p${n}`]));

  const response = await fetch(`${server.url}/api/sessions/huts/export`);
  const { blobs } = exportSchema.parse(await response.json());
  for (const [index, { page, start, end, quote }] of evidence.entries()) {
    expect(blobs[page]?.slice(start, end)).toBe(quote);
    expect(quote).toContain(factOf(index + 1));
  }
  const { text, citations } = answered.parse(ofKind(log, "answer")[0]?.body);
  expect(citations.items).toMatchObject(evidence);
  expect(text.split("\n")).toEqual(all.map((n) => `${factOf(n)} [e${n}]`));

  // Pages read before a crash are not read again; of the five in the interrupted call, only those already requested
  // are.
  const died = calls.filter((some) => KILLED_AT.some((n) => some.includes(n))).flat();
  for (const n of all) {
    const most = died.includes(n) ? 2 : 1;
    const least = KILLED_AT.some((killed) => killed === n) ? 2 : 1;
    expect(asked.get(n), nameOf(n)).toBeGreaterThanOrEqual(least);
    expect(asked.get(n), nameOf(n)).toBeLessThanOrEqual(most);
  }
});
