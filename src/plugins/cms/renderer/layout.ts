import type { SectionDocument } from "../model/document.ts";
import type { SiteContext } from "./context.ts";
import { renderHead, type About } from "./html/head.ts";
import { attribute, html, type Html } from "./html/html.ts";
import { footer } from "./templates/footer.ts";
import { header } from "./templates/header.ts";
import type { Renderer } from "./templates/parts.ts";
import { layoutWords } from "./html/words.ts";

/** The layout around every page: head, skip link, header, main, footer, and the banner of a preview. */

const RIGHT_TO_LEFT = /^(ar|dv|fa|he|ku|ps|sd|ug|ur|yi)\b/i;

/** A site whose layout page is missing still has its name and its navigation. */
const BARE_HEADER: SectionDocument = {
  id: "header",
  template: "header",
  variant: "default",
  hidden: false,
  content: {},
};
const BARE_FOOTER: SectionDocument = { ...BARE_HEADER, id: "footer", template: "footer" };

/** The whole HTML page with `main` inside the layout. */
export async function renderLayout(about: About, main: Html, context: SiteContext): Promise<string> {
  const words = layoutWords(context);
  const locale = context.locales[0] ?? "en";
  const direction = RIGHT_TO_LEFT.test(locale) ? "rtl" : null;
  const page = html`<!doctype html>
    <html lang="${locale}" ${attribute("dir", direction)}>
      <head>
        ${renderHead(about, context)}
      </head>
      <body>
        <a class="skip" href="#main">${words.skip}</a>
        ${context.preview === null ? null : html`<p class="draft" role="note"><strong>${words.draft}</strong> ${words.draftNote}</p>`}
        <header class="site-header">${renderRegion("header", header, BARE_HEADER, context)}</header>
        <main id="main" tabindex="-1">${main}</main>
        <footer class="site-footer">${renderRegion("footer", footer, BARE_FOOTER, context)}</footer>
      </body>
    </html> `;
  return String(await page);
}

function renderRegion(
  template: "header" | "footer",
  render: Renderer,
  bare: SectionDocument,
  context: SiteContext,
): readonly Html[] {
  const sections = context.layout?.sections.filter((one) => one.template === template) ?? [bare];
  return sections
    .filter((section) => !section.hidden)
    .map(
      (section) =>
        html`<div id="s-${section.id}">${render(section, context, { level: 2, first: false })}</div>`,
    );
}
