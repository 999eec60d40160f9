import { describe, expect, test } from "vitest";
import { useServer } from "./clients/server.ts";

/** A post that is published at a time, on a real server whose cron trigger the test pulls. */

const server = useServer();

interface SessionView {
  readonly activeRun: { readonly waitingFor: { readonly id: string } | null } | null;
}

const post = (path: string, body: object) =>
  fetch(`${server.url}/api/sessions/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const session = async () => (await (await fetch(`${server.url}/api/sessions/paper`)).json()) as SessionView;
const statusOf = async (path: string) => (await fetch(server.url + path)).status;
/** Fires the cron trigger as the platform does. */
const cron = (time: number) => fetch(`${server.url}/cdn-cgi/handler/scheduled?time=${time}`);

const AT = Date.now() + 86_400_000;

describe("a post with a time", () => {
  test("is not public before it, and is public after it although the server was killed in between", async () => {
    const create = { title: "The new path", content: { body: "It opens in May." }, excerpt: "A new way." };
    const publish = {
      targets: [{ type: "entry", ref: "blog/the-new-path" }],
      to: "published",
      at: new Date(AT).toISOString(),
    };
    const text = `/call entry_create ${JSON.stringify(create)}\n/then\n/call set_status ${JSON.stringify(publish)}\n/then\n/say It will be there.`;
    expect((await post("paper/messages", { text })).ok).toBe(true);
    await expect
      .poll(async () => (await session()).activeRun?.waitingFor?.id ?? "", { timeout: 20_000 })
      .not.toBe("");
    const approval = (await session()).activeRun?.waitingFor?.id ?? "";
    expect((await post(`paper/approvals/${approval}`, { decision: "approve" })).ok).toBe(true);
    await expect.poll(async () => (await session()).activeRun, { timeout: 20_000 }).toBeNull();
    const list = await (await fetch(`${server.url}/site/blog/`)).text();
    expect(list).not.toContain("The new path");

    expect((await cron(AT - 1)).status).toBe(200);
    expect(await statusOf("/site/blog/the-new-path")).toBe(404);
    await server.kill();
    await server.start();
    expect((await cron(AT + 1)).status).toBe(200);
    expect((await cron(AT + 2)).status).toBe(200);
    expect(await statusOf("/site/blog/the-new-path")).toBe(200);
    expect(await (await fetch(`${server.url}/site/blog/`)).text()).toContain("The new path");
  });
});
