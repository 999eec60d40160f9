import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { Call, Difference, Fields, Task } from "../format.ts";
import { sampleContent } from "./sample.ts";
import { all, page, post, section } from "./words.ts";

/** Pictures: where they stand and what is said of them. And the settings of the whole site, some of which are pictures. */

type More = Partial<Omit<Task, "id" | "wish" | "gold" | "expected">>;
const task = (
  id: string,
  wish: string,
  gold: readonly Call[],
  expected: Difference,
  more: More = {},
): Task => ({
  id: `image-${id}`,
  kind: "images",
  wish,
  gold,
  expected,
  ...more,
});
const setting = (
  id: string,
  wish: string,
  gold: readonly Call[],
  expected: Difference,
  more: More = {},
): Task => ({
  id: `setting-${id}`,
  kind: "settings",
  wish,
  gold,
  expected,
  ...more,
});
type Input = { readonly [key: string]: Json };
const describe = (name: string, fields: Input): Call => ["image_update", { image: `im_${name}`, ...fields }];
const attach = (image: string, type: string, ref: string, field: string, more: Input = {}): Call => [
  "image_attach",
  { image: `im_${image}`, target: { type, ref }, field, ...more },
];
const set = (values: Input): Call => ["settings_update", { set: values }];

const described = (
  [
    ["ridge", "alt", "alternative text", "Three ridges at dawn"],
    ["valley", "alt", "alternative text", "A river in a valley"],
    ["shelter", "alt", "alternative text", "A hut at night"],
    ["ridge", "caption", "caption", "Six in the morning"],
    ["compass", "caption", "caption", "It points home"],
  ] as const
).map(([name, key, what, text]) =>
  task(
    `${key}-${name}`,
    `The ${what} of the picture ${name} should be “${text}”.`,
    [describe(name, { [key]: text })],
    { [`image ${name}`]: { [key]: text } },
  ),
);

const placed = (
  [
    ["shelter", "home/hero", "at the top of the home page"],
    ["ridge", "about/hero", "at the top of the about page"],
    ["valley", "contact/hero", "at the top of the contact page"],
    ["ridge", "about/image-text", "beside “How we plan a day” on the about page"],
  ] as const
).map(([image, name, where]) =>
  task(
    `place-${name.replace("/", "-")}`,
    `Show the picture ${image} ${where}.`,
    [attach(image, "section", `sc_${name.replace("/", "_").replaceAll("-", "_")}`, "image")],
    section(name, { image: `image ${image}` }),
  ),
);

const items = sampleContent("home/feature")["items"] as readonly Fields[];
const withIcon = (at: number, icon: Fields | null): readonly Fields[] =>
  items.map((one, index) => {
    if (index !== at) return one;
    const { icon: _, ...rest } = one;
    return icon === null ? rest : { ...rest, icon: icon as never };
  });

const others: readonly Task[] = [
  task(
    "tags",
    "Tag the picture of the hut with hut and night, and nothing else.",
    [describe("shelter", { tags: ["hut", "night"] })],
    { "image shelter": { tags: ["hut", "night"] } },
  ),
  task(
    "credit",
    "The picture of the valley was taken by Ines Marlow.",
    [describe("valley", { attribution: { photographer: "Ines Marlow" } })],
    { "image valley": { attribution: { photographer: "Ines Marlow" } } },
  ),
  task(
    "no-caption",
    "The picture of the ridge needs no caption.",
    [describe("ridge", { unset: ["caption"] })],
    { "image ridge": { caption: null } },
  ),
  task(
    "german",
    "In German, the alternative text of the hut is “Eine Hütte bei Nacht”.",
    [describe("shelter", { alt: "Eine Hütte bei Nacht", locale: "de" })],
    { "image shelter": { "de.alt": "Eine Hütte bei Nacht" } },
  ),
  task(
    "cover",
    "Reading the weather should show the valley on top.",
    [attach("valley", "entry", "blog/reading-the-weather", "cover")],
    post("reading-the-weather", { cover: "image valley" }),
  ),
  task(
    "share",
    "When the home page is shared, show the hut.",
    [attach("shelter", "page", "home", "ogImage")],
    page("home", { ogImage: "image shelter" }),
  ),
  task(
    "gallery",
    "In the gallery on About, show the compass in the place of the valley.",
    [attach("compass", "section", "sc_about_gallery", "images[1]")],
    section("about/gallery", { images: ["image ridge", "image compass", "image shelter"] }),
  ),
  task(
    "own-alt",
    "Show the hut at the top of About, described there as “Where we meet”.",
    [attach("shelter", "section", "sc_about_hero", "image", { alt: "Where we meet" })],
    section("about/hero", { image: { image: "image shelter", alt: "Where we meet" } }),
  ),
  task(
    "decorative",
    "The picture at the top of the home page is decoration only.",
    [attach("ridge", "section", "sc_home_hero", "image", { decorative: true })],
    section("home/hero", { image: { image: "image ridge", decorative: true } }),
  ),
  task(
    "icon",
    "“You learn the way too” on the home page should have the logo for an icon.",
    [attach("logo", "section", "sc_home_feature", "items[2].icon")],
    section("home/feature", { items: withIcon(2, "image logo" as never) as never }),
  ),
  task(
    "replace",
    "Wherever the map with the contour lines is shown, show the compass.",
    [["image_replace", { from: "im_contours", to: "im_compass" }]],
    section("home/feature", { items: withIcon(1, { image: "image compass", decorative: true }) as never }),
  ),
  task(
    "replace-part",
    "On the page About alone, show the hut wherever the valley is.",
    [["image_replace", { from: "im_valley", to: "im_shelter", only: ["pg_about"] }]],
    all(
      section("about/hero", { image: "image shelter" }),
      section("about/gallery", { images: ["image ridge", "image shelter", "image shelter"] }),
      page("about", { ogImage: "image shelter" }),
    ),
  ),
  task(
    "delete-used",
    "Delete the picture of the compass from the library.",
    [["image_delete", { images: ["im_compass"] }, "in_use"]],
    {},
  ),
  task(
    "delete-detach",
    "Delete the map with the contour lines, and leave its place empty.",
    [["image_delete", { images: ["im_contours"], onUse: "detach" }]],
    {
      "image contours": "gone",
      "section home/feature": { items: withIcon(1, null) as never },
      "public section home/feature": { items: withIcon(1, null) as never },
    },
  ),
  task(
    "delete-instead",
    "Delete the map with the contour lines, and show the logo in its place.",
    [["image_delete", { images: ["im_contours"], onUse: "replace", replacement: "im_logo" }]],
    {
      "image contours": "gone",
      "section home/feature": { items: withIcon(1, { image: "image logo", decorative: true }) as never },
      "public section home/feature": {
        items: withIcon(1, { image: "image logo", decorative: true }) as never,
      },
    },
  ),
  task(
    "delete-unused",
    "Nothing shows the map with the contour lines any more: delete it.",
    [["image_delete", { images: ["im_contours"] }]],
    { "image contours": "gone" },
    {
      start: [
        ["image_replace", { from: "im_contours", to: "im_logo" }],
        ["set_status", { targets: [{ type: "page", ref: "home" }], to: "published" }],
      ],
    },
  ),
  task(
    "wrong-place",
    "Put the valley into the second picture of the contact page's call to action.",
    [
      [
        "image_attach",
        { image: "im_valley", target: { type: "section", ref: "sc_contact_cta" }, field: "images[1]" },
        "unknown_field",
      ],
    ],
    {},
  ),
];

