import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Actor, MemoryView, SessionDoor } from "../../src/session/door.ts";

const ada: Actor = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" };
const door = (name: string): SessionDoor => env.SESSION.get(env.SESSION.idFromName(name)) as unknown as SessionDoor;

async function value<Value>(answer: Promise<{ ok: true; value: Value } | { ok: false; error: unknown }>): Promise<Value> {
  const given = await answer;
  if (!given.ok) throw new Error(JSON.stringify(given.error));
  return given.value;
}

async function talk(session: string, text: string, decision: "approve" | "deny" = "approve") {
  const { runId } = await value(door(session).say(ada, { id: crypto.randomUUID(), parts: [{ type: "text", text }], mode: null, source: "api", request: null, model: null }));
  const run = runId.split(".").at(-1) ?? "";
  const asked: string[] = [];
  let rows: any[] = [];
  await expect.poll(async () => {
    rows = [];
    for (let after = 0; ; ) {
      const page = await value(door(session).events(ada, after, 1000));
      rows.push(...page.items.filter((e: any) => e.run === run));
      after = page.nextAfter;
      if (!page.more) break;
    }
    const open = rows.findLast((e) => e.kind === "approval_requested");
    if (open && !asked.includes(open.body.approval)) {
      asked.push(open.body.approval);
      await value(door(session).decide(ada, { approval: open.body.approval, decision, args: null, reason: null, digest: open.body.digest }));
    }
    return rows.some((e) => e.kind === "run_ended");
  }, { timeout: 15000, interval: 30 }).toBe(true);
  const answer = rows.findLast((e) => e.kind === "answer").body.text;
  const calls = rows.filter((e) => e.kind === "model_replied").flatMap((e) => e.body.calls.map((c: any) => [c.tool, JSON.stringify(c.input)]));
  console.log("> " + text + "\n" + calls.map((c) => "   " + c.join(" ")).join("\n") + "\n  asked " + asked.length + "\n" + answer);
  return answer;
}

test("x", { timeout: 120000 }, async () => {
  for (const t of ["create a page called Our beginnings with a hero and a feature section", "rename it to Our story", "move its first section to the end", "what pages do we have?", "the second section of the first page: change its heading to \"Guides you know\"", "delete that page"]) await talk("c1", t);
  console.log(JSON.stringify(await value(door("c1").memory(ada)), null, 1).slice(0, 3000));
  for (const t of ["rename it to Our story"]) await talk("c2", t);
  for (const t of ["delete that page"]) await talk("c3", t);
  for (const t of ["change the heading of the second section of the first one to Hello"]) await talk("c4", t);
});
