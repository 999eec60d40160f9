import * as z from "zod";
import { parseJson } from "../../cairn/protocol/json.ts";
import type { RunProgram } from "../start/programs.ts";
import type { WranglerConfig } from "../start/project.ts";

/** Resources of a deployment that the Cloudflare account already has. Reads only; `deployment.ts` decides. */
export interface Account {
  /** names of its databases and their ids */
  readonly databases: readonly { readonly name: string; readonly uuid: string }[];
  /** whether the bucket is there; null when none is bound */
  readonly bucket: boolean | null;
  /** names of the secrets of the worker; null when there is no such worker yet */
  readonly secrets: readonly string[] | null;
}

export type Looked = { readonly kind: "account"; readonly account: Account } | Fault;
/** Why it cannot go on, and what to do, in sentences. */
export interface Fault {
  readonly kind: "fault";
  readonly what: string;
  readonly fix: string;
}

const identity = z.object({
  loggedIn: z.boolean(),
  accounts: z.array(z.looseObject({ id: z.string(), name: z.string() })).optional(),
});
const databases = z.array(z.looseObject({ name: z.string(), uuid: z.string() }));
const secretNames = z.array(z.looseObject({ name: z.string() }));

const LOGGED_OUT: Fault = {
  kind: "fault",
  what: "Not logged in at Cloudflare.",
  fix: "Run `npx wrangler login`: it opens the browser. Where there is none, put an API token into the environment as CLOUDFLARE_API_TOKEN (dash.cloudflare.com → My Profile → API Tokens; the template “Edit Cloudflare Workers”, and D1: Edit). Then run `npm run deploy` again.",
};

/** Looks at the account that wrangler is logged in to. `chosen` is the id of CLOUDFLARE_ACCOUNT_ID, or null. */
export async function lookAtAccount(
  run: RunProgram,
  config: WranglerConfig,
  chosen: string | null,
): Promise<Looked> {
  const who = await run("wrangler", ["whoami", "--json"]);
  const me = parse(identity, who.out);
  if (me?.loggedIn === false) return LOGGED_OUT;
  if (me === null) return wranglerFailed("Wrangler could not read the login.", who);
  const accounts = me.accounts ?? [];
  if (accounts.length > 1 && chosen === null && config.account_id === undefined)
    return {
      kind: "fault",
      what: `You have ${accounts.length} accounts: ${accounts.map(({ name, id }) => `${name} (${id})`).join(", ")}.`,
      fix: "Say which one: CLOUDFLARE_ACCOUNT_ID=<id> in the environment, or account_id in wrangler.toml.",
    };

  const listed = await run("wrangler", ["d1", "list", "--json"]);
  const found = listed.code === 0 ? parse(databases, listed.out) : null;
  if (found === null) return wranglerFailed("Wrangler could not list the databases.", listed);
  const bucket = config.r2_buckets?.find((each) => each.binding === "MEDIA")?.bucket_name;
  const held =
    bucket === undefined
      ? null
      : (await run("wrangler", ["r2", "bucket", "info", bucket, "--json"])).code === 0;

  const secrets = await run("wrangler", ["secret", "list", "--format", "json"]);
  const names = secrets.code === 0 ? parse(secretNames, secrets.out) : null;
  // Any other failure must not pass for a worker that is not there: its tokens would be replaced.
  const isNew = secrets.code !== 0 && /Worker .* not found/.test(`${secrets.out}${secrets.err}`);
  if (names === null && !isNew) return wranglerFailed("Wrangler could not list the secrets.", secrets);
  return {
    kind: "account",
    account: { databases: found, bucket: held, secrets: names?.map((each) => each.name) ?? null },
  };
}

/** A failure of wrangler in its own words. */
export function wranglerFailed(what: string, ended: { readonly out: string; readonly err: string }): Fault {
  const words = `${ended.out}\n${ended.err}`
    .split("\n")
    .filter((line) => line.trim() !== "" && !/Logs were written to/.test(line))
    .slice(-12);
  return {
    kind: "fault",
    what: [what, ...words].join("\n    "),
    fix: "Fix that, then run `npm run deploy` again.",
  };
}

/** The JSON of an output that may have other lines before it; null when it is not of that shape. */
function parse<Value>(schema: z.ZodType<Value>, out: string): Value | null {
  const at = out.search(/[[{]/);
  if (at < 0) return null;
  return schema.safeParse(parseJson(out.slice(at))).data ?? null;
}
