import type { Call, Difference, Fields, Task } from "../format.ts";
import { goneSample, sectionsOf, sampleContent } from "./sample.ts";
import { all, footer, header, live, newItem, newPage, newSection, page } from "./words.ts";

/** Pages: made, renamed, moved to another address, described, deleted. */

type More = Partial<Omit<Task, "id" | "wish" | "gold" | "expected">>;
const task = (
  id: string,
  wish: string,
  gold: readonly Call[],
  expected: Difference,
  more: More = {},
): Task => ({
  id: `page-${id}`,
  kind: "pages",
  wish,
  gold,
  expected,
  ...more,
});
const update = (slug: string, fields: object): Call => ["page_update", { page: slug, ...fields }];

const renames = (
  [
    ["about", "Our story"],
    ["contact", "Write to us"],
    ["home", "Welcome"],
  ] as const
).map(([slug, name]) =>
  task(
    `rename-${slug}`,
    `Call the page ${slug} “${name}” from now on.`,
    [update(slug, { name })],
    page(slug, { name }),
  ),
);

/** A public address changes at once, and the old one leads on. */
const moved = (slug: string, to: string): Difference => ({
  [`page ${slug}`]: { slug: to },
  [`public page ${slug}`]: { slug: to },
  [`+ redirect /site/${slug}`]: { to: `page ${slug}` },
});
const addresses = (
  [
    ["about", "our-story"],
    ["contact", "plan-a-walk"],
  ] as const
).map(([slug, to]) =>
  task(
    `address-${slug}`,
    `The page ${slug} should be at /${to}.`,
    [update(slug, { slug: to })],
    moved(slug, to),
  ),
);

const META: readonly (readonly [slug: string, key: "title" | "description", text: string])[] = [
  ["about", "title", "The guides of Fern & Fell"],
  ["contact", "title", "Ask for a date"],
  ["home", "title", "Walks for six people at most"],
  [
    "about",
    "description",
    "Ines and Tobias lead every walk themselves. Read how they plan a day, and why they turn round early.",
  ],
  [
    "contact",
    "description",
    "Tell us when you come and how far you like to go; we answer by letter within a day.",
  ],
  [
    "home",
    "description",
    "Day walks and hut weekends with a guide, over ridges and along rivers, in groups of up to six.",
  ],
];
const metas = META.map(([slug, key, text]) =>
  task(
    `meta-${key}-${slug}`,
    `Search engines should show “${text}” as the ${key} of the page ${slug}.`,
    [update(slug, { meta: { [key]: text } })],
    page(slug, { [key]: text }),
  ),
);

const unlisted = ["about", "contact"].map((slug) =>
  task(
    `unlist-${slug}`,
    `Search engines should no longer list the page ${slug}.`,
    [update(slug, { indexing: false })],
    { [`page ${slug}`]: { indexing: false }, [`public page ${slug}`]: { indexing: false } },
  ),
);

const empty = (
  [
    ["Prices", "prices"],
    ["Our huts", "our-huts"],
    ["Häufige Fragen", "haufige-fragen"],
    ["Terms & conditions", "terms-conditions"],
  ] as const
).map(([name, slug]) =>
  task(
    `make-${slug}`,
    `Make an empty page called “${name}”.`,
    [["page_create", { name }]],
    newPage(slug, name),
  ),
);

