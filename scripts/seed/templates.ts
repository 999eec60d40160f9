import type { Field } from "../../src/plugins/cms/model/document.ts";
import type { Collection, Region, Template } from "../../src/plugins/cms/model/types.ts";

/** Fields of sections and blog posts. The renderers of the site read exactly these fields. */

const text = (key: string, label: string, max: number): Field => ({ key, label, type: "text", max });
const markdown = (key: string, label: string, max: number): Field => ({ key, label, type: "markdown", max });
const image = (key: string, label: string): Field => ({ key, label, type: "image" });
const link = (key: string, label: string): Field => ({ key, label, type: "link" });
const required = (field: Field): Field => ({ ...field, required: true });
/** The first option is the default. */
const select = (key: string, label: string, ...options: readonly [string, ...string[]]): Field => ({
  key,
  label,
  type: "select",
  options,
  default: options[0],
});

/** Button text and link come together: one without the other shows nothing. */
const BUTTON = [text("ctaText", "Button text", 40), link("ctaLink", "Button link")];

function template(
  key: string,
  name: string,
  description: string,
  fields: readonly Field[],
  more: { readonly region?: Region; readonly variants?: readonly string[] } = {},
): Template {
  return { key, name, description, region: "main", variants: ["default"], fields, version: 1, ...more };
}

export const SEED_TEMPLATES: readonly Template[] = [
  template(
    "hero",
    "Hero",
    "The opening of a page: a large title, a line below it, an image and one button. The first one is the page's h1.",
    [
      required(text("title", "Title", 120)),
      text("subtitle", "Subtitle", 240),
      image("image", "Image"),
      ...BUTTON,
    ],
    { variants: ["default", "centered"] },
  ),
  template(
    "feature",
    "Feature",
    "A heading with up to twelve short points, as a grid of cards or as a list, each with an icon if it has one.",
    [
      required(text("heading", "Heading", 120)),
      markdown("description", "Description", 2_000),
      {
        key: "items",
        label: "Items",
        type: "list",
        min: 0,
        max: 12,
        item: [
          required(text("title", "Title", 80)),
          text("description", "Description", 300),
          image("icon", "Icon"),
        ],
      },
    ],
    { variants: ["default", "list"] },
  ),
  template(
    "cta",
    "Call to action",
    "One thing to do next: a heading, a few words and a button. The banner spans the page over an image.",
    [
      required(text("heading", "Heading", 120)),
      markdown("description", "Description", 1_000),
      required(text("buttonText", "Button text", 40)),
      required(link("buttonLink", "Button link")),
      { ...image("backgroundImage", "Background image"), help: "Decoration: it is shown without alt text." },
    ],
    { variants: ["default", "banner"] },
  ),
  template("gallery", "Gallery", "Up to 24 images as a grid, a masonry wall or a row to scroll.", [
    text("title", "Title", 120),
    required({ key: "images", label: "Images", type: "image_list", min: 1, max: 24 }),
    select("layout", "Layout", "grid", "masonry", "carousel"),
  ]),
  template("image-text", "Image and text", "A text beside an image, with a button if it has one.", [
    required(text("heading", "Heading", 120)),
    required(markdown("content", "Text", 4_000)),
    required(image("image", "Image")),
    ...BUTTON,
    select("layout", "Layout", "image-right", "image-left"),
    select("mobileLayout", "Layout on phones", "image-first", "text-first"),
    select("background", "Background", "none", "white", "gray", "primary"),
  ]),
  template(
    "header",
    "Header",
    "The top of every page: logo, the header navigation and a button. It stands in the layout.",
    [image("logo", "Logo"), ...BUTTON],
    { region: "header" },
  ),
  template(
    "footer",
    "Footer",
    "The end of every page: the company, a note and the footer navigation. It stands in the layout.",
    [required(text("companyName", "Company name", 80)), text("note", "Note", 200)],
    { region: "footer" },
  ),
];

export const SEED_BLOG: Omit<Collection, "updatedAt" | "deletedAt"> = {
  id: "co_blog",
  slug: "blog",
  name: "Blog",
  description: "Guides and news from the path: what to carry, how to read the sky, where to go.",
  fields: [
    required(markdown("body", "Body", 100 * 1024)),
    { key: "tags", label: "Tags", type: "tags", max: 10 },
  ],
  sort: "published_at desc",
  version: 1,
};
