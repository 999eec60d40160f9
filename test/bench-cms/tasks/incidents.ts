import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { Call, Difference, Task } from "../format.ts";
import { samplePost } from "./sample.ts";
import {
  all,
  footer,
  header,
  live,
  newItem,
  newPage,
  newSection,
  newSet,
  page,
  post,
  published,
  section,
} from "./words.ts";

/**
 * Incidents that site owners have told of elsewhere, each as a task: what was published unasked, what could not be brought
 * back, and a whole push that had to be taken back piece by piece.
 */

type More = Partial<Omit<Task, "id" | "wish" | "gold" | "expected">>;
const incident = (
  id: string,
  wish: string,
  gold: readonly Call[],
  expected: Difference,
  more: More = {},
): Task => ({
  id: `incident-${id}`,
  kind: "incidents",
  wish,
  gold,
  expected,
  ...more,
});
type Input = { readonly [key: string]: Json };
const rename = (slug: string, name: string): Call => ["page_update", { page: slug, name }];
const write = (id: string, content: Input): Call => ["section_update", { section: id, content }];
const undo = (input: Input = {}): Call => ["undo", input];
const publish = (...slugs: readonly string[]): Call => [
  "set_status",
  { targets: slugs.map((ref) => ({ type: "page", ref })), to: "published" },
];
const denied = ([tool, input]: Call): Call => [tool, input, "denied"];

/**
 * An agent called “publish” right after each “update”, though nobody had asked for it, and the edits of a documentation site
 * were live before anybody had read them (contentful-mcp-server 319). Here it is stopped at a person.
 */
const unasked: readonly Task[] = [
  incident(
    "unasked-edit",
    "Change the title of About to “Slow walks”. I want to read it before anybody else does.",
    [write("sc_about_hero", { title: "Slow walks" })],
    section("about/hero", { title: "Slow walks" }),
  ),
  incident(
    "unasked-published",
    "Change the title of Contact to “Where to?”. I want to read it before anybody else does.",
    [write("sc_contact_hero", { title: "Where to?" }), denied(publish("contact"))],
    section("contact/hero", { title: "Where to?" }),
    { decisions: ["no"] },
  ),
  incident(
    "unasked-again",
    "Rewrite the titles of all three pages as drafts: “One”, “Two” and “Three”.",
    [
      write("sc_home_hero", { title: "One" }),
      denied(publish("home")),
      write("sc_about_hero", { title: "Two" }),
      denied(publish("about")),
      write("sc_contact_hero", { title: "Three" }),
      denied(publish("contact")),
    ],
    all(
      section("home/hero", { title: "One" }),
      section("about/hero", { title: "Two" }),
      section("contact/hero", { title: "Three" }),
    ),
    { decisions: ["no"] },
  ),
  incident(
    "unasked-together",
    "Rename About to “Guides” in the draft, nothing more.",
    [rename("about", "Guides"), denied(publish("about", "contact", "home"))],
    page("about", { name: "Guides" }),
    { decisions: ["no"], together: true },
  ),
  incident(
    "unasked-post",
    "Improve the excerpt of the draft Winter routes: “Short walks, warm huts.”",
    [
      ["entry_update", { entry: "blog/winter-routes", excerpt: "Short walks, warm huts." }],
      denied(["set_status", { targets: [{ type: "entry", ref: "winter-routes" }], to: "published" }]),
    ],
    { "post winter-routes": { excerpt: "Short walks, warm huts." } },
    { decisions: ["no"] },
  ),
  incident(
    "unasked-later",
    "Prepare a new title for the home page, “Come along”. We decide next week.",
    [
      write("sc_home_hero", { title: "Come along" }),
      denied([
        "set_status",
        { targets: [{ type: "page", ref: "home" }], to: "published", at: "2026-01-06T09:00:00Z" },
      ]),
    ],
    section("home/hero", { title: "Come along" }),
    { decisions: ["no"], time: "2026-01-07T09:00:00Z" },
  ),
];

/**
 * Texts were overwritten, and the agent had no way to read what had stood there: it asked the person for screenshots
 * (contentful-mcp-server 324). Here what was is kept, and comes back to the last letter.
 */
