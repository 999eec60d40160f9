import useSWR, { mutate, type SWRConfiguration, type SWRResponse } from "swr";

/**
 * The HTTP API of this deployment (docs/api.md), from a page of its own origin: the cookie says who asks, or nobody
 * need say it on a developer's machine. Every refusal is an `ApiError`.
 */

/** What the API answered instead of doing it: its code, its sentence, and what to do about it. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** 0 when nothing answered at all */
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;
  readonly issues: readonly { readonly path: string; readonly message: string }[];
  /** whole seconds, of a 429 */
  readonly retryAfter: number | null;

  constructor(status: number, error: Partial<ErrorBody>, retryAfter: number | null = null) {
    super(error.message ?? "Something went wrong.");
    this.status = status;
    this.code = error.code ?? "unknown";
    this.hint = error.hint ?? null;
    this.issues = error.issues ?? [];
    this.retryAfter = retryAfter;
  }
}

interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly issues: readonly { readonly path: string; readonly message: string }[];
}

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

const NOT_ACCEPTED = "This was not accepted as it is. Check what you entered.";

/** What a person is told of a failure, whatever was thrown. */
export function sentenceOf(failure: unknown): string {
  if (!(failure instanceof ApiError))
    return failure instanceof Error ? failure.message : "Something went wrong.";
  // What is wrong with a field is worded for programs; so is a hint that names an address or a variable.
  if (failure.code === "invalid_request" || failure.code === "unknown_field") return NOT_ACCEPTED;
  const issues = failure.issues.map(({ message }) => message);
  const hints =
    failure.hint === null || /\/api\/|\b[A-Z]+_[A-Z_]+\b/.test(failure.hint) ? [] : [failure.hint];
  return [...new Set([failure.message, ...issues, ...hints])].filter((part) => part !== "").join(" ");
}
