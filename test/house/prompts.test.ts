import { modulesOf } from "../../src/cairn/core/prompt/modules.ts";
import { GovernedTools } from "../../src/cairn/tools/governed.ts";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { PROFILES } from "../../src/cairn/core/guards/budget/profiles.ts";
import type { Json } from "../../src/cairn/core/log/json.ts";
import type { Profile } from "../../src/cairn/core/log/verdict.ts";
import { mayPlan } from "../../src/cairn/core/state/plan.ts";
import { callPrompts, callText } from "../../src/cairn/call-prompts.ts";
import { ROLLOUT_TEMPERATURES } from "../../src/cairn/core/limits.ts";
import type { NoteName } from "../../src/cairn/core/prompt-note.ts";
import { promptNote, promptNotes } from "../../src/cairn/prompt-notes.ts";
import { cmsPack, imagesPack } from "../../src/plugins/cms/pack.ts";
import type { AnyTool } from "../../src/cairn/tools/define.ts";
import { createTools, prompts as all } from "../fixtures/deployment/plugins.ts";
import { NOBODY_KNOWN } from "../fixtures/messenger.ts";
import { UNCALLED_READER } from "../../src/cairn/documents/value-reader.ts";
import { WHOLE_WEB } from "../fixtures/search/whole-web.ts";
import { readTexts, ROOT } from "./source-tree.ts";

/** Prompts compared with the tools: a prompt that teaches a call which the tool refuses is a bug. */

/** Schemas and descriptions go with every call of the model, before a word of the conversation. */
/** characters a tool of the CMS, on average: 30 tools in 24,000 */
const CMS_TOOL_CHARS_MAX = 800;
/** Consent is a person's decision, bound to what was shown. An argument that a model can fill in must not look like one. */
const CONSENT = /^(confirm|force|approv|consent|overrid|acknowledg|skip_?approval|yes$)/i;

// The bindings are never touched: only the declarations are read.
const registry = createTools(
  {
    ...WHOLE_WEB,
    DB: {} as unknown as D1Database,
    MEDIA: {} as unknown as R2Bucket,
    LOADER: {} as unknown as WorkerLoader,
    SANDBOX_URL: "https://sandbox.example.com",
    // That there is a place for skills is enough for their tool.
    SKILLS_PREFIX: "skills/",
  },
  "s",
  () => 0,
  { observations: { read: () => null }, messenger: NOBODY_KNOWN, reader: UNCALLED_READER },
);
const cards = registry.cards();
const cmsCards = cards.filter((card) => card.pack === "cms" || card.pack === "images");
const names = new Set(cards.map((card) => card.name));

const source = ["src/cairn/core", "src/cairn/session", "src/cairn/tools", "src/plugins"].flatMap((folder) =>
  readTexts(folder),
);
const filesIn = (folder: string) =>
  readdirSync(path.join(ROOT, folder))
    .filter((file) => file.endsWith(".xml"))
    .map((file) => {
      const xml = readFileSync(path.join(ROOT, folder, file), "utf8");
      return { module: file.replace(/\.xml$/, ""), xml };
    });
/** One folder for the kernel, and one for each plugin that has any. */
const folders = readdirSync(path.join(ROOT, "prompts"));
const nameOf = (folder: string, file: string): string => (folder === "cms" ? `cms-${file}` : file);
const prompts = folders.flatMap((folder) =>
  filesIn(`prompts/${folder}`).map(({ module, xml }) => ({ module: nameOf(folder, module), xml })),
);
const calls = filesIn("prompts/cairn/calls");
const notes = filesIn("prompts/cairn/notes");
const examples = prompts.flatMap(({ module, xml }) =>
  Array.from(xml.matchAll(/<example tool="([^"]*)">([\s\S]*?)<\/example>/g), ([, tool = "", body = ""]) => ({
    module,
    tool,
    input: JSON.parse(unescapeXml(body)) as Json,
  })),
);

