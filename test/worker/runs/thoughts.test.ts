import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { sessionClient } from "../../../src/cairn/http/kit/session-client.ts";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import { makeSite } from "../cms/fixture.ts";
import { post } from "../http/routes-fixture.ts";
import { openApi, type Person } from "../sessions/session-fixture.ts";

/** A run that keeps its thoughts to admins, over the real doors of a deployment. */

const doors = openApi();
beforeAll(makeSite);

const S = "/api/sessions/kept";
const PATHS = [
  S,
  `${S}/messages`,
  `${S}/events`,
  `${S}/memory`,
  `${S}/trace`,
  `${S}/trace?format=jsonl`,
  `${S}/trace?include=prompts`,
  `${S}/events?until=idle`,
  "/api/runs/kept.r1",
  "/api/runs/kept.r1?include=trace",
  "/api/runs/kept.r1/trace",
  "/api/runs/kept.r1/trace?format=jsonl",
  "/api/runs/kept.r1/trace?include=prompts",
  "/api/runs",
];
const STREAMS = [`${S}/events?until=idle`];
const WORDS = "Which pages are there?";

async function read(who: Person): Promise<Map<string, string>> {
  const got = new Map<string, string>();
  const fetched = [
    ...PATHS.map((path) => [path, {}] as const),
    ...STREAMS.map((path) => [path, SSE] as const),
  ];
  for (const [path, headers] of fetched) {
    const answer = await doors.call(path, { who, headers });
    got.set(`${path} ${JSON.stringify(headers)}`, `${answer.status} ${await answer.text()}`);
  }
  // Said again it is known already, and its stream is given again.
  const again = await doors.call(`${S}/messages`, { who, ...post({ id: "m1", text: WORDS }, SSE) });
  got.set("stream", `${again.status} ${again.status === 200 ? joined(await again.text()) : ""}`);
  return got;
}

/** A stream with its pieces put together. */
const joined = (text: string): string =>
  text + Array.from(text.matchAll(/"delta":"((?:[^"\\]|\\.)*)"/g), ([, delta = ""]) => delta).join("");

const SSE = { accept: "text/event-stream" };

test("what its model says beside its calls is read by admins, and the answer by everybody", async () => {
  const session = sessionClient(env, "kept");
  const ada = { subject: "alice", scopes: ["read", "send", "approve"], via: "http" } as const;
  const root = { subject: "root", scopes: ["admin"], via: "http" } as const;
  const parts = [{ type: "text", text: WORDS }] as const;
  const ask = { showThoughts: false };
  const command = { id: "m1", parts, mode: null, source: "api", request: null, ask } as const;
  expect(await session.send(ada, command)).toMatchObject({ ok: true });
  let log: readonly Entry[] = [];
  const ended = async (): Promise<boolean> => {
    const page = await session.events(root, 0, 1_000);
    log = page.ok ? page.value.items : [];
    return log.at(-1)?.kind === "run_ended";
  };
  await expect.poll(ended, { timeout: 15_000, interval: 20 }).toBe(true);

  const thoughts = log.flatMap((entry) =>
    entry.kind === "model_replied" && entry.body.calls.length > 0
      ? entry.body.parts.flatMap((part) => (part.type === "call" ? [] : [part.text]))
      : [],
  );
  expect(thoughts.length).toBeGreaterThan(0);
  const answer = log.find((entry) => entry.kind === "answer")?.body.text ?? "";
  expect(answer.length).toBeGreaterThan(20);

  const holds = (texts: Map<string, string>, all: readonly string[]): string[] =>
    [...texts].flatMap(([path, text]) =>
      all.some((one) => text.includes(JSON.stringify(one).slice(1, -1))) ? [path] : [],
    );
  const [member, admin] = [await read("alice"), await read("root")];
  expect([...member.values()].map((text) => text.slice(0, 3))).toEqual([...member].map(() => "200"));
  expect(holds(member, thoughts)).toEqual([]);
  expect(holds(admin, thoughts).length).toBeGreaterThanOrEqual(11);
  expect(holds(member, [answer]).length).toBeGreaterThanOrEqual(7);
});
