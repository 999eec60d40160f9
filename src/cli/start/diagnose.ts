import { fetchHealth } from "./health.ts";

/** Why a session cannot be reached, and what to do about it. */
export interface Trouble {
  readonly what: string;
  readonly hint: string;
}

export interface SessionAddress {
  readonly url: string;
  readonly session: string;
  readonly token: string | null;
}

/** Explains a close code of docs/protocol.md; null for a code that explains nothing by itself. */
export function troubleOfClose(code: number, address: SessionAddress): Trouble | null {
  if (code === 4401) return troubleOfStatus(401, address);
  if (code === 4403) return troubleOfStatus(403, address);
  if (code === 4429)
    return {
      what: "Too many connections or messages for this session.",
      hint: "Wait a minute, then try again.",
    };
  return null;
}

function troubleOfStatus(status: number, { session, token }: SessionAddress): Trouble | null {
  if (status === 401 && token === null)
    return {
      what: "This Cairn needs a token: it does not know who you are.",
      hint: "Use one of the tokens in its AUTH_TOKENS: --token <token>, or CAIRN_TOKEN=<token> in the environment.",
    };
  if (status === 401)
    return {
      what: "The token is not accepted: it is unknown or has expired.",
      hint: "Compare it with AUTH_TOKENS of the deployment, or use another one.",
    };
  if (status === 403)
    return {
      what: `The session "${session}" is not yours, or the token may not do this.`,
      hint: "Choose another name with --session, or a token with the scopes read, send and approve.",
    };
  return null;
}

/** Asks around after a connection that never came to a hello. Always has an answer. */
export async function diagnose(address: SessionAddress): Promise<Trouble> {
  const answer = await fetchHealth(address.url);
  if (answer.kind === "nobody")
    return {
      what: `Nothing answers at ${address.url}.`,
      hint: "Start Cairn in another terminal with `npm start`. If it runs somewhere else, give its address: --url <address>",
    };
  if (answer.kind === "stranger")
    return {
      what: `Something answers at ${address.url}, but it is not Cairn.`,
      hint: "Give the address of Cairn with --url.",
    };
  if (answer.health.status === "misconfigured" && (answer.health.problems ?? []).length > 0)
    return {
      what: "The settings of this Cairn are wrong. It answers nothing until they are fixed.",
      hint: (answer.health.problems ?? []).map((each) => `${each.variable}: ${each.message}`).join("\n"),
    };
  const headers: Record<string, string> =
    address.token === null ? {} : { authorization: `Bearer ${address.token}` };
  const me = await fetch(new URL("/api/me", address.url), { headers }).then(
    async (response) => {
      await response.body?.cancel();
      return response.status;
    },
    () => 0,
  );
  return (
    troubleOfStatus(me, address) ?? {
      what: `Cairn at ${address.url} did not open the session "${address.session}".`,
      hint: "Its own output says more: start it with `npm start -- --verbose`.",
    }
  );
}
