import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { ownValue } from "../../cairn/core/log/json.ts";
import { LIBRARY } from "../places.ts";
import { runCommand } from "../start/start-options.ts";
import { CREATE_USAGE, parseCreateOptions, type CreateOptions } from "./options.ts";
import { projectFiles, type Versions } from "./project-files.ts";
import { templateFiles, type TemplateFacts } from "./template-files.ts";

/** `cairn create`: a new project that uses Cairn as a package. */

const packageSchema = z.object({
  version: z.string(),
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
  cairn: z.object({ template: z.url() }),
  cloudflare: z.object({ bindings: z.record(z.string(), z.object({ description: z.string() })) }),
});

/** In the repository of Cairn the package is packed, because it is not published yet. */
const isRepository = existsSync(path.join(LIBRARY, "scripts/package"));

function create({ folder, name, plugins, template }: CreateOptions): number {
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    console.error(`${folder} is not empty. Name a new folder.`);
    return 1;
  }
  mkdirSync(folder, { recursive: true });
  const versions = versionsFor(folder);
  if (versions === null) return 1;
  const project = projectFiles(name, plugins, versions);
  for (const [file, text] of template ? templateFiles(project, templateFacts()) : project) {
    const target = path.join(folder, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  const shown = path.relative(process.cwd(), folder) || ".";
  console.log(
    [
      `Written to ${shown}. Next:`,
      "",
      `  cd ${shown}`,
      "  npm install",
      "  npm start",
      "",
      'Then say: "Print a label for Ada, Hill Road 1."',
    ].join("\n"),
  );
  return 0;
}

const readLibrary = (file: string): string => readFileSync(path.join(LIBRARY, file), "utf8");

function templateFacts(): TemplateFacts {
  const { cairn, cloudflare } = packageSchema.parse(JSON.parse(readLibrary("package.json")));
  return {
    address: cairn.template,
    bindings: cloudflare.bindings,
    secrets: readLibrary(".dev.vars.example"),
  };
}

/** Null after an error that was reported. */
function versionsFor(folder: string): Versions | null {
  const read = packageSchema.parse(JSON.parse(readLibrary("package.json")));
  const of = (name: string): string =>
    ownValue(read.dependencies, name) ?? ownValue(read.devDependencies, name) ?? "*";
  const packed = isRepository ? pack(folder) : null;
  if (isRepository && packed === null) return null;
  return {
    version: read.version,
    cairn: packed === null ? `^${read.version}` : `file:./${packed}`,
    zod: of("zod"),
    node: of("node"),
    typescript: of("typescript"),
    vitest: of("vitest"),
    wrangler: of("wrangler"),
  };
}

/** Packs the library into a folder; the name of the file, or null after an error that was reported. */
function pack(folder: string): string | null {
  console.log("Packing Cairn…");
  const script = ["--require", "./src/cli/require-node.cjs", "scripts/package/pack.ts", folder];
  const { status, stdout, stderr } = spawnSync(process.execPath, script, { cwd: LIBRARY, encoding: "utf8" });
  const file = stdout.trim().split("\n").at(-1) ?? "";
  if (status === 0 && file.endsWith(".tgz")) return file;
  console.error(`Cairn could not be packed.\n${stdout}${stderr}`);
  return null;
}

await runCommand(parseCreateOptions(process.argv.slice(2)), CREATE_USAGE, async (options) => create(options));
