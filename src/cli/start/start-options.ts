import { parseArgs, type ParseArgsConfig } from "node:util";

/** Options of `npm start -- …`. */
export interface StartOptions {
  readonly port: number;
  /** opens a debugger, which needs no key */
  readonly inspect: boolean;
  /** null takes a free one */
  readonly inspectorPort: number | null;
  readonly persistTo: string | null;
  readonly vars: readonly string[];
  /** whether it searches and reads a web of invented pages on this machine */
  readonly demoWeb: boolean;
  readonly verbose: boolean;
}

export const START_USAGE = `npm start -- [options]     runs Cairn on this machine; needs no account and no network
  --port N                 port to listen on (8787)
  --persist-to DIR         folder of the local databases (.wrangler/state)
  --var KEY:VALUE          a variable, repeatable; lasting ones belong in .dev.vars
  --demo-web               searches and reads invented pages on this machine
  --inspect                opens a debugger; any program on this machine can use it to read every secret
  --inspector-port N       port of the debugger (a free one)
  --verbose                all output of wrangler`;

export type Parsed<Value> =
  | { readonly kind: "options"; readonly options: Value }
  | { readonly kind: "help" }
  | Usage;

interface Usage {
  readonly kind: "usage";
  readonly problem: string;
}

const HELP = { kind: "help" } as const;

export const usage = (problem: string): Usage => ({ kind: "usage", problem });

/** Parses arguments with Node's parser; `--help` and refusals are the same for every command. */
export function readArguments<Options extends NonNullable<ParseArgsConfig["options"]>>(
  argv: readonly string[],
  own: Options,
  allowPositionals = false,
) {
  try {
    const options = { ...own, help: { type: "boolean", short: "h" } } as const;
    const read = parseArgs({ args: [...argv], allowPositionals, options });
    const { help }: { readonly help?: boolean } = read.values;
    return help === true ? HELP : ({ kind: "options", ...read } as const);
  } catch (error) {
    return usage(error instanceof Error ? error.message : String(error));
  }
}

/** Runs a command; its exit code is 2 after wrong use. */
export async function runCommand<Options>(
  parsed: Parsed<Options>,
  text: string,
  run: (options: Options) => Promise<number>,
): Promise<void> {
  if (parsed.kind === "help") console.log(text);
  else if (parsed.kind === "options") process.exitCode = await run(parsed.options);
  else {
    console.error(`${parsed.problem}\n\n${text}`);
    process.exitCode = 2;
  }
}

/** Reads the arguments of `npm start`. Refuses what it does not know rather than to start something else. */
export function parseStartOptions(argv: readonly string[]): Parsed<StartOptions> {
  const read = readArguments(argv, {
    port: { type: "string" },
    inspect: { type: "boolean" },
    "inspector-port": { type: "string" },
    "persist-to": { type: "string" },
    var: { type: "string", multiple: true },
    "demo-web": { type: "boolean" },
    verbose: { type: "boolean" },
  });
  if (read.kind !== "options") return read;
  const { values } = read;
  const port = values.port === undefined ? 8787 : parsePort(values.port);
  if (port === null)
    return usage(`--port takes a number from 1 to 65535, not ${JSON.stringify(values.port)}`);
  const inspector = values["inspector-port"];
  const inspectorPort = inspector === undefined ? null : parsePort(inspector);
  if (inspector !== undefined && inspectorPort === null)
    return usage(`--inspector-port takes a number from 1 to 65535, not ${JSON.stringify(inspector)}`);
  const inspect = values.inspect === true;
  if (inspectorPort !== null && !inspect)
    return usage("--inspector-port is the port of a debugger: add --inspect, which opens one");
  const vars = values.var ?? [];
  const odd = vars.find((each) => !/^[A-Za-z_][A-Za-z0-9_]*:/.test(each));
  if (odd !== undefined) return usage(`--var takes KEY:VALUE, not ${JSON.stringify(odd)}`);
  return {
    kind: "options",
    options: {
      port,
      inspect,
      inspectorPort,
      persistTo: values["persist-to"] ?? null,
      vars: withAnonymous(vars),
      demoWeb: values["demo-web"] === true,
      verbose: values.verbose === true,
    },
  };
}

// On this machine no login is needed, unless the operator sets it.
function withAnonymous(vars: readonly string[]): readonly string[] {
  return vars.some((each) => each.startsWith("ALLOW_ANONYMOUS:")) ? vars : ["ALLOW_ANONYMOUS:true", ...vars];
}

function parsePort(text: string): number | null {
  const port = Number(text);
  return /^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535 ? port : null;
}

/** The address and token of a running Cairn: from arguments, else from variables, else this machine without a token. */
export function readServerAddress(
  values: { readonly url?: string | undefined; readonly token?: string | undefined },
  variables: { readonly [name: string]: string | undefined },
): { readonly url: string; readonly token: string | null } | Usage {
  const url = values.url ?? (variables["CAIRN_URL"] || "http://127.0.0.1:8787");
  const address = URL.canParse(url) ? new URL(url) : null;
  if (address === null || (address.protocol !== "http:" && address.protocol !== "https:"))
    return usage(`--url takes an http or https address, not ${JSON.stringify(url)}`);
  const token = values.token ?? variables["CAIRN_TOKEN"] ?? "";
  if (!/^[\x21-\x7e]*$/.test(token)) return usage("--token takes visible ASCII only.");
  return { url: address.origin, token: token === "" ? null : token };
}
