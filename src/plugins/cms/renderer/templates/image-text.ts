import { heading, html, picture } from "../html/html.ts";
import { valuesOf } from "../html/values.ts";
import { button, prose, type Renderer } from "./parts.ts";

/** A text next to an image; on a narrow screen one above the other. */
export const imageText: Renderer = (section, context, { level }) => {
  const values = valuesOf(section.content, context);
  const image = values.image("image");
  const layout = values.choice("layout", ["image-right", "image-left"]);
  const narrow = values.choice("mobileLayout", ["image-first", "text-first"]);
  const background = values.choice("background", ["none", "white", "gray", "primary"]);
  return html`<div class="block band-${background}">
    <div class="wrap split ${layout} ${narrow}${image === null ? " split-alone" : ""}">
      <div class="split-words">
        ${heading(level, values.text("heading"), "title")} ${prose(values.text("content"), level, context)}
        ${button(values, "ctaText", "ctaLink", "button-second")}
      </div>
      ${
        image === null
          ? null
          : html`<div class="split-media">
              ${picture(image, { sizes: "(min-width: 54rem) 34rem, 100vw" })}
            </div>`
      }
    </div>
  </div>`;
};
