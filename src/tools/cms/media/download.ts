import { readBytes } from "../../web/read-bytes.ts";
import { judgeRedirect, judgeUrl, type UrlFacts } from "../../web/safe-url.ts";
import { fail } from "../model/errors.ts";
import { IMAGE_BYTES_MAX } from "./limits.ts";
import { tooLarge } from "./bytes/read-image.ts";

/** An image from the web, as bytes that nobody has looked at yet. */

const DOWNLOAD_MS = 10_000;
const REDIRECTS_MAX = 3;

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** An address that may be requested. Refuses `invalid_input` with the reason of the judge. */
export function judged(verdict: ReturnType<typeof judgeUrl>): string {
  if (verdict.ok && verdict.url.startsWith("https:")) return verdict.url;
  throw fail("invalid_input", verdict.ok ? "Only https addresses are fetched." : verdict.why, {
    at: "url",
    hint: "Name a public https address of an image.",
  });
}

/**
 * At most 10 MB, 10 s and three redirects, each of which is judged as if it stood alone. Refuses `invalid_input`,
 * `too_large`, `upstream_error` and `upstream_timeout`.
 */
export async function download(
  fetch: Fetch,
  url: string,
  facts: UrlFacts,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(DOWNLOAD_MS)]);
  let next = judged(judgeUrl(url, facts));
  try {
    for (let hop = 1; ; hop++) {
      const response = await fetch(next, {
        redirect: "manual",
        signal: limit,
        headers: { accept: "image/*" },
      });
      const location = response.headers.get("location");
      if (response.status < 300 || response.status >= 400 || location === null)
        return await bodyOf(response, new URL(next).host);
      await response.body?.cancel();
      if (hop > REDIRECTS_MAX) throw upstream(`${new URL(next).host} redirects more than three times.`);
      next = judged(judgeRedirect(next, location, hop, facts));
    }
  } catch (error) {
    if (limit.aborted && !signal.aborted)
      throw fail("upstream_timeout", "The image did not come within 10 seconds.", { hint: "Try it later." });
    if (error instanceof TypeError) throw upstream(`${new URL(next).host} cannot be reached.`);
    throw error;
  }
}

const upstream = (message: string) =>
  fail("upstream_error", message, { hint: "Nothing was stored. Try it later, or another address." });

async function bodyOf(response: Response, host: string): Promise<Uint8Array> {
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw upstream(`${host} answered ${response.status}.`);
  }
  const bytes = await readBytes(response.body, IMAGE_BYTES_MAX);
  if (bytes === null) throw tooLarge();
  return bytes;
}
