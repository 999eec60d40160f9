import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { gated, openApi } from "./session-fixture.ts";
import { makeSite } from "../cms/fixture.ts";
import { post, verdictOf } from "../http/routes-fixture.ts";

/** A session that was deleted, and another of its name: nothing of the first one reaches the second. */

beforeAll(makeSite);

const SECRET = "0123456789abcdef0123456789abcdef";
const api = openApi({ APPROVAL_LINK_SECRET: SECRET });

const remove = async (session: string): Promise<void> =>
  expect((await api.call(`/api/sessions/${session}`, { method: "DELETE" })).status).toBe(204);
const pagesNamed = async (name: string): Promise<number> => {
  const found = await env.DB.prepare("SELECT count(*) AS n FROM pages WHERE name = ?1").bind(name).first("n");
  return Number(found);
};
const calls = (name: string): string => `/call page_create ${JSON.stringify({ name })}\n/then\n/say Done.`;

test("its calls have keys of their own: the same call is made again, another is not taken for it", async () => {
  await api.say("ses_reborn", calls("Fig"));
  await remove("ses_reborn");
  await api.say("ses_reborn", calls("Quince"));
  expect([await pagesNamed("Fig"), await pagesNamed("Quince")]).toEqual([1, 1]);
  await env.DB.exec("DELETE FROM pages WHERE name = 'Quince'");
  await remove("ses_reborn");
  await api.say("ses_reborn", calls("Quince"));
  expect(await pagesNamed("Quince")).toBe(1);
});

test("a link to an approval of the first decides nothing of the second, and does not show it", async () => {
  const session = "ses_relinked";
  const again = gated();
  const ask = async (): Promise<string> => {
    await api.say(session, again);
    const detail = await api.json<{ activeRun: { waitingFor: { id: string } } }>(
      200,
      `/api/sessions/${session}`,
    );
    return `/api/sessions/${session}/approvals/${detail.activeRun.waitingFor.id}`;
  };
  const first = await ask();
  const { digest } = await api.json<{ digest: string }>(200, first);
  const made = await api.json<{ url: string }>(201, `${first}/link`, {
    ...post({ subject: "alice" }),
    who: "root",
  });
  const link = new URL(made.url).pathname;
  expect((await api.call(link, { who: null })).status).toBe(200);
  await remove(session);
  expect(await verdictOf(await api.call(link, { who: null }))).toEqual([404, "not_found"]);
  await env.DB.exec("DELETE FROM pages WHERE name LIKE 'Gated%'");
  const second = await ask();
  expect(second).toBe(first);
  const asked = await api.json<{ digest: string; state: string }>(200, second);
  expect([asked.state, asked.digest === digest]).toEqual(["pending", false]);
  for (const init of [{}, post({ decision: "approve" }), post({ decision: "deny" })])
    expect(await verdictOf(await api.call(link, { ...init, who: null }))).toEqual([404, "not_found"]);
  expect(await api.json(200, second)).toMatchObject({ state: "pending", votes: [] });
  await api.json(200, second, post({ decision: "deny" }));
});
