import { startOf } from "../core/text/cut.ts";
import type { PageLink } from "../core/log/receipt.ts";
import type { MarkupHandler } from "./markup.ts";
import { readFlattened } from "./shadow-roots.ts";

/**
 * The main text of an HTML page, with its title, date and links. Left out is whatever a reader does not see: scripts,
 * menus, forms, surrounding text, and hidden parts, which could hold text for models only.
 */

export interface HtmlPage {
  readonly title: string;
  readonly date: string | null;
  /** a line for each block */
  readonly text: string;
  readonly links: readonly PageLink[];
  /** the page has more than was read of it */
  readonly cut: boolean;
}

/** characters of all lines of a page; reading stops behind them */
const TEXT_CHARS_MAX = 1_000_000;
const LINES_MAX = 100_000;
const TITLE_CHARS_MAX = 1_000;
export const LINKS_MAX = 60;
/** links that are looked at to find those */
const LINKS_SEEN_MAX = 5_000;
const LINK_CHARS_MAX = 120;
/** a main part that is shorter is none: the page is taken whole */
const MAIN_CHARS_MIN = 200;
/** lines that are mostly links, and not longer, are a menu */
const MENU_LINK_SHARE = 0.7;
const MENU_CHARS_MAX = 240;

const SKIPPED = new Set(
  (
    "script style noscript template svg math iframe object embed canvas audio video nav aside footer form button select " +
    "option textarea dialog menu"
  ).split(" "),
);
const SKIPPED_ROLES = new Set([
  "navigation",
  "banner",
  "contentinfo",
  "search",
  "complementary",
  "dialog",
  "menu",
]);
const BLOCKS = new Set(
  (
    "address article blockquote body br caption dd details div dl dt fieldset figcaption figure h1 h2 h3 h4 h5 h6 header hr " +
    "li main ol p pre section summary table tbody tfoot thead tr ul"
  ).split(" "),
);
const DATES = new Set([
  "article:published_time",
  "datepublished",
  "date",
  "dc.date",
  "dc.date.issued",
  "citation_publication_date",
  "pubdate",
  "publish-date",
  "article:modified_time",
  "last-modified",
]);

interface Line {
  readonly text: string;
  readonly main: boolean;
  /** characters of it that are links */
  readonly linked: number;
}

/** Never throws: whatever the text is, something is read. `base`: where the page was found. */
export function readHtml(html: string, base: string): HtmlPage {
  const page = new Reader(base);
  const isWhole = readFlattened(html, page);
  return page.end(!isWhole);
}

interface Element {
  readonly name: string;
  /** nothing of it is read */
  readonly skips: boolean;
  readonly main: boolean;
}

class Reader implements MarkupHandler {
  #base: string;
  readonly #open: Element[] = [];
  #skipped = 0;
  #main = 0;
  #heads = 0;
  #headings = 0;
  #titles = 0;
  #line: string[] = [];
  #lineChars = 0;
  #linked = 0;
  #lineIsMain = false;
  readonly #lines: Line[] = [];
  /** characters of all lines */
  #chars = 0;
  #link: { readonly url: string; readonly text: string[]; readonly main: boolean } | null = null;
  #linksSeen = 0;
  readonly #links = new Map<string, PageLink>();
  readonly #mainLinks = new Map<string, PageLink>();
  readonly #title: string[] = [];
  #titleChars = 0;
  #heading = "";
  #shared = "";
  #date: string | null = null;

  constructor(base: string) {
    this.#base = base;
  }

