import { expect, test } from "vitest";
import { PLAIN_SPEC } from "../../../src/cairn/core/log/run-spec.ts";
import { tryTool } from "../../../src/cairn/tools/define.ts";
import { GovernedTools } from "../../../src/cairn/tools/governed.ts";
import { Registry } from "../../../src/cairn/tools/registry.ts";
import { skillsPack } from "../../../src/plugins/skills/pack.ts";
import { readSkill } from "../../../src/plugins/skills/read-skill.ts";
import { createSkillCatalog } from "../../../src/plugins/skills/catalog.ts";
import { bucketWith, catalogOf, skillFile } from "./skill-fixture.ts";

const files = {
  "notes/SKILL.md": skillFile("notes"),
  "notes/references/words.md": `Words. ${"x".repeat(20_000)}`,
  "notes/scripts/run.sh": "rm -rf /",
  "notes/logo.png": "binary",
  "mails/SKILL.md": skillFile("mails"),
};

const read = async (input: { name: string; file?: string; offset?: number }) =>
  (await tryTool(readSkill, { input, services: await catalogOf({ files }) })).result;

test("a skill is its body, and a list of its files; its scripts are text that nothing runs", async () => {
  expect(await read({ name: "mails" })).toEqual({
    ok: true,
    value: { ok: true, name: "mails", text: "Do as mails says." },
  });
  expect(await read({ name: "notes" })).toEqual({
    ok: true,
    value: {
      ok: true,
      name: "notes",
      text: "Do as notes says.",
      files: [
        { path: "logo.png", kind: "file", text: false },
        { path: "references/words.md", kind: "reference" },
        { path: "scripts/run.sh", kind: "script" },
      ],
      note: "Scripts are text here: nothing runs them.",
    },
  });
  expect(await read({ name: "notes", file: "scripts/run.sh" })).toMatchObject({
    value: { text: "rm -rf /", note: "Scripts are text here: nothing runs them." },
  });
});

test("a long file is read in parts", async () => {
  const first = await read({ name: "notes", file: "references/words.md" });
  expect(first).toMatchObject({ value: { next: 16_000, total: 20_007 } });
  const rest = await read({ name: "notes", file: "references/words.md", offset: 16_000 });
  expect(rest).toEqual({
    ok: true,
    value: { ok: true, name: "notes", file: "references/words.md", text: "x".repeat(4_007) },
  });
});

test.each([
  [{ name: "note" }, "not_found", "There is no skill note. Is it notes?"],
  [{ name: "notes", file: "references/word.md" }, "not_found", "has no file references/word.md"],
  [{ name: "notes", file: "../mails/SKILL.md" }, "not_found", "has no file ../mails/SKILL.md"],
  [{ name: "notes", file: "/etc/passwd" }, "not_found", "has no file /etc/passwd"],
  [{ name: "notes", file: "SKILL.md" }, "not_found", "has no file SKILL.md"],
  [{ name: "notes", file: "logo.png" }, "not_text", "logo.png is no text."],
  [{ name: "notes", file: "references/words.md", offset: 30_000 }, "range", "has 20007 characters"],
])("%j is refused", async (input, code, message) => {
  const result = await read(input);
  expect(result).toMatchObject({ ok: false, error: { code } });
  expect(result.ok ? "" : result.error.message).toContain(message);
});

test("a file that left the bucket meanwhile may be asked for again", async () => {
  const { bucket, held } = bucketWith({ "lib/x/SKILL.md": skillFile("x"), "lib/x/a.md": "a" });
  const catalog = await catalogOf({ stored: { bucket, prefix: "lib/" } });
  held.delete("lib/x/a.md");
  const { result } = await tryTool(readSkill, { input: { name: "x", file: "a.md" }, services: catalog });
  expect(result).toMatchObject({ ok: false, error: { code: "unavailable", retryable: true } });
});

test("without a place for skills nothing is offered, and only a bucket that is missing is a problem", () => {
  const tools = (stored: { bucket: null; prefix: string } | null): Registry =>
    new Registry("s", () => 0).add(skillsPack, { skills: createSkillCatalog({ files: {}, stored }) });
  expect([tools(null).cards(), tools(null).problems()]).toEqual([[], []]);
  expect(tools({ bucket: null, prefix: "x/" }).problems()).toMatchObject([{ about: "pack skills" }]);
});

test("an agent reads the skills that it names, and one that names none has no such tool", async () => {
  const registry = new Registry("s", () => 0).add(
    skillsPack,
    { skills: await catalogOf({ files }) },
    "skills",
  );
  const under = (list: readonly string[] | null): GovernedTools =>
    new GovernedTools(registry, { ...PLAIN_SPEC, options: { skills: { list, show: "names" } } });
  const says = (tools: GovernedTools, name: string) => {
    const checked = tools.check("read_skill", { name });
    return checked.ok ? "ok" : checked.failure.message;
  };
  expect(says(under(null), "mails")).toBe("ok");
  expect(says(under(["notes"]), "notes")).toBe("ok");
  expect(says(under(["notes"]), "mails")).toBe("This agent reads these skills alone: notes.");
  expect([under([]).cards(), under([]).prompts()]).toEqual([[], []]);
});
