import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { sessionClient, type SessionClient } from "../../../src/cairn/http/kit/session-client.ts";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import type { Actor, ApiResult } from "../../../src/cairn/session/api/session-api.ts";
import type { MemoryView } from "../../../src/cairn/protocol/views.ts";

/** Conversations over several runs, with the rehearsal model on the real Session and the seeded site. */

const ada: Actor = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" };
const bob: Actor = { ...ada, subject: "bob" };
const stubOf = (session: string): DurableObjectStub => env.SESSION.get(env.SESSION.idFromName(session));
const api = (session: string): SessionClient => sessionClient(env, session);

async function given<Value>(answer: Promise<ApiResult<Value>>): Promise<Value> {
  const result = await answer;
  if (!result.ok) throw new Error(result.error.code);
  return result.value;
}

interface Told {
  readonly answer: string;
  /** titles of what a person was asked, in order */
  readonly asked: readonly string[];
  /** names of the calls that the model made, in order */
  readonly calls: readonly string[];
}

let messages = 0;

/** Says something and waits for the end of its run; whatever is asked on the way is approved through the door. */
async function say(session: string, text: string): Promise<Told> {
  const parts = [{ type: "text", text }] as const;
  const command = { parts, mode: null, source: "api", request: null, ask: {} } as const;
  const { runId } = await given(api(session).send(ada, { id: `m${++messages}`, ...command }));
  const run = runId.slice(session.length + 1);
  const asked: string[] = [];
  let entries: Entry[] = [];
  const isOver = async (): Promise<boolean> => {
    const page = await given(api(session).events(ada, 0, 1_000));
    entries = page.items.filter((entry) => entry.run === run);
    const open = entries.at(-1);
    if (open?.kind === "approval_requested") {
      const { approval, title, digest } = open.body;
      asked.push(title);
      const decision = { decision: "approve", args: null, reason: null, digest } as const;
      await given(api(session).decide(ada, { approval, ...decision }));
    }
    return entries.some((entry) => entry.kind === "run_ended");
  };
  await expect.poll(isOver, { timeout: 15_000, interval: 20 }).toBe(true);
  const answer = entries.flatMap((entry) => (entry.kind === "answer" ? [entry.body.text] : [])).join("");
  const calls = entries.flatMap((entry) =>
    entry.kind === "model_replied" ? entry.body.calls.map((call) => call.tool) : [],
  );
  return { answer: answer.split("\n\n(I am")[0] ?? "", asked, calls };
}

interface Row {
  readonly id: string;
  readonly name: string;
}
const pages = async (): Promise<readonly Row[]> =>
  (
    await env.DB.prepare(
      "SELECT id, name FROM pages WHERE kind = 'page' AND deleted_at IS NULL ORDER BY name",
    ).all<Row>()
  ).results;
const pageNames = async (): Promise<readonly string[]> => (await pages()).map((page) => page.name);

/** The sections of a page's draft in order, as `template: heading`. */
async function sections(page: string): Promise<readonly string[]> {
  const { results } = await env.DB.prepare(
    `SELECT s.template_key || ': ' || coalesce(c.data->>'heading', c.data->>'title', '') AS told FROM sections s
       JOIN contents c ON c.owner_type = 'section' AND c.owner_id = s.id AND c.locale = 'en'
      WHERE s.page_id = ?1 AND s.deleted_at IS NULL ORDER BY s.sort_key`,
  )
    .bind(page)
    .all<{ told: string }>();
  return results.map((entry) => entry.told);
}

const memoryOf = (session: string): Promise<MemoryView> => given(api(session).memory(ada));
const inFocus = (memory: MemoryView): readonly string[] =>
  memory.entities.filter((entity) => entity.focus).map(({ type, name }) => `${type} ${name}`);

