import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { Call, Difference, Task } from "../format.ts";
import { publicPost } from "./sample.ts";
import { all, live, page, section } from "./words.ts";

/**
 * Tasks that undo changes. If the session made the change itself, the difference counts from before that change: an
 * empty difference means that everything is restored, to the last field, for editors and visitors.
 */

type More = Partial<Omit<Task, "id" | "wish" | "gold" | "expected">>;
const task = (
  id: string,
  wish: string,
  gold: readonly Call[],
  expected: Difference,
  more: More = {},
): Task => ({
  id: `undo-${id}`,
  kind: "history",
  wish,
  gold,
  expected,
  ...more,
});
type Input = { readonly [key: string]: Json };
const undo = (input: Input = {}): Call => ["undo", input];
const rename = (slug: string, name: string): Call => ["page_update", { page: slug, name }];
const write = (id: string, content: Input): Call => ["section_update", { section: id, content }];
const publish = (slug: string): Call => [
  "set_status",
  { targets: [{ type: "page", ref: slug }], to: "published" },
];
const nav = (...ops: readonly Json[]): Call => ["nav_edit", { ops }];

/** Each kind of write, taken back. */
const WRITES: readonly (readonly [id: string, said: string, call: Call])[] = [
  ["rename", "Rename About to “Guides”.", rename("about", "Guides")],
  ["address", "Put About at /guides.", ["page_update", { page: "about", slug: "guides" }]],
  [
    "meta",
    "Search engines call About “Guides”.",
    ["page_update", { page: "about", meta: { title: "Guides" } }],
  ],
  ["unlist", "Keep Contact out of search engines.", ["page_update", { page: "contact", indexing: false }]],
  [
    "page",
    "Make a page “Prices” with a link in the header.",
    ["page_create", { name: "Prices", nav: { location: "header" } }],
  ],
  ["delete-page", "Delete About.", ["page_delete", { pages: ["about"] }]],
  ["delete-two-pages", "Delete About and Contact.", ["page_delete", { pages: ["about", "contact"] }]],
  ["words", "The title of Contact: “Where to?”", write("sc_contact_hero", { title: "Where to?" })],
  [
    "add-section",
    "Add a hero “Hello” to Contact.",
    ["section_add", { page: "contact", template: "hero", content: { title: "Hello" } }],
  ],
  [
    "move-section",
    "The gallery comes first on About.",
    ["section_move", { section: "sc_about_gallery", position: 1 }],
  ],
  [
    "other-page",
    "Move the gallery to the home page.",
    ["section_move", { section: "sc_about_gallery", position: 1, toPage: "home" }],
  ],
  ["delete-section", "Delete the gallery.", ["section_delete", { sections: ["sc_about_gallery"] }]],
  ["hide-section", "Hide the gallery.", ["section_update", { section: "sc_about_gallery", hidden: true }]],
  [
    "nav-add",
    "Link Home in the footer.",
    nav({ op: "add", location: "footer", label: "Home", target: "page:home" }),
  ],
  ["nav-remove", "Take Blog out of the header.", nav({ op: "remove", item: "nv_header_blog" })],
  [
    "nav-remove-all",
    "Take Blog and what is below it out of the header.",
    nav({ op: "remove", item: "nv_header_blog", children: "remove" }),
  ],
  [
    "nav-move",
    "Contact comes first in the header.",
    nav({ op: "move", item: "nv_header_contact", position: 1 }),
  ],
  [
    "post",
    "Write a post “Mud”: “Everywhere.”",
    ["entry_create", { title: "Mud", excerpt: "Everywhere.", content: { body: "Everywhere." } }],
  ],
  [
    "post-words",
    "Call Packing light “Five kilograms”.",
    ["entry_update", { entry: "blog/packing-light", title: "Five kilograms" }],
  ],
  ["delete-post", "Delete Packing light.", ["entry_delete", { entries: ["blog/packing-light"] }]],
  [
    "off",
    "Take Contact off the site.",
    ["set_status", { targets: [{ type: "page", ref: "contact" }], to: "unpublished" }],
  ],
  [
    "public",
    "Publish Winter routes.",
    ["set_status", { targets: [{ type: "entry", ref: "winter-routes" }], to: "published" }],
  ],
  [
    "archive",
    "Archive Packing light.",
    ["set_status", { targets: [{ type: "entry", ref: "packing-light" }], to: "archived" }],
  ],
  [
    "settings",
    "Call the site “Mud & Rain”.",
    ["settings_update", { set: { identity: { title: "Mud & Rain" } } }],
  ],
  ["home", "Make About the home page.", ["settings_update", { set: { home: { page: "about" } } }]],
  ["alt", "The ridge is described as “Hills”.", ["image_update", { image: "im_ridge", alt: "Hills" }]],
  [
    "delete-image",
    "Delete the map, and leave its place empty.",
    ["image_delete", { images: ["im_contours"], onUse: "detach" }],
  ],
];
const simple = WRITES.map(([id, said, call]) =>
  task(id, `That was wrong. Undo it: “${said}”`, [undo()], {}, { earlier: [{ wish: said, calls: [call] }] }),
);

