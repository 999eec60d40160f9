import useSWR, { mutate, type SWRConfiguration, type SWRResponse } from "swr";
import { ApiError, type ErrorBody } from "./api-error.ts";
export { ApiError, sentenceOf } from "./api-error.ts";

/**
 * The HTTP API of this deployment (docs/api.md), from a page of its own origin: the cookie says who asks, or nobody
 * need say it on a developer's machine. Every refusal is an `ApiError`.
 */

/** who is there */
export const ME = "/api/me";

export interface Asked {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  /** sent as JSON */
  readonly body?: unknown;
  /** for a sign-in only; everything else goes by the cookie */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks the API. The answer's JSON, or null where it has none. Throws an `ApiError`. */
export async function ask<T>(
  path: string,
  { method = "GET", body, token, headers = {} }: Asked = {},
): Promise<T> {
  const response = await fetch(path, {
    method,
    headers: {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new ApiError(0, {
      code: "offline",
      message: "Cairn does not answer. Is it running, and are you online?",
    });
  });
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok) return answer as T;
  // Whoever was signed in is so no more: the page looks who is there, and asks for a token.
  if (response.status === 401 && path !== ME && token === undefined) void mutate(ME);
  const wait = Number(response.headers.get("retry-after"));
  const error = (answer as { error?: Partial<ErrorBody> } | null)?.error ?? {};
  throw new ApiError(response.status, error, wait > 0 ? wait : null);
}

/** The answer to a GET, kept fresh: asked again when the window gets the focus and when the line comes back. Null asks nothing. */
export function useAnswer<T>(
  path: string | null,
  options: SWRConfiguration<T, ApiError> = {},
): SWRResponse<T, ApiError> {
  return useSWR<T, ApiError>(path, (key: string) => ask<T>(key), {
    shouldRetryOnError: (error: ApiError) => error.status === 0 || error.status >= 500,
    ...options,
  });
}
