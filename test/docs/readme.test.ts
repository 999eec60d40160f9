import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { rulesFault } from "../../src/core/guards/approval-rules.ts";
import { cmsPack } from "../../src/tools/cms/pack.ts";
import { planDeployment } from "../../src/cli/deploy/deployment.ts";
import { SECRET_VARIABLES } from "../../src/cli/deploy/preflight-variables.ts";
import { readConfig } from "../../src/cli/start/project.ts";
import { sha256Hex } from "../../src/core/log/digest.ts";
import { Registry } from "../../src/tools/registry.ts";
import { defaultAgent } from "../fixtures/readme/house-rules.ts";
import { defaultAgent as deciding } from "../fixtures/readme/who-decides.ts";
import { parseExamples } from "../e2e/clients/pages.ts";
import { REPORT } from "../sim/platform/fake-model.ts";
import { World } from "../sim/platform/platform.ts";
import { writingPack } from "../fixtures/readme/reading-time.ts";
import { parseConfig } from "../../src/wire/config/config.ts";
import { ROOT } from "../house/source-tree.ts";

/** The README makes promises; each is held here, or by the test that runs it. */

const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");
const readme = read("README.md");

/** Who runs a command of the README, and a word in there by which one sees it. */
const RUN_BY: readonly (readonly [command: RegExp, file: string, evidence: string])[] = [
  [/^npm install && npm test$/, ".ci/run", "npm install && npm test"],
  [/^npm install && npm start$/, "test/e2e/start/start.test.ts", "src/cli/start/start.ts"],
  [
    /^npm start -- --var MODEL:openai-compatible:\S+ --var OPENAI_/,
    "test/e2e/start/start.test.ts",
    "MODEL:openai-",
  ],
  [/^npm run chat -- "Create an About us page/, "test/e2e/first-light.test.ts", "chat(server.url, [WISH"],
  [/^npm run sim$/, ".ci/run", "npm run sim"],
  [/^npm run replay -- \.wrangler/, "test/e2e/first-light.test.ts", '"replay"'],
  [/^npm run replay -- demo\.json$/, "test/e2e/pages.test.ts", "npm run replay -- demo.json"],
  [/^npm run deploy -- --check$/, ".ci/run", "npm run deploy -- --check"],
  [/^([A-Z]+=\$\()?curl .*http:\/\/127\.0\.0\.1:8787\//, "test/e2e/pages.test.ts", "README.md"],
];

/** Commands that nobody can run without an account at Cloudflare. */
const NEEDS_ACCOUNT = [
  "npx wrangler login",
  "npm run deploy",
  "npx wrangler tail",
  "npm run chat -- --url https://cairn.<your-name>.workers.dev --token <token>",
];

function blocks(markdown: string, language: string): string[] {
  const fences = markdown.matchAll(/^( *)```(\S*)\n([\s\S]*?)^\1```$/gm);
  return Array.from(fences)
    .filter(([, , of]) => of === language)
    .map(([, indent = "", , body = ""]) => body.replaceAll(new RegExp(`^${indent}`, "gm"), ""));
}

/** Without the lines that say what comes back (test/e2e/pages.test.ts). */
const commands = parseExamples(readme).map(({ command }) => command);

describe("the commands of the README", () => {
  test("are found", () => {
    expect(commands.length).toBeGreaterThan(12);
    expect(blocks("- a\n\n  ```sh\n  npm test\n  ```\n", "sh")).toEqual(["npm test\n"]);
  });

  test("begin with the two that everybody types", () => {
    expect(commands.slice(0, 2)).toEqual(["npm install && npm start", "npm install && npm test"]);
  });

  test.each(commands)("%s is run by a test, or needs an account", (command) => {
    const by = RUN_BY.filter(([known]) => known.test(command));
    const seen = by.filter(([, file, evidence]) => read(file).includes(evidence));
    const exempt = NEEDS_ACCOUNT.filter((known) => known === command);
    expect([...seen, ...exempt]).toHaveLength(1);
  });

  test("are all that the lists know", () => {
    const stale = RUN_BY.filter(([known]) => !commands.some((command) => known.test(command)));
    expect(stale).toEqual([]);
    expect(NEEDS_ACCOUNT.filter((command) => !commands.includes(command))).toEqual([]);
  });

  test("name scripts that there are", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const texts = `${readme}\n${read("CONTRIBUTING.md")}`;
    const named = Array.from(
      texts.matchAll(/(?:`|^|&& )npm (?:run )?([a-z][a-z0-9:]*)/gm),
      ([, name = ""]) => name,
    );
    const builtIn = new Set(["install", "run"]);
    expect(named.filter((name) => !builtIn.has(name) && !(name in scripts))).toEqual([]);
  });
});

describe("the commands of docs/deploy.md", () => {
  const deploy = read("docs/deploy.md");
  const shown = blocks(deploy, "sh").flatMap((block) => block.trim().split("\n"));
  /** Of git and npm, or what makes a token by hand. */
  const PLAIN = [
    /^git pull$/,
    /^npm (install|test)$/,
    /^(export TOKEN=cairn_\$\()?npx node -p /,
    /^echo "\$TOKEN"$/,
  ];
  const ACCOUNT = [/^npx wrangler /, /^npm run deploy$/, /https:\/\/cairn\.<your-name>\.workers\.dev/];

  test("are run by CI, need an account, or are of git and npm", () => {
    expect(shown.length).toBeGreaterThan(12);
    const others = shown.filter((line) => ![...PLAIN, ...ACCOUNT].some((known) => known.test(line)));
    expect(others).toEqual(["npm run deploy -- --check"]);
  });

  test("by hand are those that `npm run deploy` makes on an empty account", () => {
    const config = readConfig(path.join(ROOT, "wrangler.toml"));
    if (config.kind !== "config") throw new Error(config.problem);
    const steps = planDeployment(config.config, { databases: [], bucket: false, secrets: null });
    if ("kind" in steps) throw new Error(steps.what);
    expect(deploy).toContain(steps.map((step) => `npx wrangler ${step.args.join(" ")}\n`).join(""));
  });

  test("name every secret", () => {
    const named = Array.from(deploy.matchAll(/^\| `([A-Z_]+)` +\|/gm), ([, name = ""]) => name);
    expect(named.toSorted()).toEqual([...SECRET_VARIABLES].toSorted());
  });

  test("make a token that logs in", () => {
    const [name, put] = shown.filter((line) => line.includes("npx node -p"));
    const script = `${name}\n${(put ?? "").replace(/ \| npx wrangler.*$/, "")}\necho "$TOKEN"`;
    const [secret, token] = execFileSync("bash", ["-c", script], { cwd: ROOT, encoding: "utf8" })
      .trim()
      .split("\n");
    const { tokens } = parseConfig({ AUTH_TOKENS: secret });
    expect(tokens).toMatchObject([{ digest: sha256Hex(token ?? ""), subject: "me" }]);
  });
});

describe("the tool of the README", () => {
  test("is the one that is compiled here, letter by letter", () => {
    const fixture = "test/fixtures/readme/reading-time.ts";
    expect(readme).toContain(`<!-- ${fixture} -->`);
    expect(blocks(readme, "ts")[0]).toEqual(read(fixture).replaceAll('"../../../src/tools/', '"../'));
    expect(blocks(readme, "ts")).toHaveLength(3);
  });

  test("works when its pack is added", async () => {
    const tools = new Registry("demo", () => 0).add(writingPack, {});
    const order = { call: "r1s1c0", tool: "reading_time", key: "demo/r1s1c0", run: "r1", subject: "me" };
    const input = { text: "Small groups, never more than eight." };
    expect(tools.check("reading_time", input)).toMatchObject({ ok: true, card: { gate: "never" } });
    const ran = await tools.run(
      { ...order, input, attempt: 1, at: 0, approved: null },
      new AbortController().signal,
    );
    expect(ran).toMatchObject({ kind: "ok", text: '{"words":6,"minutes":1}' });
    expect(tools.check("reading_time", {})).toMatchObject({ ok: false });
  });
});

describe("the agent of the README", () => {
  test.each([
    ["test/fixtures/readme/house-rules.ts", 1],
    ["test/fixtures/readme/who-decides.ts", 2],
  ])("is the one that is compiled here, letter by letter: %s", (fixture, index) => {
    expect(readme).toContain(`<!-- ${fixture} -->`);
    const shown = read(fixture)
      .replace('"../../../src/core/', '"../core/')
      .replace('"../../../src/agents/', '"./');
    expect(blocks(readme, "ts")[index]).toEqual(shown);
  });

  test("says who decides by tools that there are, in rules that hold together", () => {
    const { approvals } = deciding;
    const named = cmsPack.tools.filter(({ definition }) => Object.hasOwn(approvals, definition.name));
    expect(named).toHaveLength(2);
    expect(Object.values(approvals).map(rulesFault)).toEqual([null, null]);
  });

  test("leads a run", async () => {
    const world = new World([{ calls: [["look", { name: "a" }]] }, { text: REPORT }]);
    world.hooks = defaultAgent.hooks;
    world.restart();
    world.say("go");
    await world.settle();
    expect(world.requests.map((request) => request.tools.length > 0)).toEqual([false, true]);
    expect(world.state.run).toBeNull();
  });
});

describe("the tables of the README", () => {
  test("list every variable of the configuration, and no other", () => {
    const parsed = Array.from(
      read("src/wire/config/config.ts").matchAll(/env\["([A-Z_]+)"\]/g),
      ([, name = ""]) => name,
    );
    const listed = Array.from(readme.matchAll(/^\| `([A-Z_]+)`/gm), ([, name = ""]) => name);
    const bindings = new Set(["SESSION", "DB", "MEDIA", "AI"]);
    const variables = new Set(parsed.filter((name) => !bindings.has(name)));
    expect(listed.toSorted()).toEqual([...variables].toSorted());
  });

  test("list every effect and tier of a tool", () => {
    const union = (name: string, file: string): string[] => {
      const declared = new RegExp(`export type ${name} = ([^;]+);`).exec(read(file))?.[1] ?? "";
      return Array.from(declared.matchAll(/"([a-z]+)"/g), ([, word = ""]) => word);
    };
    const words = [
      ...union("EffectClass", "src/core/log/names.ts"),
      ...union("Tier", "src/core/log/tool.ts"),
    ];
    expect(words.length).toBeGreaterThanOrEqual(9);
    const cells = readme
      .split("\n")
      .filter((line) => line.startsWith("| `"))
      .map((line) => line.split("|")[1] ?? "")
      .join(" ");
    expect(words.filter((word) => !cells.includes(`\`${word}\``))).toEqual([]);
  });

  test("link and show only files that there are", () => {
    const targets = Array.from(readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g), ([, target = ""]) => target);
    expect(targets.length).toBeGreaterThan(1);
    expect(targets.filter((target) => !existsSync(path.join(ROOT, target)))).toEqual([]);
  });

  test("hold the log of a real run", () => {
    const log = /<!-- log -->([\s\S]*)<!-- \/log -->/.exec(readme)?.[1] ?? "";
    expect(log).toContain("May I?");
  });
});
