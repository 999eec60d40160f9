import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { freePort } from "../../../src/cli/start/dev-server.ts";
import { run } from "../clients/command.ts";
import { answerOf, callsOf, fetchLog, ofKind, type Logged } from "../clients/log.ts";

/** `npm start -- --demo-web`: a real server whose web is on this machine. */

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "cairn-demo-web-"));
  await cp(inject("migrated"), directory, { recursive: true });
});
afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }));

const VISIT = {
  urls: ["http://go.example/farnegg-pass", "http://go.example/inside", "https://example.org/"],
  goal: "when does it open",
};

test("npm start -- --demo-web searches and reads the invented pages, and reaches nothing else", async () => {
  const port = await freePort();
  const script = ["--require", "./src/cli/require-node.cjs", "src/cli/start/start.ts"];
  const options = ["--demo-web", "--port", String(port), "--persist-to", directory];
  const cairn = run(process.execPath, [...script, ...options]);
  await cairn.saw("Cairn is running");
  expect(cairn.out()).toContain("Research which of the passes is open in May, with sources");
  const url = `http://127.0.0.1:${port}`;
  const ask = async (session: string, text: string): Promise<readonly Logged[]> => {
    const said = await fetch(`${url}/api/sessions/${session}/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify({ text }),
    });
    await said.text();
    return fetchLog(url, session);
  };
  const calls = [`/call web_search {"queries":["Farnegg Pass"]}`, `/call visit ${JSON.stringify(VISIT)}`];
  const log = await ask("scripted", [...calls, "/then", "/say Read."].join("\n"));
  const [found, read] = ofKind(log, "call_settled").map(({ body }) => String(body["observation"]));
  expect(found).toContain("https://passes.example/pass/farnegg-pass");
  expect(read).toContain("Farnegg Pass: road office");
  expect(read).toContain("url_address");
  expect(read).toContain("unknown_host");

  const answered = await ask("question", "Research which of the passes is open in May, with sources");
  expect(ofKind(answered, "run_started")[0]?.body).toMatchObject({ profile: "research" });
  expect(answerOf(answered)).toMatch(
    /^17 of the 24 that the pages tell of:\n\n- The Arvenna Pass is open from 10 May to 7 October \[e\d+\]/,
  );
  const [{ citations = null } = {}] = ofKind(answered, "answer").map(({ body }) => body);
  expect(JSON.stringify(citations)).toContain("https://passes.example/season-2026");

  const dated = await ask("dated", "Find out when the Farnegg Pass opens");
  expect(callsOf(dated).map(({ tool, status }) => [tool, status])).toEqual([
    ["web_search", "ok"],
    ["visit", "ok"],
  ]);
  expect(answerOf(dated)).toContain("An older page says otherwise");

  cairn.child.kill("SIGINT");
  expect((await cairn.exit).code).toBe(0);
});
