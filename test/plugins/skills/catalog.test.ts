import { afterEach, describe, expect, test, vi } from "vitest";
import { createSkillCatalog } from "../../../src/plugins/skills/catalog.ts";
import { skillProblems } from "../../../src/plugins/skills/problems.ts";
import { bucketWith, catalogOf, skillFile } from "./skill-fixture.ts";

afterEach(() => void vi.useRealTimers());

describe("skills", () => {
  test("of the repository are listed with their descriptions, by names alone, or not at all", async () => {
    const catalog = await catalogOf({
      files: { "notes/SKILL.md": skillFile("notes"), "mails/SKILL.md": skillFile("mails") },
    });
    expect(catalog.problems()).toEqual([]);
    expect(catalog.listed()).toBe(
      "<skill-list>\n- mails: How mails is done.\n- notes: How notes is done.\n</skill-list>",
    );
    expect(catalog.listed({ list: ["notes"], show: "names" })).toBe("<skill-list>\n- notes\n</skill-list>");
    expect(catalog.listed({ list: [], show: "descriptions" })).toBe("");
  });

  test("are not looked for where there is no place for any: no reader is loaded", async () => {
    const load = vi.fn<() => never>();
    const catalog = createSkillCatalog({ files: {}, stored: null }, load);
    await catalog.loadDue(0);
    await catalog.ready(0);
    expect([catalog.any, catalog.listed(), load.mock.calls]).toEqual([false, "", []]);
  });

  test("of the bucket are added; of two with one name the repository's counts, and the other is a problem", async () => {
    const { bucket } = bucketWith({
      "lib/mails/SKILL.md": skillFile("mails"),
      "lib/notes/SKILL.md": skillFile("notes", "", "Another way."),
      "other/x/SKILL.md": skillFile("x"),
    });
    const catalog = await catalogOf({
      files: { "notes/SKILL.md": skillFile("notes") },
      stored: { bucket, prefix: "lib/" },
    });
    expect(catalog.names()).toEqual(["notes", "mails"]);
    expect(catalog.find("notes")?.body).toBe("Do as notes says.");
    expect(catalog.problems()).toEqual([
      'Duplicate skill "notes" from source "the bucket, lib/" ignored; already provided by "skills/".',
    ]);
  });

  test.each([
    ["no front matter", "Just words.", /must start with YAML frontmatter/],
    ["no YAML", "---\nname: [x\n---\n\nx", /not valid YAML/],
    ["no description", "---\nname: x\n---\n\nx", /must set `description`/],
    ["a name that is a path", skillFile("../x"), /single path segment/],
    ["a body that is too long", skillFile("x", "", "y".repeat(16_001)), /at most 16000: move a part/],
  ])("with %s is left out, and the others are there", async (_, text, problem) => {
    const catalog = await catalogOf({ files: { "x/SKILL.md": text, "notes/SKILL.md": skillFile("notes") } });
    expect(catalog.names()).toEqual(["notes"]);
    expect(catalog.problems()).toHaveLength(1);
    expect(catalog.problems()[0]).toMatch(problem);
  });

  test("with a name that is not its folder's is there, and is a problem", async () => {
    const catalog = await catalogOf({ files: { "other/SKILL.md": skillFile("notes") } });
    expect(catalog.names()).toEqual(["notes"]);
    expect(catalog.problems()[0]).toMatch(/Skill name "notes" must match its directory "other"/);
  });

  test("that a person alone may call up are not listed", async () => {
    const catalog = await catalogOf({
      files: { "notes/SKILL.md": skillFile("notes", "disable-model-invocation: true\n") },
    });
    expect(catalog.names()).toEqual([]);
  });

  test("whose list would be too long are listed by their names", async () => {
    const long = `description: ${"word ".repeat(200)}\n`;
    const files = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`s${at}/SKILL.md`, `---\nname: s${at}\n${long}---\n\nDo.`]),
    );
    const catalog = await catalogOf({ files });
    expect(catalog.listed()).toMatch(/^<skill-list>\n- s0\n- s1\n/);
    expect(catalog.listed({ list: ["s1"], show: "descriptions" })).toMatch(/^<skill-list>\n- s1: word word/);
  });

  test("beyond a hundred, and files that are too large, are left out and named", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 101 }, (_, at) => [`s${at}/SKILL.md`, skillFile(`s${at}`)]),
    );
    expect((await catalogOf({ files })).problems()).toEqual([
      "There are more than 100 skills. s99 is left out.",
    ]);
    const { bucket } = bucketWith({
      "lib/x/SKILL.md": skillFile("x"),
      "lib/x/big.txt": "y".repeat(262_145),
    });
    const catalog = await catalogOf({ stored: { bucket, prefix: "lib/" } });
    expect(catalog.find("x")?.files).toEqual([]);
    expect(catalog.problems()).toEqual([
      "lib/x/big.txt has 262145 bytes, and a file at most 262144. It is left out.",
    ]);
  });
});

