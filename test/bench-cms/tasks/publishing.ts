import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { Call, Difference, Task } from "../format.ts";
import { hiddenSample, publicPost, publicSample } from "./sample.ts";
import {
  all,
  header,
  live,
  newItem,
  newPage,
  newPost,
  newSection,
  page,
  post,
  published,
  section,
} from "./words.ts";

/** Tasks that publish or unpublish: a person approves each change. Some changes are scheduled. */

type More = Partial<Omit<Task, "id" | "wish" | "gold" | "expected">>;
const task = (
  id: string,
  wish: string,
  gold: readonly Call[],
  expected: Difference,
  more: More = {},
): Task => ({
  id: `publish-${id}`,
  kind: "publishing",
  wish,
  gold,
  expected,
  ...more,
});
const timed = (
  id: string,
  wish: string,
  gold: readonly Call[],
  expected: Difference,
  more: More = {},
): Task => ({
  id: `time-${id}`,
  kind: "scheduling",
  wish,
  gold,
  expected,
  ...more,
});
type Target = readonly [type: "page" | "entry", ref: string];
const status = (
  to: string,
  targets: readonly Target[],
  more: { readonly [key: string]: Json } = {},
): Call => ["set_status", { targets: targets.map(([type, ref]) => ({ type, ref })), to, ...more }];
const publish = (type: "page" | "entry", ref: string, more: { readonly [key: string]: Json } = {}): Call =>
  status("published", [[type, ref]], more);
const rename = (slug: string, name: string): Call => ["page_update", { page: slug, name }];
const write = (name: string, content: { readonly [key: string]: Json }): Call => [
  "section_update",
  { section: `sc_${name.replace("/", "_").replaceAll("-", "_")}`, content },
];

const edited = (
  [
    ["about/hero", "title", "We walk slower still"],
    ["contact/cta", "heading", "Write us a letter"],
    ["home/cta", "heading", "The hut is full"],
    ["layout/footer", "note", "Closed in April."],
  ] as const
).map(([name, key, text]) => {
  const slug = name.split("/")[0] ?? "";
  return task(
    `edit-${slug}`,
    `Make the ${key} of the ${name.split("/")[1] ?? ""} on ${slug === "layout" ? "every page" : slug} “${text}”, and publish it.`,
    [write(name, { [key]: text }), publish("page", slug === "layout" ? "pg_layout" : slug)],
    live(section(name, { [key]: text })),
  );
});

const named = (["about", "contact", "home"] as const).map((slug) =>
  task(
    `draft-${slug}`,
    `Grace has renamed the page ${slug}: publish it.`,
    [publish("page", slug)],
    { [`page ${slug}`]: { dirty: false }, [`public page ${slug}`]: { name: `New ${slug}` } },
    { start: [rename(slug, `New ${slug}`)] },
  ),
);

const off = (
  [
    ["about", "Home, Blog [Packing light], Contact", "Contact"],
    ["contact", "Home, About, Blog [Packing light]", "About"],
  ] as const
).map(([slug, inHeader, inFooter]) =>
  task(
    `off-${slug}`,
    `Take the page ${slug} off the public site, but keep it.`,
    [status("unpublished", [["page", slug]])],
    all(
      { [`page ${slug}`]: { status: "unpublished", dirty: null } },
      hiddenSample(slug),
      header(null, inHeader),
      { footer: { visitors: inFooter } },
    ),
  ),
);

const PRICES: Call = [
  "page_create",
  {
    name: "Prices",
    sections: [{ template: "hero", content: { title: "What it costs" } }],
    nav: { location: "header" },
  },
];
const withHero = (slug: string, name: string, title: string): Difference =>
  all(newPage(slug, name, ["new hero"]), newSection("new hero", `page ${slug}`, "hero", { title }));

