import type { SiteContext } from "../context.ts";
import { html } from "../html/html.ts";
import { renderLayout } from "../layout.ts";
import { homePath } from "../links.ts";
import { layoutWords } from "../html/words.ts";

/** The answer to an unknown address, inside the layout, as a whole HTML document. */
export async function renderNotFound(context: SiteContext): Promise<string> {
  const words = layoutWords(context);
  const about = {
    title: words.notFound,
    description: null,
    canonical: null,
    image: null,
    indexing: false,
    kind: "website" as const,
  };
  const main = html`<div class="block not-found">
    <div class="wrap">
      <p class="eyebrow">404</p>
      <h1 class="list-title">${words.notFound}</h1>
      <p class="lead">${words.notFoundNote}</p>
      <p><a class="button button-main" href="${homePath(context)}">${words.home}</a></p>
    </div>
  </div>`;
  return renderLayout(about, main, { ...context, alternates: [] });
}
