import useSWR, { mutate, type SWRConfiguration, type SWRResponse } from "swr";
import { ApiError, type ErrorBody } from "./api-error.ts";
export { ApiError, sentenceOf } from "./api-error.ts";

/**
 * The HTTP API of this deployment (docs/api.md), called from its own origin: the cookie identifies the user; a
 * developer's machine needs none. Every refusal is an `ApiError`.
 */

/** who is there */
export const ME = "/api/me";

export interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** sent as JSON */
  readonly body?: unknown;
  /** for a sign-in only; other requests use the cookie */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Asks the API. The answer's JSON, or null where it has none. Throws an `ApiError`. */
export async function ask<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const response = await openAnswer(path, options);
  return (await response.json().catch(() => null)) as T;
}

/** An answer that is fine, its body unread: a file comes in pieces. Throws an `ApiError`. */
export async function openAnswer(
  path: string,
  { method = "GET", body, token, headers = {}, signal }: RequestOptions = {},
): Promise<Response> {
  const response = await fetch(path, {
    method,
    headers: {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch(() => {
    throw new ApiError(0, {
      code: "offline",
      message: "Cairn does not answer. Is it running, and are you online?",
    });
  });
  if (response.ok) return response;
  // The sign-in has ended: the page loads who is there, and asks for a token.
  if (response.status === 401 && path !== ME && token === undefined) void mutate(ME);
  const answer: unknown = await response.json().catch(() => null);
  throw refusalOf(response.status, answer, response.headers.get("retry-after"));
}

function refusalOf(status: number, answer: unknown, retryAfter: string | null): ApiError {
  const wait = Number(retryAfter);
  const error = (answer as { error?: Partial<ErrorBody> } | null)?.error ?? {};
  return new ApiError(status, error, wait > 0 ? wait : null, answer);
}

export interface FileSending {
  /** the same for a repeat */
  readonly key: string;
  readonly signal: AbortSignal;
  /** gets the share that has been sent, 0 to 1 */
  readonly onProgress: (sent: number) => void;
}

/** Posts a form with a file. `fetch` does not report progress. Throws an `ApiError`. */
export function sendFile<T>(
  path: string,
  form: FormData,
  { key, signal, onProgress: tell }: FileSending,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const offline = (): void =>
      reject(new ApiError(0, { code: "offline", message: "The upload broke off." }));
    request.open("POST", path);
    request.responseType = "json";
    request.setRequestHeader("idempotency-key", key);
    request.upload.onprogress = ({ loaded, total }) => tell(total === 0 ? 0 : loaded / total);
    request.onerror = offline;
    request.onabort = offline;
    request.onload = () => {
      const { status } = request;
      const response: unknown = request.response;
      if (status >= 200 && status < 300) return resolve(response as T);
      if (status === 401) void mutate(ME);
      reject(refusalOf(status, response, request.getResponseHeader("retry-after")));
    };
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(form);
  });
}

/**
 * The response to a GET, kept fresh: reloaded when the window gets the focus and when the connection returns. Null
 * requests nothing.
 */
export function useAnswer<T>(
  path: string | null,
  options: SWRConfiguration<T, ApiError> = {},
): SWRResponse<T, ApiError> {
  return useSWR<T, ApiError>(path, (key: string) => ask<T>(key), {
    shouldRetryOnError: (error: ApiError) => error.status === 0 || error.status >= 500,
    ...options,
  });
}