describe("prompts", () => {
  test("stand in the list of modules, file by file", () => {
    expect(Object.keys(all.texts).toSorted()).toEqual(prompts.map((prompt) => prompt.module).toSorted());
    for (const { module, xml } of prompts) expect(all.texts[module]).toBe(xml);
  });

  test("of separate calls stand in their list, are well formed, and are used by the code", () => {
    expect(Object.keys(callPrompts).toSorted()).toEqual(calls.map(({ module }) => module).toSorted());
    expect(calls.flatMap(({ xml }) => unbalanced(xml))).toEqual([]);
    const code = source.concat(readTexts("src/cairn/models")).map(({ text }) => text);
    const named = calls.filter(({ module }) => module !== "data-rule");
    const unused = named.filter(({ module }) => !code.some((text) => text.includes(`callText("${module}"`)));
    expect(unused).toEqual([]);
  });

  test("of separate calls take numbers for their places, and nothing else", () => {
    expect(callText("read-part", { quotes: 8 })).toContain("at most 8, each a sentence or two");
    expect(() => callText("read-part")).toThrow("the prompt read-part has no quotes");
    expect(() => callText("read-part", JSON.parse('{"toString":1}') as Record<string, number>)).toThrow(
      "has no quotes",
    );
    expect(callText("name-session")).not.toMatch(/<\/?call>|&lt;|\{\{/);
  });

  test("of notes stand in their list, are well formed, and are used by the code", () => {
    expect(Object.keys(promptNotes).toSorted()).toEqual(notes.map(({ module }) => module).toSorted());
    expect(notes.flatMap(({ xml }) => unbalanced(xml))).toEqual([]);
    const code = source.map(({ text }) => text).join("\n");
    const isUsed = (name: string): boolean =>
      code.includes(`"${name}"`) || code.includes(`\`${name.replace(/-\w+$/, "-")}$`);
    expect(notes.filter(({ module }) => !isUsed(module)).map(({ module }) => module)).toEqual([]);
  });

  test("of notes take a value for each of their places, and change no value", () => {
    const values = { form: "&lt;{{tools}}", tools: "$& $1" };
    expect(promptNote("reply-json", values)).toContain("no code fence.\n&lt;{{tools}}\n- Begin");
    expect(promptNote("reply-json", values)).toMatch(/input\.\n\n\$& \$1$/);
    expect(() => promptNote("reply-tags", { form: "x" })).toThrow("the prompt reply-tags has no tools");
    expect(promptNote("approaches").split("\n")).toHaveLength(ROLLOUT_TEMPERATURES.length);
    for (const { module } of notes)
      expect(
        promptNote(module as NoteName, {
          form: "f",
          tools: "t",
          steps: 1,
          failed: "p1",
          leads: "l",
          count: 2,
          approach: "a",
          reason: "r",
        }),
      ).not.toMatch(/<\/?note>|&lt;|\{\{/);
  });

  test("of the offered packs are found, and each is used", () => {
    // Starting runs is offered to whoever names it.
    const packs = [...registry.cards()].map(({ pack }) => `pack:${pack}`);
    const rules = { approvals: {}, tools: [...new Set(packs), "run_agent"] };
    const text = all.instructions(
      modulesOf(new GovernedTools(registry, rules).prompts(), { marker: true }, null),
    );
    for (const { module, xml } of prompts) expect(text, module).toContain(xml.trim());
  });

  test.each(prompts)("$module is well formed", ({ xml }) => {
    expect(unbalanced(xml)).toEqual([]);
  });

  test.each([
    ["<a>x</b>", "</b>"],
    ["<a><b></b>", "<a>"],
    ["<a>1 < 2</a>", "<"],
    ["<a>R&D</a>", "&"],
  ])("the check of form refuses %s", (xml, fault) => {
    expect(unbalanced(xml)).toContain(fault);
  });

  test.each(prompts)("$module names only tools and arguments that there are", ({ xml }) => {
    const known = new Set([...names, ...cards.flatMap((card) => keysOf(card.inputSchema))]);
    const named = Array.from(xml.matchAll(/`([a-zA-Z][a-zA-Z0-9_]*)`/g), ([, word = ""]) => word);
    expect(named.filter((word) => !known.has(word))).toEqual([]);
  });

  test.each(prompts)("$module quotes only codes that a result can carry", ({ xml }) => {
    const codes = codesIn(xml);
    expect(codes.filter((code) => !source.some((file) => file.text.includes(`"${code}"`)))).toEqual([]);
  });

  test("about approvals name the codes of a refusal", () => {
    expect(codesIn(all.texts["approvals"] ?? "")).toEqual(
      expect.arrayContaining(["denied", "approval_stale"]),
    );
  });
});

/** Characters of what stands in a prompt for the tools that every run has: it is paid on every step. */
const BUILTIN_CHARS_MAX = 1_500;

test("what the built-in tools are for, and how a call of each looks, is said in few characters", () => {
  const own = ["questions", "memory", "plan"];
  const taught = examples
    .filter(({ module }) => own.includes(module))
    .map(({ module, tool }) => [module, tool]);
  expect(taught).toEqual([
    ["memory", "store_memory"],
    ["memory", "retrieve_memory"],
    ["plan", "update_plan"],
    ["questions", "ask_human"],
  ]);
  const sizes = own.map((name) => (all.texts[name] ?? "").trim().length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(BUILTIN_CHARS_MAX);
});

test("plans are taught where they are offered, and nowhere else", () => {
  const taught = (profile: Profile): boolean =>
    modulesOf(new GovernedTools(registry, { approvals: {} }).prompts(), { marker: false }, profile).includes(
      "plan",
    );
  const classes = Object.keys(PROFILES) as Profile[];
  expect(classes.filter((profile) => taught(profile) !== mayPlan(profile))).toEqual([]);
  expect([taught("simple"), taught("standard")]).toEqual([false, true]);
});

test("every step is asked for a thought", () => {
  expect(all.texts["react"]).toContain("one short sentence why");
});

describe("examples", () => {
  test("are there for the CMS", () => {
    expect(new Set(examples.map((example) => example.tool)).size).toBeGreaterThanOrEqual(5);
  });

  // Tools compare it with the clock: a time that is written down is too far ahead today and over later.
  test.each(examples)("of $tool in $module names no moment at which to act", ({ input }) => {
    expect(typeof input === "object" && input !== null && "at" in input).toBe(false);
  });

  test.each(examples)("of $tool in $module fits its schema", ({ tool, input }) => {
    expect(registry.check(tool, input)).toMatchObject({ ok: true });
  });
});

describe("tools", () => {
  test.each(cards)("$name says what it is for, in a breath", ({ description }) => {
    expect(description.length).toBeGreaterThan(40);
    expect(description.length).toBeLessThan(240);
  });

  test.each(cards)("$name takes no argument that looks like consent", ({ inputSchema }) => {
    expect(keysOf(inputSchema).filter((key) => CONSENT.test(key))).toEqual([]);
  });

  test.each(["confirm", "confirmed", "force", "approved", "consent", "override"])(
    "%s looks like consent",
    (key) => {
      expect(key).toMatch(CONSENT);
    },
  );

  test("of the CMS cost few enough characters to send them with every call", () => {
    const sizes = cmsCards.map((card) => JSON.stringify(card.inputSchema).length + card.description.length);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect(total).toBeLessThan(CMS_TOOL_CHARS_MAX * cmsCards.length);
    expect(total).toBeGreaterThan(cmsCards.length * 60);
  });

  test("that a file exports are all in a pack", async () => {
    const files = ["src/cairn/tools", "src/plugins"]
      .flatMap(readTexts)
      .filter((file) => /\b(defineTool|keyed\w*)\b/.test(file.text));
    const exported = await Promise.all(
      files.map(async (file): Promise<unknown[]> => Object.values(await import(path.join(ROOT, file.path)))),
    );
    // `update_plan` enters its pack when the loop keeps plans.
    const tools = exported
      .flat()
      .filter(isTool)
      .filter((tool) => tool.definition.name !== "update_plan");
    expect(tools.length).toBeGreaterThanOrEqual(cmsPack.tools.length + imagesPack.tools.length);
    expect(tools.map((tool) => tool.definition.name).filter((name) => !names.has(name))).toEqual([]);
  });
});

function isTool(value: unknown): value is AnyTool<unknown> {
  return typeof value === "object" && value !== null && "definition" in value;
}

/** `code "a" or "b"` → a, b */
function codesIn(xml: string): string[] {
  const lists = Array.from(xml.matchAll(/code ((?:"[a-z_]+"(?:, | or )?)+)/g), ([, list = ""]) => list);
  return lists.flatMap((list) => Array.from(list.matchAll(/"([a-z_]+)"/g), ([, code = ""]) => code));
}

/** Every property name of a JSON Schema, at any depth. */
function keysOf(schema: Json): string[] {
  if (Array.isArray(schema)) return schema.flatMap(keysOf);
  if (schema === null || typeof schema !== "object") return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === "properties" && value !== null && typeof value === "object"
      ? [...Object.keys(value), ...Object.values(value).flatMap(keysOf)]
      : keysOf(value),
  );
}

function unescapeXml(text: string): string {
  const characters: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  return text.replaceAll(/&(lt|gt|quot|apos|amp);/g, (whole, name: string) => characters[name] ?? whole);
}

/** Tags without their partner, and characters that XML wants escaped. */
function unbalanced(xml: string): string[] {
  const faults: string[] = [];
  const open: string[] = [];
  const text = xml.replaceAll(
    /<(\/?)([a-z][a-z-]*)((?: [a-z]+="[^"<]*")*)>/g,
    (tag, slash: string, name: string) => {
      if (slash === "") open.push(name);
      else if (open.at(-1) === name) open.pop();
      else faults.push(tag);
      return "";
    },
  );
  faults.push(...open.map((name) => `<${name}>`));
  faults.push(...Array.from(text.matchAll(/<|&(?!(?:lt|gt|quot|apos|amp);)/g), ([character]) => character));
  return faults;
}
