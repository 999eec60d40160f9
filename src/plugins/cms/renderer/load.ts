import { isEmpty } from "../model/values.ts";
import type { ByLocale, Content, EntryDocument, PublishedDocument } from "../model/document.ts";
import { isObject, type Json, ownValue } from "../../../cairn/core/log/json.ts";
import { wantedInDocument } from "../checks/facts.ts";
import type { PreviewGrant } from "./preview.ts";
import { localeChain } from "../edit/read-shape.ts";
import { siteRoot } from "../model/environment.ts";
import type { CmsServices, SettingKey } from "../model/types.ts";
import { collectionPath, inLocale } from "./address.ts";
import type { EntryCard, SiteContext } from "./context.ts";
import type { Documents } from "./pages/documents.ts";
import { entriesById, pagesById, linkTargetOf, type Frame } from "./html/frame.ts";
import { imagesById, imageQueries } from "./html/images.ts";
import { navLinks } from "./nav.ts";
import { isVisible, pathOfTarget, type Found } from "./target.ts";
import { batchOf } from "../storage/rows.ts";

export interface RenderRequest {
  readonly found: Found;
  readonly grant: PreviewGrant | null;
  /** `preview=<token>`, when there is a grant */
  readonly query: string;
  /** origin of the request */
  readonly origin: string;
}

/** Loads what the templates may know: the images of the documents, and the paths of everything that they link to. One read. */
export async function loadContext(
  services: CmsServices,
  frame: Frame,
  documents: Documents,
  { found, grant, query, origin }: RenderRequest,
): Promise<SiteContext> {
  const { environment, settings, templates } = frame;
  const { locale, target } = found;
  const locales = localeChain(environment, locale);
  const value = (key: SettingKey) => settings.get(key)?.value ?? {};
  const [identity, seo] = [value("identity"), value("seo")];
  const shown = [documents.page, documents.entry, ...documents.entries].filter((one) => one !== null);
  const all: PublishedDocument[] = documents.layout === null ? shown : [...shown, documents.layout];
  const wanted = all.flatMap((one) => wantedInDocument(one, frame));
  const idsOf = (type: string) => wanted.filter((one) => one.type === type).map((one) => one.ref);
  const navIds = frame.nav.flatMap((one) => ("id" in one.target ? [one.target.id] : []));
  const linked = (type: "page" | "entry") =>
    JSON.stringify([
      ...idsOf(type),
      ...navIds,
      ...shown.filter((one) => one.type === type).map((one) => one.id),
    ]);
  const [logo, ogImage] = [imageIdIn(identity.logo), imageIdIn(seo.ogImage)];
  const imageIds = [...idsOf("image"), ...[logo, ogImage].filter((one) => one !== null)];

  const set = services.changeSet?.id ?? "";
  const [pages = [], entries = [], ...imageRows] = await batchOf(services, [
    [pagesById, services.env, linked("page"), set],
    [entriesById, services.env, linked("entry"), set],
    ...imageQueries(services.env, imageIds),
  ]);
  const images = imagesById(imageRows, locales);
  const paths = new Map<string, string | null>([
    ...[...frame.collections.values()].map(
      (one) => [`collection:${one.id}`, collectionPath(one.slug, environment)] as const,
    ),
    ...[...pages, ...entries]
      .map(linkTargetOf)
      .filter((target) => isVisible(target, grant))
      .map((target) => [`${target.kind}:${target.id}`, pathOfTarget(target, frame)] as const),
  ]);
  const pathOf: SiteContext["pathOf"] = (kind, id) => {
    const path = paths.get(`${kind}:${id}`) ?? null;
    return path === null ? null : inLocale(path, locale, environment);
  };
  const currentPath = "path" in target ? target.path : null;
  const nav = navLinks(frame.nav, { locales, pathOf, currentPath });
  return {
    site: {
      name: textIn(identity.title) ?? environment.siteName,
      tagline: textIn(identity.tagline),
      logo: logo === null ? null : (images.get(logo) ?? null),
    },
    root: siteRoot(environment.id),
    locales,
    alternates: alternatesOf(frame, found, shown),
    headerNav: nav.header,
    footerNav: nav.footer,
    layout: documents.layout,
    templates,
    images,
    pathOf,
    accent: accentOf(frame),
    titleTemplate: textIn(seo.titleTemplate),
    description: textIn(seo.description),
    ogImage: ogImage === null ? null : (images.get(ogImage) ?? null),
    origin: originOf(frame, origin),
    preview: documents.isDraft ? { query } : null,
  };
}

/** The origin of absolute links: the site's own when it has one. */
export function originOf({ environment }: Frame, requestOrigin: string): string {
  return (environment.baseUrl ?? requestOrigin).replace(/\/+$/, "");
}

/** `#rrggbb`, or null: what is no colour never reaches the style. */
export function accentOf({ settings }: Frame): string | null {
  const accent = settings.get("theme")?.value.accent;
  return typeof accent === "string" && /^#[0-9a-f]{6}$/i.test(accent) ? accent : null;
}

/** True if the document has any text in this language. */
function isTranslated(document: PublishedDocument, locale: string): boolean {
  const hasText = (content: ByLocale<Content>): boolean =>
    Object.values(ownValue(content, locale) ?? {}).some((value) => !isEmpty(value));
  if (document.type === "entry") return hasText(document.content);
  return hasText(document.meta) || document.sections.some((one) => !one.hidden && hasText(one.content));
}

function alternatesOf(
  { environment }: Frame,
  { locale: shownLocale, target }: Found,
  shown: readonly PublishedDocument[],
): SiteContext["alternates"] {
  if (!("path" in target)) return [];
  const { defaultLocale } = environment;
  const root = siteRoot(environment.id);
  const path =
    shownLocale === defaultLocale ? target.path : target.path.replace(`${root}${shownLocale}/`, root);
  return environment.locales
    .filter(({ active }) => active)
    .filter(({ code, isDefault }) => isDefault || shown.some((one) => isTranslated(one, code)))
    .map(({ code, name }) => ({ locale: code, name, path: inLocale(path, code, environment) }));
}

/** The entries as cards, in the language of the context. */
export function cardsOf(entries: readonly EntryDocument[], context: SiteContext): EntryCard[] {
  return entries.flatMap((entry) => {
    const path = context.pathOf("entry", entry.id);
    const text = (key: string): string =>
      context.locales
        .map((locale) => textIn(ownValue(ownValue(entry.content, locale), key)))
        .find((one) => one !== null) ?? "";
    const { cover, category, publishedAt } = entry;
    const image = cover === null ? null : (context.images.get(cover) ?? null);
    const card = { title: text("title"), excerpt: text("excerpt"), cover: image, category, publishedAt };
    return path === null ? [] : [{ path, ...card }];
  });
}

function textIn(value: Json | undefined): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

function imageIdIn(value: Json | undefined): string | null {
  if (isObject(value)) return textIn(value.image);
  return textIn(value);
}
