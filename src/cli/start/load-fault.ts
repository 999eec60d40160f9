/** Why a worker does not load, and what to do about it: sentences for the person who wrote it. */
export interface LoadFault {
  readonly what: string;
  readonly fix: string;
}

/** wrangler's message, with the names of the classes. */
const NOT_EXPORTED = /Durable Objects, which are not exported in your entrypoint file: ([\w, ]+)\./;
/** workerd's message. The lines behind it are positions in the bundle. */
const THROWN = /service core:user:\S+: Uncaught (?:Error: )?(.+)/;
const SENTENCE_CHARS_MAX = 1_000;

/** Classes that createCairn returns. */
const isOwn = (name: string): boolean => name === "Session" || name === "Api";

/** Reads the output of wrangler: a worker that throws as it loads, or does not export its classes. Null for other output. */
export function loadFault(...texts: readonly string[]): LoadFault | null {
  const log = texts.join("\n");
  const [, names] = NOT_EXPORTED.exec(log) ?? [];
  if (names !== undefined) return notExported(names.split(", "));
  const [, line] = THROWN.exec(log) ?? [];
  // The same message within a line of JSON, followed by the positions.
  const [thrown] = line?.split("\\n") ?? [];
  if (thrown === undefined) return null;
  return {
    what: `The worker file throws as it loads. ${thrown.slice(0, SENTENCE_CHARS_MAX).trim()}`,
    fix: "Fix it in src/worker.ts, or in a file that it imports.",
  };
}

function notExported(missing: readonly string[]): LoadFault {
  const [own, others] = [missing.filter(isOwn), missing.filter((name) => !isOwn(name))];
  const lines = own.map((name) => `export class ${name} extends cairn.${name} {}`);
  const fixes = [
    ...(lines.length === 0 ? [] : [`Add to it: ${lines.join(" ")}`]),
    ...others.map(
      (name) =>
        `${name} is the class of a plugin: export it as the plugin's page in docs says, or remove its binding from wrangler.toml.`,
    ),
  ];
  return { what: `The worker file does not export ${missing.join(", ")}.`, fix: fixes.join(" ") };
}
