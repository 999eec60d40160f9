import { heading, html, picture } from "../html/html.ts";
import { valuesOf } from "../html/values.ts";
import { button, paragraph, type Renderer } from "./parts.ts";

/** The opening of a page. With an image the text is over it on a scrim; `centered` puts the image below. */
export const hero: Renderer = (section, context, { level, first }) => {
  const values = valuesOf(section.content, context);
  const image = values.image("image");
  const shape =
    section.variant === "centered" ? "hero-centered" : image === null ? "hero-plain" : "hero-over";
  const sizes = shape === "hero-over" ? "100vw" : "(min-width: 76rem) 72rem, 100vw";
  return html`<div class="hero ${shape}">
    ${image === null ? null : html`<div class="hero-media">${picture(image, { sizes, first })}</div>`}
    <div class="wrap hero-text">
      ${heading(level, values.text("title"), "hero-title")} ${paragraph(values.text("subtitle"), "lead")}
      ${button(values, "ctaText", "ctaLink", "button-main")}
    </div>
  </div>`;
};
