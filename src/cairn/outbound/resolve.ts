import { readJson } from "../core/log/json.ts";
import * as z from "zod";
import { err, ok, type Result } from "../core/log/result.ts";
import type { WebAccess } from "./access.ts";
import type { FetchFault } from "./fetch-fault.ts";
import { readBytes } from "../core/bytes.ts";
import { judgeAddress } from "./safe-address.ts";

/**
 * Where a name leads, asked of a resolver over HTTPS before the name is reached. One address that is refused refuses the
 * name, and a resolver that does not answer refuses every name: nothing is reached that was not looked at.
 */

/** A and AAAA, by the numbers of RFC 1035 and RFC 3596. */
const TYPES = [
  { name: "A", number: 1 },
  { name: "AAAA", number: 28 },
] as const;
const NO_SUCH_NAME = 3;
/** answers to one question that are looked at; a name with more is refused */
const ADDRESSES_MAX = 64;
const ANSWER_BYTES_MAX = 65_536;

const answer = z.object({
  Status: z.number(),
  Answer: z.array(z.object({ type: z.number(), data: z.string() })).optional(),
});

/** One for a call of a tool: a name is asked for once in it. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<Result<null, FetchFault>>;

export function createResolve(web: Pick<WebAccess, "fetch" | "dnsUrl">): Resolve {
  const known = new Map<string, Result<null, FetchFault>>();
  return async (host, signal) => {
    const before = known.get(host);
    if (before !== undefined) return before;
    const judged = await judgeName(web, host, signal);
    // A host that did not answer may answer at the next try.
    if (judged.ok || judged.error.class !== "network") known.set(host, judged);
    return judged;
  };
}

async function judgeName(
  web: Pick<WebAccess, "fetch" | "dnsUrl">,
  host: string,
  signal: AbortSignal,
): Promise<Result<null, FetchFault>> {
  const replies = await Promise.all(TYPES.map(({ name, number }) => ask(web, host, name, number, signal)));
  const addresses: string[] = [];
  for (const one of replies) {
    if (!one.ok) return one;
    addresses.push(...one.value);
  }
  if (addresses.length === 0)
    return err({ class: "not_found", code: "unknown_host", message: `${host} is not known.` });
  for (const address of addresses) {
    const verdict = judgeAddress(address);
    if (!verdict.ok)
      return err({ class: "policy", code: verdict.code, message: `${host} leads to ${verdict.why}.` });
  }
  return ok(null);
}

async function ask(
  { fetch, dnsUrl }: Pick<WebAccess, "fetch" | "dnsUrl">,
  host: string,
  type: string,
  number: number,
  signal: AbortSignal,
): Promise<Result<readonly string[], FetchFault>> {
  const silent = (why: string): Result<never, FetchFault> =>
    err({ class: "network", code: "dns_unavailable", message: `${host} could not be looked up: ${why}.` });
  let bytes: Uint8Array | null;
  try {
    const url = new URL(dnsUrl);
    url.searchParams.set("name", host);
    url.searchParams.set("type", type);
    const headers = { accept: "application/dns-json" };
    const response = await fetch(url.href, { redirect: "manual", signal, headers });
    if (!response.ok) {
      await response.body?.cancel();
      return silent(`the resolver answered ${response.status}`);
    }
    bytes = await readBytes(response.body, ANSWER_BYTES_MAX);
  } catch (error) {
    if (signal.aborted) throw error;
    return silent("the resolver did not answer");
  }
  const parsed = bytes === null ? null : answer.safeParse(readJson(new TextDecoder().decode(bytes)));
  if (parsed?.success !== true) return silent("the resolver answered something else");
  const { Status: status, Answer: answers = [] } = parsed.data;
  if (status === NO_SUCH_NAME) return ok([]);
  if (status !== 0 || answers.length > ADDRESSES_MAX) return silent(`the resolver says ${status}`);
  // The answer also contains the names on the way to the addresses.
  return ok(answers.filter((one) => one.type === number).map((one) => one.data.trim()));
}
