import * as z from "zod";
import { accessOf, type AccessBindings } from "../../cairn/outbound/access.ts";
import { tableOf, textOf } from "../../cairn/outbound/bindings.ts";
import { LOCAL_WRONG, localOrigins } from "../../cairn/outbound/local.ts";
import type { ToolProblem } from "../../cairn/tools/rules.ts";
import type { McpAccess } from "./reach.ts";
import { createSeal, SECRET_CHARS_MIN, type Seal } from "./seal.ts";
import { oauthOf, type McpServer } from "./server.ts";

/** Environment variables for MCP servers. */
export interface McpBindings extends AccessBindings {
  readonly MCP_SECRETS?: unknown;
  readonly MCP_TOKEN_SECRET?: unknown;
  readonly MCP_LOCAL?: unknown;
}

export interface McpSettings {
  readonly access: McpAccess;
  /** by their names */
  readonly secrets: ReadonlyMap<string, string>;
  /** null without MCP_TOKEN_SECRET: nobody can sign in */
  readonly seal: Seal | null;
  /** public URL of this deployment, without a trailing slash; null if not configured */
  readonly publicUrl: string | null;
  readonly problems: readonly ToolProblem[];
}

const secretTable = z.record(z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/), z.string().min(8).max(8_192));

/** Never throws: what cannot be read is a problem, and then it is as if it were not set. */
export function mcpSettings(env: McpBindings): McpSettings {
  const problems: ToolProblem[] = [];
  const table = secretTable.safeParse(tableOf(env.MCP_SECRETS) ?? {});
  if (!table.success)
    problems.push({
      about: "MCP_SECRETS",
      message: 'It must be {"NAME":"…"}, each of 8 characters or more.',
    });
  const secret = textOf(env.MCP_TOKEN_SECRET);
  const isWeak = secret !== "" && secret.length < SECRET_CHARS_MIN;
  if (isWeak)
    problems.push({
      about: "MCP_TOKEN_SECRET",
      message: `It must have ${SECRET_CHARS_MIN} characters or more.`,
    });
  const { origins: local, isValid } = localOrigins(env.MCP_LOCAL);
  if (!isValid) problems.push({ about: "MCP_LOCAL", message: LOCAL_WRONG });
  const own = textOf(env.PUBLIC_URL).replace(/\/$/, "");
  return {
    access: { ...accessOf(env), local },
    secrets: new Map(Object.entries(table.success ? table.data : {})),
    seal: secret === "" || isWeak ? null : createSeal(secret),
    publicUrl: own === "" ? null : own,
    problems,
  };
}

/** Variables that are secrets. */
export const MCP_SECRET_VARIABLES = ["MCP_SECRETS", "MCP_TOKEN_SECRET"];

/** The names of secrets in `secret:NAME`. */
export const secretName = (reference: string): string => reference.replace(/^secret:/, "");

/** Why a server cannot be asked as this deployment is set up, or null. */
export function lackOf(
  server: McpServer,
  { secrets, seal }: Pick<McpSettings, "secrets" | "seal">,
): string | null {
  const { auth } = server;
  if (auth === "none") return null;
  const oauth = oauthOf(server);
  const reference = typeof auth === "string" ? auth : auth.clientSecret;
  const name = reference === undefined ? null : secretName(reference);
  if (name !== null && !secrets.has(name)) return `MCP_SECRETS has no ${name}.`;
  return oauth !== null && seal === null ? "Set MCP_TOKEN_SECRET: tokens are kept sealed with it." : null;
}

/** Problems in this deployment's servers and their secrets. */
export const serverProblems = (
  servers: readonly McpServer[],
  settings: McpSettings,
): readonly ToolProblem[] => [
  ...settings.problems,
  ...servers.flatMap((server) => {
    const message = lackOf(server, settings);
    return message === null ? [] : [{ about: `src/mcp-servers.ts: ${server.name}`, message }];
  }),
];
