import { expect, test } from "vitest";
import { readSources, unguardedReads } from "./outside-keys.ts";

/** Reads that the rule finds and that are safe, with the reason. */
const EXCEPTIONS: readonly (readonly [path: string, read: string, why: string])[] = [
  [
    "src/cli/deploy/preflight-variables.ts",
    "devVars[problem.variable]",
    "names of variables that the code lists",
  ],
  ["src/cairn/config/endpoints.ts", "env[variable]", "names of variables that the code lists"],
  ["src/plugins/channels/vendor.ts", "env[name]", "names of variables that the code lists"],
  ["src/plugins/channels/webpush/vapid.ts", "env[name]", "names of variables that the code lists"],
  ["src/page/trace/run/request-facts.ts", "limits[name]", "a closed list of limits"],
  ["src/cairn/core/guards/reuse.ts", "calls[index]", "a list and a position"],
  ["src/plugins/cms/edit/shown-changes.ts", "before[start]", "a text and a position"],
  ["src/plugins/cms/edit/shown-changes.ts", "after[start]", "a text and a position"],
  ["src/cairn/core/loop/class-label.ts", "limits[what]", "tokens or cost"],
  ["src/cairn/session/runs/resolve-run.ts", "limits[name]", "a closed list of limits"],
  ["src/page/agents/limit-words.ts", "limits[name]", "a closed list of limits"],
  ["src/plugins/cms/history/states.ts", "wanted[key]", "a closed list of fields"],
  ["src/plugins/cms/settings/locales.ts", "before[key]", "a closed list of fields"],
  ["src/plugins/cms/settings/locales.ts", "after[key]", "a closed list of fields"],
  ["src/plugins/cms/tools/sections.ts", "after[key]", "variant or hidden"],
  ["src/plugins/cms/history/operations.ts", "row[name]", "columns that the code names"],
  ["src/plugins/cms/model/columns.ts", "row[column]", "columns that the code names"],
  ["src/cairn/core/dialects/coerce.ts", "value[key]", "a key of the value itself"],
  ["src/cairn/core/dialects/decision.ts", "object[one]", "a closed list of fields"],
  ["src/cairn/core/dialects/decision.ts", "object[key]", "a closed list of fields"],
  ["src/cairn/core/dialects/read-value.ts", "ESCAPES[next]", "a single character"],
  ["src/cairn/core/dialects/read-value.ts", "QUOTES[char]", "a single character"],
  ["src/cairn/core/dialects/read-value.ts", "QUOTES[this.text.charAt(this.at)]", "a single character"],
  ["src/cairn/core/dialects/read-value.ts", "QUOTES[open]", "a single character"],
  ["src/cairn/core/guards/review/review.ts", "refusals[code]", "a closed union of codes"],
  ["src/cairn/core/text/untrusted.ts", "LOOK_ALIKES[sign]", "a single character"],
  ["src/cairn/core/text/visible.ts", "NAMED[unit]", "a single character"],
  [
    "src/plugins/rehearsal/actions/sections.ts",
    "ownValue(FIELDS, template)?.[field]",
    "a closed union of fields",
  ],
  ["src/cairn/session/api/errors.ts", "FIELDS[what]", "a closed union of limits"],
  ["src/plugins/cms/renderer/api/write-import.ts", "manifest.counts[name]", "a closed union of counts"],
  ["src/plugins/cms/renderer/api/write-import.ts", "manifest.counts[wrong]", "a closed union of counts"],
  ["src/plugins/cms/history/rows.ts", "side[contents.property]", "a closed union of properties"],
  ["src/cairn/tools/input/edited.ts", "def.options[index]", "a list and a position"],
  [
    "src/cairn/tools/input/preimage.ts",
    "(inside as Record<string, unknown>)[key]",
    "a path within the value itself",
  ],
  ["src/plugins/scholar/arxiv.ts", "NAMED[name]", "the pattern allows five names"],
];

const found = unguardedReads(readSources());
const keyOf = (path: string, read: string): string => `${path} ${read}`;

test("no record of strings is read by a key from outside without a guard", () => {
  const allowed = new Set(EXCEPTIONS.map(([path, read]) => keyOf(path, read)));
  const wrong = found.filter(({ path, read }) => !allowed.has(keyOf(path, read)));
  expect(wrong.map(({ path, line, read }) => `${path}:${line} ${read}`)).toEqual([]);
});

