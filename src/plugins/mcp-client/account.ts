import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "../../../build/modules/mcp-client.mjs";
import { hostOf, oauthOf, type McpOAuth, type McpServer } from "./server.ts";

/**
 * An account at a server by OAuth: the deployment's own, or that of one person. The same code signs in for both; only whose
 * row it is differs.
 */

/** The stored fields of an account, sealed. */
export interface StoredAccount {
  readonly client?: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
  readonly discovery?: OAuthDiscoveryState;
  /** the callback that the client was registered with */
  readonly registered?: string;
  /** a started sign-in: what its end must have, and its start in milliseconds since the epoch */
  readonly pending?: { readonly state: string; readonly at: number; readonly verifier?: string };
}

/** A sign-in that was not completed by then has expired. */
export const SIGN_IN_MS = 10 * 60_000;

/** Stores what `change` makes of the record as it is stored at that moment, and returns that; null where the person has signed out. */
export type UpdateAccount = (
  change: (stored: StoredAccount) => StoredAccount,
) => Promise<StoredAccount | null>;

export interface AccountDeps {
  readonly server: McpServer;
  readonly stored: StoredAccount;
  readonly update: UpdateAccount;
  /** where the authorization server sends people back to */
  readonly callback: string;
  /** the value of `clientSecret` */
  readonly clientSecret: string | null;
  readonly now: () => number;
  readonly newId: () => string;
}

/** A person has to sign in before the server can be asked. */
export class SignInNeeded extends Error {
  override readonly name = "SignInNeeded";
}

/** The token store that the protocol's client uses. Stores every change at once. */
export class Account implements OAuthClientProvider {
  readonly #deps: AccountDeps;
  readonly #oauth: McpOAuth;
  #record: StoredAccount;
  readonly #secrets = new Set<string>();
  /** where a person is to be sent, once it is known */
  authorizationUrl: URL | null = null;
  /** true if a person is present to be sent there */
  readonly #isSigningIn: boolean;

  constructor(deps: AccountDeps, isSigningIn: boolean) {
    const oauth = oauthOf(deps.server);
    if (oauth === null) throw new Error(`${deps.server.name} has no accounts`);
    this.#deps = deps;
    this.#oauth = oauth;
    this.#record = deps.stored;
    this.#isSigningIn = isSigningIn;
  }