const HERO: Fields = { title: "What a walk costs", subtitle: "One price for a day, whatever the weather." };
const POINTS = [
  { title: "A day walk", description: "60 a head" },
  { title: "A hut weekend", description: "180 a head" },
];
const made: readonly Task[] = [
  task(
    "make-filled",
    `Make a page “Prices” with a hero “${String(HERO["title"])}” (“${String(HERO["subtitle"])}”) and a list of points headed “Two prices”: a day walk for 60 a head, a hut weekend for 180 a head.`,
    [
      [
        "page_create",
        {
          name: "Prices",
          sections: [
            {
              template: "hero",
              content: { title: "What a walk costs", subtitle: "One price for a day, whatever the weather." },
            },
            { template: "feature", content: { heading: "Two prices", items: POINTS } },
          ],
        },
      ],
    ],
    all(
      newPage("prices", "Prices", ["new hero", "new feature"]),
      newSection("new hero", "page prices", "hero", HERO),
      newSection("new feature", "page prices", "feature", { heading: "Two prices", items: POINTS }),
    ),
  ),
  task(
    "make-slug",
    "Make a page “Getting here by train and bus” at /getting-here.",
    [["page_create", { name: "Getting here by train and bus", slug: "getting-here" }]],
    newPage("getting-here", "Getting here by train and bus"),
  ),
  task(
    "make-meta",
    "Make a page “Team” that search engines call “The people of Fern & Fell”, and keep it out of their lists for now.",
    [["page_create", { name: "Team", indexing: false, meta: { title: "The people of Fern & Fell" } }]],
    newPage("team", "Team", [], { indexing: false, title: "The people of Fern & Fell" }),
  ),
  task(
    "make-header",
    "Make a page “Prices”, and put it into the header after About.",
    [
      [
        "page_create",
        { name: "Prices", nav: { location: "header", position: { after: "nv_header_about" } } },
      ],
    ],
    all(
      newPage("prices", "Prices"),
      newItem("header", "Prices", "page prices"),
      header("Home, About, Prices, Blog [Packing light], Contact", null),
    ),
  ),
  task(
    "make-footer",
    "Make a page “Imprint” with a link in the footer that says “Legal”.",
    [["page_create", { name: "Imprint", nav: { location: "footer", label: "Legal" } }]],
    all(
      newPage("imprint", "Imprint"),
      newItem("footer", "Legal", "page imprint"),
      footer("About, Contact, Legal", null),
    ),
  ),
  task(
    "make-both",
    "Make a page “Huts” and link it in the header and in the footer.",
    [["page_create", { name: "Huts", nav: { location: "both" } }]],
    all(
      newPage("huts", "Huts"),
      newItem("header", "Huts", "page huts"),
      newItem("footer", "Huts", "page huts"),
      header("Home, About, Blog [Packing light], Contact, Huts", null),
      footer("About, Contact, Huts", null),
    ),
  ),
  task(
    "make-below",
    "Make a page “Knots” whose link stands below Blog in the header.",
    [["page_create", { name: "Knots", nav: { location: "header", parent: "nv_header_blog" } }]],
    all(
      newPage("knots", "Knots"),
      newItem("header", "Knots", "page knots"),
      header("Home, About, Blog [Packing light, Knots], Contact", null),
    ),
  ),
  task(
    "make-hidden-section",
    "Make a page “Winter” with a hero “Short days” that is hidden for now.",
    [
      [
        "page_create",
        { name: "Winter", sections: [{ template: "hero", content: { title: "Short days" }, hidden: true }] },
      ],
    ],
    all(
      newPage("winter", "Winter", ["new hero"]),
      newSection("new hero", "page winter", "hero", { title: "Short days", hidden: true }),
    ),
  ),
  ...["about", "contact"].map((slug) =>
    task(
      `copy-${slug}`,
      `Make a page “Copy of ${slug}” that looks like the page ${slug}.`,
      [["page_create", { name: `Copy of ${slug}`, copyFrom: slug }]],
      copied(slug),
    ),
  ),
  task(
    "make-three",
    "Make three empty pages: Spring, Summer and Autumn.",
    [
      ["page_create", { name: "Spring" }],
      ["page_create", { name: "Summer" }],
      ["page_create", { name: "Autumn" }],
    ],
    all(newPage("spring", "Spring"), newPage("summer", "Summer"), newPage("autumn", "Autumn")),
    { together: true },
  ),
];

/** The sample's own page under a new name, with the same sections and meta. */
function copied(slug: string): Difference {
  const templates = sectionsOf(slug).map((name) => name.split("/")[1] ?? "");
  const variants: Readonly<Record<string, string>> = { "contact/hero": "centered" };
  const META_OF: Readonly<Record<string, Fields>> = {
    about: {
      title: "About our guides",
      description:
        "Who leads the walks at Fern & Fell, how we plan a day on the fells, and why our groups never grow beyond six people.",
      ogImage: "image valley",
    },
    contact: {
      title: "Plan a walk with us",
      description:
        "Write to Fern & Fell to plan a guided walk: tell us when you come, who comes along and how far you like to go. We answer within a day.",
      ogImage: "image ridge",
    },
  };
  return all(
    newPage(
      `copy-of-${slug}`,
      `Copy of ${slug}`,
      templates.map((one) => `new ${one}`),
      META_OF[slug],
    ),
    ...sectionsOf(slug).map((name, at) =>
      newSection(`new ${templates[at] ?? ""}`, `page copy-of-${slug}`, templates[at] ?? "", {
        ...sampleContent(name),
        ...(variants[name] === undefined ? {} : { variant: variants[name] }),
      }),
    ),
  );
}

