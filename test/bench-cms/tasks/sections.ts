import type { Call, Difference, Fields, Task } from "../format.ts";
import { sectionsOf, sampleContent } from "./sample.ts";
import { all, newSection, page, section } from "./words.ts";

/** Sections: their words, order, looks, and whether they are there. */

type More = Partial<Omit<Task, "id" | "wish" | "gold" | "expected">>;
const task = (
  id: string,
  wish: string,
  gold: readonly Call[],
  expected: Difference,
  more: More = {},
): Task => ({
  id: `section-${id}`,
  kind: "sections",
  wish,
  gold,
  expected,
  ...more,
});
const idOf = (name: string): string => `sc_${name.replace("/", "_").replaceAll("-", "_")}`;
const update = (name: string, fields: object): Call => ["section_update", { section: idOf(name), ...fields }];
const slugOf = (name: string): string => name.split("/")[0] ?? "";

/** One field of each section of the sample. */
const WORDS: readonly (readonly [name: string, key: string, what: string, text: string])[] = [
  ["home/hero", "title", "title at the top of the home page", "Walk the fells with us"],
  [
    "home/hero",
    "subtitle",
    "line below the title of the home page",
    "Six people, one guide, and as much time as it takes.",
  ],
  ["home/hero", "ctaText", "button at the top of the home page", "Find a date"],
  ["home/feature", "heading", "heading above the three points on the home page", "A day on the fells"],
  [
    "home/feature",
    "description",
    "text above the three points on the home page",
    "We go at the pace of the slowest.",
  ],
  [
    "home/image-text",
    "heading",
    "heading beside the picture of the valley on the home page",
    "Two guides, one map",
  ],
  ["home/image-text", "ctaText", "button beside the picture of the valley on the home page", "Who we are"],
  ["home/cta", "heading", "heading of the banner on the home page", "One place left in the hut"],
  ["home/cta", "buttonText", "button of the banner on the home page", "Take it"],
  ["about/hero", "title", "title of the about page", "Slow walkers, good lookers"],
  ["about/hero", "subtitle", "line below the title of the about page", "Two guides since 2014."],
  [
    "about/image-text",
    "heading",
    "heading beside the compass on the about page",
    "Three questions before breakfast",
  ],
  ["about/gallery", "title", "title above the pictures on the about page", "Three places we like"],
  ["contact/hero", "title", "title of the contact page", "Where to?"],
  [
    "contact/hero",
    "subtitle",
    "line below the title of the contact page",
    "Tell us when, and how many of you.",
  ],
  ["contact/cta", "heading", "heading above the email button on the contact page", "Drop us a line"],
  ["contact/cta", "buttonText", "email button on the contact page", "Email us"],
  ["layout/footer", "note", "note in the footer of every page", "Guided walks, all year round."],
  ["layout/footer", "companyName", "company name in the footer", "Fern & Fell Ltd"],
  ["layout/header", "ctaText", "button in the header of every page", "Book a walk"],
];
const words = WORDS.map(([name, key, what, text]) =>
  task(
    `words-${name.replace("/", "-")}-${key.toLowerCase()}`,
    `The ${what} should say “${text}”.`,
    [update(name, { content: { [key]: text } })],
    section(name, { [key]: text }),
  ),
);

const hidden = ["home/cta", "about/gallery", "contact/cta"].map((name) =>
  task(
    `hide-${name.replace("/", "-")}`,
    `Hide the ${name.split("/")[1] ?? ""} section of the page ${slugOf(name)}.`,
    [update(name, { hidden: true })],
    section(name, { hidden: true }),
  ),
);

const without = (slug: string, name: string): readonly string[] =>
  sectionsOf(slug).filter((one) => one !== name);
const deleted = ["home/feature", "about/gallery", "contact/hero"].map((name) =>
  task(
    `delete-${name.replace("/", "-")}`,
    `Delete the ${name.split("/")[1] ?? ""} section of the page ${slugOf(name)}.`,
    [["section_delete", { sections: [idOf(name)] }]],
    all({ [`section ${name}`]: "gone" }, page(slugOf(name), { order: without(slugOf(name), name) })),
  ),
);