  isDone(): boolean {
    return this.#chars + this.#lineChars > TEXT_CHARS_MAX || this.#lines.length > LINES_MAX;
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    const href = attributes.get("href");
    if (name === "meta") this.#meta(attributes);
    if (name === "base" && href !== undefined) this.#base = absolute(href, this.#base) ?? this.#base;
    if (name === "title" && this.#skipped === 0) this.#titles++;
    if (name === "time") this.#date ??= attributes.get("datetime")?.trim() || null;
    if (BLOCKS.has(name)) this.#endLine();
    const skips = SKIPPED.has(name) || isHidden(attributes) || (name === "header" && this.#main === 0);
    const main = name === "main" || name === "article" || attributes.get("role") === "main";
    this.#open.push({ name, skips, main });
    if (skips) this.#skipped++;
    if (main) this.#main++;
    if (name === "head") this.#heads++;
    if (name === "h1") this.#headings++;
    if (this.#skipped > 0) return;
    if (/^h[1-6]$/.test(name)) this.#write(`${"#".repeat(Number(name[1]))} `);
    else if (name === "li") this.#write("- ");
    else if ((name === "td" || name === "th") && this.#lineChars > 0) this.#write(" | ");
    if (name === "a") this.#beginLink(href ?? "");
  }

  close(name: string): void {
    const element = this.#open.pop();
    if (name === "title") this.#titles = 0;
    if (name === "a") this.#endLink();
    if (name === "head") this.#heads--;
    if (name === "h1") this.#headings--;
    if (BLOCKS.has(name)) this.#endLine();
    if (element?.skips === true) this.#skipped--;
    if (element?.main === true) this.#main--;
  }

  text(text: string): void {
    if (this.#titles > 0) {
      if (this.#titleChars < TITLE_CHARS_MAX) this.#title.push(text);
      this.#titleChars += text.length;
      return;
    }
    if (this.#skipped > 0 || this.#heads > 0) return;
    if (this.#heading === "" && this.#headings > 0) this.#heading = text.trim();
    if (this.#link !== null) {
      this.#link.text.push(text);
      this.#linked += text.trim().length;
    }
    this.#write(text);
  }

  /** `isCut`: not all of the page was read. */
  end(isCut: boolean): HtmlPage {
    this.#endLine();
    const main = this.#lines.filter((line) => line.main);
    const isMain = main.reduce((sum, line) => sum + line.text.length, 0) >= MAIN_CHARS_MIN;
    const lines = (isMain ? main : this.#lines).filter((line) => !isMenu(line));
    const links = isMain ? this.#mainLinks : this.#links;
    const title = [this.#shared, this.#title.join(""), this.#heading].find((one) => one.trim() !== "") ?? "";
    return {
      title: title.replace(/\s+/gu, " ").trim(),
      date: this.#date,
      text: lines.map(({ text }) => text).join("\n"),
      links: [...links.values()],
      cut: isCut,
    };
  }

  #meta(attributes: ReadonlyMap<string, string>): void {
    const name = attributes.get("property") ?? attributes.get("name") ?? attributes.get("itemprop") ?? "";
    const content = attributes.get("content")?.trim() ?? "";
    if (content === "") return;
    if (name.toLowerCase() === "og:title") this.#shared = content;
    else if (DATES.has(name.toLowerCase())) this.#date ??= content;
  }

  #beginLink(href: string): void {
    if (++this.#linksSeen > LINKS_SEEN_MAX) return;
    const url = absolute(href, this.#base);
    this.#link = url === null ? null : { url, text: [], main: this.#main > 0 };
  }

  #endLink(): void {
    if (this.#link === null) return;
    const { url, text, main } = this.#link;
    this.#link = null;
    const words = startOf(text.join("").replace(/\s+/gu, " ").trim(), LINK_CHARS_MAX);
    if (words === "") return;
    for (const links of main ? [this.#links, this.#mainLinks] : [this.#links])
      if (!links.has(url) && links.size < LINKS_MAX) links.set(url, { text: words, url });
  }

  #write(text: string): void {
    if (this.#lineChars === 0) {
      if (text.trim() === "") return;
      this.#lineIsMain = this.#main > 0;
    }
    this.#line.push(text);
    this.#lineChars += text.length;
  }

  #endLine(): void {
    if (this.#lineChars === 0) {
      this.#linked = 0;
      return;
    }
    const text = this.#line.join("").replace(/\s+/gu, " ").trim();
    // A mark of a list or a heading without words is nothing.
    if (text !== "" && !/^(?:-|#+)$/.test(text)) {
      this.#lines.push({ text, main: this.#lineIsMain, linked: this.#linked });
      this.#chars += text.length + 1;
    }
    this.#line = [];
    this.#lineChars = 0;
    this.#linked = 0;
  }
}

const isMenu = ({ text, linked }: Line): boolean =>
  text.length <= MENU_CHARS_MAX && !text.startsWith("#") && linked > MENU_LINK_SHARE * text.length;

function isHidden(attributes: ReadonlyMap<string, string>): boolean {
  const style = (attributes.get("style") ?? "").replace(/\s/g, "").toLowerCase();
  return (
    attributes.has("hidden") ||
    attributes.get("aria-hidden") === "true" ||
    SKIPPED_ROLES.has(attributes.get("role") ?? "") ||
    /display:none|visibility:hidden|font-size:0(?:px)?(?:;|$)|opacity:0(?:;|$)/.test(style)
  );
}

function absolute(href: string, base: string): string | null {
  try {
    const url = new URL(href.trim(), base);
    url.hash = "";
    return href.trim() !== "" && /^https?:$/.test(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}
