import { heading, html, picture } from "../html/html.ts";
import { valuesOf } from "../html/values.ts";
import { button, prose, type Renderer } from "./parts.ts";

/** One thing to do now: a card, or a band over the whole width. The image behind it is decoration. */
export const cta: Renderer = (section, context, { level }) => {
  const values = valuesOf(section.content, context);
  const behind = values.image("backgroundImage");
  const shape = section.variant === "banner" ? "cta-banner" : "cta-card wrap";
  const image =
    behind === null
      ? null
      : html`<div class="cta-media">${picture({ ...behind, alt: "" }, { sizes: "100vw" })}</div>`;
  return html`<div class="${section.variant === "banner" ? "cta-band" : "block"}">
    <div class="cta ${shape}${image === null ? "" : " cta-over"}">
      ${image}
      <div class="cta-words">
        ${heading(level, values.text("heading"), "title")}
        ${prose(values.text("description"), level, context)}
      </div>
      ${button(values, "buttonText", "buttonLink", "button-main")}
    </div>
  </div>`;
};
