/**
 * Whether a mail is from whom it says, by what the server that received it has found (RFC 8601). A mail brings such headers of its
 * own at will, so only the topmost counts, and only where it names that server.
 */

export interface MailHeader {
  /** in lower case */
  readonly key: string;
  readonly value: string;
}

interface Finding {
  readonly method: string;
  readonly result: string;
  /** such as `header.from` */
  readonly properties: ReadonlyMap<string, string>;
}

/**
 * `domain` is that of the one address in `From`; `server` is null where nobody has said who receives. DMARC counts, or a signature
 * of the domain. SPF does not: it says which servers may send, and many domains share one. Its findings also repeat words of
 * whoever sends (the greeting, the envelope), which could look like findings: nothing behind the first of them is read.
 */
export function isAuthentic(headers: readonly MailHeader[], domain: string, server: string | null): boolean {
  const top = headers.find(({ key }) => key === "authentication-results")?.value;
  if (top === undefined || server === null || domain === "") return false;
  const [named = "", ...rest] = withoutComments(top).split(";");
  if (named.trim().split(/\s+/)[0]?.toLowerCase() !== server.toLowerCase()) return false;
  const all = rest.flatMap(readFinding);
  const spf = all.findIndex(({ method }) => method === "spf");
  const findings = spf === -1 ? all : all.slice(0, spf);
  const dmarc = findings.filter(({ method }) => method === "dmarc");
  if (dmarc.length > 1 || dmarc.some(({ result }) => result === "fail")) return false;
  return findings.some(({ method, result, properties }) => {
    if (result !== "pass") return false;
    if (method === "dmarc") return properties.get("header.from") === domain;
    return method === "dkim" && isAligned(domain, properties.get("header.d") ?? properties.get("header.i"));
  });
}

/** The domain itself, or one above it: whoever signs for that may speak for what is below. */
function isAligned(domain: string, signer: string | undefined): boolean {
  const of = signer?.slice(signer.lastIndexOf("@") + 1) ?? "";
  return of.includes(".") && (domain === of || domain.endsWith(`.${of}`));
}

function readFinding(text: string): readonly Finding[] {
  const [, method = "", result = ""] = /^\s*([a-z-]+)(?:\/\d+)?\s*=\s*([a-z]+)/i.exec(text) ?? [];
  if (method === "") return [];
  const properties = new Map<string, string>();
  for (const [, name = "", value = ""] of text.matchAll(/([a-z]+\.[a-z-]+)\s*=\s*("[^"]*"|[^\s;]+)/gi))
    if (!properties.has(name.toLowerCase()))
      properties.set(name.toLowerCase(), value.replaceAll('"', "").toLowerCase());
  return [{ method: method.toLowerCase(), result: result.toLowerCase(), properties }];
}

/** What stands in parentheses is for people, and may hold anything. An open one swallows the rest. */
function withoutComments(text: string): string {
  let depth = 0;
  let left = "";
  for (const sign of text) {
    if (sign === "(") depth += 1;
    else if (sign === ")") depth = Math.max(0, depth - 1);
    else if (depth === 0) left += sign;
  }
  return left;
}
