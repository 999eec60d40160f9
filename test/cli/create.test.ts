import { readFileSync } from "node:fs";
import path from "node:path";
import { experimental_readRawConfig } from "wrangler";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { TEXT_ENDINGS } from "../../src/cairn/testing/text-modules.ts";
import { OPTIONAL_PLUGINS } from "../../src/cli/create/optional-plugins.ts";
import { parseCreateOptions } from "../../src/cli/create/options.ts";
import { COMPATIBILITY_DATE, projectFiles, workerFile } from "../../src/cli/create/project-files.ts";
import { ROOT } from "../house/source-tree.ts";

const versions = {
  version: "0.1.0",
  cairn: "^0.1.0",
  zod: "4.6.7",
  node: "24.21.0",
  typescript: "7.0.2",
  vitest: "4.1.12",
  wrangler: "4.152.0",
};
const named = (...names: readonly string[]) => OPTIONAL_PLUGINS.filter(({ name }) => names.includes(name));
const readRawConfig = experimental_readRawConfig as (from: { readonly config: string }) => {
  readonly rawConfig: Record<string, unknown>;
};

/** wrangler.toml of a project, as wrangler reads it. */
function configOf(...names: readonly string[]): Record<string, unknown> {
  const folder = mkdtempSync(path.join(tmpdir(), "cairn-create-"));
  try {
    const file = path.join(folder, "wrangler.toml");
    writeFileSync(file, projectFiles("shop", named(...names), versions).get("wrangler.toml") ?? "");
    return readRawConfig({ config: file }).rawConfig;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("options", () => {
  test("the folder names the Worker, unless --name does", () => {
    expect(parseCreateOptions(["../Shop"], "/home/ada/cairn")).toMatchObject({
      options: { folder: "/home/ada/Shop", name: "shop", plugins: [], template: false },
    });
    expect(parseCreateOptions(["x", "--name", "store", "--with", "web,telegram"], "/")).toMatchObject({
      options: { name: "store", plugins: [{ name: "web" }, { name: "telegram" }] },
    });
  });

  test.each([
    [[], "Name one folder"],
    [["a", "b"], "Name one folder"],
    [["a", "--name", "My Shop"], "A Worker cannot be named"],
    [["a", "--with", "web,fax"], "There is no plugin fax"],
  ])("%j is refused with a sentence", (argv, problem) => {
    expect(parseCreateOptions(argv, "/")).toMatchObject({
      kind: "usage",
      problem: expect.stringContaining(problem),
    });
  });
});

describe("the files", () => {
  test("are the eight of a project, and the settings of git and npm", () => {
    expect([...projectFiles("shop", [], versions).keys()].toSorted()).toEqual([
      ".gitignore",
      ".npmrc",
      "README.md",
      "package.json",
      "prompts/shop.xml",
      "src/print-label.ts",
      "src/worker.ts",
      "test/print-label.test.ts",
      "tsconfig.json",
      "wrangler.toml",
    ]);
  });

  test("an installation warns of no package's Node, in a project and in this repository", () => {
    for (const text of [
      projectFiles("shop", [], versions).get(".npmrc"),
      readFileSync(path.join(ROOT, ".npmrc"), "utf8"),
    ])
      expect(text).toMatch(/^loglevel=error$/m);
  });

  test("hold no place that was not filled", () => {
    for (const [, text] of projectFiles("shop", OPTIONAL_PLUGINS, versions)) expect(text).not.toMatch(/\{\{/);
  });

  test("wrangler.toml has what the plugins need, and nothing else", () => {
    const plain = configOf();
    expect(plain).toMatchObject({
      name: "shop",
      migrations: [{ tag: "v1", new_sqlite_classes: ["Session"] }],
    });
    for (const each of ["r2_buckets", "send_email", "triggers", "worker_loaders"])
      expect(plain).not.toHaveProperty(each);
    expect(configOf("cms", "email", "telegram", "code")).toMatchObject({
      r2_buckets: [{ binding: "MEDIA", bucket_name: "shop-media" }],
      send_email: [{ name: "EMAIL" }],
      worker_loaders: [{ binding: "LOADER" }],
      triggers: { crons: ["*/5 * * * *"] },
      durable_objects: { bindings: [{ name: "SESSION" }, { name: "INTAKE" }] },
      migrations: [{ tag: "v1" }, { tag: "v2", new_sqlite_classes: ["Intake"] }],
    });
  });

  test("the worker has a line for each plugin", () => {
    const worker = workerFile(named("web", "telegram", "slack"));
    expect(worker).toContain('import { web } from "cairn/plugins/web";');
    expect(worker).toContain("channels({ vendors: [telegram(), slack()] })");
    expect(worker).toContain("plugins: [web(), people, rehearsal()]");
    expect(worker).toContain("export class Intake extends createIntake(people) {}");
    expect(workerFile([])).not.toContain("Intake");
    expect(workerFile(named("webpush"))).not.toContain("Intake");
  });

  test.each(["wrangler.toml", "src/cli/create/project/wrangler.toml.txt"])(
    "the texts that %s imports are those of tests and scripts",
    (file) => {
      const globs = TEXT_ENDINGS.map((ending) => `"**/*${ending}"`).join(", ");
      expect(readFileSync(path.join(ROOT, file), "utf8")).toContain(`type = "Text"\nglobs = [${globs}]`);
    },
  );

  test("the compatibility date is the one that Cairn is tested with", () => {
    expect(readFileSync(path.join(ROOT, "wrangler.toml"), "utf8")).toContain(
      `compatibility_date = "${COMPATIBILITY_DATE}"`,
    );
  });
});
