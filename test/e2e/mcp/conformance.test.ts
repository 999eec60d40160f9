import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../clients/command.ts";
import { useServer } from "../clients/server.ts";
import { LANES, WORKED } from "./not-applicable.ts";
import { FAILING, standIn } from "./stand-in.ts";

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

interface Choice {
  /** `--requirements 2025-11-25`, or one scenario */
  readonly which: readonly string[];
  readonly fails: readonly string[];
  readonly url?: string;
}

let runs = 0;

/** The suite against a URL: its exit code and what it says, with its checks in a folder of their own. */
async function conform({ which, fails, url = `${server.url}/mcp` }: Choice) {
  const results = path.join(directory, `results-${(runs += 1)}`);
  const baseline = path.join(directory, `baseline-${runs}.yaml`);
  // A list of JSON is one of YAML.
  await writeFile(baseline, `server: ${JSON.stringify(fails)}`);
  const args = [SUITE, "server", "--url", url, ...which, "--expected-failures", baseline];
  const { code, out, err } = await run(process.execPath, [...args, "--output-dir", results]).exit;
  return { code, said: `${out}\n${err}`, results };
}

const required = (revision: string): readonly string[] => ["--requirements", revision];

describe.each(LANES)("revision $revision", ({ revision, fails }) => {
  test("passes, but for what is listed with its reason", async () => {
    const { code, said, results } = await conform({ which: required(revision), fails: Object.keys(fails) });
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

describe("what the suite asks of tasks, with runs in the place of its tools", () => {
  let stand: Awaited<ReturnType<typeof standIn>>;
  beforeAll(async () => {
    stand = await standIn(`${server.url}/mcp`);
    const stored = await fetch(`${server.url}/api/agents/${FAILING.name}`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(FAILING.definition),
    });
    if (stored.status !== 201) throw new Error(await stored.text());
  });
  afterAll(() => stand.close());

  test("fails where it is not listed", async () => {
    const which = ["--scenario", "tasks-mrtr-input", "--spec-version", "2026-07-28", "--force"];
    const { code, said } = await conform({ which, fails: [], url: stand.url });
    expect([code, said.includes("tasks-mrtr-partial-fulfillment")]).toEqual([1, true]);
  });

  test.each(Object.entries(WORKED))("%s", async (scenario, fails) => {
    const which = ["--scenario", scenario, "--spec-version", "2026-07-28", "--force"];
    const { code, said } = await conform({ which, fails: Object.keys(fails), url: stand.url });
    expect({ code, said: code === 0 ? "" : said }).toEqual({ code: 0, said: "" });
  });
});

test("the suite sees a list that says too much, and a server that is none", async () => {
  const fails = Object.keys(LANES[1]?.fails ?? {});
  const which = required("2025-11-25");
  expect((await conform({ which, fails: [...fails, "ping"] })).code).toBe(1);
  expect((await conform({ which, fails, url: `${server.url}/nothing` })).code).toBe(1);
});
