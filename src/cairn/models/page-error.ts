/** A 200 with a page instead of an answer, as gateways and proxies send it. Its text is compared with known phrases and never shown. */

/** characters of a page that are looked at */
const HEAD_CHARS = 8_192;

/** A page that is unrelated to the request is a temporary network fault. */
export class PageError extends Error {
  override readonly name = "PageError";
  readonly isRetryable = true;
  /** the status that the page names, where it names one */
  readonly statusCode: number | undefined;

  constructor(page: string) {
    const head = page.slice(0, HEAD_CHARS);
    super(visibleText(head));
    this.statusCode = statusIn(head);
  }
}

/** The text of a page without its tags, styles and scripts. */
function visibleText(head: string): string {
  let words = "";
  let hidden = "";
  for (const piece of head.split("<")) {
    const tag = /^(\/?)(style|script|svg)\b/i.exec(piece);
    const name = tag?.[2]?.toLowerCase() ?? "";
    if (hidden === "" && name !== "" && tag?.[1] === "") hidden = name;
    else if (hidden !== "" && name === hidden && tag?.[1] === "/") hidden = "";
    if (hidden !== "") continue;
    const end = piece.indexOf(">");
    words += words === "" || end >= 0 ? ` ${piece.slice(end + 1)}` : ` ${piece}`;
  }
  return words.replace(/\s+/g, " ").trim();
}

/** Phrases of pages, with the status that their server would have sent with an honest answer. */
const PHRASES: readonly (readonly [RegExp, number])[] = [
  // Cloudflare numbers its pages: https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-1xxx-errors/
  [
    /\berror(?: code)?:? ?1015\b|you are being rate limited|too many requests|rate.?limit(?:ed| exceeded)/i,
    429,
  ],
  [/\berror(?: code)?:? ?10(?:06|07|08|09|10|12|20)\b|access denied|forbidden|unauthori[sz]ed/i, 403],
  [/authorization required|authentication required|invalid (?:api )?key|\b(?:sign|log) ?in\b/i, 401],
  [/request entity too large|payload too large/i, 413],
  [/bad gateway|no healthy upstream|temporarily unavailable|service unavailable|under maintenance/i, 503],
  [/gateway time-?out/i, 504],
  [/bad request/i, 400],
];

/** A status next to its usual words: "502 Bad Gateway", "example.com | 504: Gateway time-out", "error code: 522". */
function statusIn(head: string): number | undefined {
  if (/<input[^>]{0,200}\btype=["']?password/i.test(head)) return 401;
  const words = visibleText(head).slice(0, 1_000);
  const named =
    /\b(?:error|status|code|http(?:\/\d(?:\.\d)?)?)[ :#]{1,3}(?:code[ :]{1,2})?([45]\d\d)\b/i.exec(words) ??
    /(?:^|[\s|(])([45]\d\d)[:\s-]{1,3}(?:bad|unauth|auth|payment|forbidden|not|request|too|internal|service|gateway|temporar|error|web server|connection|origin|access)/i.exec(
      words,
    );
  if (named !== null) return Number(named[1]);
  return PHRASES.find(([phrase]) => phrase.test(words))?.[1];
}
