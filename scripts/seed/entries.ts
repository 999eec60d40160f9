import type { SeedEntry } from "../../src/plugins/cms/seed/sample.ts";

/** The three blog posts of the seeded site. */

export const SEED_ENTRIES: readonly SeedEntry[] = [
  {
    id: "en_packing_light",
    slug: "packing-light",
    title: "Packing light",
    status: "published",
    category: "Guides",
    author: "Ines Marlow",
    cover: "im_valley",
    excerpt:
      "What goes into the rucksack for a day on the fells, what stays at home, and why we weigh it all.",
    tags: ["packing", "gear", "day walks"],
    daysOld: 2,
    body: `Nobody has ever come back from one of our walks and wished for a heavier rucksack. Six kilograms with water is plenty for a day; most of us can get to five.

## The things that always come along

- **A waterproof that has been tested this year.** In the shower, for ten minutes, with you in it.
- **One warm layer more than you think.** You will wear it at lunch.
- **Map and compass**, even if the telephone knows everything. Batteries dislike the cold.
- **A litre of water**, and a tablet to make the next litre from a beck.
- **A head torch.** In October the afternoon ends sooner than the path does.
- **Lunch that can be eaten in the rain with one hand.**

## The things that stay at home

The second pair of trousers. The big camera, unless you came for it. The book: you will be asleep by nine. Anything that you pack “just in case” and cannot name the case.

## Weigh it once

Put the packed rucksack on the bathroom scales and write the number down. Then take out three things and weigh it again. You will not miss two of them, and the third tells you what matters to you.

If we carry the group's shelter, stove and first aid kit, you do not have to. [Tell us what you are unsure about](page:pg_contact) before you come and we will go through your list with you.`,
  },
  {
    id: "en_reading_the_weather",
    slug: "reading-the-weather",
    title: "Reading the weather",
    status: "published",
    category: "Guides",
    author: "Tobias Reed",
    cover: "im_ridge",
    excerpt: "Four signs that tell you more about the next three hours than the symbol in the forecast.",
    tags: ["weather", "safety", "navigation"],
    daysOld: 9,
    body: `A forecast is made for a region, and you are standing on one hill of it. We read it at breakfast, and then we look up. Four signs have served us well.

## 1. The wind turns

When the wind moves round clockwise and freshens, a front has passed and the air behind it is clear. When it backs the other way and the sky grows milky, something is on its way.

## 2. The far hills come closer

Hills that look near enough to touch mean clean, moist air, and often rain by the evening. Blue, distant hills mean a settled day.

## 3. Clouds put on caps

A smooth cap of cloud sitting still on a summit looks peaceful. It is the shape of a strong wind: up there it blows hard enough to lean on. Choose the valley.

## 4. The sheep know

They move off the tops and stand behind walls an hour or two before we would. We have never seen them do it for nothing.

## What we do with it

At every stop we ask one question: *would we set out from here now?* If the answer is no twice in a row, we turn round. Nobody has ever complained about the earlier soup.

Clothes are the other half of the weather. They are in [Packing light](entry:en_packing_light).`,
  },
  {
    id: "en_winter_routes",
    slug: "winter-routes",
    title: "Winter routes",
    status: "draft",
    category: "News",
    author: "Ines Marlow",
    cover: "im_shelter",
    excerpt: "Three short walks for the short days, each of them ending at a hut with a fire.",
    tags: ["winter", "routes", "huts"],
    daysOld: 0,
    body: `From December on we walk shorter days and stay lower. These are the three routes of this winter; the dates follow as soon as the hut has confirmed them.

## The river path

Nine kilometres, hardly any climbing, and a flask stop at the old mill. Good in snow, lovely in frost.

## The low ridge

Seven kilometres and 350 metres up. We only go when the wind is below 40 km/h and there is no ice on the steps.

## To the hut and back

Five kilometres there, soup, a night, five kilometres back. Bring a head torch and slippers.`,
  },
];
