import { beforeAll, expect, test } from "vitest";
import { ask, expectAlive, log, post, untilIdle, work } from "./bad-input-doors.ts";
import { makeSite } from "../cms/fixture.ts";

/** Names that few test with: what the rehearsal model makes of them, and what visitors get at the addresses. */

beforeAll(makeSite);

const JSON_TYPE = { "content-type": "application/json" };

/** Asks for a page, says yes to its one question, and works to the end: the answer, and the address that was asked about. */
async function publish(session: string, wish: string): Promise<{ answer: string; address: string }> {
  const said = await post(session, JSON.stringify({ text: wish }), {
    ...JSON_TYPE,
    accept: "text/event-stream",
  });
  await said.text();
  const asked = (await log(session)).filter((row) => row.kind === "approval_requested");
  expect(asked).toHaveLength(1);
  const approval = String(asked[0]?.body["approval"]);
  const yes = await ask(`/api/sessions/${session}/approvals/${approval}`, {
    method: "POST",
    headers: JSON_TYPE,
    body: '{"decision":"approve"}',
  });
  const { summary } = await yes.json<{ summary: string }>();
  await untilIdle(session);
  const rows = await log(session);
  expect(rows.at(-1)).toMatchObject({ kind: "run_ended", body: { class: "answered" } });
  expect(rows.filter((row) => row.kind === "approval_requested")).toHaveLength(1);
  const [address = ""] = /\/site\/[a-z0-9-]+/.exec(summary) ?? [];
  return { answer: String(rows.findLast((row) => row.kind === "answer")?.body["text"]), address };
}

test.each([
  ["japanese", "会社概要", "会社概要", /^\/site\/page-[0-9a-f]{6}$/],
  ["arabic", "من نحن", "من نحن", /^\/site\/page-[0-9a-f]{6}$/],
  ["slash", "News/Events", "News/Events", /^\/site\/news-events$/],
  ["slashes", '"Docs / API / v2"', "Docs / API / v2", /^\/site\/docs-api-v2$/],
  ["japanese-slash", '"会社概要/沿革"', "会社概要/沿革", /^\/site\/page-[0-9a-f]{6}$/],
  ["above-quoted", '"../../media"', "../../media", /^\/site\/media-page$/],
  [
    "script",
    '"<script>alert(1)</script>"',
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    /^\/site\/script-alert-1-script$/,
  ],
  ["emoji", '"👩‍👩‍👧‍👦🎉"', "👩‍👩‍👧‍👦🎉", /^\/site\/page-[0-9a-f]{6}$/],
  ["other-emoji", '"🎈"', "🎈", /^\/site\/page-[0-9a-f]{6}$/],
  ["signs", '"___"', "___", /^\/site\/page-[0-9a-f]{6}$/],
  ["voiced", "ガス", "ガス", /^\/site\/page-[0-9a-f]{6}$/],
  ["unvoiced", "カス", "カス", /^\/site\/page-[0-9a-f]{6}$/],
  ["reserved", "API", "API", /^\/site\/api-page$/],
  ["long", `"${"Long ".repeat(60).trim()}"`, "Long ".repeat(24).trim(), /^\/site\/(long-?){13}$/],
  ["astral", `"${"𝒳".repeat(150)}"`, "𝒳".repeat(60), /^\/site\/x{60}$/],
])("a page of the name %s is made, published and stands at its address", async (session, said, shown, at) => {
  const { answer, address } = await publish(session, `Create a page called ${said} and publish it`);
  expect(address).toMatch(at);
  expect(answer).toContain(`is published at ${address}`);
  const page = await ask(address);
  const html = await page.text();
  expect([page.status, html.includes(`<title>${shown}</title>`)]).toEqual([200, true]);
  expect(html).toContain(`>${shown}</h1>`);
  expect(html).not.toContain("<script>alert");
  await expectAlive(session);
});

test("a name that was cut is said to be", async () => {
  const { rows, answer } = await work("cut", `Create a page called "${"Wide ".repeat(60)}"`);
  expect(answer).toContain("The name was longer than 120 characters, so I cut it there.");
  const asked = rows.flatMap((row) =>
    row.kind === "model_replied" ? [JSON.stringify(row.body["calls"])] : [],
  );
  expect(asked.join()).toContain(`"name":"${"Wide ".repeat(24).trim()}"`);
});

test.each([
  ["nothing", "Create a page called", "What should the page be called?"],
  ["a path without quotes", "Create a page called ../../etc", "I changed nothing yet."],
  ["emoji without quotes", "Create a page called 🎉", "I did not understand"],
  ["invisible", 'Create a page called "\u200b\u200f"', "has no visible character"],
  ["controls", 'Create a page called "a\u0000b"', "has a control character"],
])("a name of %s makes no page, and says why", async (_, wish, why) => {
  const { rows, answer } = await work("unnamed", wish);
  expect(answer).toContain(why);
  const settled = rows.filter((row) => row.kind === "call_settled");
  const pages = settled.filter((row) => row.body["tool"] === "page_create").map((row) => row.body["status"]);
  expect(pages).not.toContain("ok");
  expect(JSON.stringify(rows)).not.toContain("approval_requested");
  await expectAlive("unnamed");
});

test.each([
  "/site/会社概要",
  "/site/%E4%BC%9A",
  "/site/%ff",
  "/site/%00",
  "/site/%E0%A4%A",
  "/site/..%2fapi%2fme",
  "/site/<script>",
  `/site/${"x".repeat(3_000)}`,
  "/site/a/b/c/d/e",
  "/site/api",
  "/site//about",
  "/media/../../etc",
  "/media/%2e%2e%2f%2e%2e",
  `/media/${"x".repeat(3_000)}`,
])("%s is not found, as a page for people", async (path) => {
  const response = await ask(path);
  expect(response.status).toBe(404);
  expect(await response.text()).not.toMatch(/<script>|at \w+ \(|Error/);
});
