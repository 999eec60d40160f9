import * as z from "zod";
import { digestOf } from "../../cairn/core/log/digest.ts";
import { toJson } from "../../cairn/core/log/json.ts";

/**
 * An MCP server whose tools this deployment offers: its address, its authentication, and the properties of its tools.
 * A server's description of its own tools changes none of this.
 */

const SECRET = /^secret:[A-Z][A-Z0-9_]{0,63}$/;
const TOOLS_NAMED_MAX = 200;
/** as a server names them */
const toolName = z.string().min(1).max(128);

const byTool = <Value extends z.ZodType>(value: Value) =>
  z
    .record(toolName, value)
    .refine((table) => Object.keys(table).length <= TOOLS_NAMED_MAX, `At most ${TOOLS_NAMED_MAX} tools.`);

const secret = z.string().regex(SECRET, "Write secret:NAME, with a name of MCP_SECRETS.");

const oauthSchema = z.strictObject({
  type: z.literal("oauth"),
  /** whose account it is: one for all, or the requester's */
  for: z.enum(["deployment", "person"]),
  /** `client_credentials` needs no person, and is for the deployment alone */
  grant: z.enum(["authorization_code", "client_credentials"]).default("authorization_code"),
  /** left out: the client is registered with the server's authorization server when it is first needed */
  clientId: z.string().min(1).max(500).optional(),
  clientSecret: secret.optional(),
  scope: z.string().min(1).max(1_000).optional(),
});

export const MCP_SERVER_NAME = /^[a-z][a-z0-9]{0,15}$/;

/** Settings of a server besides its name. */
export const mcpServerFields = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).max(2_048),
  /** how Cairn shows itself: not at all, by a bearer token of MCP_SECRETS, or by OAuth */
  auth: z.union([z.literal("none"), secret, oauthSchema]).default("none"),
  /** the only tools that are offered; all when left out */
  allow: z.array(toolName).min(1).max(TOOLS_NAMED_MAX).optional(),
  /** `read`: a second call does no harm. Unnamed tools are called once, whatever the outcome */
  effects: byTool(z.enum(["read", "once"])).default({}),
  /** how dangerous it is; what is not named is `external` */
  tiers: byTool(z.enum(["open", "write", "publish", "external", "admin", "danger"])).default({}),
  /** stricter than the tier: a person is asked each time, or it is not offered */
  approval: byTool(z.enum(["ask", "deny"])).default({}),
  /** milliseconds that a call has */
  timeoutMs: z.number().int().min(1_000).max(300_000).default(60_000),
});

export const mcpServerSchema = mcpServerFields.extend({
  name: z
    .string()
    .regex(MCP_SERVER_NAME, "The name of a server is 1 to 16 of a-z 0-9, and begins with a letter."),
});

export type McpServer = z.output<typeof mcpServerSchema>;
export type McpServerDefinition = z.input<typeof mcpServerSchema>;
export type McpOAuth = z.output<typeof oauthSchema>;

/** Why a server whose fields are right can still not be: null where it can. */
export function serverFault({ auth }: Pick<McpServer, "auth">): string | null {
  if (typeof auth === "string" || auth.grant !== "client_credentials") return null;
  if (auth.for === "person")
    return 'The grant "client_credentials" has no person in it: it is for the deployment.';
  return auth.clientId === undefined || auth.clientSecret === undefined
    ? 'The grant "client_credentials" needs clientId and clientSecret.'
    : null;
}

/** Declares a server in code (src/mcp-servers.ts). Throws at load on what cannot be, so that it cannot be deployed. */
export function mcpServer(definition: McpServerDefinition): McpServer {
  const parsed = mcpServerSchema.safeParse(definition);
  if (!parsed.success) throw new Error(`MCP server ${definition.name}: ${z.prettifyError(parsed.error)}`);
  const fault = serverFault(parsed.data);
  if (fault !== null) throw new Error(`MCP server ${definition.name}: ${fault}`);
  return parsed.data;
}

/** The default approval gate of a tier. */
export const defaultGate = (tier: McpServer["tiers"][string]): "never" | "ask" =>
  tier === "open" || tier === "write" ? "never" : "ask";

/**
 * Digest of every setting that decides which requests are sent, and for whom: a listing under other settings is
 * invalid.
 */
export const settingsDigest = (server: McpServer): string => digestOf(toJson(server));

/** `api.example.com`, as people are shown it */
export const hostOf = ({ url }: Pick<McpServer, "url">): string => new URL(url).host;

export const oauthOf = ({ auth }: Pick<McpServer, "auth">): McpOAuth | null =>
  typeof auth === "string" ? null : auth;

/** The account that a call of this subject uses; empty for the deployment's own. */
export const accountOf = (server: McpServer, subject: string): string =>
  oauthOf(server)?.for === "person" ? subject : "";