test("every exception is a read that still exists", () => {
  const existing = new Set(found.map(({ path, read }) => keyOf(path, read)));
  expect(EXCEPTIONS.filter(([path, read]) => !existing.has(keyOf(path, read)))).toEqual([]);
});

const reads = (text: string): string[] =>
  unguardedReads([{ path: "a.ts", text }]).map(({ line, read }) => `${line} ${read}`);
const WORDS = "const WORDS: Readonly<Record<string, string>> = { a: 'b' };\n";

test.each([
  ["a variable", `${WORDS}export const word = (key: string) => WORDS[key] ?? key;`, "2 WORDS[key]"],
  [
    "a parameter that may be absent",
    "export const of = (rules: { [tool: string]: 1 } | undefined, tool: string) => rules?.[tool];",
    "1 rules?.[tool]",
  ],
  [
    "a property",
    "interface A { rules: Partial<Record<string, 1>> }\nexport const of = (a: A, tool: string) => a.rules[tool];",
    "2 a.rules[tool]",
  ],
  [
    "a property that is taken out of its holder",
    "interface A { rules: Record<string, 1> }\nexport const of = ({ rules }: A, tool: string) => rules[tool];",
    "2 rules[tool]",
  ],
  [
    "a record in a record",
    "type Texts = { [language: string]: { [field: string]: string } };\nexport const of = (texts: Texts, a: string, b: string) => ownValue(texts, a)?.[b];",
    "2 ownValue(texts, a)?.[b]",
  ],
  [
    "a value that was found to be an object",
    "export const of = (value: unknown, key: string) => isObject(value) ? value[key] : null;",
    "1 value[key]",
  ],
  [
    "a property of a schema",
    "const shape = z.object({ tiers: z.record(z.string(), z.string()).default({}) });\nexport const of = (server: Server, tool: string) => server.tiers[tool];",
    "2 server.tiers[tool]",
  ],
  [
    "a property of a schema that a function makes",
    "const byTool = (value: z.ZodType) => z.record(z.string(), value);\nconst shape = z.object({ tiers: byTool(tier).default({}) });\nexport const of = (server: Server, tool: string) => server.tiers[tool];",
    "3 server.tiers[tool]",
  ],
  [
    "a list that is not constant",
    `${WORDS}export const all = (keys: string[]) => keys.map((key) => WORDS[key]);`,
    "2 WORDS[key]",
  ],
  [
    "a match that may be an inherited name",
    `${WORDS}export const all = (text: string) => text.replace(/\\w+/g, (name) => WORDS[name]);`,
    "2 WORDS[name]",
  ],
  [
    "a value that is read and written",
    "export function add(to: Record<string, number>, key: string) { to[key] += 1; }",
    "1 to[key]",
  ],
])("the rule finds a read of %s", (_, text, read) => {
  expect(reads(text)).toEqual([read]);
});

test.each([
  ["a literal key", `${WORDS}export const word = () => WORDS["a"];`],
  ["a constant key", `${WORDS}export const word = () => WORDS[KEPT_BY];`],
  ["a key of a constant list", `${WORDS}export const all = () => NAMES.map((key) => WORDS[key]);`],
  [
    "a key of a constant list in a loop",
    `${WORDS}export function* all() { for (const key of ["a", ...NAMES]) yield WORDS[key]; }`,
  ],
  [
    "a match that is never an inherited name",
    `${WORDS}export const all = (text: string) => text.replace(/[ab]/g, (sign) => WORDS[sign]);`,
  ],
  [
    "a guard in the same function",
    `${WORDS}export const word = (key: string) => Object.hasOwn(WORDS, key) ? WORDS[key] : key;`,
  ],
  [
    "a write",
    "export function put(to: Record<string, number>, key: string) { to[key] = 1; delete to[key]; }",
  ],
  ["a record of a closed union", "export const of = (a: Record<'x' | 'y', 1>, key: 'x' | 'y') => a[key];"],
])("the rule lets %s pass", (_, text) => {
  expect(reads(text)).toEqual([]);
});
