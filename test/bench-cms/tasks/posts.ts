import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { Call, Difference, Task } from "../format.ts";
import { samplePost } from "./sample.ts";
import { all, header, newPost, post } from "./words.ts";

/** Posts of the blog: written, changed, copied, archived, deleted. Two of the sample are public, one is a draft. */

type More = Partial<Omit<Task, "id" | "wish" | "gold" | "expected">>;
const task = (
  id: string,
  wish: string,
  gold: readonly Call[],
  expected: Difference,
  more: More = {},
): Task => ({
  id: `post-${id}`,
  kind: "posts",
  wish,
  gold,
  expected,
  ...more,
});
const update = (slug: string, fields: { readonly [key: string]: Json }): Call => [
  "entry_update",
  { entry: `blog/${slug}`, ...fields },
];

const written = (
  [
    ["Mud", "mud", "It is everywhere."],
    ["The first frost", "the-first-frost", "Gloves, from now on."],
    ["A word on sheep", "a-word-on-sheep", "They were here before us."],
    ["Why we turn round", "why-we-turn-round", "Because the soup is at home."],
  ] as const
).map(([title, slug, body]) =>
  task(
    `write-${slug}`,
    `Write a post “${title}”: “${body}”`,
    [["entry_create", { title, excerpt: body, content: { body } }]],
    newPost(slug, title, { excerpt: body, body }),
  ),
);

/** One field of a post that is public, or of the one that is a draft. */
const FIELDS: readonly (readonly [
  slug: string,
  key: string,
  what: string,
  value: string,
  given?: { readonly [key: string]: Json },
])[] = [
  ["packing-light", "title", "title", "Five kilograms"],
  ["packing-light", "excerpt", "excerpt", "Weigh it once, and take three things out."],
  ["packing-light", "category", "category", "Gear"],
  ["reading-the-weather", "title", "title", "What the sky says"],
  ["reading-the-weather", "author", "author", "Ines Marlow"],
  ["reading-the-weather", "excerpt", "excerpt", "Four signs, and what we do with them."],
];
const changed = FIELDS.map(([slug, key, what, value]) =>
  task(
    `${key}-${slug}`,
    `The ${what} of the post ${slug} should be “${value}”.`,
    [update(slug, { [key]: value })],
    post(slug, { [key]: value }),
  ),
);
const drafted = (
  [
    ["title", "Winter walks"],
    ["category", "Routes"],
    ["author", "Tobias Reed"],
    ["excerpt", "Three walks for short days."],
  ] as const
).map(([key, value]) =>
  task(
    `draft-${key}`,
    `In the draft about winter routes, the ${key} should be “${value}”.`,
    [update("winter-routes", { [key]: value })],
    { "post winter-routes": { [key]: value } },
  ),
);

