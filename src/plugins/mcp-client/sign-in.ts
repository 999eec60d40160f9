import { startOf } from "../../cairn/core/text/cut.ts";
import { loadMcpClient } from "../../../build/modules/mcp.ts";
import { sameText } from "../../cairn/core/log/digest.ts";
import { err, ok, type Result } from "../../cairn/core/log/result.ts";
import { withTimeLimit } from "../../cairn/time-limit.ts";
import { SIGN_IN_MS, type Account } from "./account.ts";
import { openReach, type McpAccess } from "./reach.ts";
import { hostOf, oauthOf, type McpServer } from "./server.ts";

/** Signing in at a server: where a person is sent, and what is made of what they come back with (OAuth 2.1, PKCE). */

const AUTH_MS = 15_000;

export interface SignInFault {
  readonly code: "sign_in_failed" | "sign_in_ended";
  readonly message: string;
}

interface SignIn {
  readonly server: McpServer;
  readonly account: Account;
  readonly access: McpAccess;
}

/** Where the person is to be sent. */
export function beginSignIn(signIn: SignIn): Promise<Result<URL, SignInFault>> {
  return authorize(signIn, { forceReauthorization: true }, ({ account, access, server }) => {
    const url = account.authorizationUrl;
    const isSafe = url !== null && (url.protocol === "https:" || access.local.includes(url.origin));
    return isSafe ? ok(url) : err(failed(server, "it names no address to sign in at by https."));
  });
}

export interface CameBack {
  readonly state: string;
  readonly code: string;
  readonly iss: string | null;
}

/** Makes tokens of what the person came back with. Only the sign-in that they began last can be ended, once, and for a while. */
export async function endSignIn(
  signIn: SignIn,
  { state, code, iss }: CameBack,
  now: number,
): Promise<Result<null, SignInFault>> {
  const { pending } = signIn.account;
  if (pending === undefined || pending.at + SIGN_IN_MS < now || !sameText(pending.state, state))
    return err({
      code: "sign_in_ended",
      message: "This sign-in was not begun here, or too long ago. Begin again.",
    });
  const back = { authorizationCode: code, ...(iss === null ? {} : { iss }) };
  return authorize(signIn, back, ({ account, server }) =>
    account.isReady ? ok(null) : err(failed(server, "it gave no token.")),
  );
}

async function authorize<Value>(
  signIn: SignIn,
  how: { readonly forceReauthorization?: true; readonly authorizationCode?: string; readonly iss?: string },
  then: (signIn: SignIn) => Result<Value, SignInFault>,
): Promise<Result<Value, SignInFault>> {
  const { server, account, access } = signIn;
  const { auth } = await loadMcpClient();
  return withTimeLimit(AUTH_MS, new AbortController().signal, async (signal) => {
    const reach = openReach(access, signal);
    try {
      const scope = oauthOf(server)?.scope;
      const options = { serverUrl: server.url, fetchFn: reach.fetch, ...how };
      await auth(account, { ...options, ...(scope === undefined ? {} : { scope }) });
      return then(signIn);
    } catch (error) {
      const why = reach.fault()?.message ?? (error instanceof Error ? error.message : "it does not answer.");
      return err(failed(server, why));
    } finally {
      reach.end();
    }
  });
}

const failed = (server: McpServer, why: string): SignInFault => ({
  code: "sign_in_failed",
  message: `Nobody can sign in at ${hostOf(server)}: ${startOf(why, 300).toWellFormed()}`,
});
