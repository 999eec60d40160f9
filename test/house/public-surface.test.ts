import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { OPTIONAL_PLUGINS } from "../../src/cli/create/optional-plugins.ts";
import { projectFiles } from "../../src/cli/create/project-files.ts";
import { PAGES, placesOf } from "../docs/doc-pages.ts";
import { parseSource, readTree, ROOT, type SourceFile } from "./source-tree.ts";

/** The names that code outside of the kernel may use, and the parts of the kernel that plugins of this repository may reach. */

/** Entries of the package as they are named in this repository. `definitions.ts` is the index without `createCairn`, for Node. */
const ENTRY = /^src\/(cairn\/(index|definitions|testing\/index)|plugins\/[\w/-]+\/plugin)\.ts$/;
/** Entries of the package as a project names them. */
const PACKAGE = /^cairn(\/testing|\/plugins\/[\w/-]+)?$/;

/** Folders of the kernel that are libraries: whatever a plugin of this repository imports there has no state and no wiring. */
const LIBRARIES =
  /^src\/cairn\/(core|outbound|documents|uploads|tools|protocol|config|http\/kit|models\/script|session\/api)\/|^src\/cairn\/(plugin|bindings|operator-log|time-limit|http\/deps)\.ts$/;

/** Single files of other folders, and the plugin that needs each. */
const SINGLE: readonly (readonly [plugin: string, file: string])[] = [
  ["channels", "src/cairn/http/routes/channel-views.ts"],
  ["channels", "src/cairn/http/uploads/sent-file.ts"],
  ["channels", "src/cairn/session/background/delivery-retry.ts"],
  ["channels", "src/cairn/session/background/held.ts"],
  ["channels", "src/cairn/session/background/notes.ts"],
  ["channels", "src/cairn/session/background/outbox.ts"],
  ["channels", "src/cairn/session/part.ts"],
  ["channels", "src/cairn/session/storage/migrations.ts"],
  ["channels", "src/cairn/session/storage/store.ts"],
  ["channels", "src/cairn/webhooks/signatures.ts"],
  ["cms", "src/cairn/models/lazy-model.ts"],
  ["cms", "src/cairn/models/look.ts"],
  ["mcp-client", "src/cairn/http/links/approval-page.ts"],
  ["mcp-server", "src/cairn/http/runs/start-run.ts"],
  ["mcp-server", "src/cairn/http/runs/tree.ts"],
];

const read = (file: string): SourceFile => parseSource(file, readFileSync(path.join(ROOT, file), "utf8"));

/** `file → import` for each import of the kernel or a plugin that is no entry of the package. */
const inner = (files: readonly SourceFile[]): string[] =>
  files.flatMap((file) =>
    [
      ...file.files.filter((target) => /^src\/(cairn|plugins)\//.test(target) && !ENTRY.test(target)),
      ...file.packages.filter((name) => /^cairn(\/|$)/.test(name) && !PACKAGE.test(name)),
    ].map((target) => `${file.path} → ${target}`),
  );

const versions = {
  version: "1.0.0",
  cairn: "1",
  zod: "1",
  node: "1",
  typescript: "1",
  vitest: "1",
  wrangler: "1",
};

describe("the public surface", () => {
  const sample = globSync(["src/*.ts", "src/agents/*.ts"], { cwd: ROOT }).map(read);
  const examples = [
    ...new Set([...placesOf(PAGES).keys(), ...globSync("test/fixtures/docs/**/*.{ts,tsx}", { cwd: ROOT })]),
  ]
    .filter((file) => /\.tsx?$/.test(file))
    .map(read);
  const created = [...projectFiles("shop", OPTIONAL_PLUGINS, versions)]
    .filter(([file]) => file.endsWith(".ts"))
    .map(([file, text]) => parseSource(file, text));

  test("is all that the sample, the examples of the docs and a new project import", () => {
    expect([sample.length > 5, examples.length > 10, created.length]).toEqual([true, true, 3]);
    expect(inner([...sample, ...examples, ...created])).toEqual([]);
    expect(created.flatMap(({ packages }) => packages)).toContain("cairn/plugins/channels/telegram");
  });

  test("is a module for each import of a new project", () => {
    const modules = created.flatMap(({ packages }) =>
      packages.flatMap((name) => {
        const plugin = /^cairn\/plugins\/(.*)$/.exec(name)?.[1];
        return plugin === undefined ? [] : [`src/plugins/${plugin}/plugin.ts`];
      }),
    );
    expect(modules.map((file) => [file, globSync(file, { cwd: ROOT }).length])).toEqual(
      modules.map((file) => [file, 1]),
    );
  });

  test("an import of an inner file would be found", () => {
    const stray = [
      'import { a } from "../src/cairn/tools/define.ts";',
      'import { b } from "../src/plugins/web/pack.ts";',
      'import type { C } from "cairn/dist/lib/src/cairn/create.js";',
    ];
    expect(inner([parseSource("test/stray.ts", stray.join("\n"))])).toHaveLength(3);
  });
});

describe("plugins of this repository", () => {
  const reached = readTree("src/plugins").flatMap(({ path: file, files }) =>
    files
      .filter((target) => target.startsWith("src/cairn/") && !LIBRARIES.test(target))
      .map((target): [string, string, string] => [file.split("/")[2] ?? "", target, file]),
  );

  test("reach libraries of the kernel, and single files that are listed here", () => {
    const strays = reached.filter(
      ([plugin, target]) => !SINGLE.some(([who, file]) => who === plugin && file === target),
    );
    expect(strays.map(([, target, file]) => `${file} → ${target}`)).toEqual([]);
  });

  test("every file of the list is used", () => {
    const unused = SINGLE.filter(
      ([who, file]) => !reached.some(([plugin, target]) => who === plugin && file === target),
    );
    expect(unused).toEqual([]);
  });
});
