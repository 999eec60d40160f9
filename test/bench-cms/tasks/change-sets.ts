import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { Call, Difference, Task } from "../format.ts";
import { goneSample, publicPost, sampleContent, sectionsOf } from "./sample.ts";
import {
  all,
  footer,
  header,
  inSet,
  live,
  newItem,
  newPage,
  newPost,
  newSection,
  newSet,
  page,
  published,
  section,
} from "./words.ts";

/** Changes that are collected and become public as one, or never. */

type More = Partial<Omit<Task, "id" | "wish" | "gold" | "expected">>;
const task = (
  id: string,
  wish: string,
  gold: readonly Call[],
  expected: Difference,
  more: More = {},
): Task => ({
  id: `set-${id}`,
  kind: "change sets",
  wish,
  gold,
  expected,
  ...more,
});
type Input = { readonly [key: string]: Json };
const BEGIN: Call = ["changes_begin", { name: "Spring" }];
const publish = (input: Input = {}): Call => ["changes_publish", input];
const rename = (slug: string, name: string): Call => ["page_update", { page: slug, name }];
const write = (id: string, content: Input): Call => ["section_update", { section: id, content }];
const open = newSet("Spring", "open");
const isPublished = newSet("Spring", "published");
const begun = (...calls: readonly Call[]): More => ({
  earlier: [{ wish: "Collect what comes under the name Spring.", calls: [BEGIN, ...calls] }],
});

const collected: readonly Task[] = [
  task("begin", "Collect what I ask for from now on, under the name Spring.", [BEGIN], open),
  task(
    "collect",
    "Collect under the name Spring: About is called “Guides”.",
    [BEGIN, rename("about", "Guides")],
    all(open, inSet("Spring", page("about", { name: "Guides" }))),
  ),
  task(
    "collect-words",
    "Collect under the name Spring: the title of Contact is “Where to?”, and the note of the footer “All year round.”",
    [
      BEGIN,
      write("sc_contact_hero", { title: "Where to?" }),
      write("sc_layout_footer", { note: "All year round." }),
    ],
    all(
      open,
      inSet("Spring", section("contact/hero", { title: "Where to?" })),
      inSet("Spring", section("layout/footer", { note: "All year round." })),
    ),
  ),
  task(
    "collect-page",
    "Collect a new page “Prices” under the name Spring.",
    [BEGIN, ["page_create", { name: "Prices" }]],
    all(open, inSet("Spring", newPage("prices", "Prices"))),
  ),
  task(
    "collect-nav",
    "Into the set Spring, which is open: take About out of the footer.",
    [["nav_edit", { ops: [{ op: "remove", item: "nv_footer_about" }] }]],
    all(open, inSet("Spring", all({ "footer item About": "gone" }, footer("Contact")))),
    begun(),
  ),
  task(
    "collect-deletion",
    "Into the set Spring, which is open: delete the gallery on About.",
    [["section_delete", { sections: ["sc_about_gallery"] }]],
    all(
      open,
      inSet("Spring", {
        "section about/gallery": "gone",
        ...page("about", { order: ["about/hero", "about/image-text"] }),
      }),
    ),
    begun(),
  ),
  task(
    "collect-settings",
    "Into the set Spring, which is open: the accent is #884400.",
    [["settings_update", { set: { theme: { accent: "#884400" } } }]],
    all(open, inSet("Spring", { "setting theme": { accent: "#884400" } })),
    begun(),
  ),
  task(
    "undo-within",
    "Take the last one out of the set again.",
    [["undo", {}]],
    all(open, inSet("Spring", page("about", { name: "Guides" }))),
    begun(rename("about", "Guides"), rename("contact", "Letters")),
  ),
];

