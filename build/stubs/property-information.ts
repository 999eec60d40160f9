/**
 * What `wrangler.toml` puts in the place of `property-information`: how the attributes are written that the sanitiser
 * lets through, instead of all of HTML, SVG and ARIA. Whoever allows another one there adds it here; a test tells.
 */

/** Of an attribute, what `hast-util-to-html` reads. */
export interface Info {
  readonly attribute: string;
  readonly property: string;
  readonly boolean: boolean;
  readonly overloadedBoolean: boolean;
  readonly commaSeparated: boolean;
}

interface Schema {
  readonly space: "html" | "svg";
}

export const html: Schema = { space: "html" };
export const svg: Schema = { space: "svg" };

/** Attributes whose name is the property's in small letters. */
const PLAIN = [
  ...["alt", "decoding", "height", "href", "loading", "rel", "sizes", "src", "start"],
  ...["title", "type", "width"],
];

const info = (property: string, more: Partial<Info> = {}): Info => ({
  attribute: property,
  property,
  boolean: false,
  overloadedBoolean: false,
  commaSeparated: false,
  ...more,
});

const KNOWN: ReadonlyMap<string, Info> = new Map(
  [
    ...PLAIN.map((property) => info(property)),
    info("checked", { boolean: true }),
    info("className", { attribute: "class" }),
    info("disabled", { boolean: true }),
    info("srcSet", { attribute: "srcset" }),
  ].map((each) => [each.property, each]),
);

/** How a property is written. One that is not known keeps its name, as in the package. */
export function find(_schema: Schema, property: string): Info {
  return KNOWN.get(property) ?? info(property);
}