/** A section of each template at the end of a page. */
const ADDED: readonly (readonly [
  slug: string,
  template: string,
  what: string,
  given: Fields,
  kept?: Fields,
])[] = [
  ["about", "hero", "a hero “See you on the path”", { title: "See you on the path" }],
  [
    "about",
    "cta",
    "a call to action “Come along” with a button “Write” to the contact page",
    { heading: "Come along", buttonText: "Write", buttonLink: "page:contact" },
    { buttonLink: "page contact" },
  ],
  [
    "contact",
    "feature",
    "points headed “How to reach us”: by letter, by telephone",
    { heading: "How to reach us", items: [{ title: "By letter" }, { title: "By telephone" }] },
  ],
  [
    "contact",
    "gallery",
    "a gallery of the ridge and the valley",
    { images: ["im_ridge", "im_valley"] },
    { images: ["image ridge", "image valley"], layout: "grid" },
  ],
  [
    "home",
    "image-text",
    "the picture of the hut beside “A night in the hut”, with the text “Soup at seven.”",
    { heading: "A night in the hut", content: "Soup at seven.", image: "im_shelter" },
    { image: "image shelter", layout: "image-right", mobileLayout: "image-first", background: "none" },
  ],
];
const added = ADDED.map(([slug, template, what, given, kept = {}]) =>
  task(
    `add-${template}`,
    `Add ${what} to the end of the page ${slug}.`,
    [["section_add", { page: slug, template, content: given as never }]],
    all(
      newSection(`new ${template}`, `page ${slug}`, template, { ...given, ...kept }),
      page(slug, { order: [...sectionsOf(slug), `new ${template}`] }),
    ),
  ),
);

const FEATURES = sampleContent("home/feature")["items"] as readonly Fields[];
const move = (name: string, position: unknown): Call => [
  "section_move",
  { section: idOf(name), position: position as never },
];

