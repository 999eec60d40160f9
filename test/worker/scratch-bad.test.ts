import { test, beforeAll } from "vitest";
import { ask, log, post, work } from "./bad-input-doors.ts";
import { makeSite } from "./cms/fixture.ts";
beforeAll(makeSite);
async function decideAll(session: string, text: string) {
  const r = await post(session, JSON.stringify({ text }), { "content-type": "application/json", accept: "text/event-stream" });
  await r.text();
  for (let i = 0; i < 6; i++) {
    const rows = await log(session);
    const asked = rows.filter((x) => x.kind === "approval_requested").map((x) => String(x.body["approval"]));
    const done = new Set(rows.filter((x) => x.kind === "approval_decided").map((x) => String(x.body["approval"])));
    const open = asked.find((x) => !done.has(x));
    if (open === undefined) break;
    const d = await ask(`/api/sessions/${session}/approvals/${open}`, { method: "POST", headers: { "content-type": "application/json" }, body: '{"decision":"approve"}' });
    console.log("approve", open, d.status, ((await d.json()) as any).summary);
    const run = String(rows.at(-1)!.run);
    await (await ask(`/api/sessions/${session}/events?until=idle&after=${rows.length}`, { headers: { accept: "text/event-stream" } })).body!.getReader().read();
    for (;;) { const now = await log(session); if (now.at(-1)!.kind === "run_ended" || now.filter((x) => x.kind === "approval_requested").length > asked.length) break; }
  }
  const rows = await log(session);
  console.log(text, "\n  =>", rows.findLast((x) => x.kind === "answer")?.body["text"], "\n", rows.filter((x) => x.kind === "model_replied").flatMap((x: any) => x.body.calls.map((c: any) => c.tool + " " + JSON.stringify(c.input).slice(0, 200))).join("\n   "));
  return rows;
}
test("pages", { timeout: 60000 }, async () => {
  let n = 0;
  for (const t of ["Create a page called 会社概要 and publish it", "Create a page called من نحن and publish it", "Create a page called News/Events and publish it", 'Create a page called "Docs / API / v2" and publish it', "Create a page called ../../etc and publish it", "Create a page called <script>alert(1)</script> and publish it", 'Create a page called "<script>alert(1)</script>" and publish it', "Create a page called 👩‍👩‍👧‍👦🎉 and publish it", `Create a page called ${"x".repeat(300)} and publish it`, `Create a page called "${"y ".repeat(200)}" and publish it`, 'Create a page called "\u200b\u200f" and publish it', 'Create a page called "a\u0000b" and publish it', "Create a page called ../../etc/passwd", "Create a page called api and publish it", "「会社概要」というページを作って公開して", "أنشئ صفحة باسم من نحن", 'Create a page called "会社概要/沿革" and publish it', 'Create a page called "." and publish it', 'Create a page called "___" and publish it'])
    { const rows = await decideAll("pg" + ++n, t); const urls = [...new Set(JSON.stringify(rows).match(/\/site\/[^"\\ ),.;?]*/g) ?? [])]; for (const u of urls.slice(0, 6)) { const r = await ask(u); const h = await r.text(); console.log("   ", u, r.status, h.match(/<title>.*?<\/title>/s)?.[0], h.match(/<h1.*?<\/h1>/s)?.[0]?.slice(0, 200)); } }
  for (const p of ["/site/会社概要", "/site/%E4%BC%9A", "/site/../api/me", "/site/%2e%2e/api/me", "/site/..%2fapi", "/site/" + "x".repeat(300), "/site/<script>", "/site/%00", "/site/a/b/c/d/e", "/site/api", "/site/%ff", "/site//about"]) { const r = await ask(p); console.log(p.slice(0, 40), r.status, (await r.text()).slice(0, 100).replace(/\n/g, " ")); }
});
