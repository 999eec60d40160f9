import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { ownValue } from "../../cairn/core/log/json.ts";
import type { Need, OptionalPlugin } from "./optional-plugins.ts";

/** The facts of this Cairn that a new project is written with. */
export interface Versions {
  /** the version that the project is made with, which `cairn update` compares: `0.1.0` */
  readonly version: string;
  /** as package.json takes it: `^0.1.0`, or `file:./cairn-0.1.0.tgz` */
  readonly cairn: string;
  readonly zod: string;
  readonly node: string;
  readonly typescript: string;
  readonly vitest: string;
  readonly wrangler: string;
}

/** The date in the sample's wrangler.toml. */
export const COMPATIBILITY_DATE = "2026-08-15";

const TEMPLATES = path.join(import.meta.dirname, "project");

/** For a plugin with vendors of channels. */
const INTAKE = `
# Parts of one message of a chat wait in it for the others, such as the pictures of an album.
[[durable_objects.bindings]]
name = "INTAKE"
class_name = "Intake"
`;

const SECTIONS: Readonly<Record<Exclude<Need, "intake">, string>> = {
  bucket: `
# Files and images.
[[r2_buckets]]
binding = "MEDIA"
bucket_name = "{{name}}-media"
`,
  mail: `
[[send_email]]
name = "EMAIL"
`,
  cron: `
[triggers]
crons = ["*/5 * * * *"]
`,
  loader: `
[[worker_loaders]]
binding = "LOADER"
`,
};

/** The files of a new project: path → text. */
export function projectFiles(
  name: string,
  plugins: readonly OptionalPlugin[],
  versions: Versions,
): ReadonlyMap<string, string> {
  const needs = new Set(plugins.flatMap((plugin) => plugin.needs));
  const hasIntake = needs.has("intake");
  const values: Readonly<Record<string, string>> = {
    ...versions,
    name,
    date: COMPATIBILITY_DATE,
    bindings: hasIntake ? INTAKE : "",
    objects: hasIntake ? '\n[[migrations]]\ntag = "v2"\nnew_sqlite_classes = ["Intake"]\n' : "",
    sections: [...needs]
      .map((need) => (need === "intake" ? "" : SECTIONS[need].replaceAll("{{name}}", name)))
      .join(""),
  };
  const templates = globSync("**/*.txt", { cwd: TEMPLATES }).map((file): [string, string] => {
    const target = file.replace(/\.txt$/, "").replace(/^(gitignore|npmrc)$/, ".$1");
    return [target, filled(readFileSync(path.join(TEMPLATES, file), "utf8"), values)];
  });
  return new Map([...templates, ["src/worker.ts", workerFile(plugins)]]);
}

function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (place, key: string) => ownValue(values, key) ?? place);
}

/** `src/worker.ts`: a line for each plugin. */
export function workerFile(plugins: readonly OptionalPlugin[]): string {
  const vendors = plugins.filter(({ isVendor }) => isVendor === true);
  const hasIntake = plugins.some(({ needs }) => needs.includes("intake"));
  const calls = plugins.filter(({ isVendor }) => isVendor !== true).map(({ call }) => `${call}()`);
  const imported = [
    ...plugins,
    ...(vendors.length === 0 ? [] : [{ module: "channels", call: "channels" }]),
    ...(hasIntake ? [{ module: "channels/intake", call: "createIntake" }] : []),
    { module: "rehearsal", call: "rehearsal" },
  ];
  const people = `const people = channels({ vendors: [${vendors.map(({ call }) => `${call}()`).join(", ")}] });`;
  return `${[
    'import { createCairn, defineAgent } from "cairn";',
    ...imported.map(({ module, call }) => `import { ${call} } from "cairn/plugins/${module}";`),
    'import shop from "../prompts/shop.xml";',
    'import { printLabel } from "./print-label.ts";',
    "",
    ...(vendors.length === 0 ? [] : [people]),
    "const cairn = createCairn({",
    '  agents: { default: defineAgent({ description: "Keeps our shop.", instructions: shop }) },',
    "  tools: [printLabel],",
    `  plugins: [${[...calls, ...(vendors.length === 0 ? [] : ["people"]), "rehearsal()"].join(", ")}],`,
    "});",
    "",
    "export class Session extends cairn.Session {}",
    ...(hasIntake ? ["export class Intake extends createIntake(people) {}"] : []),
    "export class Api extends cairn.Api {}",
    "export default cairn.worker;",
  ].join("\n")}\n`;
}