const others: readonly Task[] = [
  task(
    "add-top",
    "A banner “Closed in April” with a button “Read why” to the blog goes to the very top of the home page.",
    [
      [
        "section_add",
        {
          page: "home",
          template: "cta",
          variant: "banner",
          position: 1,
          content: { heading: "Closed in April", buttonText: "Read why", buttonLink: "collection:blog" },
        },
      ],
    ],
    all(
      newSection("new cta", "page home", "cta", {
        variant: "banner",
        heading: "Closed in April",
        buttonText: "Read why",
        buttonLink: "co_blog",
      }),
      page("home", { order: ["new cta", ...sectionsOf("home")] }),
    ),
  ),
  task(
    "add-after",
    "Put a hero “How we got here” right after the first section of About.",
    [
      [
        "section_add",
        {
          page: "about",
          template: "hero",
          position: { after: "sc_about_hero" },
          content: { title: "How we got here" },
        },
      ],
    ],
    all(
      newSection("new hero", "page about", "hero", { title: "How we got here" }),
      page("about", { order: ["about/hero", "new hero", "about/image-text", "about/gallery"] }),
    ),
  ),
  task(
    "duplicate",
    "Show the banner of the home page on About too, as a copy at its end.",
    [["section_add", { page: "about", copyFrom: "sc_home_cta" }]],
    all(
      newSection("new cta", "page about", "cta", { ...sampleContent("home/cta"), variant: "banner" }),
      page("about", { order: [...sectionsOf("about"), "new cta"] }),
    ),
  ),
  task(
    "move-up",
    "The gallery should be the first thing on About.",
    [move("about/gallery", 1)],
    page("about", { order: ["about/gallery", "about/hero", "about/image-text"] }),
  ),
  task(
    "move-after",
    "On the home page, put the three points behind the text about the guides.",
    [move("home/feature", { after: "sc_home_image_text" })],
    page("home", { order: ["home/hero", "home/image-text", "home/feature", "home/cta"] }),
  ),
  task(
    "move-page",
    "Move the gallery from About to the end of the home page.",
    [["section_move", { section: "sc_about_gallery", position: 5, toPage: "home" }]],
    all(
      { "section about/gallery": { page: "page home" } },
      page("about", { order: ["about/hero", "about/image-text"] }),
      page("home", { order: [...sectionsOf("home"), "about/gallery"] }),
    ),
  ),
  task(
    "reverse",
    "Turn the order of the sections of About round.",
    [move("about/gallery", 1), move("about/image-text", 2)],
    page("about", { order: ["about/gallery", "about/image-text", "about/hero"] }),
  ),
  task(
    "variant",
    "Show the points on the home page as a list.",
    [update("home/feature", { variant: "list" })],
    section("home/feature", { variant: "list" }),
  ),
  task(
    "layout",
    "The pictures on About should be a carousel.",
    [update("about/gallery", { content: { layout: "carousel" } })],
    section("about/gallery", { layout: "carousel" }),
  ),
  task(
    "unset",
    "Take the line below the title off the contact page.",
    [update("contact/hero", { unset: ["subtitle"] })],
    section("contact/hero", { subtitle: null }),
  ),
  task(
    "item",
    "On the home page, “Six people at most” should become “Five people at most”.",
    [
      update("home/feature", {
        content: {
          items: [
            {
              title: "Five people at most",
              description: "Small enough to stop for a curlew, and to hear it.",
              icon: { image: "im_logo", decorative: true },
            },
            {
              title: "A route made that morning",
              description:
                "We plan for the weather that is there, with a shorter way home always in the pocket.",
              icon: { image: "im_contours", decorative: true },
            },
            {
              title: "You learn the way too",
              description:
                "Every walk has an hour of map and compass, for those who want to come back alone.",
              icon: { image: "im_compass", decorative: true },
            },
          ],
        },
      }),
    ],
    section("home/feature", {
      items: FEATURES.map((one, at) => (at === 0 ? { ...one, title: "Five people at most" } : one)) as never,
    }),
  ),
  task(
    "link",
    "The button at the top of the home page should lead to About.",
    [update("home/hero", { content: { ctaLink: "page:about" } })],
    section("home/hero", { ctaLink: "page about" }),
  ),
  task(
    "german",
    "In German, the button at the top of the home page should say “Tour finden”.",
    [update("home/hero", { content: { ctaText: "Tour finden" }, locale: "de" })],
    section("home/hero", { "de.ctaText": "Tour finden" }),
  ),
  task(
    "show",
    "Show the gallery on About again.",
    [update("about/gallery", { hidden: false })],
    { "section about/gallery": { hidden: false } },
    { start: [update("about/gallery", { hidden: true })] },
  ),
  task(
    "delete-two",
    "Take the gallery off About and the banner off the home page.",
    [["section_delete", { sections: ["sc_about_gallery", "sc_home_cta"] }]],
    all(
      { "section about/gallery": "gone", "section home/cta": "gone" },
      page("about", { order: ["about/hero", "about/image-text"] }),
      page("home", { order: ["home/hero", "home/feature", "home/image-text"] }),
    ),
  ),
  task(
    "same",
    "The title of the about page should say “We walk slowly, on purpose”.",
    [update("about/hero", { content: { title: "We walk slowly, on purpose" } })],
    {},
  ),
  task(
    "required",
    "Remove the title from the top of the about page, and leave the rest.",
    [["section_update", { section: "sc_about_hero", unset: ["title"] }, "required_field"]],
    {},
  ),
  task(
    "header-on-page",
    "Put a second site header onto the about page.",
    [["section_add", { page: "about", template: "header", content: {} }, "template_region"]],
    {},
  ),
];

export const SECTIONS: readonly Task[] = [words, hidden, deleted, added, others].flat();
