import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fetchLog, ofKind } from "../clients/log.ts";
import { startOpenAiServer, type OpenAiServer } from "../clients/openai-server.ts";
import { scriptedModel } from "../clients/scripted-model.ts";
import { useServer } from "../clients/server.ts";

/** The loop object of another system, handed over word for word to a deployment that has its two tools. */

const LOOP = {
  type: "loop",
  properties: {
    mode: "react",
    objective: "Find out what {{input.company}} makes.",
    input: { company: "Fern & Fell" },
    available_tools: [{ type: "action", name: "tool_a" }, { type: "action", name: "tool_b" }, "__complete__"],
    max_iterations: 10,
    timeout_ms: 300_000,
    temperature: 0.7,
    on_stuck: { iterations: 3, action: "fail" },
    include_reasoning_trace: true,
    result_key: "research",
  },
};

const says = (thought: string, action: string, action_input: object): string =>
  JSON.stringify({ thought, action, action_input });
const REPLIES = [
  says("Who are they?", "tool_a", { query: "Fern & Fell" }),
  says("I note that.", "tool_b", { query: "walks" }),
  says("That is all.", "__complete__", {
    answer: "They guide walks.",
    confidence: 0.8,
    summary: "A walking guide.",
  }),
];

const folder = mkdtempSync(path.join(tmpdir(), "cairn-loop-"));
writeFileSync(path.join(folder, "loop.json"), JSON.stringify(LOOP));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let model: OpenAiServer;
let begins: (what: string) => void = () => {};
const secondBegins = new Promise<string>((resolve) => {
  begins = resolve;
});
let isHeld = true;
beforeAll(async () => {
  model = await startOpenAiServer({
    model: scriptedModel(() => REPLIES[Math.min(answered, REPLIES.length - 1)] ?? ""),
    // The second reply does not come as long as the first server lives.
    gate: ({ request, piece }) => {
      if (request !== 2 || piece > 0) return;
      begins("begun");
      return isHeld ? new Promise<void>(() => {}) : undefined;
    },
    onReply: () => {
      answered += 1;
    },
  });
});
let answered = 0;
afterAll(() => model.close());

const server = useServer(
  () => [
    "MODEL:openai-compatible:test",
    `OPENAI_COMPATIBLE_BASE_URL:${model.baseUrl}`,
    "TITLES:0",
    'DIALECTS:{"openai-compatible:*":"json"}',
  ],
  "test/e2e/runs/loop-worker.ts",
);

/** As a person would: the status, and the run. */
async function curl(): Promise<{ readonly status: string; readonly run: unknown }> {
  const { stdout } = await promisify(execFile)(
    "curl",
    [
      "-sS",
      "-w",
      "\\n%{http_code}",
      "-H",
      "idempotency-key: loop-1",
      "--json",
      "@loop.json",
      `${server.url}/api/runs`,
    ],
    { cwd: folder },
  );
  const at = stdout.lastIndexOf("\n");
  return { status: stdout.slice(at + 1), run: JSON.parse(stdout.slice(0, at)) };
}

test("is worked as it stands; the server that dies meanwhile has the result of the same run under its key", async () => {
  const first = curl().catch(() => "cut");
  expect(await Promise.race([secondBegins, first])).toBe("begun");
  await server.kill();
  expect(await first).toBe("cut");
  isHeld = false;
  await server.start();
  const { status, run } = await curl();
  const { sessionId } = run as { sessionId: string };
  expect({ status, run }).toMatchObject({
    status: "200",
    run: {
      status: "completed",
      result: { research: { answer: "They guide walks.", confidence: 0.8, summary: "A walking guide." } },
    },
  });
  // The same again, asked at once by ten.
  const again = await Promise.all(Array.from({ length: 10 }, curl));
  for (const one of again) expect(one).toEqual({ status: "200", run });
  const log = await fetchLog(server.url, sessionId);
  expect(ofKind(log, "run_queued")).toHaveLength(1);
  expect(ofKind(log, "call_settled").map(({ body }) => body["status"])).toEqual(["ok", "ok", "ok"]);
  for (const request of model.requests) {
    expect(request.temperature).toBe(0.7);
    // They are told in words, and no other tool is.
    expect(request.tools ?? []).toEqual([]);
    const told = JSON.stringify(request);
    expect(told).toContain("tool_a");
    expect(told).not.toContain("page_list");
  }
});
