import type { WebAccess } from "../../../cairn/outbound/access.ts";
import type { FetchFault } from "../../../cairn/outbound/fetch-fault.ts";
import { safeFetch } from "../../../cairn/outbound/safe-fetch.ts";
import type { judgeUrl } from "../../../cairn/outbound/safe-url.ts";
import { fail } from "../model/errors.ts";
import { IMAGE_BYTES_MAX } from "./limits.ts";
import { tooLarge } from "./bytes/read-image.ts";

/** Downloads an image from the web, as unchecked bytes. */

const DOWNLOAD_MS = 10_000;
const REDIRECTS_MAX = 3;

/** An address that may be requested. Refuses `invalid_input` with the reason of the judge. */
export function judged(verdict: ReturnType<typeof judgeUrl>): string {
  if (verdict.ok && verdict.url.startsWith("https:")) return verdict.url;
  throw refused(verdict.ok ? "Only https is reached." : verdict.why);
}

/**
 * At most 10 MB, 10 s and three redirects, by https alone; every hop is judged by its URL and by the addresses of its
 * name. Refuses `invalid_input`, `too_large`, `upstream_error` and `upstream_timeout`.
 */
export async function download(web: WebAccess, url: string, signal: AbortSignal): Promise<Uint8Array> {
  const got = await safeFetch(web, {
    url,
    signal,
    headers: { accept: "image/*" },
    httpsOnly: true,
    bytesMax: IMAGE_BYTES_MAX,
    timeoutMs: DOWNLOAD_MS,
    tries: 1,
    redirectsMax: REDIRECTS_MAX,
  });
  if (!got.ok) throw failureOf(got.error);
  const { status, bytes } = got.value;
  if (status < 200 || status > 299) throw upstream(`${new URL(got.value.url).host} answered ${status}.`);
  return bytes;
}

function failureOf({ class: what, code, message }: FetchFault) {
  if (what === "timeout")
    return fail("upstream_timeout", "The image did not come within 10 seconds.", {
      hint: "Try it later.",
      nothingDone: true,
    });
  if (what === "too_large") return tooLarge();
  if (what === "policy" || code === "url_invalid") return refused(message);
  return upstream(message);
}

const refused = (message: string) =>
  fail("invalid_input", message, { at: "url", hint: "Name a public https address of an image." });

const upstream = (message: string) =>
  fail("upstream_error", message, {
    hint: "Nothing was stored. Try it later, or another address.",
    nothingDone: true,
  });