describe("a bucket", () => {
  test("is read again after a minute, and not before", async () => {
    const { bucket, held, asked } = bucketWith({ "lib/x/SKILL.md": skillFile("x") });
    const catalog = createSkillCatalog({ files: {}, stored: { bucket, prefix: "lib/" } });
    await catalog.loadDue(0);
    held.set("lib/y/SKILL.md", skillFile("y"));
    await catalog.loadDue(59_999);
    await catalog.ready(1e9);
    expect(catalog.names()).toEqual(["x"]);
    expect(asked).toEqual(["list lib/", "get lib/x/SKILL.md"]);
    await catalog.loadDue(60_000);
    expect(catalog.names()).toEqual(["x", "y"]);
  });

  test("that breaks leaves the skills as they were, and is a problem", async () => {
    const { bucket } = bucketWith({ "lib/x/SKILL.md": skillFile("x") });
    const catalog = createSkillCatalog({ files: {}, stored: { bucket, prefix: "lib/" } });
    await catalog.loadDue(0);
    const broken = vi.spyOn(bucket, "list").mockRejectedValue(new Error("R2 is down"));
    await catalog.loadDue(60_000);
    expect(catalog.names()).toEqual(["x"]);
    expect(catalog.problems()[0]).toMatch(/R2 is down. Its last listed skills were kept/);
    broken.mockRestore();
    await catalog.loadDue(120_000);
    expect(catalog.problems()).toEqual([]);
  });

  test("that never answers is waited for five seconds", async () => {
    vi.useFakeTimers();
    const { bucket } = bucketWith({});
    vi.spyOn(bucket, "list").mockReturnValue(new Promise(() => {}));
    const catalog = createSkillCatalog({ files: {}, stored: { bucket, prefix: "lib/" } });
    const loading = catalog.loadDue(0);
    await vi.advanceTimersByTimeAsync(5_000);
    await loading;
    expect(catalog.problems()).toEqual([
      "The skills could not be read: the bucket did not answer within 5000 ms.",
    ]);
  });

  test("that is not bound is a problem of its own, and asks nothing", async () => {
    const catalog = createSkillCatalog({ files: {}, stored: { bucket: null, prefix: "lib/" } });
    expect([catalog.any, catalog.missing]).toEqual([
      false,
      "SKILLS_PREFIX needs a bucket: bind MEDIA under [[r2_buckets]] in wrangler.toml (docs/skills.md of Cairn).",
    ]);
  });
});

test("what an agent names and is not there is a problem, with what is wrong with the skills", async () => {
  const catalog = createSkillCatalog({
    files: { "notes/SKILL.md": skillFile("notes"), "x/SKILL.md": "Words." },
    stored: null,
  });
  const agents = {
    default: { list: null, show: "names" },
    writer: { list: ["notes", "note"], show: "names" },
  } as const;
  expect(await skillProblems(catalog, agents, 0)).toMatchObject([
    { about: "skills" },
    { about: "src/agents: writer, options.skills.list", message: "There is no skill note." },
  ]);
});
