/**
 * What `vite.config.ts` puts in the place of `property-information`: the names of the attributes that markdown can make,
 * instead of all of HTML, SVG and ARIA. A test holds each against the package.
 */

interface Info {
  readonly property: string;
  readonly attribute: string;
  readonly space: string;
  readonly commaSeparated: boolean;
}

export const html = { space: "html" };
export const svg = { space: "svg" };

/** Properties that React writes otherwise. */
export const hastToReact: Readonly<Record<string, string>> = {};

/** How a property is written: as React names it, which is how markdown's trees name them too, but for data and ARIA. */
export function find(_schema: unknown, property: string): Info {
  const name = property.replace(/^(aria|data)[A-Z].*/, dashed);
  return { property: name, attribute: name, space: "html", commaSeparated: false };
}

const dashed = (name: string): string =>
  name.startsWith("aria")
    ? `aria-${name.slice(4).toLowerCase()}`
    : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
