import type { SectionDocument } from "../../model/document.ts";
import type { SiteContext } from "../context.ts";
import { attribute, html, lang, type HeadingLevel, type Html, type Text } from "../html/html.ts";
import { renderMarkdown } from "../html/markdown.ts";
import type { Values } from "../html/values.ts";

/** The position of a section: its heading level, and if its image is the first visible one. */
export interface SectionPosition {
  readonly level: HeadingLevel;
  readonly first: boolean;
}

export type Renderer = (section: SectionDocument, context: SiteContext, position: SectionPosition) => Html;

/** A link that looks like a button. Text and target come together: without one of them there is none. */
export function button(values: Values, text: string, link: string, className: string): Html | null {
  const label = values.text(text);
  const address = values.link(link);
  if (label === null || address === null) return null;
  return html`<a
    class="button ${className}"
    href="${address.href}"
    ${attribute("rel", address.external ? "noopener" : null)}${lang(label)}
    >${label.text}</a
  >`;
}

export function paragraph(text: Text | null, className: string): Html | null {
  return text === null ? null : html`<p class="${className}" ${lang(text)}>${text.text}</p>`;
}

/** A markdown text whose headings go on below `level`. */
export function prose(source: Text | null, level: HeadingLevel, context: SiteContext): Html | null {
  if (source === null) return null;
  return html`<div class="prose" ${lang(source)}>${renderMarkdown(source.text, level, context)}</div>`;
}
