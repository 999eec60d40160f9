import { baseUrlOf, fetcherOf, textOf, type FetcherBindings } from "./bindings.ts";
import type { Endpoint, FaultKind } from "./provider.ts";

/** Serper, or a server that answers like it: results of Google's searches of the web and of scholarly works. */

export const SERPER_URL = "https://google.serper.dev";

export interface SerperBindings extends FetcherBindings {
  readonly SERPER_API_KEY?: unknown;
  readonly SERPER_BASE_URL?: unknown;
}

/** Null without a key. The address may be none. */
export function serperOf(env: SerperBindings): Endpoint | null {
  const key = textOf(env.SERPER_API_KEY);
  return key === ""
    ? null
    : { fetch: fetcherOf(env), baseUrl: baseUrlOf(env.SERPER_BASE_URL, SERPER_URL), key };
}

/** Serper answers 400 for an account without credits. */
export const serperFault = (status: number, body: string): FaultKind | null =>
  status === 400 && /not enough credits/i.test(body) ? "quota" : null;
