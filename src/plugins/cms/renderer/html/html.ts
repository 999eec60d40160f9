import { html } from "hono/html";
import type { SiteImage } from "../context.ts";

/** The markup that every template is made of. `html` escapes what it is given; nothing here switches that off. */

export { html };
export type Html = ReturnType<typeof html>;

/** A text with the language that it is in, `null` when that is the language of the page. */
export interface Text {
  readonly text: string;
  readonly lang: string | null;
}

/** An image in its place, with the alternative text that it has there. */
export interface Picture {
  readonly image: SiteImage;
  readonly alt: string;
  /** language of `alt`, `null` when that is the language of the page */
  readonly lang: string | null;
}

export type HeadingLevel = 1 | 2 | 3 | 4 | 5 | 6;

interface ImageOptions {
  /** the displayed width of the image, in the syntax of the `sizes` attribute */
  readonly sizes: string;
  /** the main image of the page: fetched first, not lazily */
  readonly first?: boolean;
  readonly className?: string;
}

/** An attribute with a space before it, or nothing when the value is null. */
export function attribute(name: string, value: string | number | null): Html | null {
  return value === null ? null : html` ${name}="${value}"`;
}

/** The `lang` attribute of a text that fell back to another language. */
export function lang(of: { readonly lang: string | null }): Html | null {
  return attribute("lang", of.lang);
}

export function levelBelow(level: HeadingLevel): HeadingLevel {
  const below = { 1: 2, 2: 3, 3: 4, 4: 5, 5: 6, 6: 6 } as const;
  return below[level];
}

/** A heading, or nothing when there is no text for it. */
export function heading(level: HeadingLevel, title: Text | null, className: string): Html | null {
  if (title === null) return null;
  const attributes = html`class="${className}"${lang(title)}`;
  switch (level) {
    case 1:
      return html`<h1 ${attributes}>${title.text}</h1>`;
    case 2:
      return html`<h2 ${attributes}>${title.text}</h2>`;
    case 3:
      return html`<h3 ${attributes}>${title.text}</h3>`;
    default:
      return html`<h4 ${attributes}>${title.text}</h4>`;
  }
}

/** `path 480w, …` of the smaller renditions and the original; null when there is nothing to choose from. */
export function sourceSet(image: SiteImage): string | null {
  if (image.variants.length === 0 || image.width === null) return null;
  const original = { path: image.path, width: image.width };
  return [...image.variants, original].map(({ path, width }) => `${path} ${width}w`).join(", ");
}

/** An image with everything that keeps the page from jumping or loading more than it shows. */
export function picture({ image, alt, lang: language }: Picture, options: ImageOptions): Html {
  const sources = sourceSet(image);
  const first = options.first === true;
  return html`<img${attribute("class", options.className ?? null)}
    src="${image.path}"
    ${attribute("srcset", sources)}${attribute("sizes", sources === null ? null : options.sizes)}${attribute("width", image.width)}${attribute("height", image.height)}
    alt="${alt}"
    ${attribute("lang", alt === "" ? null : language)}
    loading="${first ? "eager" : "lazy"}"
    ${attribute("fetchpriority", first ? "high" : null)}
    decoding="async"
  />`;
}
