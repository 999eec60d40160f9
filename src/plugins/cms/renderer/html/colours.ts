/** Arithmetic of colours, so that an accent chosen by anyone can be read. Channels are 0 to 255. */

type Rgb = readonly [number, number, number];

/** WCAG 2.2, 1.4.3: text of normal size. */
const CONTRAST_MIN = 4.5;

/** Reads `#rrggbb`; null for anything else. */
export function parseColour(text: string): Rgb | null {
  const digits = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text);
  if (digits === null) return null;
  const [, red = "", green = "", blue = ""] = digits;
  return [Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16)];
}

/** Contrast of two colours, 1 to 21 (WCAG 2.2, “contrast ratio”). */
function contrastOf(one: Rgb, other: Rgb): number {
  const [low = 0, high = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** Black or white, whichever reads better on the colour. */
export function textOn(colour: Rgb): Rgb {
  const [white, black]: [Rgb, Rgb] = [
    [255, 255, 255],
    [0, 0, 0],
  ];
  return contrastOf(colour, white) >= contrastOf(colour, black) ? white : black;
}

/** The colour, moved towards black or white just far enough to be read on all of these backgrounds. */
export function readableOn(colour: Rgb, towards: Rgb, backgrounds: readonly Rgb[]): Rgb {
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(colour, towards, share);
    if (backgrounds.every((background) => contrastOf(mixed, background) >= CONTRAST_MIN)) return mixed;
  }
  return towards;
}

export function hexOf(colour: Rgb): string {
  return `#${colour.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const channel = (a: number, b: number): number => Math.round(a + (b - a) * share);
  return [channel(from[0], to[0]), channel(from[1], to[1]), channel(from[2], to[2])];
}

/** WCAG 2.2, “relative luminance”. */
function luminanceOf([red, green, blue]: Rgb): number {
  const linear = (channel: number): number => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
