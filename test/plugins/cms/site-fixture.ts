import type { Json } from "../../../src/cairn/core/log/json.ts";
import type {
  EntryCard,
  NavLink,
  SiteContext,
  SiteImage,
} from "../../../src/plugins/cms/renderer/context.ts";
import type {
  ByLocale,
  Content,
  EntryDocument,
  Field,
  PageDocument,
  SectionDocument,
} from "../../../src/plugins/cms/model/document.ts";

/** A small site for the tests of the renderer: a walking company with two languages. */

const field = (key: string, type: Field["type"], more: Partial<Field> = {}): Field => ({
  key,
  type,
  label: key,
  ...more,
});
const must = { required: true };

/** The templates as the specification declares them. */
export const TEMPLATES: ReadonlyMap<string, { readonly name: string; readonly fields: readonly Field[] }> =
  new Map([
    [
      "hero",
      {
        name: "Hero",
        fields: [
          field("title", "text", must),
          field("subtitle", "text"),
          field("image", "image"),
          field("ctaText", "text"),
          field("ctaLink", "link"),
        ],
      },
    ],
    [
      "feature",
      {
        name: "Features",
        fields: [
          field("heading", "text", must),
          field("description", "markdown"),
          field("items", "list", {
            item: [field("title", "text", must), field("description", "text"), field("icon", "image")],
          }),
        ],
      },
    ],
    [
      "cta",
      {
        name: "Call to action",
        fields: [
          field("heading", "text", must),
          field("description", "markdown"),
          field("buttonText", "text", must),
          field("buttonLink", "link", must),
          field("backgroundImage", "image"),
        ],
      },
    ],
    [
      "gallery",
      {
        name: "Gallery",
        fields: [
          field("title", "text"),
          field("images", "image_list", must),
          field("layout", "select", { options: ["grid", "masonry", "carousel"] }),
        ],
      },
    ],
    [
      "image-text",
      {
        name: "Image and text",
        fields: [
          field("heading", "text", must),
          field("content", "markdown", must),
          field("image", "image", must),
          field("ctaText", "text"),
          field("ctaLink", "link"),
          field("layout", "select", { options: ["image-left", "image-right"] }),
          field("mobileLayout", "select", { options: ["image-first", "text-first"] }),
          field("background", "select", { options: ["none", "white", "gray", "primary"] }),
        ],
      },
    ],
    [
      "header",
      {
        name: "Header",
        fields: [field("logo", "image"), field("ctaText", "text"), field("ctaLink", "link")],
      },
    ],
    ["footer", { name: "Footer", fields: [field("companyName", "text", must), field("note", "text")] }],
  ]);

export function siteImage(id: string, more: Partial<SiteImage> = {}): SiteImage {
  const path = `/media/${id}/${id}.png`;
  const variants = [480, 960].map((width) => ({ width, path: `/media/${id}/w${width}.png` }));
  return { id, path, mediaType: "image/png", width: 1600, height: 900, alt: `The ${id}`, variants, ...more };
}

const drawing = (id: string, size: number): SiteImage =>
  siteImage(id, {
    path: `/media/${id}/${id}.svg`,
    mediaType: "image/svg+xml",
    width: size,
    height: size,
    variants: [],
  });

export const IMAGES: ReadonlyMap<string, SiteImage> = new Map(
  [
    siteImage("ridge"),
    siteImage("valley"),
    siteImage("shelter"),
    drawing("logo", 96),
    drawing("compass", 300),
  ].map((one) => [one.id, one]),
);

const PATHS: Readonly<Record<string, string>> = {
  "page:home": "/site/",
  "page:about": "/site/about",
  "page:contact": "/site/contact",
  "entry:packing": "/site/blog/packing-light",
  "collection:blog": "/site/blog/",
};

export function navLink(label: string, path: string | null, more: Partial<NavLink> = {}): NavLink {
  return { label, path, current: false, children: [], ...more };
}

export function section(
  template: string,
  content: Content | ByLocale<Content>,
  more: Partial<SectionDocument> = {},
): SectionDocument {
  const localised = "en" in content || "de" in content;
  return {
    id: `sc_${template}`,
    template,
    variant: "default",
    hidden: false,
    content: localised ? (content as ByLocale<Content>) : { en: content as Content },
    ...more,
  };
}

export function page(sections: readonly SectionDocument[], more: Partial<PageDocument> = {}): PageDocument {
  return {
    v: 1,
    type: "page",
    kind: "page",
    id: "home",
    slug: "home",
    name: "Home",
    indexing: true,
    meta: {},
    sections,
    ...more,
  };
}

export const ENTRY: EntryDocument = {
  v: 1,
  type: "entry",
  id: "packing",
  collection: "co_blog",
  slug: "packing-light",
  category: "Guides",
  author: "Mara Lind",
  cover: "valley",
  indexing: true,
  publishedAt: Date.UTC(2025, 3, 14, 9),
  content: {
    en: { title: "Packing light", excerpt: "Seven kilos are enough.", body: "## The list", tags: ["gear"] },
  },
};

export function card(slug: string, more: Partial<EntryCard> = {}): EntryCard {
  return {
    path: `/site/blog/${slug}`,
    title: `About ${slug}`,
    excerpt: "What we learnt.",
    cover: IMAGES.get("ridge") ?? null,
    category: "Guides",
    publishedAt: Date.UTC(2025, 3, 14, 9),
    ...more,
  };
}

/** Sections on both pages of the layout region. */
export const LAYOUT: PageDocument = page(
  [
    section("header", { ctaText: "Book a walk", ctaLink: { kind: "page", id: "contact" } }),
    section("footer", { companyName: "Fern & Fell", note: "Small groups, slow miles." }),
  ],
  { kind: "layout", id: "layout", slug: "_layout", name: "Layout" },
);

export function siteContext(more: Partial<SiteContext> = {}): SiteContext {
  return {
    site: { name: "Fern & Fell", tagline: "Walks with people", logo: IMAGES.get("logo") ?? null },
    root: "/site/",
    locales: ["en"],
    alternates: [],
    headerNav: [
      navLink("Home", "/site/", { current: true }),
      navLink("About", "/site/about"),
      navLink("Blog", "/site/blog/", { children: [navLink("Packing light", "/site/blog/packing-light")] }),
      navLink("Contact", "/site/contact"),
    ],
    footerNav: [navLink("About", "/site/about"), navLink("Contact", "/site/contact")],
    layout: LAYOUT,
    templates: TEMPLATES,
    images: IMAGES,
    pathOf: (kind, id) => PATHS[`${kind}:${id}`] ?? null,
    accent: "#2f6b4f",
    titleTemplate: "%s – Fern & Fell",
    description: "Guided walks in small groups.",
    ogImage: IMAGES.get("ridge") ?? null,
    origin: "https://fern.example",
    preview: null,
    ...more,
  };
}

/** A value that a field of this type may hold, made of one text. */
export function sampleValue(of: Field, text: string): Json {
  switch (of.type) {
    case "image":
      return { image: "ridge", alt: text };
    case "image_list":
      return [{ image: "ridge", alt: text }, "valley"];
    case "link":
      return { kind: "page", id: "about" };
    case "select":
      return of.options?.[0] ?? "";
    case "tags":
      return [text];
    case "boolean":
      return true;
    case "number":
      return 3;
    case "list":
      return [Object.fromEntries((of.item ?? []).map((one) => [one.key, sampleValue(one, text)]))];
    case "text":
    case "markdown":
    case "date":
      return text;
  }
}
