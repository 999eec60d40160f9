import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CONTACT, SCHOLAR } from "../fixtures/search/scholar-stand-ins.ts";
import { KEY, startStandIns, type StandIns } from "../fixtures/search/stand-ins.ts";
import { fetchLog, ofKind, say, type Logged } from "./clients/log.ts";
import { useServer } from "./clients/server.ts";

/** Searching through a real server: the providers are on this machine, under addresses that variables give. */

const PAGES = [
  { url: "https://alps.example/pass", title: "The high pass", text: "Open in May.", date: "2026-05-02" },
];
let web: StandIns;
beforeAll(async () => {
  web = await startStandIns(PAGES, SCHOLAR);
});
afterAll(() => web.close());
beforeEach(() => {
  web.moods.clear();
  web.asked.length = 0;
});

const server = useServer(() => [
  "SEARCH_ORDER:brave,searxng",
  `BRAVE_API_KEY:${KEY}`,
  `BRAVE_BASE_URL:${web.at("brave")}`,
  `SEARXNG_URL:${web.at("searxng")}`,
  `SCHOLAR_CONTACT:${CONTACT}`,
  `OPENALEX_BASE_URL:${web.at("openalex")}`,
  `CROSSREF_BASE_URL:${web.at("crossref")}`,
  `ARXIV_BASE_URL:${web.at("arxiv")}`,
]);

const vendors = (): string[] => web.asked.map((line) => line.split(" ")[0] ?? "");
async function call(session: string, tool: string, input: object): Promise<readonly Logged[]> {
  await say(server.url, session, `/call ${tool} ${JSON.stringify(input)}\n/then\n/say Searched.`);
  const idle = await fetch(`${server.url}/api/sessions/${session}/events?until=idle`, {
    headers: { accept: "text/event-stream" },
  });
  await idle.text();
  return fetchLog(server.url, session);
}
const result = (log: readonly Logged[]): Logged["body"] | undefined =>
  ofKind(log, "call_settled").at(-1)?.body;

describe("a search", () => {
  test("comes back fenced as a stranger's words, and is charged to the run", async () => {
    const log = await call("search-1", "web_search", { queries: ["high pass"] });
    expect(result(log)).toMatchObject({ status: "ok", cost: 10_000 });
    expect(String(result(log)?.["observation"])).toMatch(/^<untrusted[\s\S]*https:\/\/alps\.example\/pass/);
    expect(vendors()).toEqual(["brave"]);
    expect(ofKind(log, "run_ended")[0]?.body).toMatchObject({ usage: { cost: 10_000 } });
    expect(JSON.stringify(log)).not.toContain(KEY);
  });

  test("goes to the next provider where the first has had too many requests", async () => {
    web.moods.set("brave", 429);
    const log = await call("search-2", "web_search", { queries: ["pass"] });
    expect(result(log)).toMatchObject({ status: "ok" });
    expect(String(result(log)?.["observation"])).toContain("provider_limited");
    expect(vendors()).toEqual(["brave", "searxng"]);
  });

  test("whose keys are all refused is no empty result", async () => {
    web.moods.set("brave", 401).set("searxng", 401);
    const log = await call("search-3", "web_search", { queries: ["pass"] });
    expect(result(log)).toMatchObject({ status: "error", failure: { code: "provider_auth", class: "auth" } });
  });

  test("of scholarly works has its DOI", async () => {
    const log = await call("search-4", "scholar_search", { queries: ["high pass"] });
    expect(result(log)).toMatchObject({ status: "ok" });
    expect(String(result(log)?.["observation"])).toContain("10.1234/https-alps-example-pass");
  });
});
