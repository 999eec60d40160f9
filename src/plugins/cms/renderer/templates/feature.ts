import { heading, html, levelBelow, picture } from "../html/html.ts";
import { valuesOf } from "../html/values.ts";
import { paragraph, prose, type Renderer } from "./parts.ts";

/** Features point by point: a grid of cards, or a list of rows. */
export const feature: Renderer = (section, context, { level }) => {
  const values = valuesOf(section.content, context);
  const title = values.text("heading");
  const itemLevel = title === null ? level : levelBelow(level);
  const items = values.elements("items").map((item) => {
    const icon = item.image("icon");
    return html`<li class="feature-item">
      ${icon === null ? null : picture(icon, { sizes: "5rem", className: "feature-icon" })}
      <div class="feature-words">
        ${heading(itemLevel, item.text("title"), "feature-title")}
        ${paragraph(item.text("description"), "quiet")}
      </div>
    </li>`;
  });
  const shape = section.variant === "list" ? "feature-list" : "feature-grid";
  // VoiceOver drops a list without bullets that has no explicit role.
  return html`<div class="block">
    <div class="wrap">
      <div class="intro">
        ${heading(level, title, "title")} ${prose(values.text("description"), level, context)}
      </div>
      ${
        items.length === 0
          ? null
          : html`<ul class="${shape}" role="list">
              ${items}
            </ul>`
      }
    </div>
  </div>`;
};
