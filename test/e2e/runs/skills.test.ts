import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { PROJECT } from "../../../src/cli/places.ts";
import { wrangler } from "../../build/wrangler.ts";
import { fetchLog, ofKind, say } from "../clients/log.ts";
import { useServer } from "../clients/server.ts";

/** Skills on a real server: those of R2 are read there, and those of a repository are built into the worker. */

const server = useServer(() => ["SKILLS_PREFIX:skills"]);
const EXAMPLE = path.join(PROJECT, "test/fixtures/docs/skills/release-notes");

/** Puts files into the bucket of the stopped server. `file`: below the example. */
function put(objects: readonly { readonly key: string; readonly file: string }[]): void {
  const list = path.join(server.directory, "objects.json");
  writeFileSync(
    list,
    JSON.stringify(objects.map(({ key, file }) => ({ key, file: path.join(EXAMPLE, file) }))),
  );
  const into = ["r2", "bulk", "put", "cairn-media", "--filename", list];
  wrangler([...into, "--local", "--persist-to", server.directory], "error");
}

test("a skill of the bucket is read by a run, also after a kill, and what is wrong with another is said", async () => {
  await server.kill();
  put([
    { key: "skills/release-notes/SKILL.md", file: "SKILL.md" },
    { key: "skills/release-notes/references/words.md", file: "references/words.md" },
    { key: "skills/broken/SKILL.md", file: "references/words.md" },
  ]);
  await server.start();
  const health = (await (await fetch(`${server.url}/healthz`)).json()) as { problems: object[] };
  expect(health.problems).toMatchObject([
    { variable: "skills", message: expect.stringMatching(/broken\/SKILL\.md .*must start with YAML/) },
  ]);

  await say(server.url, "notes", '/call read_skill {"name":"release-notes"}\n/then\n/say I know it.');
  await server.kill();
  await server.start();
  const words = '{"name":"release-notes","file":"references/words.md"}';
  await say(server.url, "notes", `/call read_skill ${words}\n/then\n/say I know the words.`);
  const read = async () =>
    ofKind(await fetchLog(server.url, "notes"), "call_settled").map(({ body }) => [
      body["status"],
      String(body["observation"]),
    ]);
  await expect.poll(read).toEqual([
    ["ok", expect.stringContaining("Leave it a draft. Publishing is for a person.")],
    ["ok", expect.stringContaining("never the name of a module")],
  ]);

  // A server that has worked on nothing yet has to read them for this.
  await server.kill();
  await server.start();
  const trace = await fetch(`${server.url}/api/sessions/notes/trace?run=r2&include=prompts`);
  const text = await trace.text();
  expect(text).toContain("<skill-list>\\n- release-notes: How release notes of this company are written.");
  expect(text).toContain('"exact":true');
});

test("skills of a project are in the worker as text, and what reads them lies beside it", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "cairn-skills-"));
  try {
    wrangler(["deploy", "test/e2e/runs/skills-worker.ts", "--dry-run", "--outdir", folder], "error");
    const texts = readdirSync(folder)
      .filter((name) => name.endsWith(".md") && name !== "README.md")
      .map((name) => readFileSync(path.join(folder, name), "utf8"));
    expect(texts.toSorted()).toEqual(
      ["SKILL.md", "references/words.md"]
        .map((file) => readFileSync(path.join(EXAMPLE, file), "utf8"))
        .toSorted(),
    );
    expect(readdirSync(folder)).toContain("skills.mjs");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
