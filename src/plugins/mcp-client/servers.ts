import type { JsonObject } from "../../cairn/core/log/json.ts";
import type { McpListing } from "./listed-tool.ts";
import type { Result } from "../../cairn/core/log/result.ts";
import { createRedactor, type Redact } from "../../cairn/core/text/redact.ts";
import { ToolError } from "../../cairn/tools/define.ts";
import type { ToolProblem } from "../../cairn/tools/rules.ts";
import { Account, type StoredAccount, type UpdateAccount } from "./account.ts";
import { callTool, listTools, type Parts, type Shown } from "./connection.ts";
import { NEEDS_SIGN_IN } from "./faults.ts";
import { prefixOf } from "./names.ts";
import type { ListedServer, McpServices } from "./pack.ts";
import {
  deleteAccount,
  forgetListings,
  readAccount,
  readListings,
  readServers,
  writeAccount,
  writeListing,
  type ListingRow,
} from "./rows.ts";
import { accountOf, hostOf, oauthOf, settingsDigest, type McpServer } from "./server.ts";
import { lackOf, mcpSettings, secretName, type McpBindings, type McpSettings } from "./settings.ts";
import { beginSignIn, endSignIn, type CameBack, type SignInFault } from "./sign-in.ts";

/**
 * The MCP servers of a deployment: those in its code, and those that were added over the API. A server's list is
 * stored in D1 for all sessions; a new run gets the stored list, or the server is asked again.
 */

/** a list that is older is read again before a run begins */
export const LISTING_FRESH_MS = 10 * 60_000;
/** a server that did not answer is left alone for so long: each run would wait for it anew */
export const PROBLEM_CACHE_MS = 60_000;
/** tries of one write of an account, where others write before it */
const UPDATE_TRIES = 4;
/** which servers there are, between the calls of an isolate; the preparation of a run looks anew */
const SERVERS_CACHE_MS = 5_000;
const LEFT_MAX = 20;
/** of one server that `/healthz` lists */
const PROBLEMS_MAX = 20;

export interface McpDeps {
  readonly db: D1Database;
  readonly settings: McpSettings;
  /** from the code: each overrides a stored one of the same name */
  readonly files: readonly McpServer[];
  readonly version: string;
  readonly now: () => number;
  readonly newId: () => string;
  /** a fault, for the operator's log */
  readonly report: (error: unknown) => void;
}

/** The tools of the servers for a run. */
export interface Prepared {
  readonly listed: readonly ListedServer[];
  readonly left: readonly { readonly tool: string; readonly why: string }[];
}

export class McpServers implements McpServices {
  readonly #deps: McpDeps;
  #known: { readonly at: number; readonly servers: readonly McpServer[] } | null = null;

  constructor(deps: McpDeps) {
    this.#deps = deps;
  }

  get settings(): McpSettings {
    return this.#deps.settings;
  }

  /** By the variables of a deployment. `report`: a fault, for the operator's log. */
  static of(
    env: McpBindings & { readonly DB: D1Database },
    files: readonly McpServer[],
    version: string,
    report: (error: unknown) => void,
  ): McpServers {
    const newId = (): string => crypto.randomUUID();
    return new McpServers({
      db: env.DB,
      settings: mcpSettings(env),
      files,
      version,
      report,
      now: Date.now,
      newId,
    });
  }

