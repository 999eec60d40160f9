import type { PageDocument, SectionDocument } from "../../model/document.ts";
import type { SiteContext } from "../context.ts";
import { canonicalPath } from "../html/head.ts";
import { html, type Html } from "../html/html.ts";
import { renderLayout } from "../layout.ts";
import { cta } from "../templates/cta.ts";
import { feature } from "../templates/feature.ts";
import { gallery } from "../templates/gallery.ts";
import { hero } from "../templates/hero.ts";
import { imageText } from "../templates/image-text.ts";
import type { Renderer } from "../templates/parts.ts";
import { valuesOf } from "../html/values.ts";
import { layoutWords } from "../html/words.ts";

/** The templates of the main region. Header and footer belong to the layout. */
const RENDERERS: ReadonlyMap<string, Renderer> = new Map([
  ["hero", hero],
  ["feature", feature],
  ["cta", cta],
  ["gallery", gallery],
  ["image-text", imageText],
]);

/** A page inside the layout, as a whole HTML document. A preview shows hidden sections too, marked as such. */
export async function renderPage(document: PageDocument, context: SiteContext): Promise<string> {
  const meta = valuesOf(document.meta, context);
  const shown = document.sections.filter((section) => context.preview !== null || !section.hidden);
  const opening = shown.find((section) => isOpening(section, context));
  const title = meta.text("title")?.text ?? document.name;
  const about = {
    title,
    description: meta.text("description")?.text ?? null,
    canonical: canonicalPath("page", document.id, context),
    image: meta.image("ogImage")?.image ?? null,
    indexing: document.indexing,
    kind: "website" as const,
  };
  const main = html`${opening === undefined ? html`<h1 class="visually-hidden">${title}</h1>` : null}
  ${shown.map((section) => renderSection(section, section === opening, context))}`;
  return renderLayout(about, main, context);
}

/** One section in its wrapper, by whose id a preview is scrolled to it. */
function renderSection(section: SectionDocument, opening: boolean, context: SiteContext): Html | null {
  const render = RENDERERS.get(section.template);
  const words = layoutWords(context);
  if (render === undefined) {
    if (context.preview === null) return null;
    const name = context.templates.get(section.template)?.name ?? section.template;
    return html`<section id="s-${section.id}"><p class="note wrap">${words.noRenderer(name)}</p></section>`;
  }
  return html`<section id="s-${section.id}">
    ${section.hidden ? html`<p class="note wrap">${words.hidden}</p>` : null}
    ${render(section, context, { level: opening ? 1 : 2, first: opening })}
  </section>`;
}

/** The first hero that has a title carries the one `h1`. */
function isOpening(section: SectionDocument, context: SiteContext): boolean {
  if (section.template !== "hero" || section.hidden) return false;
  return valuesOf(section.content, context).text("title") !== null;
}