const others: readonly Task[] = [
  task(
    "new-page",
    "Make a page “Prices” with a hero “What it costs” and a link in the header, and publish it.",
    [PRICES, publish("page", "prices")],
    all(
      published(withHero("prices", "Prices", "What it costs")),
      newItem("header", "Prices", "page prices"),
      header("Home, About, Blog [Packing light], Contact, Prices"),
    ),
  ),
  task(
    "waiting-item",
    "The page Prices is ready: publish it. Its link waits in the header already.",
    [publish("page", "prices")],
    {
      "page prices": { status: "published", dirty: false },
      "+ public page prices": { name: "Prices", slug: "prices", indexing: true, order: ["new hero"] },
      "+ public section new hero": {
        page: "page prices",
        template: "hero",
        variant: "default",
        title: "What it costs",
      },
      ...header(null, "Home, About, Blog [Packing light], Contact, Prices"),
    },
    { start: [PRICES] },
  ),
  task(
    "hidden",
    "Hide the gallery on About and publish the page, so that visitors do not see it either.",
    [["section_update", { section: "sc_about_gallery", hidden: true }], publish("page", "about")],
    {
      "section about/gallery": { hidden: true },
      "public section about/gallery": "gone",
      "public page about": { order: ["about/hero", "about/image-text"] },
    },
  ),
  task(
    "order",
    "Put the gallery first on About, and publish that.",
    [["section_move", { section: "sc_about_gallery", position: 1 }], publish("page", "about")],
    live(page("about", { order: ["about/gallery", "about/hero", "about/image-text"] })),
  ),
  task(
    "deleted-section",
    "Delete the gallery on About, and publish that.",
    [["section_delete", { sections: ["sc_about_gallery"] }], publish("page", "about")],
    live({
      "section about/gallery": "gone",
      ...page("about", { order: ["about/hero", "about/image-text"] }),
    }),
  ),
  task(
    "two",
    "Rename About to “Guides” and Contact to “Letters”, and publish both together.",
    [
      rename("about", "Guides"),
      rename("contact", "Letters"),
      status("published", [
        ["page", "about"],
        ["page", "contact"],
      ]),
    ],
    live(all(page("about", { name: "Guides" }), page("contact", { name: "Letters" }))),
  ),
  task("post-draft", "Publish the post about winter routes.", [publish("entry", "winter-routes")], {
    "post winter-routes": { status: "published", dirty: false },
    ...publicPost("winter-routes", "Winter routes", "now"),
  }),
  task(
    "post-new",
    "Write and publish a post “Mud”: “It is everywhere.”, which is its excerpt too.",
    [
      [
        "entry_create",
        { title: "Mud", excerpt: "It is everywhere.", content: { body: "It is everywhere." } },
      ],
      publish("entry", "mud"),
    ],
    published(newPost("mud", "Mud", { excerpt: "It is everywhere.", body: "It is everywhere." })),
  ),
  task(
    "post-edit",
    "Call Packing light “Five kilograms” and publish that; its date must stay.",
    [
      ["entry_update", { entry: "blog/packing-light", title: "Five kilograms" }],
      publish("entry", "packing-light"),
    ],
    live(post("packing-light", { title: "Five kilograms" })),
  ),
  task(
    "post-off",
    "Take Packing light off the public site.",
    [status("unpublished", [["entry", "packing-light"]])],
    {
      "post packing-light": { status: "draft", dirty: null },
      "public post packing-light": "gone",
      ...header(null, "Home, About, Blog, Contact"),
    },
  ),
  task(
    "post-back",
    "Reading the weather was archived by mistake: make it public again, with its old date.",
    [publish("entry", "reading-the-weather")],
    {
      "post reading-the-weather": { status: "published", dirty: false },
      ...publicPost("reading-the-weather", "Reading the weather", "2025-12-23"),
    },
    { start: [status("archived", [["entry", "reading-the-weather"]])] },
  ),
  task(
    "page-back",
    "Publish About again.",
    [publish("page", "about")],
    {
      "page about": { status: "published", dirty: false },
      ...publicSample("about"),
      ...header(null, "Home, About, Blog [Packing light], Contact"),
      footer: { visitors: "About, Contact" },
    },
    { start: [status("unpublished", [["page", "about"]])] },
  ),
  task(
    "denied",
    "Rename About to “Guides” and publish it.",
    [
      rename("about", "Guides"),
      ["set_status", { targets: [{ type: "page", ref: "about" }], to: "published" }, "denied"],
    ],
    page("about", { name: "Guides" }),
    { decisions: ["no"] },
  ),
  task(
    "blocked",
    "Publish the page Pictures.",
    [["set_status", { targets: [{ type: "page", ref: "pictures" }], to: "published" }, "publish_blocked"]],
    {},
    {
      start: [
        ["image_update", { image: "im_compass", unset: ["alt"] }],
        [
          "page_create",
          { name: "Pictures", sections: [{ template: "gallery", content: { images: ["im_compass"] } }] },
        ],
      ],
    },
  ),
  task(
    "home-stays",
    "Take the home page off the public site.",
    [["set_status", { targets: [{ type: "page", ref: "home" }], to: "unpublished" }, "protected_page"]],
    {},
  ),
  task("public-already", "Publish the contact page.", [publish("page", "contact")], {}),
  task(
    "only-one",
    "Grace has changed About and Contact. Publish About alone.",
    [publish("page", "about")],
    { "page about": { dirty: false }, "public page about": { name: "Guides" } },
    { start: [rename("about", "Guides"), rename("contact", "Letters")] },
  ),
];

