import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../clients/command.ts";
import { useServer } from "../clients/server.ts";
import { LANES } from "./not-applicable.ts";

/**
 * The official conformance suite (@modelcontextprotocol/conformance), as it comes, against a real server on both lanes: all that a
 * revision requires, and all that it only reports. `npm run test:mcp`
 */

const server = useServer();
let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "cairn-conformance-"));
});
afterAll(() => rm(directory, { recursive: true }));

const SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js";

/** The suite against a URL: its exit code and what it says, with its checks in a folder of their own. */
async function conform(revision: string, fails: readonly string[], url = `${server.url}/mcp`) {
  const results = path.join(directory, `results-${revision}`);
  const baseline = path.join(directory, `${revision}.yaml`);
  await writeFile(baseline, `server:\n${fails.map((each) => `  - ${each}\n`).join("")}`);
  const args = [SUITE, "server", "--url", url, "--requirements", revision, "--expected-failures", baseline];
  const { code, out, err } = await run(process.execPath, [...args, "--output-dir", results]).exit;
  return { code, said: `${out}\n${err}`, results };
}

describe.each(LANES)("revision $revision", ({ revision, fails }) => {
  test("passes, but for what is listed with its reason", async () => {
    const { code, said, results } = await conform(revision, Object.keys(fails));
    expect({ code, said: code === 0 ? "" : said }).toEqual({ code: 0, said: "" });
    const scenarios = await readdir(results);
    const checks = await Promise.all(
      scenarios.map(async (scenario) => {
        const text = await readFile(path.join(results, scenario, "checks.json"), "utf8");
        return JSON.parse(text) as { readonly id: string; readonly status: string }[];
      }),
    );
    const passed = checks.flat().filter(({ status }) => status === "SUCCESS");
    expect(passed.length).toBeGreaterThan(revision === "2026-07-28" ? 95 : 34);
    // Whatever the scenario: what the server says is as the revision's own schema has it.
    const schemas = checks.flat().filter(({ id }) => id === "wire-schema-valid");
    expect(new Set(schemas.map(({ status }) => status))).toEqual(new Set(["SUCCESS"]));
  });
});

test("the suite sees a list that says too much, and a server that is none", async () => {
  const stale = await conform("2025-11-25", [...Object.keys(LANES[1]?.fails ?? {}), "ping"]);
  expect(stale.code).toBe(1);
  const none = await conform("2025-11-25", Object.keys(LANES[1]?.fails ?? {}), `${server.url}/nothing`);
  expect(none.code).toBe(1);
});
