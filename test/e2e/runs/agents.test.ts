import { expect, test } from "vitest";
import { chat } from "../clients/command.ts";
import { fetchLog, ofKind, say, type Logged } from "../clients/log.ts";
import { useServer } from "../clients/server.ts";

/** Agents as JSON on a real server: stored, chosen, and there again after a power cut. */

const server = useServer();

async function put(name: string, body: object): Promise<{ status: number; version: number }> {
  const response = await fetch(`${server.url}/api/agents/${name}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const { version } = (await response.json()) as { version: number };
  return { status: response.status, version };
}
async function post(path: string, body: object): Promise<Response> {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  return fetch(`${server.url}${path}`, init);
}
/** names of the tools that each run of the session was granted */
const grants = (log: readonly Logged[]): readonly (readonly string[])[] =>
  ofKind(log, "run_started").map(({ body }) => (body["grant"] as { tool: string }[]).map(({ tool }) => tool));
const SITE = /^(page|section|image|nav|entry)_/;
const ofSite = (tools: readonly string[] | undefined): readonly string[] =>
  (tools ?? []).filter((tool) => SITE.test(tool));

test("a session has the tools of its stored agent, one beside it those of the deployment, also after a kill", async () => {
  expect(await put("lister", { description: "Lists pages.", tools: ["page_list"] })).toEqual({
    status: 201,
    version: 1,
  });
  expect((await post("/api/sessions", { id: "listing", agent: "lister" })).status).toBe(201);
  await say(server.url, "listing", "/say One.");
  await say(server.url, "beside", "/say One.");
  expect(ofSite(grants(await fetchLog(server.url, "listing"))[0])).toEqual(["page_list"]);
  expect(ofSite(grants(await fetchLog(server.url, "beside"))[0])).toContain("page_delete");

  await server.kill();
  await server.start();
  const shown = await fetch(`${server.url}/api/agents/lister`);
  expect([shown.headers.get("etag"), await shown.json()]).toMatchObject([
    '"1"',
    { definition: { description: "Lists pages.", tools: ["page_list"] } },
  ]);
  await say(server.url, "listing", "/say Two.");
  expect(ofSite(grants(await fetchLog(server.url, "listing"))[1])).toEqual(["page_list"]);
});

test("a schedule whose time comes while the server is down is worked by the stored agent that it names", async () => {
  await put("nightly", { description: "Looks at night.", tools: ["page_list"] });
  const at = new Date(Date.now() + 800).toISOString();
  const made = await post("/api/sessions/night/schedules", { text: "/say Seen.", at, agent: "nightly" });
  expect(made.status).toBe(201);
  await server.kill();
  await expect.poll(() => Date.now(), { timeout: 5_000 }).toBeGreaterThan(Date.parse(at) + 300);
  await server.start();
  const ended = async () => ofKind(await fetchLog(server.url, "night"), "run_ended").length;
  await expect.poll(ended, { timeout: 20_000 }).toBe(1);
  const log = await fetchLog(server.url, "night");
  expect(ofKind(log, "run_queued").map(({ body }) => (body["spec"] as { agent: string }).agent)).toEqual([
    "nightly",
  ]);
  expect(ofSite(grants(log)[0])).toEqual(["page_list"]);
});

test("the terminal chooses it: --agent for a session, new or come back to, and /agent in the middle", async () => {
  await put("clerk", { description: "Keeps the list.", tools: ["page_list"] });
  const made = await chat(server.url, ["/say One.", "--session", "desk", "--agent", "clerk"]).exit;
  expect([made.code, made.err]).toEqual([
    0,
    expect.stringContaining("The agent clerk handles new messages."),
  ]);
  const input = "/agent\n/agent default\n/say Two.\n/agent clerk\n/say Three.\n";
  const changed = await chat(server.url, ["--session", "desk"], input).exit;
  expect([changed.code, changed.err]).toEqual([0, expect.stringMatching(/\* clerk +Keeps the list\./)]);
  const back = await chat(server.url, ["/say Four.", "--session", "desk", "--agent", "default"]).exit;
  expect(back.code).toBe(0);
  const tools = grants(await fetchLog(server.url, "desk")).map((each) => ofSite(each).length === 1);
  expect(tools).toEqual([true, false, true, false]);

  const refused = await chat(server.url, ["/say Five.", "--session", "desk", "--agent", "clark"]).exit;
  expect([refused.code, refused.out]).toEqual([1, ""]);
  expect(refused.err).toContain("There is no agent clark.");
  expect(grants(await fetchLog(server.url, "desk"))).toHaveLength(4);
});
