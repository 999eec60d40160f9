import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { drawingOf, withDrawing, withoutShortcuts } from "./drawing.ts";
import { circlesOf, folderOf, mutualSiblings, roomOf, ROOMS, straysFrom, tableOf } from "./rooms.ts";
import { parseSource, readTree, ROOT, type SourceFile } from "./source-tree.ts";

/** The directions of the design: who may import whom. An exception stands in a list here, with its reason, or it is a fault. */

const src = readTree("src");
const tests = readTree("test");
const aside = ["scripts", "build"].flatMap(readTree);

/** Files that put the parts together. They import everything, and only an entry imports them. */
const ROOTS = ["src/worker.ts", "src/cairn/create.ts", "src/cairn/session/session.ts"];

/** A project has its own in their place: only its worker names them. */
const OWNED_BY_PROJECT = [
  "src/agents/agents.ts",
  "src/agents/default.ts",
  "src/mcp-servers.ts",
  "src/channels.ts",
  "src/intake.ts",
  "src/skills.ts",
  "src/webhooks.ts",
];

/** Run by Node on a developer's machine, never in the worker. */
const ON_NODE = [/^src\/cli\//];

/** SHA-256 as both runtimes have it, because core hashes without waiting; a function of its input like any other. */
const HASH = "src/cairn/core/log/digest.ts → node:crypto";

/** Events for code in the same Worker, in the way of Node, which the platform has too. */
const EVENTS = "src/cairn/session/diagnostics.ts → node:diagnostics_channel";

/** Files that may import platform packages, and which packages. */
const PLATFORM: readonly (readonly [file: RegExp, packages: RegExp])[] = [
  [/^src\/cairn\/session\/session\.ts$/, /^(cloudflare:workers|agents\/(lifecycle|websockets|routing))$/],
  [/^src\/(cairn\/api|plugins\/channels\/intake\/plugin)\.ts$/, /^cloudflare:workers$/],
  [/^src\/cairn\/session\/sockets\/(platform|lazy-web-sockets)\.ts$/, /^agents\/(lifecycle|websockets)$/],
  [/^src\/(cairn\/((call-)?prompts|prompt-notes)|plugins\/[\w-]+\/(plugin|prompts))\.ts$/, /\.xml$/],
  [/^src\/(cairn\/http|plugins\/(cms|channels|mcp-client|mcp-server))\//, /^hono(\/|$)/],
  [/^src\/page\/(open-session|chat)\//, /^(ai|agents\/react|agents\/chat\/react)$/],
  [/^src\/cairn\/tools\/ai-(schema|tool)\.ts$/, /^@ai-sdk\/provider-utils$/],
  [/^src\/plugins\/rehearsal\//, /^@ai-sdk\/provider$/],
  [/^src\/cairn\/models\//, /^(ai|@ai-sdk\/provider|@ai-sdk\/openai-compatible|workers-ai-provider)$/],
];
const IS_PLATFORM = /^(cloudflare:|agents(\/|$)|ai$|ai\/|hono(\/|$)|@ai-sdk\/|workers-ai-provider$)|\.xml$/;

/** Packages of the page at `/`, which runs in a browser and knows the worker only by its protocol. */
const PAGE_PACKAGES =
  /^(react|react-dom\/client|react-markdown|swr|agents\/react|agents\/chat\/react|ai|mdast-util-gfm|micromark-extension-gfm|lowlight|highlight\.js\/lib\/languages\/\w+|zod)$/;

/** Globals that a pure function may not use. `Date` and `Math` are allowed, except their clock and randomness. */
const IMPURE = [
  "Date.now",
  "Date()",
  "Math.random",
  "performance",
  "Temporal",
  "crypto",
  "fetch",
  "WebSocket",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "queueMicrotask",
  "scheduler",
  "process",
  "globalThis",
  "console",
  "navigator",
  "caches",
  "self",
  "eval",
  "Function",
];

const onNode = (file: SourceFile): boolean => ON_NODE.some((each) => each.test(file.path));
const below = (folder: string): SourceFile[] => src.filter((file) => file.path.startsWith(`${folder}/`));

/** `file → import` for every import that is not allowed. */
function strays(files: readonly SourceFile[], allowed: (target: string) => boolean): string[] {
  return files.flatMap((file) =>
    [...file.files, ...file.packages]
      .filter((target) => !allowed(target))
      .map((target) => `${file.path} → ${target}`),
  );
}

describe("the reading of the source", () => {
  const sample = parseSource(
    "src/cairn/core/sample.ts",
    [
      'import type { A } from "./a.ts";',
      'export type { B } from "../protocol/b.ts";',
      'export * from "zod";',
      'const late = () => import("hono");',
      'let c: import("ai").C = Date.now(); // fetch("https://x")',
      'const text = "setTimeout"; const own = { fetch: thing.crypto };',
      "new Date(); new Date(5); Math['random']();",
    ].join("\n"),
  );

  test("finds imports in every form, and only real ones", () => {
    expect(sample.files).toEqual(["src/cairn/core/a.ts", "src/cairn/protocol/b.ts"]);
    expect(sample.packages).toEqual(["zod", "hono", "ai"]);
  });

  test("finds what a file takes from its environment, and no word of a text or comment", () => {
    const seen = IMPURE.filter((name) => sample.uses.has(name));
    expect(seen).toEqual(["Date.now", "Date()", "Math.random"]);
    expect(parseSource("a.ts", "const at = { when: fetch };").uses.has("fetch")).toBe(true);
  });

  test("sees the whole tree", () => {
    expect(src.map((file) => file.path)).toEqual(expect.arrayContaining(ROOTS));
    expect(below("src/cairn/core").length).toBeGreaterThan(10);
  });
});

describe("directions", () => {
  test("every file imports only what its room may", () => {
    expect(straysFrom([...src, ...aside])).toEqual([]);
  });

  test("a stray import would be found, and an order that runs back up", () => {
    const stray = (file: string, target: string): string[] =>
      straysFrom([
        parseSource(file, `import type { A } from "${path.posix.relative(folderOf(file), target)}";`),
      ]);
    expect(stray("src/cairn/core/state/a.ts", "src/cairn/core/guards/b.ts")).toHaveLength(1);
    expect(stray("src/cairn/core/guards/loops/a.ts", "src/cairn/core/loop/b.ts")).toHaveLength(1);
    expect(stray("src/cairn/core/loop/a.ts", "src/cairn/core/guards/loops/b.ts")).toEqual([]);
    expect(stray("src/cairn/protocol/a.ts", "src/cairn/session/api/b.ts")).toHaveLength(1);
  });

  test("of two folders of one parent, at most one imports the other", () => {
    expect(mutualSiblings(src)).toEqual([]);
  });

  test("folders of one parent that import each other would be found, and no file of the parent", () => {
    const file = (from: string, ...files: string[]) => ({ path: from, files });
    const [one, other] = ["src/a/one/deep/x.ts", "src/a/other/y.ts"];
    expect(mutualSiblings([file(one, other, "src/a/z.ts"), file("src/a/z.ts", one), file(other)])).toEqual(
      [],
    );
    expect(mutualSiblings([file(one, other), file(other, one)])).toHaveLength(1);
  });

  test("core imports one package, a hash", () => {
    expect(
      below("src/cairn/core").flatMap((file) => file.packages.map((each) => `${file.path} → ${each}`)),
    ).toEqual([HASH]);
  });

  test("core reads no clock, throws no dice and reaches nothing outside", () => {
    const impure = below("src/cairn/core").flatMap((file) =>
      IMPURE.filter((name) => file.uses.has(name)).map((name) => `${file.path} uses ${name}`),
    );
    expect(impure).toEqual([]);
  });

  test("the protocol imports zod, the configuration nothing, tools also the schemas of AI SDK tools; what reads images, HTML and archives is imported where it is used", () => {
    const packages = (folder: string): string[] => [
      ...new Set(
        below(`src/cairn/${folder}`).flatMap((file) => file.packages.map((each) => each.split("/")[0] ?? "")),
      ),
    ];
    expect(packages("protocol")).toEqual(["zod"]);
    expect(packages("config")).toEqual([]);
    expect(packages("tools").toSorted()).toEqual(["@ai-sdk", "zod"]);
    expect(packages("documents").toSorted()).toEqual(["fflate", "htmlparser2", "zod"]);
    expect(packages("outbound").toSorted()).toEqual(["zod"]);
    expect(packages("uploads").toSorted()).toEqual(["zod"]);
  });

  test("the tools and tables of the site know neither its pages nor its routes", () => {
    const outer = /^src\/plugins\/cms\/(http|renderer|[\w-]+\.ts$)/;
    const parts = below("src/plugins/cms").filter(({ path: file }) => !outer.test(file));
    expect(parts.length).toBeGreaterThan(50);
    const within = (target: string): boolean =>
      /\/cms\/(pack|settings)\.ts$/.test(target) || !outer.test(target);
    expect(strays(parts, within)).toEqual([]);
  });

  test("the page imports packages that a browser runs", () => {
    const allowed = (target: string): boolean => target.startsWith("src/") || PAGE_PACKAGES.test(target);
    expect(strays(below("src/page"), allowed)).toEqual([]);
  });

  test("nothing but the page imports the page", () => {
    const rest = src.filter((file) => !file.path.startsWith("src/page/"));
    expect(strays(rest, (target) => !target.startsWith("src/page/"))).toEqual([]);
  });

  test("the platform is touched only by the files whose job it is", () => {
    const touching = src.flatMap((file) =>
      [...file.packages, ...file.files]
        .filter((target) => IS_PLATFORM.test(target))
        .filter((target) => !PLATFORM.some(([who, what]) => who.test(file.path) && what.test(target)))
        .map((target) => `${file.path} → ${target}`),
    );
    expect(touching).toEqual([]);
  });

  test("every leave to touch the platform is used", () => {
    const unused = PLATFORM.filter(
      ([who, what]) =>
        !src.some(
          (file) => who.test(file.path) && [...file.packages, ...file.files].some((each) => what.test(each)),
        ),
    );
    expect(unused).toEqual([]);
  });

  test("Node's own modules stay out of the worker, but for its hash and its events", () => {
    // The tests of a project run on Node.
    const worker = src.filter((file) => !onNode(file) && !file.path.startsWith("src/cairn/testing/"));
    expect(strays(worker, (target) => !target.startsWith("node:"))).toEqual([HASH, EVENTS]);
  });

  test("only createCairn imports the session's Durable Object", () => {
    const importing = [...src, ...tests].filter((file) =>
      file.files.includes("src/cairn/session/session.ts"),
    );
    expect(importing.map((file) => file.path)).toEqual(["src/cairn/create.ts"]);
  });

  test("the kernel imports no plugin, and nothing that a project owns", () => {
    const owned = (target: string): boolean =>
      target.startsWith("src/plugins/") || OWNED_BY_PROJECT.includes(target);
    // Commands read the plugins whose answers they show.
    const outer = /^src\/(worker\.ts$|cli\/)/;
    const kernel = src.filter(({ path: file }) => !outer.test(file) && !owned(file));
    // A panel of the page reads the protocol of its plugin.
    const isProtocol = (target: string): boolean =>
      /^src\/plugins\/[\w-]+(\/[\w-]+)?\/protocol\//.test(target);
    const page = kernel.filter(({ path: file }) => file.startsWith("src/page/"));
    expect(strays(page, (target) => !owned(target) || isProtocol(target))).toEqual([]);
    expect(
      strays(
        kernel.filter((file) => !page.includes(file)),
        (target) => !owned(target),
      ),
    ).toEqual([]);
    expect(src.map((file) => file.path)).toEqual(expect.arrayContaining(OWNED_BY_PROJECT));
  });

  test("tests in workerd use their own worker: the objects that run are its classes", () => {
    const theirs = tests.filter((file) => file.path.startsWith("test/worker/"));
    expect(strays(theirs, (target) => target !== "src/worker.ts")).toEqual([]);
  });

  test("nothing that is shipped imports a test", () => {
    expect(strays(src, (target) => !target.startsWith("test/"))).toEqual([]);
  });

  test("zod is imported whole, so that a bundler can leave out what is not used", () => {
    const piecemeal = src.filter((file) => /import (type )?\{[^}]*\} from "zod"/.test(file.text));
    expect(piecemeal.map((file) => file.path)).toEqual([]);
  });
});

describe("shape", () => {
  test("every folder is a room, and every room is there", () => {
    const folders = new Set([...src, ...aside].map((file) => folderOf(file.path)));
    expect([...folders].filter((folder) => roomOf(folder) === undefined)).toEqual([]);
    expect(ROOMS.filter(({ folder }) => !folders.has(folder))).toEqual([]);
  });

  test("a folder of a project's own tools or plugins needs no place in the list, and one below a listed room does", () => {
    for (const own of ["src/writing", "src/writing/words", "src/tools/writing", "src/plugins/writing"])
      expect([own, roomOf(own)?.may]).toEqual([own, ["src"]]);
    const below = ["src/plugins/cms/writing", "src/cairn/core/writing", "test"];
    expect(below.map(roomOf)).toEqual(below.map(() => undefined));
  });

  test("no files import each other in a circle, types included", () => {
    expect(circlesOf([...src, ...aside])).toEqual([]);
  });

  test("a circle would be found, however long, and also that of a file with itself", () => {
    const files = (edges: Readonly<Record<string, string>>) =>
      Object.entries(edges).map(([from, to]) => ({ path: from, files: [...to] }));
    expect(circlesOf(files({ a: "b", b: "c", c: "bd", d: "" }))).toEqual([["b", "c"]]);
    expect(circlesOf(files({ a: "bc", b: "d", c: "d", d: "" }))).toEqual([]);
    expect(circlesOf(files({ a: "b", b: "c", c: "a", d: "d" }))).toEqual([["a", "b", "c"], ["d"]]);
  });

  test("no folder is listed twice, and each has a purpose", () => {
    const folders = ROOMS.map(({ folder }) => folder);
    expect(folders.filter((folder, at) => folders.indexOf(folder) !== at)).toEqual([]);
    expect(ROOMS.filter(({ what }) => what.trim() === "")).toEqual([]);
  });

  test("`npm run house` prints a row for each folder, with its files and lines", () => {
    const rows = tableOf([...src, ...aside])
      .split("\n")
      .filter((line) => line.startsWith("| `"))
      .map((line) => line.split("|").map((cell) => cell.trim()));
    expect(rows.map(([, folder]) => folder)).toEqual(ROOMS.map(({ folder }) => `\`${folder}\``));
    const sum = (cell: number): number => rows.reduce((total, row) => total + Number(row[cell]), 0);
    const listed = [...src, ...aside].filter((file) =>
      ROOMS.some(({ folder }) => folder === folderOf(file.path)),
    );
    expect(sum(2)).toBe(listed.length);
    expect(sum(3)).toBe(listed.reduce((total, file) => total + file.lines, 0));
  });

  test("ARCHITECTURE.md shows the folders as `npm run docs` draws them from the imports", () => {
    const page = readFileSync(path.join(ROOT, "ARCHITECTURE.md"), "utf8");
    expect(page).toBe(withDrawing(page, drawingOf(src)));
  });

  test("a drawing leaves out arrows that follow from others, and refuses a circle", () => {
    const arrows = (edges: Readonly<Record<string, string>>) =>
      new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)]));
    expect(withoutShortcuts(arrows({ a: "bc", b: "c", c: "d", d: "" }))).toEqual(
      arrows({ a: "b", b: "c", c: "d", d: "" }),
    );
    expect(() => withoutShortcuts(arrows({ a: "bc", b: "c", c: "a" }))).toThrow("a circle: a → c → a");
    expect(() => drawingOf([{ path: "src/cairn/attic/box.ts", files: [] }])).toThrow("in no box");
  });

  test("the tree has no symbolic link, which Windows would check out as a text", () => {
    const folders = ["build", "docs", "migrations", "prompts", "scripts", "src", "test"];
    const links = folders.flatMap((folder) =>
      readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true }).flatMap((entry) =>
        // The benchmark installs its peers below its own folder.
        entry.isSymbolicLink() && !entry.parentPath.includes("node_modules")
          ? [path.join(folder, entry.name)]
          : [],
      ),
    );
    expect(links).toEqual([]);
  });

  test("no file refers to a numbered section of a text that is not here", () => {
    const reference = /\b(guards|loop|platform|cms|interface|channels|settlements?) \d+(\.\d+)*\b/;
    const named = [...src, ...aside, ...tests].filter(({ text }) => reference.test(text));
    expect(named.map((file) => file.path)).toEqual([]);
  });

  test("every file that a comment names is there", () => {
    const here = [...src, ...aside, ...tests].map((file) => `/${file.path}`);
    // At the root, made by a build, and invented.
    const others = [
      "vite.config.ts",
      "vitest.config.ts",
      "worker-configuration.d.ts",
      "test/fixtures/docs/a.ts",
    ];
    const missing = [...src, ...tests].flatMap(({ path: of, text }) =>
      [...text.matchAll(/(?:\/\/|^\s*\*|\/\*).*$/gm)].flatMap(([comment]) =>
        [...comment.matchAll(/(?<![\w./-])[\w-][\w./-]*\.tsx?\b/g)]
          .map(([name]) => name)
          .filter((name) => !others.includes(name) && !here.some((file) => file.endsWith(`/${name}`)))
          .map((name) => `${of}: ${name}`),
      ),
    );
    expect(missing).toEqual([]);
  });

  test("every file is reached from the worker or from a command", () => {
    const reached = reachedFrom([
      "src/worker.ts",
      // Entries of the package.
      "src/cairn/index.ts",
      "src/cairn/on-node.ts",
      "src/cairn/testing/index.ts",
      "src/cli/cairn.ts",
      "src/cli/create/create.ts",
      "src/cli/start/start.ts",
      "src/cli/chat/chat.ts",
      "src/cli/replay/replay.ts",
      "src/cli/rollouts/rollouts.ts",
      "src/cli/deploy/deploy.ts",
      "src/cli/site/site.ts",
      "src/cli/types/types.ts",
      "src/cli/channels/channels.ts",
      "src/cli/channels/demo.ts",
      "src/cli/start/supervise.ts",
      "src/cli/start/dev-worker.ts",
      "src/cli/start/build-page.ts",
      "src/page/main.tsx",
      // A browser runs it beside the page.
      "src/page/push-worker.ts",
      // Loaded on demand.
      ...aside
        .filter(({ path: file }) => file.startsWith("build/on-demand/"))
        .flatMap(({ files }) => files)
        .filter((file) => file.startsWith("src/")),
      // An alias of vite.config.ts.
      "src/page/no-rpc.ts",
    ]);
    const lost = src.filter((file) => !reached.has(file.path)).map((file) => file.path);
    expect(lost).toEqual([]);
  });
});

function reachedFrom(entries: readonly string[]): ReadonlySet<string> {
  const byPath = new Map(src.map((file) => [file.path, file]));
  const reached = new Set<string>();
  const open = [...entries];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    open.push(...(byPath.get(next)?.files ?? []));
  }
  return reached;
}
