import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { ownValue } from "../../core/log/json.ts";
import type { Need, OptionalPlugin } from "./optional-plugins.ts";

/** The facts of this Cairn that a new project is written with. */
export interface Versions {
  /** as package.json takes it: `^0.1.0`, or `file:./cairn-0.1.0.tgz` */
  readonly cairn: string;
  readonly zod: string;
  readonly node: string;
  readonly typescript: string;
  readonly vitest: string;
  readonly wrangler: string;
}

/** Of the sample's wrangler.toml. */
export const COMPATIBILITY_DATE = "2026-08-15";

const TEMPLATES = path.join(import.meta.dirname, "project");

/** For a plugin with vendors of channels. */
const INTAKE = `
# Parts of one message of a chat wait in it for the others, such as the pictures of an album.
[[durable_objects.bindings]]
name = "INTAKE"
class_name = "Intake"
`;

const SECTIONS: Readonly<Record<Need, string>> = {
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
  const hasIntake = plugins.some(({ isVendor }) => isVendor === true);
  const places: Readonly<Record<string, string>> = {
    ...versions,
    name,
    date: COMPATIBILITY_DATE,
    bindings: hasIntake ? INTAKE : "",
    objects: hasIntake ? '\n[[migrations]]\ntag = "v2"\nnew_sqlite_classes = ["Intake"]\n' : "",
    sections: [...needs].map((need) => SECTIONS[need].replaceAll("{{name}}", name)).join(""),
  };
  const templates = globSync("**/*.txt", { cwd: TEMPLATES }).map((file): [string, string] => {
    const target = file.replace(/\.txt$/, "").replace(/^gitignore$/, ".gitignore");
    return [target, filled(readFileSync(path.join(TEMPLATES, file), "utf8"), places)];
  });
  return new Map([...templates, ["src/worker.ts", workerFile(plugins)]]);
}

function filled(template: string, places: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (place, key: string) => ownValue(places, key) ?? place);
}

/** `src/worker.ts`: a line for each plugin. */
export function workerFile(plugins: readonly OptionalPlugin[]): string {
  const vendors = plugins.filter(({ isVendor }) => isVendor === true);
  const hasVendors = vendors.length > 0;
  const own = plugins.filter(({ isVendor }) => isVendor !== true);
  const used = [...own.map(({ call }) => `${call}()`), ...(hasVendors ? ["people"] : []), "rehearsal()"];
  return `${[
    'import { createCairn, defineAgent } from "cairn";',
    ...(hasVendors ? ['import { channels, createIntake } from "cairn/plugins/channels";'] : []),
    ...plugins.map(({ module, call }) => `import { ${call} } from "cairn/plugins/${module}";`),
    'import { rehearsal } from "cairn/plugins/rehearsal";',
    'import shop from "../prompts/shop.xml";',
    'import { printLabel } from "./print-label.ts";',
    "",
    ...(hasVendors
      ? [`const people = channels({ vendors: [${vendors.map(({ call }) => `${call}()`).join(", ")}] });`, ""]
      : []),
    "const cairn = createCairn({",
    '  agents: { default: defineAgent({ description: "Keeps our shop.", instructions: shop }) },',
    "  tools: [printLabel],",
    `  plugins: [${used.join(", ")}],`,
    "});",
    "",
    "export class Session extends cairn.Session {}",
    ...(hasVendors ? ["export class Intake extends createIntake(people) {}"] : []),
    "export class Api extends cairn.Api {}",
    "export default cairn.worker;",
  ].join("\n")}\n`;
}
