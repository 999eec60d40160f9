import type { NavLink, SiteContext } from "../context.ts";
import { html, lang, type Html } from "../html/html.ts";
import { valuesOf } from "../html/values.ts";
import { layoutWords } from "../html/words.ts";
import { renderLink } from "./header.ts";
import { paragraph, type Renderer } from "./parts.ts";

/** The operator of the site, a note, and the links of the footer navigation. */
export const footer: Renderer = (section, context) => {
  const values = valuesOf(section.content, context);
  const company = values.text("companyName");
  const note = values.text("note");
  const words = layoutWords(context);
  return html`<div class="wrap footer-row">
    <div class="footer-words">
      ${company === null ? null : html`<p class="footer-name" ${lang(company)}>${company.text}</p>`}
      ${paragraph(note, "quiet")}
    </div>
    ${
      context.footerNav.length === 0
        ? null
        : html`<nav aria-label="${words.footerNavigation}">${renderList(context.footerNav, context)}</nav>`
    }
  </div>`;
};

function renderList(links: readonly NavLink[], context: SiteContext): Html {
  const items = links.map(
    (link) =>
      html`<li>
        ${renderLink(link, context)}${link.children.length === 0 ? null : renderList(link.children, context)}
      </li>`,
  );
  return html`<ul class="footer-menu" role="list">
    ${items}
  </ul>`;
}
