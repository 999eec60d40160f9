import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseAst } from "vitest/node";
import { expect, test } from "vitest";
import { readTexts, ROOT } from "./source-tree.ts";

/**
 * The kernel does not know its plugins by name, and the code that all channels share does not know their vendors: no identifier
 * and no text has one as a word. Comments may.
 */

const foldersOf = (folder: string): string[] =>
  readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );

/** Words of names of plugins that the kernel has in their plain sense. */
const NEUTRAL: Readonly<Record<string, string>> = {
  channels: "ways to people, whichever plugin adds them",
  plain: "texts and values without marks",
  client: "a program that talks with the kernel",
  code: "of an error",
  email: "an address, a format of JSON Schema, and the handler of a Worker",
  files: "sent by people to a session",
  http: "the protocol",
  request: "of HTTP",
  server: "a class of failures of a tool",
  words: "of any text",
  web: "the page of the kernel as a channel, and pages that are read",
};

/** Names that do not stand in the name of a folder: what runs of the CMS work on. */
const FURTHER = ["site"];

/** A file that has a name of a plugin, and why. */
const ALLOWED: readonly (readonly [file: string, words: readonly string[], why: string])[] = [
  ["src/cairn/core/dialects/research-calls.ts", ["scholar"], "names of tools that research models call"],
  ["src/cairn/core/guards/budget/profiles.ts", ["cms", "scholar"], "a preset of the API, and packs of one"],
  ["src/cairn/http/kit/credentials.ts", ["site"], "SameSite, of a cookie"],
  ["src/cairn/http/kit/request-policy.ts", ["mcp"], "headers of requests that browsers may send"],
  ["src/cairn/outbound/provider.ts", ["site"], "an operator of search engines"],
  ["src/cairn/outbound/safe-address.ts", ["site"], "site-local addresses"],
  ["src/cairn/session/storage/tables.ts", ["mcp"], "a table of an earlier version: migrations stay"],
  ["src/cairn/testing/test-session.ts", ["rehearsal"], "the name of a test's model, as rules have one"],
  ["src/cairn/webhooks/signatures.ts", ["slack", "telegram"], "schemes by which services sign webhooks"],
];

/** The folders of vendors: their plugin makes a `Vendor`. */
const VENDORS = foldersOf("src/plugins/channels").filter((name) => {
  const file = path.join(ROOT, "src/plugins/channels", name, "plugin.ts");
  return existsSync(file) && /\): Vendor\b/.test(readFileSync(file, "utf8"));
});

/** A file of channels, outside the folders of vendors, that has the name of one, and why. */
const ALLOWED_OF_CHANNELS: typeof ALLOWED = [
  ["src/plugins/channels/plugin.ts", ["email"], "the handler of a Worker for mails"],
  ["src/plugins/channels/vendor.ts", ["email"], "the handler of a Worker for mails"],
];

const names = new Set(
  [...foldersOf("src/plugins"), ...VENDORS, ...FURTHER]
    .flatMap((name) => name.split("-"))
    .filter((word) => !Object.hasOwn(NEUTRAL, word)),
);

/** `searchOfSite`, `search_site` and `search-site` have the word `site`. */
const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);

/** The names of plugins in the identifiers and texts of a file, or these words. */
function namesIn(source: string, sought: ReadonlySet<string> = names, lang: "ts" | "tsx" = "ts"): string[] {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(look);
    if (typeof value !== "object" || value === null) return;
    const node = value as Readonly<Record<string, unknown>>;
    const { type, name, value: own } = node;
    const text = type === "TemplateElement" ? (own as { readonly raw: string }).raw : (own ?? name);
    if (typeof text === "string" && typeof type === "string")
      for (const word of wordsOf(text)) if (sought.has(word)) found.add(word);
    for (const child of Object.values(node)) look(child);
  };
  look(parseAst(source, { lang }));
  return [...found].toSorted();
}

interface Named {
  readonly path: string;
  readonly words: readonly string[];
}

const product = ["build", "scripts", "src"].flatMap(readTexts);
const kernel: readonly Named[] = product
  .filter(({ path: file }) => file.startsWith("src/cairn/"))
  .map((file) => ({ path: file.path, words: namesIn(file.text) }));
const channels: readonly Named[] = readTexts("src/plugins/channels")
  .filter((file) => !VENDORS.some((name) => file.path.startsWith(`src/plugins/channels/${name}/`)))
  .map((file) => ({ path: file.path, words: namesIn(file.text, new Set(VENDORS)) }));

/** Names that no exception allows. */
const straysOf = (files: readonly Named[], allowed: typeof ALLOWED): readonly string[] =>
  files.flatMap(({ path: file, words }) => {
    const known = allowed.flatMap(([of, named]) => (of === file ? named : []));
    return words.filter((word) => !known.includes(word)).map((word) => `${file}: ${word}`);
  });

const unusedOf = (files: readonly Named[], allowed: typeof ALLOWED): readonly string[] =>
  allowed.flatMap(([file, words]) => {
    const found = files.find((one) => one.path === file)?.words ?? [];
    return words.filter((word) => !found.includes(word)).map((word) => `${file}: ${word}`);
  });

test("the names of plugins are found in identifiers and texts, and not in comments", () => {
  expect([...names].toSorted()).toEqual(expect.arrayContaining(["cms", "rehearsal", "scholar", "telegram"]));
  expect(namesIn("const isSlackThread = 1; // telegram")).toEqual(["slack"]);
  expect(namesIn('type A = { cms: "x" }; const b = `to ${1} telegram`;')).toEqual(["cms", "telegram"]);
  expect(namesIn('const website = "campsite"; const opposite = 2;')).toEqual([]);
});

test("no file of the kernel has the name of a plugin, but for those with a reason", () => {
  expect(straysOf(kernel, ALLOWED)).toEqual([]);
});

test("no file that the vendors of channels share has the name of one, but for those with a reason", () => {
  expect(VENDORS.toSorted()).toEqual(["email", "slack", "telegram", "webpush"]);
  expect(channels.length).toBeGreaterThan(30);
  expect(straysOf(channels, ALLOWED_OF_CHANNELS)).toEqual([]);
});

test("every exception is used", () => {
  expect([...unusedOf(kernel, ALLOWED), ...unusedOf(channels, ALLOWED_OF_CHANNELS)]).toEqual([]);
});

/** Files outside `src/plugins/skills` that name skills, and why. */
const SKILLS_OUTSIDE: Readonly<Record<string, string>> = {
  "src/worker.ts": "the one line of registration",
  "src/skills.ts": "the configured plugin with the files of the project",
  "build/modules/skill-reader.ts":
    "the parser is no part of the worker: it lies beside it and is loaded on demand",
  "build/modules/skills-source.ts": "the source of that parser",
};

test("the plugin of skills is named in one file of the product outside its folder, and in those with a reason", () => {
  const words = new Set(["skill", "skills"]);
  const naming = product
    .filter(({ path: file, text }) => !file.startsWith("src/plugins/skills/") && /skill/i.test(text))
    .filter(({ path: file, text }) => namesIn(text, words, file.endsWith("x") ? "tsx" : "ts").length > 0)
    .map(({ path: file }) => file);
  expect(naming.toSorted()).toEqual(Object.keys(SKILLS_OUTSIDE).toSorted());
});
