/** What a look at the project found, in sentences for the person who deploys it. */
export interface Finding {
  /** `stop`: a deployment would fail, or be one that nobody wants. `note`: worth knowing, and fine */
  readonly kind: "stop" | "note";
  /** the file, variable or binding that it is about */
  readonly about: string;
  readonly what: string;
  /** what to do about it; null where nothing has to be done */
  readonly fix: string | null;
}

export const stop = (about: string, what: string, fix: string): Finding => ({
  kind: "stop",
  about,
  what,
  fix,
});
export const note = (about: string, what: string, fix: string | null = null): Finding => ({
  kind: "note",
  about,
  what,
  fix,
});

export const stops = (findings: readonly Finding[]): boolean => findings.some((each) => each.kind === "stop");

/** One finding as lines of text; what has to be fixed stands out. */
export function viewFinding({ kind, about, what, fix }: Finding): string {
  const head = `${kind === "stop" ? "✗" : "·"} ${about}: ${what}`;
  return fix === null ? head : `${head}\n    → ${fix}`;
}

const LAST_LINES = 20;

/** The end of what a program said, indented. */
export function lastLines(...texts: readonly string[]): string {
  const lines = texts.join("\n").split("\n");
  return lines
    .filter((line) => line.trim() !== "")
    .slice(-LAST_LINES)
    .map((line) => `    ${line}`)
    .join("\n");
}

/** As wrangler says it, with the names of the classes. */
const NOT_EXPORTED = /Durable Objects, which are not exported in your entrypoint file: ([\w, ]+)\./;

/** Classes that createCairn returns. */
const isOwn = (name: string): boolean => name === "Session" || name === "Api";

/** A worker file without the classes of its Durable Objects, such as a project that forgot `Session`; null for other output. */
export function notExported(...texts: readonly string[]): Finding | null {
  const [, names] = NOT_EXPORTED.exec(texts.join("\n")) ?? [];
  if (names === undefined) return null;
  const missing = names.split(", ");
  const [own, others] = [missing.filter(isOwn), missing.filter((name) => !isOwn(name))];
  const lines = own.map((name) => `export class ${name} extends cairn.${name} {}`);
  const fixes = [
    ...(lines.length === 0 ? [] : [`Add to it: ${lines.join(" ")}`]),
    ...others.map(
      (name) =>
        `${name} is the class of a plugin: export it as the plugin's page in docs says, or remove its binding from wrangler.toml.`,
    ),
  ];
  return stop("worker", `The worker file does not export ${names}.`, fixes.join(" "));
}
