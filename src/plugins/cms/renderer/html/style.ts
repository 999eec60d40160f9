import { hexOf, parseColour, readableOn, textOn } from "./colours.ts";

/**
 * The colors of a site. Its look is a static file (src/page/public/site/assets/site.css), after which the theme is
 * loaded: the policy of the pages allows no inline style.
 */

const DEFAULT_ACCENT = "#2f6b4f";

/** The lightest and the darkest backgrounds of accent-colored text; site.css uses the same values. */
export const LIGHT = ["#fcfbf8", "#f2f0e9", "#ffffff"] as const;
export const DARK = ["#121615", "#1b211f", "#232a28"] as const;

/**
 * The accent in both schemes: as a surface with the text that reads better on it, and as a text colour of at least
 * 4.5:1 on every surface. Anything but `#rrggbb` gives the default.
 */
export function themeCss(accent: string | null): string {
  const colour = parseColour(accent ?? "") ?? parseColour(DEFAULT_ACCENT) ?? [0, 0, 0];
  const ink = readableOn(colour, [0, 0, 0], LIGHT.map(surface));
  const glow = readableOn(colour, [255, 255, 255], DARK.map(surface));
  return `:root{--accent:${hexOf(colour)};--on-accent:${hexOf(textOn(colour))};--accent-ink:${hexOf(ink)}}
@media (prefers-color-scheme:dark){:root{--accent:${hexOf(glow)};--on-accent:${hexOf(textOn(glow))};--accent-ink:${hexOf(glow)}}}
`;
}

function surface(hex: string): readonly [number, number, number] {
  return parseColour(hex) ?? [0, 0, 0];
}
