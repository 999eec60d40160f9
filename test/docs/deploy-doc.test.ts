import { execFileSync } from "node:child_process";
import path from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { planDeployment } from "../../src/cli/deploy/deployment.ts";
import { SECRET_VARIABLES } from "../../src/cli/deploy/preflight-variables.ts";
import { readConfig } from "../../src/cli/start/project.ts";
import { sha256Hex } from "../../src/cairn/core/log/digest.ts";
import { parseConfig } from "../fixtures/config.ts";
import { parseExamples } from "../e2e/clients/pages.ts";
import { OPTIONAL_PLUGINS } from "../../src/cli/create/optional-plugins.ts";
import { projectFiles } from "../../src/cli/create/project-files.ts";
import { deployButton, templateFiles } from "../../src/cli/create/template-files.ts";
import { fencesOf, PAGES, readText, sectionOf } from "./doc-pages.ts";
import { ROOT } from "../house/source-tree.ts";

/** docs/deploy.md, and what the button in the README needs. */

const deploy = readText("docs/deploy.md");
const shown = parseExamples(deploy).map(({ command }) => command);
const read = readConfig(path.join(ROOT, "wrangler.toml"));
if (read.kind !== "config") throw new Error(read.problem);
const { config } = read;

describe("docs/deploy.md", () => {
  test("shows by hand what `npm run deploy` does on an empty account", () => {
    const steps = planDeployment(config, { databases: [], bucket: false, secrets: null });
    if ("kind" in steps) throw new Error(steps.what);
    const byHand = steps.map((step) => `npx wrangler ${step.args.join(" ")}\n`).join("");
    expect(fencesOf(deploy).map(({ body }) => body)).toContain(byHand);
  });

  test("leads to docs/configuration.md, which marks every secret", () => {
    expect(sectionOf(deploy, "## Secrets")).toContain("](configuration.md)");
    const marked = readText("docs/configuration.md").matchAll(/^\| `([A-Z_]+)` \(secret\)/gm);
    expect(Array.from(marked, ([, name = ""]) => name).toSorted()).toEqual([...SECRET_VARIABLES].toSorted());
  });

  test("makes a token that logs in", () => {
    const [name, put] = shown.filter((line) => line.includes("npx node -p"));
    const script = `${name}\n${(put ?? "").replace(/ \| npx wrangler.*$/, "")}\necho "$TOKEN"`;
    const [secret, token] = execFileSync("bash", ["-c", script], { cwd: ROOT, encoding: "utf8" })
      .trim()
      .split("\n");
    const { tokens } = parseConfig({ AUTH_TOKENS: secret });
    expect(tokens).toMatchObject([{ digest: sha256Hex(token ?? ""), subject: "me" }]);
  });
});

describe("the button Deploy to Cloudflare", () => {
  const button = z.object({
    scripts: z.object({ deploy: z.string() }),
    cairn: z.object({ template: z.url().default("") }),
    cloudflare: z.object({
      bindings: z.record(z.string(), z.strictObject({ description: z.string().min(20) })),
    }),
  });
  const { scripts, cloudflare, cairn } = button.parse(JSON.parse(readText("package.json")));
  const asked = Array.from(readText(".dev.vars.example").matchAll(/^([A-Z_]+)=(.*)$/gm));

  test("is in the README, and leads to the template of package.json", () => {
    expect(readText("README.md")).toContain(deployButton(cairn.template));
    const named = [...PAGES, ".dev.vars.example"].flatMap((page) =>
      Array.from(readText(page).matchAll(/https:\/\/github\.com\/YOUR-ACCOUNT\/[\w-]+/g), ([url]) => url),
    );
    expect([...new Set(named)]).toEqual([cairn.template]);
  });

  test("finds all that it needs in the template", () => {
    const versions = {
      version: "1.0.0",
      cairn: "1",
      zod: "1",
      node: "1",
      typescript: "1",
      vitest: "1",
      wrangler: "1",
    };
    const secrets = readText(".dev.vars.example");
    const facts = { address: cairn.template, bindings: cloudflare.bindings, secrets };
    const [bare, everything] = [[], OPTIONAL_PLUGINS].map((plugins) =>
      templateFiles(projectFiles("shop", plugins, versions), facts),
    );
    const bound = (files = bare): string[] =>
      Object.keys(button.parse(JSON.parse(files?.get("package.json") ?? "")).cloudflare.bindings).toSorted();
    expect(bound(bare)).toEqual(["AUTH_TOKENS", "DB", "MODEL"]);
    expect(bound(everything)).toEqual(["AUTH_TOKENS", "DB", "MEDIA", "MODEL"]);
    expect(bare?.get("README.md")).toContain(`# shop\n\n${deployButton(cairn.template)}\n`);
    expect(bare?.get(".dev.vars.example")).toBe(secrets);
    expect(button.parse(JSON.parse(bare?.get("package.json") ?? "")).scripts.deploy).toBe("cairn deploy");
  });

  test("asks for secrets that Cairn reads, with values that it can read", () => {
    expect(asked.map(([, name]) => name)).toEqual(["AUTH_TOKENS"]);
    expect(asked.filter(([, name = ""]) => !SECRET_VARIABLES.includes(name))).toEqual([]);
    const { problems } = parseConfig(Object.fromEntries(asked.map(([, name, value]) => [name, value])));
    expect(problems.filter(({ variable }) => variable === "AUTH_TOKENS")).toEqual([]);
  });

  test("describes what wrangler.toml binds, its variables, and those secrets", () => {
    const bound = [
      ...(config.d1_databases ?? []).map(({ binding }) => binding),
      ...(config.r2_buckets ?? []).map(({ binding }) => binding),
      ...Object.keys(config.vars ?? {}),
      ...asked.map(([, name]) => name),
    ];
    expect(Object.keys(cloudflare.bindings).toSorted()).toEqual(bound.toSorted());
  });

  test("runs `npm run deploy`, which reaches the database by its binding", () => {
    expect(scripts.deploy).toContain("src/cli/deploy/deploy.ts");
    const steps = planDeployment(config, { databases: [], bucket: false, secrets: null });
    if ("kind" in steps) throw new Error(steps.what);
    expect(steps.find(({ kind }) => kind === "migrate")?.args).toContain("DB");
  });
});
