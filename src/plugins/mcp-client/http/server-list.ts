import { ownValue } from "../../../cairn/core/log/json.ts";
import { err, ok, type Result } from "../../../cairn/core/log/result.ts";
import { refusal, type ApiResult } from "../../../cairn/session/api/session-api.ts";
import { ToolError } from "../../../cairn/tools/define.ts";
import { readListings, readServers, deleteServer, writeServer, type ListingRow } from "../rows.ts";
import { accountOf, defaultGate, oauthOf, serverFault, settingsDigest, type McpServer } from "../server.ts";
import type { McpServers } from "../servers.ts";
import { lackOf } from "../settings.ts";
import type { SignInFault } from "../sign-in.ts";
import type { McpServerView } from "./answers.ts";
import { isoTime } from "../../../cairn/protocol/stream/ui-chunk.ts";

/** The MCP servers of a deployment, for the routes that show and change them. Secrets are only named, never shown. */

export interface ServerList {
  list(subject: string): Promise<readonly McpServerView[]>;
  find(name: string, subject: string): Promise<ApiResult<McpServerView>>;
  /** Stores a server and lists its tools; a server that does not respond is stored too, with its problem. */
  put(
    server: McpServer,
    by: string,
    at: number,
  ): Promise<ApiResult<{ readonly server: McpServerView; readonly isNew: boolean }>>;
  remove(name: string): Promise<ApiResult<null>>;
  /** Returns a server whose sign-in needs a browser. */
  signsIn(name: string): Promise<ApiResult<McpServer>>;
  readonly servers: Pick<McpServers, "beginSignIn" | "endSignIn" | "signOut">;
}

export interface ServerListDeps {
  readonly db: D1Database;
  readonly files: readonly McpServer[];
  readonly servers: McpServers;
}

interface Found {
  readonly server: McpServer;
  readonly updatedAt: number | null;
  readonly updatedBy: string | null;
}

export function createServerList({ db, files, servers }: ServerListDeps): ServerList {
  const { settings } = servers;
  const all = async (): Promise<readonly Found[]> => {
    const names = new Set(files.map(({ name }) => name));
    const stored = (await readServers(db)).filter(({ server }) => !names.has(server.name));
    return [...files.map((server) => ({ server, updatedAt: null, updatedBy: null })), ...stored];
  };
  const view = async (
    { server, updatedAt, updatedBy }: Found,
    rows: readonly ListingRow[],
    subject: string,
  ): Promise<McpServerView> => {
    const { name, effects, tiers, approval } = server;
    const account = accountOf(server, subject);
    const stored = rows.find((row) => row.server === name && row.account === account);
    const row = stored?.settings === settingsDigest(server) ? stored : null;
    const listing = row?.listing ?? null;
    const oauth = oauthOf(server);
    const needsNobody = oauth?.grant === "client_credentials";
    const { name: _name, ...definition } = server;
    return {
      name,
      source: updatedAt === null ? "file" : "stored",
      definition,
      protocol: listing?.protocol ?? null,
      listedAt: listing === null ? null : isoTime(listing.at),
      problem: lackOf(server, settings) ?? row?.problem ?? null,
      tools: (listing?.tools ?? []).map((tool) => {
        const tier = ownValue(tiers, tool.name) ?? "external";
        return {
          name: tool.as,
          tool: tool.name,
          title: tool.title,
          description: tool.description,
          tier,
          effect: ownValue(effects, tool.name) ?? ("once" as const),
          approval: ownValue(approval, tool.name) ?? defaultGate(tier),
        };
      }),
      left: [...(listing?.left ?? [])],
      odd: [...(listing?.odd ?? [])],
      signIn:
        oauth === null
          ? null
          : {
              for: oauth.for,
              signedIn: await servers.isReady(server, subject),
              path: needsNobody ? null : `/api/mcp/${name}/sign-in`,
            },
      updatedAt: updatedAt === null ? null : isoTime(updatedAt),
      updatedBy,
    };
  };
  const find = async (name: string, subject: string): Promise<ApiResult<McpServerView>> => {
    const found = (await all()).find(({ server }) => server.name === name);
    if (found === undefined) return err(NO_SERVER);
    return ok(await view(found, await readListings(db, subject), subject));
  };
  const isFile = (name: string): boolean => files.some((file) => file.name === name);
  return {
    servers,
    list: async (subject) => {
      const [found, rows] = await Promise.all([all(), readListings(db, subject)]);
      return Promise.all(found.map((one) => view(one, rows, subject)));
    },
    find,
    put: async (server, by, at) => {
      if (isFile(server.name)) return err(NAME_OF_FILE);
      const fault = serverFault(server) ?? lackOf(server, settings);
      if (fault !== null) return err({ ...INVALID, message: fault });
      const written = await writeServer(db, server, by, at);
      if (written === "too_many") return err(TOO_MANY);
      servers.forget();
      try {
        await servers.list(server, by, null);
      } catch (error) {
        // The row holds the problem.
        if (!(error instanceof ToolError)) throw error;
      }
      const shown = await find(server.name, by);
      return shown.ok ? ok({ server: shown.value, isNew: written === "created" }) : shown;
    },
    remove: async (name) => {
      if (isFile(name)) return err(NAME_OF_FILE);
      const isGone = await deleteServer(db, name);
      servers.forget();
      return isGone ? ok(null) : err(NO_SERVER);
    },
    signsIn: async (name) => {
      const found = (await all()).find(({ server }) => server.name === name);
      if (found === undefined) return err(NO_SERVER);
      const { server } = found;
      if (oauthOf(server)?.grant !== "authorization_code") return err(NOBODY_SIGNS_IN);
      const lack = lackOf(server, settings);
      return lack === null ? ok(server) : err({ ...NOBODY_SIGNS_IN, message: lack });
    },
  };
}

/** A failed sign-in as an API error. */
export const signInError = <Value>(result: Result<Value, SignInFault>): ApiResult<Value> =>
  result.ok
    ? result
    : err({ ...refusal(409, "sign_in_failed", "", "Begin again."), message: result.error.message });

const NO_SERVER = refusal(404, "not_found", "There is no such MCP server.", "GET /api/mcp lists them.");
const NAME_OF_FILE = refusal(
  409,
  "id_taken",
  "A server of this name is named in the code of the deployment.",
  "Choose another name, or change src/mcp-servers.ts and deploy.",
);
const TOO_MANY = refusal(
  409,
  "too_many_servers",
  "This deployment stores as many MCP servers as it may.",
  "Delete one of them first.",
);
const INVALID = refusal(422, "invalid_server", "This server cannot be.", "Correct it and send it again.");
const NOBODY_SIGNS_IN = refusal(
  409,
  "no_sign_in",
  "Nobody signs in at this server.",
  "GET /api/mcp says how Cairn shows itself to it.",
);
