import { createHash } from "node:crypto";
import type { Account, Fault } from "./account.ts";
import type { WranglerConfig } from "../start/project.ts";

/** Steps to perform on an account, in order. Pure: `deploy.ts` performs them. */
export interface Step {
  /** one line for the person who watches */
  readonly why: string;
  /** arguments of wrangler; a person can type the same behind `npx wrangler`. No secret is ever among them */
  readonly args: readonly string[];
  readonly kind: "create" | "migrate" | "upload" | "token";
  /** what to do when it fails, where that is known */
  readonly fix: string | null;
}

/**
 * Plans a deployment, a first one or one more: what is there is left alone. A fault when the project and the account do
 * not fit.
 */
export function planDeployment(config: WranglerConfig, account: Account): readonly Step[] | Fault {
  const steps: Step[] = [];
  const add = (kind: Step["kind"], why: string, args: readonly string[], fix: string | null = null): void => {
    steps.push({ kind, why, args, fix });
  };
  const database = config.d1_databases?.find((each) => each.binding === "DB");
  const bucket = config.r2_buckets?.find((each) => each.binding === "MEDIA");
  const { database_id: id, database_name: name = "" } = database ?? {};
  const known = account.databases.some((each) => (id === undefined ? each.name === name : each.uuid === id));
  if (!known && id !== undefined)
    return {
      kind: "fault",
      what: `This account has no database ${id}, which wrangler.toml names.`,
      fix: "Log in to the account that has it, or remove database_id: the database is then found by its name, or made.",
    };
  if (!known)
    add(
      "create",
      `make the database ${name}`,
      ["d1", "create", name],
      "`npx wrangler d1 list` shows what there is.",
    );
  if (account.bucket === false)
    add(
      "create",
      `make the bucket ${bucket?.bucket_name ?? ""} for images and files`,
      ["r2", "bucket", "create", bucket?.bucket_name ?? ""],
      "R2 has to be switched on once for an account: dash.cloudflare.com → R2. To go without images, remove the block [[r2_buckets]] from wrangler.toml.",
    );
  // Tables before code: what is new in them is only added, so the code that runs meanwhile does not mind.
  add("migrate", "bring its tables up to date", ["d1", "migrations", "apply", "DB", "--remote"]);
  add(
    "upload",
    account.secrets === null ? "send the worker" : "send the new version of the worker",
    ["deploy"],
    "A first worker of an account needs a name for its addresses: dash.cloudflare.com → Workers & Pages.",
  );
  if (account.secrets?.includes("AUTH_TOKENS") !== true)
    add(
      "token",
      "make the first token",
      ["secret", "put", "AUTH_TOKENS"],
      "Until it is set, every request is answered with 401.",
    );
  return steps;
}

/** A token with all rights, and its stored form: its digest and its person. `random` is 32 bytes. */
export function firstToken(
  random: Uint8Array,
  subject: string,
): { readonly token: string; readonly secret: string } {
  const token = `cairn_${Buffer.from(random).toString("base64url")}`;
  const digest = createHash("sha256").update(token).digest("hex");
  const grant = { subject, scopes: ["read", "send", "approve", "admin"] };
  return { token, secret: JSON.stringify({ [`sha256:${digest}`]: grant }) };
}

/** The address that `wrangler deploy` printed: a workers.dev one, else a domain of the account; null when it printed none. */
export function deployedAddress(out: string): string | null {
  const targets = out.split("\n").map((line) => line.trim());
  const own = targets.find((line) => /^https:\/\/[a-z0-9.-]+\.workers\.dev$/.test(line));
  const domain = targets.find((line) => /^[a-z0-9.-]+\.[a-z]{2,} \(custom domain\)$/.test(line));
  return own ?? (domain === undefined ? null : `https://${domain.split(" ", 1)[0] ?? ""}`);
}
