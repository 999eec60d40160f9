import { heading, html, picture } from "../html/html.ts";
import { valuesOf } from "../html/values.ts";
import { layoutWords } from "../html/words.ts";
import type { Renderer } from "./parts.ts";

const SIZES = {
  grid: "(min-width: 60rem) 24rem, (min-width: 40rem) 50vw, 100vw",
  masonry: "(min-width: 60rem) 24rem, (min-width: 40rem) 50vw, 100vw",
  carousel: "(min-width: 60rem) 44rem, 85vw",
} as const;

/** Images side by side, in columns of their own heights, or in a row that scrolls by itself. */
export const gallery: Renderer = (section, context, { level }) => {
  const values = valuesOf(section.content, context);
  const title = values.text("title");
  const layout = values.choice("layout", ["grid", "masonry", "carousel"]);
  const images = values
    .images("images")
    .map((image) => html`<li class="gallery-item">${picture(image, { sizes: SIZES[layout] })}</li>`);
  if (images.length === 0 && title === null) return html``;
  const list = html`<ul class="gallery-${layout}" role="list">
    ${images}
  </ul>`;
  // A row that scrolls must be reachable with the keyboard, and a focusable region needs a name.
  const name = title?.text ?? layoutWords(context).gallery;
  return html`<div class="block">
    <div class="wrap">
      ${heading(level, title, "title gallery-heading")}
      ${layout === "carousel" ? html`<section class="carousel" aria-label="${name}" tabindex="0">${list}</section>` : list}
    </div>
  </div>`;
};