const withoutAbout = all(
  goneSample("about"),
  { "header item About": "gone", "footer item About": "gone" },
  header("Home, Blog [Packing light], Contact"),
  footer("Contact"),
);
const deleted: readonly Task[] = [
  task("delete-about", "Delete the page About.", [["page_delete", { pages: ["about"] }]], withoutAbout),
  task(
    "delete-contact",
    "We have no contact page any more: delete it.",
    [["page_delete", { pages: ["contact"] }]],
    all(
      goneSample("contact"),
      { "header item Contact": "gone", "footer item Contact": "gone" },
      header("Home, About, Blog [Packing light]"),
      footer("About"),
    ),
  ),
  task(
    "delete-two",
    "Delete About and Contact.",
    [["page_delete", { pages: ["about", "contact"] }]],
    all(
      goneSample("about"),
      goneSample("contact"),
      { "header item About": "gone", "footer item About": "gone" },
      { "header item Contact": "gone", "footer item Contact": "gone" },
      header("Home, Blog [Packing light]"),
      footer(""),
    ),
  ),
  task(
    "delete-draft",
    "Throw away the draft page Prices.",
    [["page_delete", { pages: ["prices"] }]],
    {
      "page prices": "gone",
      "section new hero": "gone",
      "header item Prices": "gone",
      ...header("Home, About, Blog [Packing light], Contact", null),
    },
    {
      start: [
        [
          "page_create",
          {
            name: "Prices",
            sections: [{ template: "hero", content: { title: "Prices" } }],
            nav: { location: "header" },
          },
        ],
      ],
    },
  ),
  task("delete-home", "Delete the home page.", [["page_delete", { pages: ["home"] }, "protected_page"]], {}),
];

const others: readonly Task[] = [
  task(
    "meta-unset",
    "The page about needs no share image of its own.",
    [update("about", { unset: ["ogImage"] })],
    page("about", { ogImage: null }),
  ),
  task(
    "share-image",
    "The page contact should be shared with the picture of the hut.",
    [update("contact", { meta: { ogImage: "im_shelter" } })],
    page("contact", { ogImage: "image shelter" }),
  ),
  task(
    "meta-german",
    "In German, search engines should call the about page “Unsere Guides”.",
    [update("about", { meta: { title: "Unsere Guides" }, locale: "de" })],
    page("about", { "de.title": "Unsere Guides" }),
  ),
  task(
    "rename-and-move",
    "Rename About to “Who we are”, at /who-we-are.",
    [update("about", { name: "Who we are", slug: "who-we-are" })],
    all(moved("about", "who-we-are"), page("about", { name: "Who we are" })),
  ),
  task(
    "address-and-back",
    "Move the about page to /team, no, wait: leave it where it was, at /about.",
    [update("about", { slug: "team" }), update("pg_about", { slug: "about" })],
    { "+ redirect /site/team": { to: "page about" } },
  ),
  task(
    "address-taken",
    "Put the about page at /contact.",
    [["page_update", { page: "about", slug: "contact" }, "slug_taken"]],
    {},
  ),
  task(
    "address-draft",
    "The draft Prices should be at /what-it-costs.",
    [update("prices", { slug: "what-it-costs" })],
    { "page prices": { slug: "what-it-costs" } },
    { start: [["page_create", { name: "Prices" }]] },
  ),
  task(
    "swap-names",
    "Swap the names of About and Contact.",
    [update("about", { name: "Contact" }), update("contact", { name: "About" })],
    all(page("about", { name: "Contact" }), page("contact", { name: "About" })),
    { together: true },
  ),
  task(
    "list-again",
    "Search engines may list the about page again.",
    [update("about", { indexing: true })],
    live({ "page about": { indexing: true } }),
    { start: [update("about", { indexing: false })] },
  ),
];

export const PAGES: readonly Task[] = [
  renames,
  addresses,
  metas,
  unlisted,
  empty,
  made,
  deleted,
  others,
].flat();