test("in one session over six runs, every “it”, “the first section” and “that page” finds its thing", async () => {
  const made = await say("talk", "create a page called Our beginnings with a hero and a feature section");
  expect(made.answer).toContain('The page "Our beginnings" is made as a draft');
  const page = (await pages()).find((one) => one.name === "Our beginnings")?.id ?? "";
  const order = await sections(page);
  expect(order.map((one) => one.split(":")[0])).toEqual(["hero", "feature"]);
  const first = await memoryOf("talk");
  expect(inFocus(first)).toEqual(expect.arrayContaining(["page Our beginnings"]));
  expect(first.entities.find((entity) => entity.id === page)).toEqual({
    type: "page",
    id: page,
    name: "Our beginnings",
    fields: { slug: "our-beginnings" },
    focus: true,
    tool: "page_create",
    step: "r1s2",
    seq: expect.any(Number),
  });
  const parents = first.entities
    .filter((entity) => entity.type === "section")
    .map((one) => one.fields["parent"]);
  expect(parents).toEqual([
    { type: "page", id: page },
    { type: "page", id: page },
  ]);

  const renamed = await say("talk", "rename it to Our story");
  expect(renamed.answer).toBe(
    'The page "Our beginnings" is called "Our story" now. Its slug stays our-beginnings.',
  );
  expect(renamed.calls).toEqual(["page_update"]);
  expect((await pages()).find((one) => one.id === page)?.name).toBe("Our story");

  const cut = await say("talk", "delete the first section");
  expect(cut.answer).toBe('The hero "Our beginnings" section of "Our story" is deleted.');
  expect(await sections(page)).toEqual(order.slice(1));

  const listed = await say("talk", "what pages do we have?");
  const lines = listed.answer.split("\n").filter((line) => line.startsWith("- "));
  expect(lines.map((line) => /^- "([^"]+)"/u.exec(line)?.[1])).toEqual(await pageNames());
  const [about] = await pages();
  expect(about?.name).toBe("About");
  const before = await sections(about?.id ?? "");

  const changed = await say(
    "talk",
    "the second section of the about page: change its heading to Guides who know the way",
  );
  expect(changed.answer).toContain('on "About" is "Guides who know the way" now');
  expect(await sections(about?.id ?? "")).toEqual(
    before.map((one, at) => (at === 1 ? `${one.split(":")[0]}: Guides who know the way` : one)),
  );

  const deleted = await say("talk", "delete that page");
  expect(deleted.asked).toHaveLength(1);
  expect(deleted.asked[0]).toContain("About");
  expect(deleted.calls).toEqual(["page_delete"]);
  expect(deleted.answer).toContain('"About" is deleted');
  expect(await pageNames()).toEqual(["Contact", "Home", "Our story"]);
  const left = await memoryOf("talk");
  expect(
    left.entities.filter(({ id, fields }) => id === about?.id || JSON.stringify(fields).includes("pg_about")),
  ).toEqual([]);
  expect(left.entities.map((entity) => entity.name)).toContain("Our story");
  expect(inFocus(left).filter((one) => one.startsWith("page") || one.startsWith("section"))).toEqual([]);

  // The referent is gone, and nothing replaces it automatically.
  const again = await say("talk", "delete that page");
  expect(again.answer).toContain("Which page do you mean?");
  expect(await pageNames()).toEqual(["Contact", "Home", "Our story"]);
});

describe("an unclear reference", () => {
  test.each([
    ["it", "rename it to Our story"],
    ["that page", "delete that page"],
    ["a text of no page", "change its heading to Hello"],
    ["a section of no page", "hide the last section"],
  ])("such as %s in a new session leads to a question, and changes nothing", async (what, text) => {
    const before = [await pageNames(), await Promise.all((await pages()).map((page) => sections(page.id)))];
    const { answer, calls, asked } = await say(`fresh-${what.replaceAll(" ", "-")}`, text);
    expect(answer).toMatch(/^Which page do you mean\? The pages are /);
    expect([calls, asked]).toEqual([["site_overview"], []]);
    expect([await pageNames(), await Promise.all((await pages()).map((page) => sections(page.id)))]).toEqual(
      before,
    );
  });

  test("is followed once the person names the thing", async () => {
    await say("which", 'rename it to "How to find us"');
    const { answer } = await say("which", "Contact");
    expect(answer).toContain('The page "Contact" is called "How to find us" now');
    expect(await pageNames()).toContain("How to find us");
  });

  test("after a list of several leads to a question", async () => {
    await say("several", "what pages do we have?");
    expect((await say("several", "rename it to Nowhere")).answer).toContain("Which page do you mean?");
    expect(await pageNames()).not.toContain("Nowhere");
  });
});

test("memory stays with the session through an eviction and across runs, for its owner alone", async () => {
  await say("kept", '/call store_memory {"key":"tone","value":"warm, never loud"}\n/then\n/say Noted.');
  await evictDurableObject(stubOf("kept"));
  const memory = await memoryOf("kept");
  expect(memory).toEqual({
    entities: [],
    facts: [{ key: "tone", value: "warm, never loud", seq: expect.any(Number) }],
    tokens: expect.any(Number),
    seq: (await given(api("kept").view(ada))).lastSeq,
  });
  expect(memory.tokens).toBeGreaterThan(5);
  await say("kept", '/call retrieve_memory {"key":"Tone"}\n/then\n/say Here.');
  const { items } = await given(api("kept").events(ada, 0, 1_000));
  const recalled = items.findLast((entry) => entry.kind === "call_settled");
  expect(recalled?.kind === "call_settled" && JSON.parse(recalled.body.observation)).toEqual({
    ok: true,
    found: true,
    key: "tone",
    value: "warm, never loud",
  });
  expect(await api("kept").memory(bob)).toMatchObject({
    ok: false,
    error: { status: 404, code: "not_found" },
  });
  expect(await api("kept").memory({ ...ada, scopes: ["send"] })).toMatchObject({
    ok: false,
    error: { code: "missing_scope" },
  });
});