const at = (time: string): { readonly at: string } => ({ at: time });
const MUD: Call = [
  "entry_create",
  { title: "Mud", excerpt: "Everywhere.", content: { body: "It is everywhere." } },
];
const mudPublic = published(newPost("mud", "Mud", { excerpt: "Everywhere.", body: "It is everywhere." }));
const scheduling: readonly Task[] = [
  timed(
    "waits",
    "Publish the rename of About on 1 February 2026 at nine, UTC.",
    [rename("about", "Guides"), publish("page", "about", at("2026-02-01T09:00:00Z"))],
    page("about", { name: "Guides", publishAt: "2026-02-01 09:00" }),
  ),
  timed(
    "comes",
    "Rename About to “Guides”, public from 1 February 2026 at nine, UTC.",
    [rename("about", "Guides"), publish("page", "about", at("2026-02-01T09:00:00Z"))],
    live(page("about", { name: "Guides" })),
    { time: "2026-02-01T09:00:30Z" },
  ),
  timed(
    "zone",
    "Publish Winter routes on 14 January at half past eight in the morning, Berlin time.",
    [publish("entry", "winter-routes", { at: "2026-01-14T08:30", timeZone: "Europe/Berlin" })],
    { "post winter-routes": { publishAt: "2026-01-14 07:30" } },
  ),
  timed(
    "post-comes",
    "Write a post “Mud” (“It is everywhere.”, excerpt “Everywhere.”) that is public on 10 January 2026 at noon, UTC.",
    [MUD, publish("entry", "mud", at("2026-01-10T12:00:00Z"))],
    mudPublic,
    { time: "2026-01-10T12:01:00Z" },
  ),
  timed(
    "not-yet",
    "Write a post “Mud” (“It is everywhere.”, excerpt “Everywhere.”), public on 10 January 2026 at noon, UTC, and not earlier.",
    [MUD, publish("entry", "mud", at("2026-01-10T12:00:00Z"))],
    newPost("mud", "Mud", {
      excerpt: "Everywhere.",
      body: "It is everywhere.",
      publishAt: "2026-01-10 12:00",
    }),
    { time: "2026-01-10T11:59:00Z" },
  ),
  timed(
    "two-times",
    "Publish the renames of About on 10 January and of Contact on 20 January 2026, both at nine, UTC.",
    [
      publish("page", "about", at("2026-01-10T09:00:00Z")),
      publish("page", "contact", at("2026-01-20T09:00:00Z")),
    ],
    {
      "page about": { dirty: false },
      "public page about": { name: "Guides" },
      "page contact": { publishAt: "2026-01-20 09:00" },
    },
    { start: [rename("about", "Guides"), rename("contact", "Letters")], time: "2026-01-10T09:00:10Z" },
  ),
  timed(
    "cancel",
    "Do not publish the page Prices on 1 February after all.",
    [status("unpublished", [["page", "prices"]])],
    { "page prices": { publishAt: null } },
    { start: [PRICES, publish("page", "prices", at("2026-02-01T09:00:00Z"))], time: "2026-02-02T00:00:00Z" },
  ),
  timed(
    "cancel-draft",
    "Winter routes should not become public by itself any more.",
    [status("unpublished", [["entry", "winter-routes"]])],
    { "post winter-routes": { publishAt: null } },
    { start: [publish("entry", "winter-routes", at("2026-02-01T09:00:00Z"))], time: "2026-02-02T00:00:00Z" },
  ),
  timed(
    "later",
    "Winter routes should become public a week later than planned, on 8 February at nine, UTC.",
    [publish("entry", "winter-routes", at("2026-02-08T09:00:00Z"))],
    { "post winter-routes": { publishAt: "2026-02-08 09:00" } },
    { start: [publish("entry", "winter-routes", at("2026-02-01T09:00:00Z"))], time: "2026-02-02T00:00:00Z" },
  ),
  timed(
    "edited",
    "Call the draft Winter routes “Winter walks”, although it is to be published soon.",
    [["entry_update", { entry: "blog/winter-routes", title: "Winter walks" }]],
    {
      "post winter-routes": {
        title: "Winter walks",
        publishAt: null,
        failure: "It was changed after its publishing was approved. Ask for publishing again.",
      },
    },
    { start: [publish("entry", "winter-routes", at("2026-02-01T09:00:00Z"))], time: "2026-02-01T09:01:00Z" },
  ),
  timed(
    "past",
    "Publish Winter routes on 1 January 2025.",
    [
      [
        "set_status",
        { targets: [{ type: "entry", ref: "winter-routes" }], to: "published", at: "2025-01-01T09:00:00Z" },
        "invalid_input",
      ],
    ],
    {},
  ),
  timed(
    "denied",
    "Publish Winter routes on 1 February 2026 at nine, UTC.",
    [
      [
        "set_status",
        { targets: [{ type: "entry", ref: "winter-routes" }], to: "published", at: "2026-02-01T09:00:00Z" },
        "denied",
      ],
    ],
    {},
    { decisions: ["no"], time: "2026-02-02T09:00:00Z" },
  ),
];

export const PUBLISHING: readonly Task[] = [edited, named, off, others, scheduling].flat();
