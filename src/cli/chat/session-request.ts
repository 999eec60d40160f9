import * as z from "zod";
import type { SessionAddress } from "../start/diagnose.ts";

/** Result of a request to a session: the response body, or the reason for the person why there is none. */
export type Answered =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly why: Refused };

export interface Refused {
  /** a sentence, with what to do about it where that is known */
  readonly text: string;
  readonly issues: readonly { readonly path: string; readonly message: string }[];
}

export type SessionRequest = (
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  body?: object,
) => Promise<Answered>;

const ANSWER_MS_MAX = 10_000;

const refusal = z.object({
  error: z.object({
    message: z.string(),
    hint: z.string().nullish(),
    issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  }),
});

/** Requests below `/api/sessions/<name>`. They never throw. */
export function sessionRequests(address: SessionAddress, request: typeof fetch = fetch): SessionRequest {
  const api = apiRequests(address, request);
  return (method, path, body) => api(method, `/sessions/${address.session}${path}`, body);
}

/** Requests below `/api`. They never throw. */
export function apiRequests(
  { url, token }: Pick<SessionAddress, "url" | "token">,
  request: typeof fetch = fetch,
): SessionRequest {
  return async (method, path, body) => {
    const headers = {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    };
    try {
      const response = await request(new URL(`/api${path}`, url), {
        method,
        headers,
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer: unknown = await response.json().catch(() => null);
      if (response.ok) return { ok: true, body: answer };
      const refused = refusal.safeParse(answer).data?.error;
      const text =
        refused === undefined
          ? `The server answered ${response.status}.`
          : [refused.message, refused.hint ?? ""].join(" ").trim();
      return { ok: false, why: { text, issues: refused?.issues ?? [] } };
    } catch {
      return { ok: false, why: { text: "The server cannot be reached.", issues: [] } };
    }
  };
}
