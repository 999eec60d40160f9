import { accessOf, type AccessBindings, type WebAccess } from "../../../src/cairn/outbound/access.ts";
import type { Fetcher } from "../../../src/cairn/outbound/bindings.ts";

/** A resolver of the tests: it answers as one of the web does, what the test says. */

export const PUBLIC_ADDRESS = "93.184.215.14";
export const DNS_URL = "https://dns.example.net/dns-query";

/** DNS answers by name: PUBLIC_ADDRESS if the name is missing, unknown if it is null. */
export type Names = Readonly<Record<string, readonly string[] | null>>;

/** The question of a request to the resolver; null for any other request. */
export function questionOf(url: string): { readonly name: string; readonly type: string } | null {
  const { origin, pathname, searchParams } = new URL(url);
  if (origin + pathname !== DNS_URL) return null;
  return { name: searchParams.get("name") ?? "", type: searchParams.get("type") ?? "" };
}

export function answerTo({ name, type }: { readonly name: string; readonly type: string }, names: Names) {
  const addresses = names[name] === undefined ? [PUBLIC_ADDRESS] : names[name];
  if (addresses === null) return Response.json({ Status: 3 });
  const number = type === "A" ? 1 : 28;
  const own = addresses.filter((address) => address.includes(":") === (number === 28));
  const alias = { type: 5, data: "alias.example." };
  return Response.json({ Status: 0, Answer: [alias, ...own.map((data) => ({ type: number, data }))] });
}

/** Bindings that reduce the web to one function: names resolve here, and every other request goes to `fetcher`. */
export const webBindings = (fetcher: Fetcher, names: Names = {}): AccessBindings => ({
  WEB_DNS_URL: DNS_URL,
  fetcher: async (url, init) => {
    const question = questionOf(url);
    return question === null ? await fetcher(url, init) : answerTo(question, names);
  },
});

export const webOf = (
  fetcher: Fetcher,
  { names = {}, env = {} }: { readonly names?: Names; readonly env?: AccessBindings } = {},
): WebAccess => accessOf({ ...env, ...webBindings(fetcher, names) });
