/** A page of the corpus, and how it is written down as HTML. */

export type Block =
  | string
  | { readonly heading: string }
  | { readonly table: readonly (readonly string[])[] }
  | { readonly list: readonly string[] }
  | { readonly links: readonly { readonly text: string; readonly url: string }[] }
  /** text that is not displayed: a trap for a reader of the source */
  | { readonly hidden: string };

export interface Page {
  readonly url: string;
  readonly title: string;
  /** when it was written or last changed, such as `2026-04-02`; null if the page does not have it */
  readonly date: string | null;
  readonly blocks: readonly Block[];
}

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign);

/** The words of a page as its readers see them, a line for each block. */
export function textOf({ blocks }: Page): string {
  return blocks
    .flatMap((block): readonly string[] => {
      if (typeof block === "string") return [block];
      if ("heading" in block) return [block.heading];
      if ("table" in block) return block.table.map((row) => row.join(" | "));
      if ("list" in block) return block.list;
      return "links" in block ? block.links.map(({ text }) => text) : [];
    })
    .join("\n");
}

/** The whole document, with a menu and a foot around the article, as pages have them. */
export function htmlOf(page: Page): string {
  const { host } = new URL(page.url);
  const date = page.date === null ? "" : `<meta property="article:modified_time" content="${page.date}">`;
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(page.title)}</title>${date}</head>`,
    `<body><header><a href="/">${host}</a></header>`,
    '<nav><a href="/">Start</a> <a href="/news">News</a> <a href="/contact">Contact</a></nav>',
    `<main><article><h1>${escaped(page.title)}</h1>`,
    ...(page.date === null ? [] : [`<p>Last changed: <time datetime="${page.date}">${page.date}</time></p>`]),
    ...page.blocks.map(blockHtml),
    `</article></main><footer>${host}: all that is said here is invented.</footer></body></html>`,
  ].join("\n");
}

function blockHtml(block: Block): string {
  if (typeof block === "string") return `<p>${escaped(block)}</p>`;
  if ("heading" in block) return `<h2>${escaped(block.heading)}</h2>`;
  if ("hidden" in block) return `<div style="display:none">${escaped(block.hidden)}</div>`;
  if ("list" in block) return `<ul>${block.list.map((one) => `<li>${escaped(one)}</li>`).join("")}</ul>`;
  if ("links" in block)
    return block.links
      .map(({ text, url }) => `<p>See also: <a href="${escaped(url)}">${escaped(text)}</a>.</p>`)
      .join("");
  const [head = [], ...rows] = block.table;
  const row = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join("")}</tr>`;
  return `<table><thead>${row(head, "th")}</thead><tbody>${rows.map((cells) => row(cells, "td")).join("")}</tbody></table>`;
}