  /** Throws where D1 does not answer. */
  async servers(): Promise<readonly McpServer[]> {
    const { db, files, now } = this.#deps;
    if (this.#known !== null && this.#known.at + SERVERS_CACHE_MS > now()) return this.#known.servers;
    const names = new Set(files.map(({ name }) => name));
    const stored = (await readServers(db)).map(({ server }) => server);
    const servers = [...files, ...stored.filter(({ name }) => !names.has(name))];
    this.#known = { at: now(), servers };
    return servers;
  }

  /** Called after a change of the stored servers. */
  forget(): void {
    this.#known = null;
  }

  /** Why tools of the deployment's own accounts are not offered, and what is odd in their lists. Never throws; asks no server. */
  async problems(): Promise<readonly ToolProblem[]> {
    try {
      const servers = await this.servers();
      if (servers.length === 0) return [];
      const rows = await readListings(this.#deps.db, "");
      return servers.flatMap((server) => {
        const row = rows.find((one) => one.server === server.name && one.account === "");
        const listing = row?.settings === settingsDigest(server) ? row.listing : null;
        const about = `MCP server ${server.name}`;
        return [
          ...(listing?.left ?? []).map(({ tool, why }) => ({ about, message: `${tool}: ${why}` })),
          ...(listing?.odd ?? []).map((message) => ({ about, message })),
        ].slice(0, PROBLEMS_MAX);
      });
    } catch (error) {
      this.#deps.report(error);
      return [];
    }
  }

  /** The tools offered to a run of this subject. Never throws: unavailable servers are listed with the reason. */
  async prepare(subject: string): Promise<Prepared> {
    let servers: readonly McpServer[];
    let rows: readonly ListingRow[] = [];
    try {
      this.forget();
      servers = await this.servers();
      if (servers.length === 0) return { listed: [], left: [] };
      rows = await readListings(this.#deps.db, subject);
    } catch (error) {
      this.#deps.report(error);
      const why = "It could not be read which MCP servers there are.";
      return { listed: [], left: [{ tool: "mcp_*", why }] };
    }
    const each = await Promise.all(servers.map((server) => this.#prepareOne(server, subject, rows)));
    return { listed: each.flatMap((one) => one.listed), left: each.flatMap((one) => one.left) };
  }

  async #prepareOne(server: McpServer, subject: string, rows: readonly ListingRow[]): Promise<Prepared> {
    const prefix = prefixOf(server.name);
    const none = (why: string): Prepared => ({ listed: [], left: [{ tool: `${prefix}*`, why }] });
    try {
      const account = accountOf(server, subject);
      const row = rows.find((one) => one.server === server.name && one.account === account) ?? null;
      const listing = await this.list(server, subject, row);
      if (listing === null) {
        // This account's earlier list is used, and each call reports who has to sign in. Another person's list is
        // private: its tools may be named after their data.
        const before = row?.settings === settingsDigest(server) ? row.listing : null;
        const known: ListedServer =
          before === null
            ? { server, listing: noneYet(server), needsSignIn: true }
            : { server, listing: before };
        return { listed: [known], left: [] };
      }
      const left = listing.left.slice(0, LEFT_MAX).map(({ tool, why }) => ({ tool: prefix + tool, why }));
      return { listed: [{ server, listing }], left };
    } catch (error) {
      if (error instanceof ToolError) return none(error.failure.message);
      this.#deps.report(error);
      return none("The server could not be asked.");
    }
  }

  /**
   * The server's list: cached, unless that is stale or `row` is null. Null: the subject has to sign in first. Throws
   * a ToolError.
   */
  async list(server: McpServer, subject: string, row: ListingRow | null): Promise<McpListing | null> {
    const { db, now, settings } = this.#deps;
    const lack = lackOf(server, settings);
    if (lack !== null)
      throw new ToolError("auth", "not_set_up", `${server.name}: ${lack}`, { nothingDone: true });
    const digest = settingsDigest(server);
    const cached = row?.settings === digest ? row : null;
    if (cached?.listing != null && cached.problem === null && cached.triedAt + LISTING_FRESH_MS > now())
      return cached.listing;
    if (cached?.problem != null && cached.triedAt + PROBLEM_CACHE_MS > now())
      throw new ToolError("server", "unavailable", cached.problem, { nothingDone: true });
    const account = accountOf(server, subject);
    const rowKey = { server: server.name, account, settings: digest };
    try {
      const listing = await this.#converse(server, subject, (parts) => listTools(parts, now));
      await writeListing(db, { ...rowKey, listing, problem: null, triedAt: now() });
      return listing;
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      if (error.failure.code === NEEDS_SIGN_IN) return null;
      const { message } = error.failure;
      await writeListing(db, {
        ...rowKey,
        listing: cached?.listing ?? null,
        problem: message,
        triedAt: now(),
      });
      throw error;
    }
  }

  async check(server: McpServer, subject: string): Promise<void> {
    const account = await this.#accountOf(server, subject);
    if (account?.isReady === false) throw this.#signInNeeded(server);
  }

  async call(
    { server, listing, tool }: Parameters<McpServices["call"]>[0],
    input: JsonObject,
    { subject, signal }: Parameters<McpServices["call"]>[2],
  ): Promise<JsonObject> {
    const current = (await beforeCall(server, this.servers())).find(({ name }) => name === server.name);
    if (current === undefined || settingsDigest(current) !== listing.settings)
      throw new ToolError(
        "permission",
        "tool_changed",
        `How ${server.name} is set up has changed since this run began, so nothing was done.`,
        { nothingDone: true, hint: "Tell the person to ask again: a new run takes it as it is then." },
      );
    try {
      return await this.#converse(server, subject, (parts) =>
        callTool({ ...parts, signal }, listing, tool, input),
      );
    } catch (error) {
      if (error instanceof ToolError && error.failure.code === "tool_changed")
        await forgetListings(this.#deps.db, server.name).catch(this.#deps.report);
      throw error;
    }
  }

  /** Where this subject is to be sent to sign in. `callback`: where the server's people send them back to. */
  async beginSignIn(server: McpServer, subject: string, callback: string): Promise<Result<URL, SignInFault>> {
    const account = await this.#openAccount(server, subject, { callback, isSigningIn: true });
    return beginSignIn({ server, account, access: this.#deps.settings.access });
  }

  async endSignIn(
    server: McpServer,
    subject: string,
    back: CameBack & { readonly callback: string },
  ): Promise<Result<null, SignInFault>> {
    const { callback } = back;
    const account = await this.#openAccount(server, subject, { callback, isSigningIn: true });
    return endSignIn({ server, account, access: this.#deps.settings.access }, back, this.#deps.now());
  }

  async signOut(server: McpServer, subject: string): Promise<void> {
    await deleteAccount(this.#deps.db, server.name, accountOf(server, subject));
  }

  /** True if no sign-in is needed before this subject's calls. */
  async isReady(server: McpServer, subject: string): Promise<boolean> {
    if (lackOf(server, this.#deps.settings) !== null) return false;
    return (await this.#accountOf(server, subject))?.isReady ?? true;
  }

  /**
   * Runs a conversation with the server. Nothing about an account is shown, and tokens renewed by another session are
   * used.
   */
  async #converse<Value extends McpListing | JsonObject>(
    server: McpServer,
    subject: string,
    work: (parts: Parts) => Promise<Value>,
  ): Promise<Value> {
    const { settings, version } = this.#deps;
    for (let again = false; ; again = true) {
      const account = await this.#accountOf(server, subject);
      if (account?.isReady === false) throw this.#signInNeeded(server);
      const shown = this.#shown(server, account);
      const before = account?.token ?? null;
      const parts = { server, access: settings.access, shown, version, signal: new AbortController().signal };
      try {
        const value = await work(parts);
        // Made after the work: a token may have been renewed in it.
        return createRedactor(secretsOf(shown))(value as JsonObject) as Value;
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        if (error.failure.code !== NEEDS_SIGN_IN) throw scrubbed(error, createRedactor(secretsOf(shown)));
        const now = (await this.#accountOf(server, subject))?.token ?? null;
        if (again || now === null || now === before) throw this.#signInNeeded(server);
      }
    }
  }

  #shown(server: McpServer, account: Account | null): Shown {
    if (account !== null) return { by: "account", account };
    const { auth } = server;
    if (typeof auth !== "string" || auth === "none") return { by: "nothing" };
    const token = this.#deps.settings.secrets.get(secretName(auth));
    if (token === undefined) throw new ToolError("auth", "not_set_up", `${server.name} has no secret.`);
    return { by: "bearer", token };
  }

  /** Null where the server has none. */
  async #accountOf(server: McpServer, subject: string): Promise<Account | null> {
    if (oauthOf(server) === null) return null;
    const { publicUrl } = this.#deps.settings;
    const callback = callbackOf(publicUrl ?? "");
    return beforeCall(server, this.#openAccount(server, subject, { callback, isSigningIn: false }));
  }

  async #openAccount(
    server: McpServer,
    subject: string,
    { callback, isSigningIn }: { readonly callback: string; readonly isSigningIn: boolean },
  ): Promise<Account> {
    const { db, settings, now, newId } = this.#deps;
    const { seal, secrets } = settings;
    if (seal === null) throw new ToolError("auth", "not_set_up", "MCP_TOKEN_SECRET is not set.");
    const account = accountOf(server, subject);
    // Bound to the address too: no token goes to where a server of this name is set up next.
    const of = JSON.stringify([server.name, server.url, account]);
    const sealed = await readAccount(db, server.name, account);
    const opened = async (closed: string | null): Promise<StoredAccount> => {
      const text = closed === null ? null : await seal.open(closed, of);
      return text === null ? {} : (JSON.parse(text) as StoredAccount);
    };
    const stored = await opened(sealed);
    const reference = oauthOf(server)?.clientSecret;
    const clientSecret = reference === undefined ? null : (secrets.get(secretName(reference)) ?? null);
    // Where nothing was stored, there is nothing that could have been taken away.
    let wasThere = sealed !== null;
    const update: UpdateAccount = async (change) => {
      for (let tries = 1; ; tries++) {
        const before = await readAccount(db, server.name, account);
        if (before === null && wasThere && !isSigningIn) return null;
        const after = change(await opened(before));
        const row = {
          server: server.name,
          account,
          sealed: await seal.close(JSON.stringify(after), of),
          at: now(),
        };
        // Tokens that were just renewed must not be lost to others that keep writing.
        const over = before === null ? "any" : tries < UPDATE_TRIES ? { sealed: before } : "kept";
        if (await writeAccount(db, row, over)) {
          wasThere = true;
          return after;
        }
        if (tries >= UPDATE_TRIES) return null;
      }
    };
    const deps = { server, stored, update, callback, clientSecret, now, newId };
    return new Account(deps, isSigningIn);
  }

  #signInNeeded(server: McpServer): ToolError {
    const { publicUrl } = this.#deps.settings;
    const path = `/api/mcp/${server.name}/sign-in`;
    const where = publicUrl === null ? `${path} of this deployment` : publicUrl + path;
    const isOwn = oauthOf(server)?.for === "person";
    const who = isOwn ? "The person signs in" : "An admin signs in for the deployment";
    return new ToolError(
      "auth",
      NEEDS_SIGN_IN,
      `${hostOf(server)} wants somebody to sign in. ${who} at ${where}`,
      {
        nothingDone: true,
        hint: "Give the person this address, to be opened in the browser in which they use Cairn. They ask again after that.",
        details: { address: publicUrl === null ? path : publicUrl + path },
      },
    );
  }
}

/** Reads of our own before a call leaves: where one fails, nothing was asked of the server, and no outcome is open. */
async function beforeCall<Value>(server: McpServer, read: Promise<Value>): Promise<Value> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw new ToolError(
      "server",
      "settings_unavailable",
      `How ${server.name} is set up could not be read, so nothing was asked of it.`,
      { nothingDone: true, retryable: true },
    );
  }
}

/** Where authorization servers send people back to. */
export const callbackOf = (origin: string): string => `${origin}/mcp-servers/callback`;

const noneYet = (server: McpServer): McpListing => ({
  server: server.name,
  settings: settingsDigest(server),
  at: 0,
  protocol: "",
  discover: null,
  tools: [],
  left: [],
});

const secretsOf = (shown: Shown): { readonly name: string; readonly value: string }[] => {
  const values =
    shown.by === "bearer" ? [shown.token] : shown.by === "account" ? [...shown.account.secrets] : [];
  return values.map((value) => ({ name: "MCP", value }));
};

function scrubbed({ failure, nothingDone, mayBeDone }: ToolError, redact: Redact): ToolError {
  const { class: errorClass, code, message, retryable, hint, details } = failure;
  return new ToolError(errorClass, code, redact(message), {
    nothingDone,
    mayBeDone,
    retryable,
    ...(hint === undefined ? {} : { hint }),
    ...(details === undefined ? {} : { details: redact(details) }),
  });
}
