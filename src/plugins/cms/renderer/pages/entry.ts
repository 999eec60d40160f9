import type { Json } from "../../../../cairn/core/log/json.ts";
import type { EntryDocument, Field } from "../../model/document.ts";
import type { EntryCard, SiteContext, SiteImage } from "../context.ts";
import { canonicalPath, raster } from "../html/head.ts";
import { attribute, html, lang, picture, type Html } from "../html/html.ts";
import { renderLayout } from "../layout.ts";
import { carryOn } from "../links.ts";
import { excerptOf } from "../html/markdown.ts";
import { paragraph, prose } from "../templates/parts.ts";
import { valuesOf, type Values } from "../html/values.ts";
import { layoutWords } from "../html/words.ts";

/** A collection as its pages need it. Without `fields` an entry is taken for a post with a body and tags. */
interface EntryCollection {
  readonly name: string;
  /** of the list, in the locale of the page */
  readonly path: string;
  readonly fields?: readonly Field[];
}

interface Pager {
  /** from 1 */
  readonly page: number;
  readonly pages: number;
}

const DESCRIPTION_CHARS_MAX = 160;

const POST_FIELDS: readonly Field[] = [
  { key: "body", label: "Body", type: "markdown" },
  { key: "tags", label: "Tags", type: "tags" },
];

/** The list of a collection's entries, one page of it, as a whole HTML document. */
export async function renderEntryList(
  collection: EntryCollection,
  cards: readonly EntryCard[],
  pager: Pager,
  context: SiteContext,
): Promise<string> {
  const words = layoutWords(context);
  const title =
    pager.page > 1 ? `${collection.name} (${words.page(pager.page, pager.pages)})` : collection.name;
  const about = {
    title,
    description: null,
    canonical: listPath(collection, pager.page),
    image: null,
    indexing: true,
    kind: "website" as const,
  };
  const main = html`<div class="block">
    <div class="wrap">
      <h1 class="list-title">${collection.name}</h1>
      ${
        cards.length === 0
          ? null
          : html`<ul class="cards" role="list">
              ${cards.map((card, at) => renderCard(card, at === 0, context))}
            </ul>`
      }
      ${renderPager(collection, pager, context)}
    </div>
  </div>`;
  return renderLayout(about, main, context);
}

/** An entry as a whole HTML document, with its data for search engines. */
export async function renderEntry(
  document: EntryDocument,
  collection: EntryCollection,
  context: SiteContext,
): Promise<string> {
  const values = valuesOf(document.content, context);
  const title = values.text("title");
  const excerpt = values.text("excerpt");
  const words = layoutWords(context);
  const cover = document.cover === null ? null : (context.images.get(document.cover) ?? null);
  const path = canonicalPath("entry", document.id, context);
  const description = excerpt?.text ?? descriptionOf(values, collection);
  const about = {
    title: title?.text ?? null,
    description,
    canonical: path,
    image: cover,
    indexing: document.indexing,
    kind: "article" as const,
    data: postData(document, { title: title?.text ?? "", description, cover, path }, context),
  };
  const meta = [
    renderDate(document.publishedAt, context),
    document.author === null ? null : html`<span>${words.by} ${document.author}</span>`,
  ].filter((part) => part !== null);
  const main = html`<article class="entry block">
    <header class="entry-head">
      ${document.category === null ? null : html`<p class="eyebrow">${document.category}</p>`}
      ${title === null ? null : html`<h1 class="entry-title" ${lang(title)}>${title.text}</h1>`}
      ${paragraph(excerpt, "lead")} ${meta.length === 0 ? null : html`<p class="entry-meta">${meta}</p>`}
    </header>
    ${
      cover === null
        ? null
        : html`<div class="entry-cover">
            ${picture({ image: cover, alt: cover.alt, lang: null }, { sizes: "(min-width: 68rem) 64rem, 100vw", first: true })}
          </div>`
    }
    <div class="entry-body">
      ${(collection.fields ?? POST_FIELDS).map((field) => renderField(field, values, context))}
      <p class="entry-back">
        <a href="${carryOn(collection.path, context)}">${words.allOf(collection.name)}</a>
      </p>
    </div>
  </article>`;
  return renderLayout(about, main, context);
}