  get #needsNobody(): boolean {
    return this.#oauth.grant === "client_credentials";
  }

  get redirectUrl(): string | undefined {
    return this.#needsNobody ? undefined : this.#deps.callback;
  }

  get clientMetadata() {
    const { scope } = this.#oauth;
    return {
      client_name: "Cairn",
      redirect_uris: this.#needsNobody ? [] : [this.#deps.callback],
      grant_types: this.#needsNobody ? ["client_credentials"] : ["authorization_code", "refresh_token"],
      response_types: this.#needsNobody ? [] : ["code"],
      token_endpoint_auth_method: this.#deps.clientSecret === null ? "none" : "client_secret_basic",
      ...(scope === undefined ? {} : { scope }),
    };
  }

  /** Secrets that must not be shown to anybody: the renewed tokens too. */
  get secrets(): ReadonlySet<string> {
    for (const secret of this.#secretsNow()) this.#secrets.add(secret);
    return this.#secrets;
  }

  /** the token that is shown now; null without one */
  get token(): string | null {
    return this.#record.tokens?.access_token ?? null;
  }

  #secretsNow(): readonly string[] {
    const { client, tokens } = this.#record;
    const values = [
      tokens?.access_token,
      tokens?.refresh_token,
      tokens?.id_token,
      client !== undefined && "client_secret" in client ? client.client_secret : undefined,
      this.#deps.clientSecret,
    ];
    return values.filter((value): value is string => typeof value === "string" && value !== "");
  }

  /** True if the server can be called without asking a person. */
  get isReady(): boolean {
    return this.#needsNobody || this.#record.tokens !== undefined;
  }

  get pending(): StoredAccount["pending"] {
    return this.#record.pending;
  }

  async state(): Promise<string> {
    if (!this.#isSigningIn) throw new SignInNeeded(`${hostOf(this.#deps.server)} wants somebody to sign in.`);
    const state = `${this.#deps.server.name}.${this.#deps.newId()}`;
    const pending = { state, at: this.#deps.now() };
    await this.#update((stored) => ({ ...stored, pending }));
    return state;
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    const { clientId } = this.#oauth;
    // An authorization server redirects only to addresses that its client was registered with.
    if (clientId === undefined)
      return this.#isSigningIn && !this.#isRegistered() ? undefined : this.#record.client;
    const issuer = this.#record.client?.issuer;
    const { clientSecret } = this.#deps;
    return {
      client_id: clientId,
      ...(clientSecret === null ? {} : { client_secret: clientSecret }),
      // The first authorization server that saw it: it is never sent to another one, whatever the server says
      // later.
      ...(issuer === undefined ? {} : { issuer }),
    };
  }

  saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    // For a configured client only its ID is stored; the secret stays in the configuration.
    const { client_id: id, issuer } = client;
    const own = this.#oauth.clientId !== undefined;
    const used = own ? { client_id: id, ...(issuer === undefined ? {} : { issuer }) } : client;
    const registered = this.#deps.callback;
    return this.#update((stored) => ({ ...stored, client: used, registered }));
  }

  /** Records older than `registered` have it in the response to their registration. */
  #isRegistered(): boolean {
    const { client, registered } = this.#record;
    if (registered !== undefined) return registered === this.#deps.callback;
    if (client === undefined || !("redirect_uris" in client)) return true;
    return client.redirect_uris.some((uri) => uri === this.#deps.callback);
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#record.tokens;
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    await this.#update(({ pending, ...stored }) => ({
      ...stored,
      tokens,
      // A run that renews tokens ends no sign-in.
      ...(this.#isSigningIn || pending === undefined ? {} : { pending }),
    }));
  }

  redirectToAuthorization(url: URL): void {
    this.authorizationUrl = url;
  }

  async saveCodeVerifier(verifier: string): Promise<void> {
    const { pending } = this.#record;
    if (pending !== undefined)
      await this.#update((stored) => ({ ...stored, pending: { ...pending, verifier } }));
  }

  codeVerifier(): string {
    return this.#record.pending?.verifier ?? "";
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): Promise<void> {
    return this.#update((stored) => ({ ...stored, discovery }));
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#record.discovery;
  }

  prepareTokenRequest(scope?: string): URLSearchParams | undefined {
    if (!this.#needsNobody) return undefined;
    const wanted = this.#oauth.scope ?? scope;
    return new URLSearchParams({
      grant_type: "client_credentials",
      ...(wanted === undefined ? {} : { scope: wanted }),
    });
  }

  /**
   * Drops the refused credentials if they are still the stored ones. If two sessions renew at once the server refuses
   * one, which then uses the other's stored tokens. A failed sign-in keeps the earlier tokens.
   */
  async invalidateCredentials(which: "all" | "client" | "tokens" | "verifier" | "discovery"): Promise<void> {
    const refused = this.#record;
    await this.#update(({ client, tokens, discovery, pending, registered }) => {
      const isGone = (part: typeof which): boolean => which === "all" || which === part;
      const isNewer = tokens?.access_token !== refused.tokens?.access_token;
      const hasTokens = isNewer || (which === "tokens" && this.#isSigningIn) || !isGone("tokens");
      const isNewClient = client?.client_id !== refused.client?.client_id;
      return {
        ...(client === undefined || (isGone("client") && !isNewClient) ? {} : { client }),
        ...(registered === undefined || (isGone("client") && !isNewClient) ? {} : { registered }),
        ...(tokens === undefined || !hasTokens ? {} : { tokens }),
        ...(discovery === undefined || isGone("discovery") ? {} : { discovery }),
        ...(pending === undefined || isGone("verifier") ? {} : { pending }),
      };
    });
  }

  /** Changes the stored record. If the person has signed out meanwhile, only this call sees the change. */
  async #update(change: (stored: StoredAccount) => StoredAccount): Promise<void> {
    for (const secret of this.#secretsNow()) this.#secrets.add(secret);
    this.#record = (await this.#deps.update(change)) ?? change(this.#record);
  }
}