const settings: readonly Task[] = [
  setting(
    "title",
    "The site is called “Fell & Fern” from now on.",
    [set({ identity: { title: "Fell & Fern" } })],
    { "setting identity": { title: "Fell & Fern" } },
  ),
  setting(
    "tagline",
    "The tagline of the site: “Walks for people with time”.",
    [set({ identity: { tagline: "Walks for people with time" } })],
    { "setting identity": { tagline: "Walks for people with time" } },
  ),
  setting(
    "no-tagline",
    "The site needs no tagline.",
    [["settings_update", { unset: ["identity.tagline"] }]],
    {
      "setting identity": { tagline: null },
    },
  ),
  ...(["#884400", "#1a1a1a", "#0055aa"] as const).map((accent) =>
    setting(
      `accent-${accent.slice(1)}`,
      `Use ${accent} as the accent colour of the site.`,
      [set({ theme: { accent } })],
      { "setting theme": { accent } },
    ),
  ),
  setting(
    "template",
    "Titles in search engines should read “page | Fern & Fell”.",
    [set({ seo: { titleTemplate: "%s | Fern & Fell" } })],
    { "setting seo": { titleTemplate: "%s | Fern & Fell" } },
  ),
  setting(
    "description",
    "Search engines should describe the site as “Guided walks for six.”",
    [set({ seo: { description: "Guided walks for six." } })],
    { "setting seo": { description: "Guided walks for six." } },
  ),
  setting("home", "About should be the page that visitors see first.", [set({ home: { page: "about" } })], {
    "setting home": { page: "page about" },
  }),
  setting(
    "share-image",
    "Pages without a picture of their own are shared with the valley.",
    [set({ seo: { ogImage: "im_valley" } })],
    { "setting seo": { ogImage: "image valley" } },
  ),
  setting(
    "logo",
    "Use the compass as the logo of the site.",
    [attach("compass", "setting", "identity", "logo")],
    { "setting identity": { logo: "image compass" } },
  ),
  setting(
    "several",
    "Title “Fell walks”, accent #222222, and no tagline.",
    [
      [
        "settings_update",
        {
          set: { identity: { title: "Fell walks" }, theme: { accent: "#222222" } },
          unset: ["identity.tagline"],
        },
      ],
    ],
    { "setting identity": { title: "Fell walks", tagline: null }, "setting theme": { accent: "#222222" } },
  ),
  setting(
    "denied",
    "Call the site “Mud & Rain”.",
    [["settings_update", { set: { identity: { title: "Mud & Rain" } } }, "denied"]],
    {},
    { decisions: ["no"] },
  ),
  setting(
    "no-colour",
    "Use the colour green-ish as the accent.",
    [["settings_update", { set: { theme: { accent: "greenis" } } }, "invalid_input"]],
    {},
  ),
  setting(
    "home-draft",
    "Make the draft page Prices the home page.",
    [["settings_update", { set: { home: { page: "prices" } } }, "invalid_input"]],
    {},
    { start: [["page_create", { name: "Prices" }]] },
  ),
  setting(
    "home-then-delete",
    "Make About the home page, and delete the old one.",
    [set({ home: { page: "about" } }), ["page_delete", { pages: ["home"] }]],
    all(
      { "setting home": { page: "page about" } },
      {
        "page home": "gone",
        "public page home": "gone",
        "header item Home": "gone",
        header: {
          all: "About, Blog [Packing light], Contact",
          visitors: "About, Blog [Packing light], Contact",
        },
      },
      ...["hero", "feature", "image-text", "cta"].map((name): Difference => ({
        [`section home/${name}`]: "gone",
        [`public section home/${name}`]: "gone",
      })),
    ),
  ),
];

export const IMAGES: readonly Task[] = [described, placed, others, settings].flat();
