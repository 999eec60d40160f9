import { Parser } from "htmlparser2";
import type { PageLink } from "../../../core/log/receipt.ts";

/**
 * The main text of an HTML page, with its title, date and links. What a reader does not read is left out: scripts, menus,
 * forms, what stands around the text, and what the page hides, where words for models alone would be.
 */

export interface HtmlPage {
  readonly title: string;
  readonly date: string | null;
  /** a line for each block */
  readonly text: string;
  readonly links: readonly PageLink[];
}

export const LINKS_MAX = 60;
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
const VOID = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
const DATES = new Set([
  ...[
    "article:published_time",
    "datepublished",
    "date",
    "dc.date",
    "dc.date.issued",
    "citation_publication_date",
  ],
  ...["pubdate", "publish-date", "article:modified_time", "last-modified"],
]);

interface Line {
  readonly text: string;
  readonly main: boolean;
  /** characters of it that are links */
  readonly linked: number;
}

type Attributes = Readonly<Record<string, string | undefined>>;

/** Never throws: whatever the text is, something is read. `base`: where the page was found. */
export function readHtml(html: string, base: string): HtmlPage {
  const page = new Reader(base);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => page.open(name, attributes),
      onclosetag: (name) => page.close(name),
      ontext: (text) => page.text(text),
    },
    { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  );
  parser.write(html);
  parser.end();
  return page.end();
}

class Reader {
  #base: string;
  /** elements that are open; `skips` where nothing of one is read */
  readonly #open: { readonly name: string; readonly skips: boolean; readonly main: boolean }[] = [];
  #skipped = 0;
  #main = 0;
  #line = "";
  #linked = 0;
  #lineIsMain = false;
  readonly #lines: Line[] = [];
  #link: { readonly url: string; text: string; readonly main: boolean } | null = null;
  readonly #links: (PageLink & { readonly main: boolean })[] = [];
  #inTitle = false;
  #title = "";
  #heading = "";
  #shared = "";
  #date: string | null = null;

  constructor(base: string) {
    this.#base = base;
  }

  open(name: string, attributes: Attributes): void {
    if (name === "meta") this.#meta(attributes);
    if (name === "base" && attributes["href"] !== undefined)
      this.#base = absolute(attributes["href"], this.#base) ?? this.#base;
    if (name === "title" && this.#skipped === 0) this.#inTitle = true;
    if (name === "time") this.#date ??= attributes["datetime"]?.trim() || null;
    if (VOID.has(name)) {
      if (BLOCKS.has(name)) this.#endLine();
      return;
    }
    const skips = SKIPPED.has(name) || isHidden(attributes) || (name === "header" && this.#main === 0);
    const main = name === "main" || name === "article" || attributes["role"] === "main";
    if (BLOCKS.has(name)) this.#endLine();
    this.#open.push({ name, skips, main });
    if (skips) this.#skipped++;
    if (main) this.#main++;
    if (this.#skipped > 0) return;
    if (/^h[1-6]$/.test(name)) this.#write(`${"#".repeat(Number(name[1]))} `);
    else if (name === "li") this.#write("- ");
    else if ((name === "td" || name === "th") && this.#line.trim() !== "") this.#write(" | ");
    if (name === "a") {
      const url = absolute(attributes["href"] ?? "", this.#base);
      this.#link = url === null ? null : { url, text: "", main: this.#main > 0 };
    }
  }

  close(name: string): void {
    if (name === "title") this.#inTitle = false;
    if (name === "a" && this.#link !== null) {
      const { url, text, main } = this.#link;
      const said = text.replace(/\s+/gu, " ").trim().slice(0, LINK_CHARS_MAX);
      if (said !== "") this.#links.push({ url, text: said, main });
      this.#link = null;
    }
    if (VOID.has(name)) return;
    if (BLOCKS.has(name)) this.#endLine();
    const place = this.#open.findLastIndex((one) => one.name === name);
    if (place < 0) return;
    for (const { skips, main } of this.#open.splice(place)) {
      if (skips) this.#skipped--;
      if (main) this.#main--;
    }
  }

  text(text: string): void {
    if (this.#inTitle) {
      this.#title += text;
      return;
    }
    if (this.#skipped > 0 || this.#open.some(({ name }) => name === "head")) return;
    if (this.#heading === "" && this.#open.some(({ name }) => name === "h1")) this.#heading = text.trim();
    if (this.#link !== null) {
      this.#link.text += text;
      this.#linked += text.trim().length;
    }
    this.#write(text);
  }

  end(): HtmlPage {
    this.#endLine();
    const main = this.#lines.filter((line) => line.main);
    const isMain = main.reduce((sum, line) => sum + line.text.length, 0) >= MAIN_CHARS_MIN;
    const lines = (isMain ? main : this.#lines).filter((line) => !isMenu(line));
    const links = new Map<string, PageLink>();
    for (const { url, text, main: inMain } of this.#links)
      if ((inMain || !isMain) && !links.has(url) && links.size < LINKS_MAX) links.set(url, { text, url });
    const title = [this.#shared, this.#title, this.#heading].find((one) => one.trim() !== "") ?? "";
    return {
      title: title.replace(/\s+/gu, " ").trim(),
      date: this.#date,
      text: lines.map(({ text }) => text).join("\n"),
      links: [...links.values()],
    };
  }

  #meta(attributes: Attributes): void {
    const name = (attributes["property"] ?? attributes["name"] ?? attributes["itemprop"] ?? "").toLowerCase();
    const content = attributes["content"]?.trim() ?? "";
    if (content === "") return;
    if (name === "og:title") this.#shared = content;
    else if (DATES.has(name)) this.#date ??= content;
  }

  #write(text: string): void {
    if (this.#line === "") this.#lineIsMain = this.#main > 0;
    this.#line += text;
  }

  #endLine(): void {
    const text = this.#line.replace(/\s+/gu, " ").trim();
    // A mark of a list or a heading without words is nothing.
    if (text !== "" && !/^(?:-|#+)$/.test(text))
      this.#lines.push({ text, main: this.#lineIsMain, linked: this.#linked });
    this.#line = "";
    this.#linked = 0;
  }
}

const isMenu = ({ text, linked }: Line): boolean =>
  text.length <= MENU_CHARS_MAX && !text.startsWith("#") && linked > MENU_LINK_SHARE * text.length;

function isHidden(attributes: Attributes): boolean {
  const style = (attributes["style"] ?? "").replace(/\s/g, "").toLowerCase();
  return (
    attributes["hidden"] !== undefined ||
    attributes["aria-hidden"] === "true" ||
    SKIPPED_ROLES.has(attributes["role"] ?? "") ||
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
