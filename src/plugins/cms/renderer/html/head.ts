import type { Json } from "../../../../cairn/core/log/json.ts";
import type { SiteContext, SiteImage } from "../context.ts";
import { attribute, html, type Html } from "./html.ts";
import { renderJsonLd } from "./markdown.ts";

/** Metadata of a page for browsers, search engines and link previews. */
export interface About {
  /** before it goes through the title template; null: the name of the site alone */
  readonly title: string | null;
  readonly description: string | null;
  /** path of the one address of this content, without a preview's token; null when it has none */
  readonly canonical: string | null;
  readonly image: SiteImage | null;
  readonly indexing: boolean;
  readonly kind: "website" | "article";
  readonly data?: Json;
}

/** The content of `<head>`. */
export function renderHead(about: About, context: SiteContext): Html {
  const { site, preview, alternates, origin } = context;
  const title = fullTitle(about.title, context);
  const description = about.description ?? context.description;
  const canonical = about.canonical === null ? null : origin + about.canonical;
  const hidden = preview !== null || !about.indexing;
  const last = context.locales.at(-1);
  const fallback = alternates.find((one) => one.locale === last);
  return html`<meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    ${named("description", description)} ${hidden ? named("robots", "noindex, nofollow") : null}
    ${canonical === null || preview !== null ? null : html`<link rel="canonical" href="${canonical}" />`}
    ${
      alternates.length < 2 || preview !== null
        ? null
        : html`${alternates.map((one) => html`<link rel="alternate" hreflang="${one.locale}" href="${origin + one.path}" />`)}
          ${fallback === undefined ? null : html`<link rel="alternate" hreflang="x-default" href="${origin + fallback.path}" />`}`
    }
    ${open("og:type", about.kind)} ${open("og:site_name", site.name)}
    ${open("og:title", about.title ?? title)} ${open("og:description", description)}
    ${open("og:url", canonical)} ${renderShareImage(raster(about.image) ?? raster(context.ogImage), context)}
    ${site.logo === null ? null : html`<link rel="icon" href="${site.logo.path}" type="${site.logo.mediaType}" />`}
    <link rel="stylesheet" href="/site/assets/site.css" />
    <link rel="stylesheet" href="${context.root}assets/theme.css" />
    ${about.data === undefined ? null : renderJsonLd(about.data)}`;
}

/** The title through the template of the site; a page that is called like the site is not called so twice. */
function fullTitle(title: string | null, context: SiteContext): string {
  if (title === null || title === context.site.name) return context.site.name;
  const template = context.titleTemplate;
  return template?.includes("%s") === true ? template.replace("%s", () => title) : title;
}

/**
 * The one address of a content. One without a translation shows that of a fallback, so its address is the one in that
 * language.
 */
export function canonicalPath(kind: "page" | "entry", id: string, context: SiteContext): string | null {
  const own = context.locales.flatMap((locale) => context.alternates.filter((one) => one.locale === locale));
  return own[0]?.path ?? context.pathOf(kind, id);
}

/** An image that social networks can show: they do not show drawings in SVG. */
export function raster(image: SiteImage | null): SiteImage | null {
  return image === null || image.mediaType === "image/svg+xml" ? null : image;
}

function renderShareImage(image: SiteImage | null, context: SiteContext): Html {
  if (image === null) return html`${named("twitter:card", "summary")}`;
  return html`${open("og:image", context.origin + image.path)} ${open("og:image:width", image.width)}
  ${open("og:image:height", image.height)} ${open("og:image:alt", image.alt === "" ? null : image.alt)}
  ${named("twitter:card", "summary_large_image")}`;
}

function named(name: string, content: string | null): Html | null {
  return content === null ? null : html`<meta name="${name}" ${attribute("content", content)} />`;
}

function open(property: string, content: string | number | null): Html | null {
  return content === null ? null : html`<meta property="${property}" ${attribute("content", content)} />`;
}