const others: readonly Task[] = [
  task(
    "twice",
    "Undo both of your last changes.",
    [undo(), undo({ operation: "{earlier 1.op}" })],
    {},
    {
      earlier: [
        {
          wish: "Rename About to “Guides” and Contact to “Letters”.",
          calls: [rename("about", "Guides"), rename("contact", "Letters")],
        },
      ],
    },
  ),
  task(
    "once",
    "Undo your last change, and no more than that.",
    // A model that says it twice is told that it is done.
    [undo(), undo()],
    page("about", { name: "Guides" }),
    {
      earlier: [
        {
          wish: "Rename About to “Guides” and Contact to “Letters”.",
          calls: [rename("about", "Guides"), rename("contact", "Letters")],
        },
      ],
    },
  ),
  task(
    "first-only",
    "The rename of About was wrong, that of Contact was right.",
    [undo({ operation: "{earlier 1.op}" })],
    page("contact", { name: "Letters" }),
    {
      earlier: [
        {
          wish: "Rename About to “Guides” and Contact to “Letters”.",
          calls: [rename("about", "Guides"), rename("contact", "Letters")],
        },
      ],
    },
  ),
  task(
    "redo",
    "No, it was right after all: do it again.",
    [undo({ operation: "{earlier 2.op}" })],
    page("about", { name: "Guides" }),
    {
      earlier: [
        { wish: "Rename About to “Guides”.", calls: [rename("about", "Guides")] },
        { wish: "Undo that.", calls: [undo()] },
      ],
    },
  ),
  task(
    "field-stays",
    "Put the title back, and keep the new line below it.",
    [undo({ operation: "{earlier 1.op}" })],
    section("about/hero", { subtitle: "Two guides." }),
    {
      earlier: [
        { wish: "The title of About: “Slow”.", calls: [write("sc_about_hero", { title: "Slow" })] },
        { wish: "And below it: “Two guides.”", calls: [write("sc_about_hero", { subtitle: "Two guides." })] },
      ],
    },
  ),
  task(
    "overtaken",
    "Undo the first of the two titles.",
    [["undo", { operation: "{earlier 1.op}" }, "undo_conflict"]],
    section("about/hero", { title: "Slower" }),
    {
      earlier: [
        { wish: "The title of About: “Slow”.", calls: [write("sc_about_hero", { title: "Slow" })] },
        { wish: "Or rather: “Slower”.", calls: [write("sc_about_hero", { title: "Slower" })] },
      ],
    },
  ),
  task(
    "publication",
    "Do not show visitors the new name yet; the draft may keep it.",
    [undo()],
    page("about", { name: "Guides" }),
    {
      earlier: [
        {
          wish: "Rename About to “Guides” and publish it.",
          calls: [rename("about", "Guides"), publish("about")],
        },
      ],
    },
  ),
  task(
    "publication-too",
    "Take back both: the publishing and the rename.",
    [undo(), undo({ operation: "{earlier 1.op}" })],
    {},
    {
      earlier: [
        {
          wish: "Rename About to “Guides” and publish that.",
          calls: [rename("about", "Guides"), publish("about")],
        },
      ],
    },
  ),
  task(
    "somebody",
    "Grace has renamed About. Take that back.",
    [["history", { target: { type: "page", ref: "about" } }], undo({ operation: "{1.items.0.operation}" })],
    { "page about": { name: "About", dirty: false } },
    { start: [rename("about", "Guides")] },
  ),
  task(
    "somebody-older",
    "Grace has renamed About and Contact. Take back the one of About alone.",
    [["history", { target: { type: "page", ref: "about" } }], undo({ operation: "{1.items.0.operation}" })],
    { "page about": { name: "About", dirty: false } },
    { start: [rename("about", "Guides"), rename("contact", "Letters")] },
  ),
  task(
    "as-published",
    "Throw away all that was changed on the draft of About: it should be as visitors see it.",
    [undo({ target: { type: "page", ref: "about" }, to: "published" })],
    {
      "page about": {
        name: "About",
        order: ["about/hero", "about/image-text", "about/gallery"],
        dirty: false,
      },
      "section about/hero": { title: "We walk slowly, on purpose" },
    },
    {
      start: [
        rename("about", "Guides"),
        write("sc_about_hero", { title: "Fast" }),
        ["section_move", { section: "sc_about_gallery", position: 1 }],
      ],
    },
  ),
  task(
    "as-of",
    "About should be as it was on 4 January 2026 at 09:01:30 UTC.",
    [undo({ target: { type: "page", ref: "about" }, time: "2026-01-04T09:01:30Z" })],
    { "section about/hero": { title: "We walk slowly, on purpose" } },
    { start: [rename("about", "Guides"), write("sc_about_hero", { title: "Fast" })] },
  ),
  task(
    "revision",
    "About should be as Grace left it with her first change.",
    [
      ["history", { target: { type: "page", ref: "about" } }],
      undo({ target: { type: "page", ref: "about" }, revision: "{1.items.1.revision}" }),
    ],
    { "page about": { name: "Guides" } },
    { start: [rename("about", "Guides"), rename("about", "Leaders")] },
  ),
  task(
    "denied",
    "Undo the publishing of Winter routes.",
    [["undo", {}, "denied"]],
    all(
      { "post winter-routes": { status: "published", dirty: false } },
      publicPost("winter-routes", "Winter routes", "now"),
    ),
    {
      earlier: [
        {
          wish: "Publish Winter routes.",
          calls: [["set_status", { targets: [{ type: "entry", ref: "winter-routes" }], to: "published" }]],
        },
      ],
      decisions: ["no"],
    },
  ),
  task("nothing", "Undo your last change.", [["undo", {}, "nothing_to_undo"]], {}),
  task(
    "address-taken",
    "Undo the new address of About.",
    [["undo", { operation: "{earlier 1.op}" }, "slug_taken"]],
    all(
      live({ "page about": { slug: "guides" } }),
      { "+ redirect /site/about": { to: "page about" } },
      { "+ page about 2": { name: "About", slug: "about", status: "draft", indexing: true, order: [] } },
    ),
    {
      earlier: [
        { wish: "Put About at /guides.", calls: [["page_update", { page: "about", slug: "guides" }]] },
        { wish: "Make another page at /about.", calls: [["page_create", { name: "About", slug: "about" }]] },
      ],
    },
  ),
];

export const HISTORY: readonly Task[] = [simple, others].flat();