/** A field of an entry by its type. Title and excerpt are in the head of the entry already. */
function renderField(field: Field, values: Values, context: SiteContext): Html | null {
  if (field.key === "title" || field.key === "excerpt") return null;
  switch (field.type) {
    case "markdown":
      return prose(values.text(field.key), 1, context);
    case "tags": {
      const tags = values.texts(field.key).map((tag) => html`<li${lang(tag)}>${tag.text}</li>`);
      if (tags.length === 0) return null;
      return html`<ul class="tags" role="list" aria-label="${layoutWords(context).tags}">
        ${tags}
      </ul>`;
    }
    case "image":
    case "image_list": {
      const one = values.image(field.key);
      const images = one === null ? values.images(field.key) : [one];
      return html`${images.map((image) => html`<div class="entry-image">${picture(image, { sizes: "(min-width: 46rem) 42rem, 100vw" })}</div>`)}`;
    }
    case "link": {
      const address = values.link(field.key);
      if (address === null) return null;
      return html`<p>
        <a href="${address.href}" ${attribute("rel", address.external ? "noopener" : null)}>${field.label}</a>
      </p>`;
    }
    case "list":
      return html`${values.elements(field.key).map((element) => html`<div class="entry-element">${(field.item ?? []).map((inner) => renderField(inner, element, context))}</div>`)}`;
    case "text":
    case "select":
    case "number":
    case "date":
    case "boolean": {
      const fact = values.stored(field.key);
      if (fact === null || typeof fact.value === "object" || fact.value === false) return null;
      const value = fact.value === true ? null : html`: <span${lang(fact)}>${String(fact.value)}</span>`;
      return html`<p class="fact"><strong>${field.label}</strong>${value}</p>`;
    }
  }
}

function renderCard(card: EntryCard, first: boolean, context: SiteContext): Html {
  const sizes = "(min-width: 60rem) 24rem, (min-width: 40rem) 50vw, 100vw";
  const meta = [
    card.category === null ? null : html`<span>${card.category}</span>`,
    renderDate(card.publishedAt, context),
  ].filter((part) => part !== null);
  // The title is the link's name; the image repeats it, so it is decoration here.
  return html`<li class="card">
    ${
      card.cover === null
        ? null
        : html`<div class="card-media">
            ${picture({ image: card.cover, alt: "", lang: null }, { sizes, first })}
          </div>`
    }
    <div class="card-words">
      ${meta.length === 0 ? null : html`<p class="card-meta">${meta}</p>`}
      <h2 class="card-title"><a href="${carryOn(card.path, context)}">${card.title}</a></h2>
      ${card.excerpt.trim() === "" ? null : html`<p class="quiet">${card.excerpt}</p>`}
    </div>
  </li>`;
}

function renderPager(collection: EntryCollection, { page, pages }: Pager, context: SiteContext): Html | null {
  if (pages < 2) return null;
  const words = layoutWords(context);
  const link = (to: number, label: string, rel: string): Html | null =>
    to < 1 || to > pages
      ? null
      : html`<a class="button button-second" rel="${rel}" href="${carryOn(listPath(collection, to), context)}"
          >${label}</a
        >`;
  return html`<nav class="pager" aria-label="${words.pages}">
    ${link(page - 1, words.newer, "prev")} <span>${words.page(page, pages)}</span>
    ${link(page + 1, words.older, "next")}
  </nav>`;
}

function listPath(collection: EntryCollection, page: number): string {
  return page > 1 ? `${collection.path}?page=${page}` : collection.path;
}

function renderDate(at: number | null, context: SiteContext): Html | null {
  if (at === null) return null;
  const date = new Date(at);
  const value = new Intl.DateTimeFormat(context.locales[0], { dateStyle: "long", timeZone: "UTC" });
  return html`<time datetime="${date.toISOString()}">${value.format(date)}</time>`;
}

/** The beginning of the first Markdown text, if there is no excerpt. */
function descriptionOf(values: Values, collection: EntryCollection): string | null {
  const field = (collection.fields ?? POST_FIELDS).find((one) => one.type === "markdown");
  const text = field === undefined ? null : values.text(field.key);
  return text === null ? null : excerptOf(text.text, DESCRIPTION_CHARS_MAX);
}

interface Post {
  readonly title: string;
  readonly description: string | null;
  readonly cover: SiteImage | null;
  readonly path: string | null;
}

/** schema.org/BlogPosting with what is known. */
function postData(document: EntryDocument, post: Post, context: SiteContext): Json {
  const { origin, site } = context;
  const image = raster(post.cover);
  return {
    "@context": "https://schema.org",
    "@type": "BlogPosting",
    headline: post.title,
    inLanguage: context.locales[0] ?? "en",
    publisher: { "@type": "Organization", name: site.name },
    ...(post.description === null ? {} : { description: post.description }),
    ...(document.publishedAt === null ? {} : { datePublished: new Date(document.publishedAt).toISOString() }),
    ...(document.author === null ? {} : { author: { "@type": "Person", name: document.author } }),
    ...(document.category === null ? {} : { articleSection: document.category }),
    ...(image === null ? {} : { image: origin + image.path }),
    ...(post.path === null ? {} : { mainEntityOfPage: origin + post.path }),
  };
}