const published_: readonly Task[] = [
  task(
    "publish",
    "Publish what you have collected.",
    [publish()],
    all(isPublished, live(page("about", { name: "Guides" }))),
    begun(rename("about", "Guides")),
  ),
  task(
    "publish-at-once",
    "Change three things, and let visitors see all of them in the same moment: About is called “Guides”, Contact is called “Letters”, and the title of the home page is “Come along”.",
    [
      BEGIN,
      rename("about", "Guides"),
      rename("contact", "Letters"),
      write("sc_home_hero", { title: "Come along" }),
      publish(),
    ],
    all(
      isPublished,
      live(
        all(
          page("about", { name: "Guides" }),
          page("contact", { name: "Letters" }),
          section("home/hero", { title: "Come along" }),
        ),
      ),
    ),
  ),
  task(
    "publish-page",
    "Publish the set: a new page with its link, and what was renamed.",
    [publish()],
    all(
      isPublished,
      published(
        all(
          newPage("prices", "Prices", ["new hero"]),
          newSection("new hero", "page prices", "hero", { title: "What it costs" }),
        ),
      ),
      live(page("contact", { name: "Letters" })),
      newItem("header", "Prices", "page prices"),
      header("Home, About, Blog [Packing light], Contact, Prices"),
    ),
    begun(
      [
        "page_create",
        {
          name: "Prices",
          sections: [{ template: "hero", content: { title: "What it costs" } }],
          nav: { location: "header" },
        },
      ],
      rename("contact", "Letters"),
    ),
  ),
  task(
    "publish-deletion",
    "Publish the set: About goes, with its links.",
    [publish()],
    all(
      isPublished,
      goneSample("about"),
      { "header item About": "gone", "footer item About": "gone" },
      header("Home, Blog [Packing light], Contact"),
      footer("Contact"),
    ),
    begun(["page_delete", { pages: ["about"] }]),
  ),
  task(
    "publish-posts",
    "Publish the set: a new post and the one about winter.",
    [publish()],
    all(
      isPublished,
      published(newPost("mud", "Mud", { excerpt: "Everywhere.", body: "Everywhere." })),
      { "post winter-routes": { author: "Tobias Reed", status: "published", dirty: false } },
      publicPost("winter-routes", "Winter routes", "now", { author: "Tobias Reed" }),
    ),
    begun(
      ["entry_create", { title: "Mud", excerpt: "Everywhere.", content: { body: "Everywhere." } }],
      ["entry_update", { entry: "blog/winter-routes", author: "Tobias Reed" }],
    ),
  ),
  task(
    "publish-settings",
    "Publish the set: the new accent and the shorter header.",
    [publish()],
    all(
      isPublished,
      { "setting theme": { accent: "#884400" }, "header item Home": "gone" },
      header("About, Blog [Packing light], Contact"),
    ),
    begun(
      ["settings_update", { set: { theme: { accent: "#884400" } } }],
      ["nav_edit", { ops: [{ op: "remove", item: "nv_header_home" }] }],
    ),
  ),
  task(
    "denied",
    "Publish the set.",
    [["changes_publish", {}, "denied"]],
    all(open, inSet("Spring", page("about", { name: "Guides" }))),
    { ...begun(rename("about", "Guides")), decisions: ["no"] },
  ),
  task(
    "discard",
    "Throw the set away.",
    [["changes_discard", {}]],
    newSet("Spring", "discarded"),
    begun(rename("about", "Guides")),
  ),
  task(
    "discard-denied",
    "Throw the set away.",
    [["changes_discard", {}, "denied"]],
    all(open, inSet("Spring", page("about", { name: "Guides" }))),
    { ...begun(rename("about", "Guides")), decisions: ["no"] },
  ),
  task("empty", "Publish the set.", [["changes_publish", {}, "nothing_to_do"]], open, begun()),
  task("none", "Publish what you have collected.", [["changes_publish", {}, "not_found"]], {}),
  task(
    "hers",
    "Publish the change set that Grace calls Spring.",
    [publish({ set: "{start 1.set.id}" })],
    {
      "set Spring": { state: "published" },
      "page about": { name: "Guides" },
      "public page about": { name: "Guides" },
      "in Spring: page about": "gone",
    },
    { start: [BEGIN, rename("about", "Guides")] },
  ),
];

/** Somebody else writes to the site while a set is open. */
const rivals: readonly Task[] = [
  task(
    "beside",
    "Publish the set; Grace has changed the line below the title meanwhile, which must stay.",
    [publish()],
    all(isPublished, live(section("about/hero", { title: "Slow", subtitle: "Two guides." }))),
    {
      ...begun(write("sc_about_hero", { title: "Slow" })),
      meanwhile: [write("sc_about_hero", { subtitle: "Two guides." })],
    },
  ),
  task(
    "conflict",
    "Publish the set.",
    [["changes_publish", {}, "set_conflict"]],
    all(
      open,
      section("about/hero", { title: "Slower" }),
      inSet("Spring", { "section about/hero": { title: "Slow" } }),
    ),
    {
      ...begun(write("sc_about_hero", { title: "Slow" })),
      meanwhile: [write("sc_about_hero", { title: "Slower" })],
    },
  ),
  task(
    "overwrite",
    "Publish the set; where Grace has written another title, ours wins.",
    [publish({ overwrite: ["sc_about_hero"] })],
    all(isPublished, live(section("about/hero", { title: "Slow" }))),
    {
      ...begun(write("sc_about_hero", { title: "Slow" })),
      meanwhile: [write("sc_about_hero", { title: "Slower" })],
    },
  ),
  task(
    "deleted-meanwhile",
    "Publish the set.",
    [["changes_publish", {}, "set_conflict"]],
    all(
      open,
      { "section about/gallery": "gone" },
      page("about", { order: sectionsOf("about").slice(0, 2) }),
      // The set still has what was deleted on the site, with its own words.
      inSet("Spring", {
        "page about": { order: sectionsOf("about") },
        "section about/gallery": {
          page: "page about",
          template: "gallery",
          variant: "default",
          hidden: false,
          ...sampleContent("about/gallery", { title: "Places" }),
        },
      }),
    ),
    {
      ...begun(write("sc_about_gallery", { title: "Places" })),
      meanwhile: [["section_delete", { sections: ["sc_about_gallery"] }]],
    },
  ),
];

const T = "2026-02-01T09:00:00Z";
const timed: readonly Task[] = [
  task(
    "at",
    "Publish the set on 1 February 2026 at nine, UTC.",
    [publish({ at: T })],
    all(
      newSet("Spring", "open", { publishAt: "2026-02-01 09:00" }),
      inSet("Spring", page("about", { name: "Guides" })),
    ),
    { ...begun(rename("about", "Guides")), time: "2026-02-01T08:59:00Z" },
  ),
  task(
    "at-comes",
    "Publish the set on 1 February 2026 at nine, UTC; I look at the site a minute later.",
    [publish({ at: T })],
    all(isPublished, live(all(page("about", { name: "Guides" }), page("contact", { name: "Letters" })))),
    { ...begun(rename("about", "Guides"), rename("contact", "Letters")), time: "2026-02-01T09:01:00Z" },
  ),
  task(
    "at-cancelled",
    "Add to the set that is to be published on 1 February: Contact is called “Letters”.",
    [rename("contact", "Letters")],
    all(
      newSet("Spring", "open", {
        failure: "It was written into after its publishing was approved. Ask for publishing again.",
      }),
      inSet("Spring", all(page("about", { name: "Guides" }), page("contact", { name: "Letters" }))),
    ),
    { ...begun(rename("about", "Guides"), publish({ at: T })), time: "2026-02-01T09:01:00Z" },
  ),
];

export const CHANGE_SETS: readonly Task[] = [collected, published_, rivals, timed].flat();
