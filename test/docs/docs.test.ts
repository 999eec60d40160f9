import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { CHAT_USAGE } from "../../src/cli/chat/chat-options.ts";
import { workerFile } from "../../src/cli/create/project-files.ts";
import { START_USAGE } from "../../src/cli/start/start-options.ts";
import { allAnswers as answers } from "../fixtures/answers.ts";
import { isCurl, parseExamples, TYPED_PAGES } from "../e2e/clients/pages.ts";
import {
  countProse,
  CREATED_WORKER,
  DOCS,
  exampleAt,
  fencesOf,
  PAGES,
  placesOf,
  readText,
} from "./doc-pages.ts";
import { generatedPages } from "./generated.ts";
import { ROOT } from "../house/source-tree.ts";

/** Rules for every page of the documentation: commands, examples, links, paths and contents. */

/** File that runs each command, and a word in the file that proves it. */
const RUN_BY: readonly (readonly [command: RegExp, file: string, evidence: string])[] = [
  [/^npm install && npm test$/, ".ci/run", "npm install && npm test"],
  [/^npm install && npm start$/, "test/e2e/start/start.test.ts", "src/cli/start/start.ts"],
  [/^npm start$/, "test/e2e/start/start.test.ts", "src/cli/start/start.ts"],
  [/^npm run channels:demo$/, "test/e2e/channels/demo.test.ts", '"channels:demo"'],
  [/^npm run channels -- telegram$/, "test/e2e/channels/demo.test.ts", "npm run channels -- telegram"],
  [/^npm run channels -- webpush$/, "test/cli/channels/push-keys.test.ts", "npm run channels -- webpush"],
  [/^npm start -- --demo-web$/, "test/e2e/start/demo-web.test.ts", '"--demo-web"'],
  [
    /^npm start -- --var MODEL:openai-compatible:\S+ --var OPENAI_/,
    "test/e2e/start/start.test.ts",
    "MODEL:openai-",
  ],
  [/^npm start -- --var "APPROVAL_LINK_SECRET:/, "test/e2e/pages.test.ts", 'startsWith("npm start ")'],
  [/^npm run chat -- "Create a Prices page/, "test/e2e/first-light.test.ts", "chat(server.url, [WISH"],
  [
    /^npx --yes @modelcontextprotocol\/server-everything@/,
    "test/e2e/mcp-client.test.ts",
    "server-everything",
  ],
  [/^npm start -- --var MCP_LOCAL:/, "test/e2e/mcp-client.test.ts", "MCP_LOCAL:"],
  [
    /^curl .*(\/api\/mcp\b|mcp_every|\/adder\/)/,
    "test/e2e/mcp-client.test.ts",
    'readPage("docs/mcp-servers.md")',
  ],
  [/^npm run sim$/, ".ci/run", "npm run sim"],
  [/^npm run replay -- \.wrangler/, "test/e2e/first-light.test.ts", '"replay"'],
  [/^npm run replay -- demo\.json$/, "test/e2e/pages.test.ts", "npm run replay -- demo.json"],
  [
    /^npm run site -- (export site\.tar|import site\.tar --environment copy|posts posts)$/,
    "test/e2e/site-file.test.ts",
    "npm run site",
  ],
  [/^npm run rollouts -- questions\.jsonl /, "test/e2e/runs/rollouts.test.ts", "npm run rollouts"],
  [/^npm run create -- \.\.\/shop$/, "test/project/create.test.ts", '"create", "--", folder'],
  [
    /^npm run create -- \.\.\/cairn-template --template$/,
    "test/project/create.test.ts",
    '"create", "--", template, "--template"',
  ],
  [/^cd \.\.\/shop && npm install && npm start$/, "test/project/create.test.ts", '"start", "--", "--port"'],
  [/^npx cairn update\b/, "test/project/create.test.ts", '"cairn", "update"'],
  [/^npm run deploy -- --check$/, ".ci/run", "npm run deploy -- --check"],
  [/^(export TOKEN=|npx node -p 'JSON\.stringify|echo "\$TOKEN")/, "test/docs/deploy-doc.test.ts", "TOKEN"],
];

/** Commands that nobody can run here: they need an account, or are of git. */
const EXEMPT: readonly RegExp[] = [
  /^npx wrangler /,
  /^npm run deploy$/,
  /^npx cairn deploy$/,
  // the package is not published yet
  /^npm update cairn$/,
  /https:\/\/cairn\.<your-name>\.workers\.dev/,
  /^git pull$/,
  // parts of the first command, in an update
  /^npm (install|test)$/,
];

const commands = PAGES.flatMap((page) => parseExamples(readText(page)).map(({ command }) => command));
/** test/e2e/pages.test.ts types the requests to a local server into a shell, page by page. */
const others = PAGES.flatMap((page) =>
  parseExamples(readText(page))
    .filter((example) => !(TYPED_PAGES.includes(page) && isCurl(example)))
    .map(({ command }) => command),
);

describe("the commands", () => {
  test("are found, the two that everybody types first", () => {
    expect(commands.length).toBeGreaterThan(80);
    expect(commands.slice(0, 2)).toEqual(["npm install && npm start", "npm install && npm test"]);
    expect(fencesOf("- a\n\n  ```sh\n  npm test\n  ```\n")).toEqual([
      { language: "sh", comment: "", body: "npm test\n" },
    ]);
  });

  test.each([...new Set(others)])("%s is run by a test, or exempt", (command) => {
    const by = RUN_BY.filter(([known]) => known.test(command));
    const seen = by.filter(([, file, evidence]) => readText(file).includes(evidence));
    const exempt = EXEMPT.filter((known) => known.test(command));
    expect(seen).toEqual(by);
    expect(seen.length + exempt.length).toBe(1);
  });

  test("are all that the lists know", () => {
    const used = (known: RegExp): boolean => others.some((command) => known.test(command));
    expect([...RUN_BY.map(([known]) => known), ...EXEMPT].filter((known) => !used(known))).toEqual([]);
  });

  test("name scripts that there are", () => {
    const { scripts } = JSON.parse(readText("package.json")) as { scripts: Record<string, string> };
    const builtIn = new Set(["version", "install", "run", "pack", "update"]);
    const faults = PAGES.filter((page) => page !== "CHANGELOG.md").flatMap((page) =>
      Array.from(
        readText(page).matchAll(/(?:`|^|&& )npm (?:run )?([a-z][a-z0-9:]*)/gm),
        ([, name = ""]) => name,
      ).filter((name) => !builtIn.has(name) && !(name in scripts)),
    );
    expect(faults).toEqual([]);
  });

  test("that ask a server promise what has a name", () => {
    const promised = PAGES.flatMap((page) =>
      parseExamples(readText(page)).flatMap((example) => example.promised ?? []),
    );
    expect(promised.length).toBeGreaterThan(60);
    const known = (shape: string): boolean =>
      ["stream", "nothing"].includes(shape) ||
      /^\{\w+(, \w+)*\}$/.test(shape) ||
      /^Error [a-z_]+$/.test(shape) ||
      Object.hasOwn(answers(), shape);
    expect(promised.filter(({ shape }) => !known(shape))).toEqual([]);
  });
});

describe("the examples", () => {
  const places = placesOf(PAGES);
  const examples = PAGES.flatMap((page) =>
    fencesOf(readText(page))
      .filter(({ language }) => ["ts", "tsx", "md"].includes(language))
      .map((fence) => [page, fence.comment, fence.body] as const),
  );

  test("are found", () => {
    expect(examples.length).toBeGreaterThan(8);
    expect(places.get("test/fixtures/docs/print-label.ts")).toBe("src/labels/print-label.ts");
  });

  const partOf = (comment: string): string | undefined => /^from (\S+)$/.exec(comment)?.[1];
  const isCreated = (comment: string): boolean => comment === CREATED_WORKER;
  const whole = examples.filter(([, comment]) => partOf(comment) === undefined && !isCreated(comment));
  const parts = examples.flatMap(([page, comment, body]) => {
    const file = partOf(comment);
    return file === undefined ? [] : [[page, file, body] as const];
  });

  // Written by `npm run docs`.
  test.each(whole)("of %s are compiled here, letter by letter: %s", (_page, comment, body) => {
    const [fixture = ""] = comment.split(" as ");
    expect(places.has(fixture), "it has a place").toBe(true);
    expect(body).toBe(exampleAt(fixture, places));
  });

  test.each(parts)("that are a part in %s stand in their file: %s", (_page, file, body) => {
    expect(readText(file)).toContain(body);
  });

  test("the worker in the README is the one that `npm run create` writes, with twelve lines of code", () => {
    const shown = examples.filter(([, comment]) => isCreated(comment));
    expect(shown).toEqual([["README.md", CREATED_WORKER, workerFile([])]]);
    expect(
      workerFile([])
        .split("\n")
        .filter((line) => line !== ""),
    ).toHaveLength(12);
  });

  test("of other languages are those that other tests read, or nobody can run", () => {
    const others = PAGES.flatMap((page) =>
      fencesOf(readText(page))
        .filter(({ language }) => !["sh", "ts", "tsx", "md"].includes(language))
        .map(({ language }) => `${page} ${language}`.trim()),
    );
    expect([...new Set(others)].toSorted()).toEqual(
      [
        // two signatures, as words
        "ARCHITECTURE.md",
        "ARCHITECTURE.md mermaid",
        // an agent (doc-tables.test.ts)
        "docs/agents.md json",
        "docs/concepts.md mermaid",
        // a service binding (below)
        "docs/api.md toml",
        // two variables, as wrangler.toml has them
        "docs/channels.md toml",
        "docs/deploy.md toml",
        // telling.test.ts
        "docs/deploy.md json",
        // protocol-doc.test.ts
        "docs/protocol.md json",
        // read-values.test.ts
        "docs/research.md json",
        // a variable, as wrangler.toml has it
        "docs/skills.md toml",
        // test/worker/http/stored-tools.test.ts
        "docs/tools.md json",
        "docs/terminal.md text",
        "docs/webhooks.md http",
      ].toSorted(),
    );
  });

  test("the service binding is that of the second Worker of the tests", () => {
    const [binding] = fencesOf(readText("docs/api.md")).filter(({ language }) => language === "toml");
    expect(readText("test/e2e/runs/caller/wrangler.toml")).toContain(binding?.body ?? "none");
  });

  test("the pictures are drawings of a kind that Mermaid knows", () => {
    const drawn = PAGES.flatMap((page) => fencesOf(readText(page))).filter(
      ({ language }) => language === "mermaid",
    );
    expect(drawn.map(({ body }) => body.split("\n", 1)[0])).toEqual([
      "flowchart TB",
      "stateDiagram-v2",
      "flowchart TB",
    ]);
  });

  test("docs/terminal.md prints what --help prints", () => {
    const printed = fencesOf(readText("docs/terminal.md")).filter(({ language }) => language === "text");
    expect(printed.map(({ body }) => body.trim())).toEqual([START_USAGE, CHAT_USAGE]);
  });
});

test.each([...generatedPages()])("%s is what `npm run docs` writes", (page, text) => {
  expect(readText(page)).toBe(text);
});

const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
const headingsOf = (text: string, levels: string): string[] =>
  Array.from(
    text.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, "").matchAll(new RegExp(`^#{${levels}} (.+)$`, "gm")),
    ([, heading = ""]) => heading.replaceAll("`", ""),
  );

describe("the links", () => {
  test.each(PAGES)("of %s lead to files and headings that there are", (page) => {
    const links = Array.from(
      readText(page).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g),
      ([, target = ""]) => target,
    );
    const broken = links.filter((link) => {
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? page : path.join(path.dirname(page), file);
      if (!existsSync(path.join(ROOT, target))) return true;
      return anchor !== undefined && !headingsOf(readText(target), "1,6").map(slug).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  test.each([...DOCS, "CONTRIBUTING.md", "ARCHITECTURE.md", "AGENTS.md"])(
    "of the contents of %s are its headings",
    (page) => {
      const text = readText(page);
      const before = text.slice(0, text.indexOf("\n## "));
      const listed = Array.from(before.matchAll(/^- \[[^\]]+\]\(#([^)]+)\)$/gm), ([, anchor = ""]) => anchor);
      expect(listed).toEqual(headingsOf(text, "2").map(slug));
      expect(listed.length).toBeGreaterThan(1);
    },
  );

  test("lead to every page of docs from the README and from llms.txt", () => {
    for (const index of ["README.md", "llms.txt"])
      expect(DOCS.filter((page) => !readText(index).includes(`(${page})`))).toEqual([]);
  });
});

test.each(PAGES.filter((page) => page !== "CHANGELOG.md"))("the files that %s names are there", (page) => {
  const targets = new Set(placesOf(PAGES).values());
  const named = Array.from(
    readText(page).matchAll(/`((?:src|test|docs|prompts|migrations)\/[\w./-]+)`/g),
    ([, file = ""]) => file,
  );
  // Made on the first deployment.
  const made = "migrations/applied.json";
  expect(
    named.filter((file) => file !== made && !targets.has(file) && !existsSync(path.join(ROOT, file))),
  ).toEqual([]);
});

test.each([
  ["README.md", 700],
  ["CONTRIBUTING.md", 900],
  ["ARCHITECTURE.md", 900],
  ["AGENTS.md", 450],
  ["llms.txt", 250],
  ["docs/decisions.md", 6_000],
])("%s has at most %i words outside of code", (page, most) => {
  expect(countProse(readText(page))).toBeLessThanOrEqual(most);
});
