/** A plugin of a worker file: what it is named there, and its folder below src/plugins. */
export interface NamedPlugin {
  readonly name: string;
  readonly folder: string;
}

/**
 * The plugins of `plugins: [ … ]`, a line each. `read`: the source of a file next to the worker file, such as `channels.ts`, which
 * makes a plugin of the worker. Throws where none is found.
 */
export function pluginsOf(source: string, read: (file: string) => string): readonly NamedPlugin[] {
  const list = /^ {2}plugins: \[\n([\s\S]*?)^ {2}\],$/m.exec(source)?.[1] ?? "";
  const names = Array.from(list.matchAll(/^ {4}(\w+)/gm), ([, name = ""]) => name);
  if (names.length === 0) throw new Error("The worker file names no plugin.");
  return names.map((name) => ({ name, folder: folderOf(source, name, read) }));
}

/** The folder of the function that makes the plugin: `people` is made by `channels` in channels.ts. */
function folderOf(source: string, name: string, read: (file: string) => string): string {
  const from = fileOf(source, name);
  const folder = /^plugins\/([\w-]+)\/plugin\.ts$/.exec(from)?.[1];
  if (folder !== undefined) return folder;
  const file = read(from);
  const maker = new RegExp(`^export const ${name} = (\\w+)\\(`, "m").exec(file)?.[1];
  if (maker === undefined) throw new Error(`${from} makes no plugin ${name}.`);
  return folderOf(file, maker, read);
}

/** The file that the worker file imports the plugin from, without `./`. */
function fileOf(source: string, name: string): string {
  const from = new RegExp(`^import \\{[^}]*\\b${name}\\b[^}]*\\} from "\\./(.+)";$`, "m").exec(source)?.[1];
  if (from === undefined) throw new Error(`Nothing imports the plugin ${name}.`);
  return from;
}

/** The worker file without a plugin, and without its classes, which it exports or has from a file that imports the plugin. */
export function withoutPlugin(source: string, name: string, read: (file: string) => string): string {
  const file = fileOf(source, name);
  const without = source
    .replace(new RegExp(`^ {4}${name}\\b.*\\n`, "m"), "")
    .replace(new RegExp(`^export class .*\\(${name}\\) \\{\\}\\n`, "m"), "")
    .replace(/^export \{.*\} from "\.\/(.+)";\n/gm, (line, from: string) =>
      read(from).includes(`from "./${file}";`) ? "" : line,
    );
  if (without === source) throw new Error(`The worker file has no line for ${name}.`);
  return withoutUnusedImports(without);
}

/** Each import stands on one line. */
function withoutUnusedImports(source: string): string {
  const lines = source.split("\n");
  const body = lines.filter((line) => !line.startsWith("import ")).join("\n");
  const isUsed = (name: string): boolean => new RegExp(`\\b${name}\\b(?!:)`).test(body);
  return lines
    .map((line) => {
      const [, names] = /^import \{ (.+) \} from /.exec(line) ?? [];
      if (names === undefined) return line;
      const used = names.split(", ").filter((each) => isUsed(each.split(" as ").at(-1) ?? each));
      return used.length === 0 ? "" : line.replace(names, used.join(", "));
    })
    .join("\n");
}
