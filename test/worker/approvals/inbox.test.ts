import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { answers } from "../../../src/cairn/protocol/api.ts";
import { makeSite } from "../cms/fixture.ts";
import { post, verdictOf } from "../http/routes-fixture.ts";
import { gated, openApi, type Person } from "../sessions/session-fixture.ts";

/** All that waits for a person, over all sessions. */

beforeAll(makeSite);

const api = openApi();
interface Inbox {
  readonly approvals: { sessionId: string }[];
  readonly questions: { sessionId: string; runId: string; id: string }[];
  readonly failedRuns: { sessionId: string; runId: string; title: string }[];
}
const inbox = (who: Person = "alice"): Promise<Inbox> => api.json(200, "/api/inbox", { who });
const within = { timeout: 15_000, interval: 50 };
const sessionsIn = (items: readonly { sessionId: string }[]): string[] =>
  items.map(({ sessionId }) => sessionId);

test("a question waits in it, however many sessions are newer, until it is answered", async () => {
  const question = { question: "Which colour?", options: ["green", "blue"] };
  await api.say("ses_asks", `/call ask_human ${JSON.stringify(question)}\n/then\n/say Painted.`);
  await expect.poll(async () => sessionsIn((await inbox()).questions), within).toEqual(["ses_asks"]);
  const { results } = await env.DB.prepare("SELECT view FROM sessions WHERE id = 'ses_asks'").all();
  await env.DB.batch(
    Array.from({ length: 210 }, (_, n) =>
      env.DB.prepare(
        "INSERT INTO sessions (id, owner, status, archived, created_at, updated_at, view) VALUES (?1, 'alice', 'idle', 0, ?2, ?2, ?3)",
      ).bind(`ses_newer_${n}`, Date.now() + 60_000 + n, results[0]?.["view"]),
    ),
  );
  const found = await inbox();
  expect(answers().Inbox.safeParse(found).error ?? null).toBeNull();
  expect(found.questions).toMatchObject([{ sessionId: "ses_asks", ...question, default: null }]);
  expect((await inbox("bob")).questions).toEqual([]);
  const [asked] = found.questions;
  await api.json(202, `/api/runs/${asked?.runId}/resume`, post({ questionId: asked?.id, value: "green" }));
  await expect.poll(async () => (await inbox()).questions, within).toEqual([]);
  await env.DB.prepare("DELETE FROM sessions WHERE id LIKE 'ses_newer_%'").run();
});

test("an approval waits in it, for those who may decide", async () => {
  await api.say("ses_gated", gated());
  await expect.poll(async () => sessionsIn((await inbox()).approvals), within).toEqual(["ses_gated"]);
  expect(sessionsIn((await inbox("root")).approvals)).toEqual(["ses_gated"]);
  expect((await inbox("bob")).approvals).toEqual([]);
});

test("a failed scheduled run waits in it, until its owner takes it off", async () => {
  await api.say("ses_failed", "/say Hello.");
  const waits = { sessionId: "ses_failed", runId: "ses_failed.r1", objective: "Count.", answer: null };
  const view = { ...waits, endedAt: new Date().toISOString() };
  await expect
    .poll(
      async () =>
        (await env.DB.prepare("SELECT 1 FROM sessions WHERE id = 'ses_failed'").all()).results.length,
      within,
    )
    .toBe(1);
  await env.DB.prepare(
    "INSERT INTO inbox_items (session_id, id, owner, kind, at, view) VALUES ('ses_failed', 'r1', 'alice', 'failed_run', ?1, ?2)",
  )
    .bind(Date.now(), JSON.stringify(view))
    .run();
  const found = await inbox();
  expect(answers().Inbox.safeParse(found).error ?? null).toBeNull();
  expect(found.failedRuns).toMatchObject([waits]);
  const gone = (who: Person, run = "ses_failed.r1") =>
    api.call(`/api/inbox/${run}`, { method: "DELETE", who });
  expect((await gone("bob")).status).toBe(204);
  expect(await verdictOf(await gone("alice", "nonsense"))).toEqual([404, "not_found"]);
  expect((await inbox()).failedRuns).toHaveLength(1);
  expect((await gone("alice")).status).toBe(204);
  expect((await inbox()).failedRuns).toEqual([]);
});