const noWayBack: readonly Task[] = [
  incident(
    "way-back-words",
    "That was not what I meant. Put the old texts back.",
    [undo(), undo({ operation: "{earlier 1.op}" })],
    {},
    {
      earlier: [
        {
          wish: "Make the texts on About shorter.",
          calls: [
            write("sc_about_hero", { title: "Slow", subtitle: "Two guides." }),
            write("sc_about_image_text", {
              heading: "Plans",
              content: "We look at the people, the weather and the ground.",
            }),
          ],
        },
      ],
    },
  ),
  incident(
    "way-back-body",
    "The text of Packing light is gone: bring back every word of it, and show it to visitors again.",
    [undo(), undo({ operation: "{earlier 1.op}" })],
    {},
    {
      earlier: [
        {
          wish: "Replace the text of Packing light by a better one, and publish it.",
          calls: [
            ["entry_update", { entry: "blog/packing-light", content: { body: "Take less." } }],
            ["set_status", { targets: [{ type: "entry", ref: "packing-light" }], to: "published" }],
          ],
        },
      ],
    },
  ),
  incident(
    "way-back-page",
    "No, not the whole page! Bring it back.",
    [undo()],
    {},
    {
      earlier: [{ wish: "Delete the stuff on About.", calls: [["page_delete", { pages: ["about"] }]] }],
    },
  ),
  incident(
    "way-back-stranger",
    "Somebody has overwritten the text of Packing light on Sunday. What it said before must come back.",
    [
      ["history", { target: { type: "entry", ref: "blog/packing-light" } }],
      undo({ operation: "{1.items.0.operation}" }),
    ],
    { "post packing-light": { body: samplePost("packing-light")["body"] ?? null, dirty: false } },
    { start: [["entry_update", { entry: "blog/packing-light", content: { body: "Take less." } }]] },
  ),
  incident(
    "way-back-time",
    "Put About back as it was on Sunday, 4 January 2026, at 09:00 UTC.",
    [undo({ target: { type: "page", ref: "about" }, time: "2026-01-04T09:00:00Z" })],
    {
      "page about": {
        name: "About",
        order: ["about/hero", "about/image-text", "about/gallery"],
        dirty: false,
      },
      "section about/hero": { title: "We walk slowly, on purpose" },
      "+ section about/gallery": {
        page: "page about",
        template: "gallery",
        variant: "default",
        hidden: false,
        layout: "grid",
        title: "Places we keep going back to",
        images: ["image ridge", "image valley", "image shelter"],
      },
    },
    {
      start: [
        rename("about", "Guides"),
        write("sc_about_hero", { title: "Fast" }),
        ["section_delete", { sections: ["sc_about_gallery"] }],
      ],
    },
  ),
  incident(
    "way-back-publication",
    "Visitors should see the text of About again that they saw before, and the draft too.",
    [undo(), undo({ operation: "{earlier 1.op}" })],
    {},
    {
      earlier: [
        {
          wish: "Change the title of About to “Fast” and publish it.",
          calls: [write("sc_about_hero", { title: "Fast" }), publish("about")],
        },
      ],
    },
  ),
];

/**
 * A push of many contents broke a site, and each of them had to be found and put back by hand: there was no way to take the
 * push back as one (dotCMS 31360). Here it is one operation, and so is its undoing.
 */
const PUSH: readonly Call[] = [
  ["changes_begin", { name: "Spring" }],
  rename("about", "Guides"),
  write("sc_home_hero", { title: "Spring is here" }),
  write("sc_contact_hero", { title: "Where to in May?" }),
  ["entry_update", { entry: "blog/packing-light", title: "Packing for May" }],
  [
    "page_create",
    { name: "May", sections: [{ template: "hero", content: { title: "May" } }], nav: { location: "header" } },
  ],
  ["settings_update", { set: { theme: { accent: "#884400" } } }],
  ["nav_edit", { ops: [{ op: "remove", item: "nv_footer_about" }] }],
  ["changes_publish", {}],
];
const pushed = all(
  newSet("Spring", "published"),
  live(
    all(
      page("about", { name: "Guides" }),
      section("home/hero", { title: "Spring is here" }),
      section("contact/hero", { title: "Where to in May?" }),
      post("packing-light", { title: "Packing for May" }),
    ),
  ),
  published(
    all(newPage("may", "May", ["new hero"]), newSection("new hero", "page may", "hero", { title: "May" })),
  ),
  newItem("header", "May", "page may"),
  header("Home, About, Blog [Packing light], Contact, May"),
  { "setting theme": { accent: "#884400" }, "footer item About": "gone" },
  footer("Contact"),
);
const earlierPush: More = {
  earlier: [{ wish: "Collect and publish all that is new in spring.", calls: PUSH }],
};

const wholePush: readonly Task[] = [
  incident("push", "Publish all that is new in spring, in one moment.", PUSH, pushed),
  incident(
    "push-back",
    "The site is broken since that push. Take the whole of it back.",
    [undo({ operation: "{earlier 9.op}" })],
    newSet("Spring", "published"),
    earlierPush,
  ),
  incident(
    "push-back-denied",
    "Take the whole push back.",
    [denied(undo({ operation: "{earlier 9.op}" }))],
    pushed,
    {
      ...earlierPush,
      decisions: ["no"],
    },
  ),
  incident(
    "push-back-later",
    "Take the push back, but keep what Grace has written since: the line below the title of the home page.",
    [undo({ operation: "{earlier 9.op}" })],
    all(newSet("Spring", "published"), section("home/hero", { subtitle: "Come in May." })),
    { ...earlierPush, meanwhile: [write("sc_home_hero", { subtitle: "Come in May." })] },
  ),
  incident(
    "push-forward",
    "It was not the push after all: bring it back, whole.",
    [undo({ operation: "{earlier 10.op}" })],
    pushed,
    {
      earlier: [
        { wish: "Collect and publish all that is new in spring.", calls: PUSH },
        { wish: "Take it back.", calls: [undo({ operation: "{earlier 9.op}" })] },
      ],
    },
  ),
  incident(
    "push-hers",
    "Grace’s push of this morning broke the site. Take all of it back.",
    [["history", {}], undo({ operation: "{1.items.0.operation}" })],
    {
      "page about": { name: "About" },
      "public page about": { name: "About" },
      "page contact": { name: "Contact" },
      "public page contact": { name: "Contact" },
    },
    {
      start: [
        ["changes_begin", { name: "Spring" }],
        rename("about", "Guides"),
        rename("contact", "Letters"),
        ["changes_publish", {}],
      ],
    },
  ),
];

export const INCIDENTS: readonly Task[] = [unasked, noWayBack, wholePush].flat();
