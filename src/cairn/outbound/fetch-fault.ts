import type { ErrorClass } from "../core/log/tool.ts";

/** Why nothing came of a request, in words for the model and the person. */
export interface FetchFault {
  readonly class: ErrorClass;
  readonly code: string;
  readonly message: string;
  /** milliseconds after which the server allows a retry, if it states a time */
  readonly retryAfterMs?: number;
  /** the answer as far as it was read, where its body was too large */
  readonly answer?: { readonly url: string; readonly status: number; readonly headers: Headers };
}
