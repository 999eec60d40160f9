import type { NavLink, SiteContext } from "../context.ts";
import { attribute, html, picture, type Html, type Picture } from "../html/html.ts";
import { carryOn, homePath } from "../links.ts";
import { valuesOf } from "../html/values.ts";
import { layoutWords, type Words } from "../html/words.ts";
import { button, type Renderer } from "./parts.ts";

/**
 * The name of the site, its navigation, one button. On a narrow screen the navigation is a popover, which browsers
 * open without a script; those that do not know it show the list as it is.
 */
export const header: Renderer = (section, context) => {
  const values = valuesOf(section.content, context);
  const words = layoutWords(context);
  const own = values.image("logo");
  const logo = own ?? (context.site.logo === null ? null : { image: context.site.logo, alt: "", lang: null });
  const action = button(values, "ctaText", "ctaLink", "button-main button-small");
  const languages = renderLanguages(context, words);
  const navigation =
    context.headerNav.length === 0
      ? null
      : html`<nav aria-label="${words.mainNavigation}">
          ${renderList(context.headerNav, context, words, "menu", 0)}
        </nav>`;
  const panel = navigation !== null || languages !== null;
  return html`<div class="wrap header-row">
    ${renderBrand(logo, context)}
    ${
      panel
        ? html`<button class="menu-open" type="button" popovertarget="site-menu">
              <span class="menu-sign" aria-hidden="true"></span>${words.menu}
            </button>
            <div class="menu-panel" id="site-menu" popover>
              ${navigation} ${languages}
              <button class="menu-close" type="button" popovertarget="site-menu" popovertargetaction="hide">
                ${words.close}
              </button>
            </div>`
        : null
    }
    ${action}
  </div>`;
};

/** The name is the link's text; a logo next to it adds nothing, so it has no alternative text. */
function renderBrand(logo: Picture | null, context: SiteContext): Html {
  const image =
    logo === null ? null : picture({ ...logo, alt: "" }, { sizes: "3rem", className: "brand-logo" });
  return html`<a class="brand" href="${homePath(context)}"
    >${image}<span class="brand-name">${context.site.name}</span></a
  >`;
}

/** A list of links; what lies below one unfolds. Only the first level closes its neighbours. */
function renderList(
  links: readonly NavLink[],
  context: SiteContext,
  words: Words,
  className: string,
  depth: number,
): Html {
  const items = links.map(
    (link) =>
      html`<li class="menu-item">
        ${renderLink(link, context)}${
          link.children.length === 0
            ? null
            : html`<details class="submenu" ${attribute("name", depth === 0 ? "site-menu-open" : null)}>
                <summary><span class="visually-hidden">${words.submenu(link.label)}</span></summary>
                ${renderList(link.children, context, words, "submenu-list", depth + 1)}
              </details>`
        }
      </li>`,
  );
  return html`<ul class="${className}" role="list">
    ${items}
  </ul>`;
}

/** One link of a navigation; without a target it is a heading. */
export function renderLink(link: NavLink, context: SiteContext): Html {
  if (link.path === null) return html`<span class="menu-label">${link.label}</span>`;
  const external = /^https?:/i.test(link.path);
  const href = external || !link.path.startsWith("/") ? link.path : carryOn(link.path, context);
  return html`<a
    class="menu-link"
    href="${href}"
    ${attribute("rel", external ? "noopener" : null)}${attribute("aria-current", link.current ? "page" : null)}
    >${link.label}</a
  >`;
}

/** The other languages that this page has. */
function renderLanguages(context: SiteContext, words: Words): Html | null {
  if (context.alternates.length < 2) return null;
  const items = context.alternates.map(({ locale, name, path }) => {
    const current = locale === context.locales[0] ? "true" : null;
    return html`<li>
      <a
        class="menu-link"
        href="${carryOn(path, context)}"
        hreflang="${locale}"
        lang="${locale}"
        ${attribute("aria-current", current)}
        >${name}</a
      >
    </li>`;
  });
  return html`<nav class="languages" aria-label="${words.languages}">
    <ul class="menu" role="list">
      ${items}
    </ul>
  </nav>`;
}