const others: readonly Task[] = [
  task(
    "write-whole",
    "Write a post “Soup at seven” by Tobias Reed in News, with the picture of the hut and the tags huts and soup: “The hut cooks for whoever is there at seven.” Its excerpt: “Be on time.”",
    [
      [
        "entry_create",
        {
          title: "Soup at seven",
          author: "Tobias Reed",
          category: "News",
          cover: "im_shelter",
          excerpt: "Be on time.",
          content: { body: "The hut cooks for whoever is there at seven.", tags: ["huts", "soup"] },
        },
      ],
    ],
    newPost("soup-at-seven", "Soup at seven", {
      author: "Tobias Reed",
      category: "News",
      cover: "image shelter",
      excerpt: "Be on time.",
      body: "The hut cooks for whoever is there at seven.",
      tags: ["huts", "soup"],
    }),
  ),
  task(
    "write-linked",
    "Write a post “Before you come” at /before that says: read Packing light first, with a link to it. Excerpt: “One post to read.”",
    [
      [
        "entry_create",
        {
          title: "Before you come",
          slug: "before",
          excerpt: "One post to read.",
          content: { body: "Read [Packing light](entry:blog/packing-light) first." },
        },
      ],
    ],
    newPost("before", "Before you come", {
      excerpt: "One post to read.",
      body: "Read [Packing light](post packing-light) first.",
    }),
  ),
  task(
    "write-two",
    "Write two posts with the text “Soon.” each, as excerpt too: “Spring dates” and “Autumn dates”.",
    [
      ["entry_create", { title: "Spring dates", excerpt: "Soon.", content: { body: "Soon." } }],
      ["entry_create", { title: "Autumn dates", excerpt: "Soon.", content: { body: "Soon." } }],
    ],
    all(
      newPost("spring-dates", "Spring dates", { excerpt: "Soon.", body: "Soon." }),
      newPost("autumn-dates", "Autumn dates", { excerpt: "Soon.", body: "Soon." }),
    ),
    { together: true },
  ),
  task(
    "copy",
    "Begin a post “Packing lighter” from Packing light.",
    [["entry_create", { title: "Packing lighter", copyFrom: "blog/packing-light" }]],
    newPost("packing-lighter", "Packing lighter", samplePost("packing-light")),
  ),
  task(
    "body",
    "Replace the whole text of Reading the weather by “Look up.”",
    [update("reading-the-weather", { content: { body: "Look up." } })],
    post("reading-the-weather", { body: "Look up." }),
  ),
  task(
    "tags",
    "Packing light should have the tags packing and autumn, and no others.",
    [update("packing-light", { content: { tags: ["packing", "autumn"] } })],
    post("packing-light", { tags: ["packing", "autumn"] }),
  ),
  task(
    "cover",
    "Winter routes should show the ridge on top.",
    [update("winter-routes", { cover: "im_ridge" })],
    { "post winter-routes": { cover: "image ridge" } },
  ),
  task(
    "no-cover",
    "Winter routes needs no picture on top.",
    [update("winter-routes", { unset: ["cover"] })],
    { "post winter-routes": { cover: "none" } },
  ),
  task("no-author", "Do not say who wrote Winter routes.", [update("winter-routes", { unset: ["author"] })], {
    "post winter-routes": { author: null },
  }),
  task("address", "Packing light should be at /blog/light.", [update("packing-light", { slug: "light" })], {
    "post packing-light": { slug: "light" },
    "public post packing-light": { slug: "light" },
    "+ redirect /site/blog/packing-light": { to: "post packing-light" },
  }),
  task(
    "address-draft",
    "The draft Winter routes should be at /blog/winter.",
    [update("winter-routes", { slug: "winter" })],
    { "post winter-routes": { slug: "winter" } },
  ),
  task(
    "german",
    "In German, Packing light is called “Leicht packen”.",
    [update("packing-light", { title: "Leicht packen", locale: "de" })],
    post("packing-light", { "de.title": "Leicht packen" }),
  ),
  task(
    "german-text",
    "Give Winter routes a German excerpt: “Drei kurze Wege für kurze Tage.”",
    [update("winter-routes", { excerpt: "Drei kurze Wege für kurze Tage.", locale: "de" })],
    { "post winter-routes": { "de.excerpt": "Drei kurze Wege für kurze Tage." } },
  ),
  task(
    "delete-draft",
    "Delete the draft about winter routes.",
    [["entry_delete", { entries: ["blog/winter-routes"] }]],
    { "post winter-routes": "gone" },
  ),
  task(
    "delete-public",
    "Delete the post Packing light.",
    [["entry_delete", { entries: ["blog/packing-light"] }]],
    {
      "post packing-light": "gone",
      "public post packing-light": "gone",
      "header item Packing light": "gone",
      ...header("Home, About, Blog, Contact"),
    },
  ),
  task(
    "delete-all",
    "Delete all three posts of the blog.",
    [["entry_delete", { entries: ["blog/packing-light", "blog/reading-the-weather", "blog/winter-routes"] }]],
    {
      "post packing-light": "gone",
      "public post packing-light": "gone",
      "header item Packing light": "gone",
      "post reading-the-weather": "gone",
      "public post reading-the-weather": "gone",
      "post winter-routes": "gone",
      ...header("Home, About, Blog, Contact"),
    },
  ),
  task(
    "archive",
    "Put Reading the weather into the archive.",
    [["set_status", { targets: [{ type: "entry", ref: "reading-the-weather" }], to: "archived" }]],
    {
      "post reading-the-weather": { status: "archived", dirty: null },
      "public post reading-the-weather": "gone",
    },
  ),
  task(
    "taken",
    "Write a post “Packing light” with the text and excerpt “Again.”",
    [
      [
        "entry_create",
        { title: "Packing light", excerpt: "Again.", content: { body: "Again." } },
        "slug_taken",
      ],
    ],
    {},
  ),
];

export const POSTS: readonly Task[] = [written, changed, drafted, others].flat();
