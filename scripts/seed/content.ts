import type { SeedPage } from "../../src/plugins/cms/seed/sample.ts";

/** The pages of the seeded site, written as a tool call would write them: links and images by reference. */

export const SEED_PAGES: readonly SeedPage[] = [
  {
    id: "pg_layout",
    kind: "layout",
    slug: "_layout",
    name: "Layout",
    meta: {},
    sections: [
      {
        id: "sc_layout_header",
        template: "header",
        en: { logo: "im_logo", ctaText: "Plan a walk", ctaLink: "page:pg_contact" },
      },
      {
        id: "sc_layout_footer",
        template: "footer",
        en: {
          companyName: "Fern & Fell",
          note: "Guided walks in small groups, in every season but the floods.",
        },
      },
    ],
  },
  {
    id: "pg_home",
    kind: "page",
    slug: "home",
    name: "Home",
    meta: {
      title: "Guided walks in small groups",
      description:
        "Fern & Fell leads small groups over ridges and along rivers: day walks, hut weekends and quiet paths with a guide who knows them.",
      ogImage: "im_ridge",
    },
    sections: [
      {
        id: "sc_home_hero",
        template: "hero",
        en: {
          title: "Walk with someone who knows the way",
          subtitle:
            "Day walks and hut weekends for up to six people. You bring the boots; we bring the map, the stove and the time.",
          image: "im_ridge",
          ctaText: "Plan a walk",
          ctaLink: "page:pg_contact",
        },
        de: {
          title: "Wandern mit jemandem, der den Weg kennt",
          subtitle:
            "Tagestouren und Hüttenwochenenden für höchstens sechs Leute. Du bringst die Schuhe mit, wir Karte, Kocher und Zeit.",
          ctaText: "Wanderung planen",
        },
      },
      {
        id: "sc_home_feature",
        template: "feature",
        en: {
          heading: "What a day with us is like",
          description: "No flags, no loudspeakers and no race to the top. The slowest boots set the pace.",
          items: [
            {
              title: "Six people at most",
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
      },
      {
        id: "sc_home_image_text",
        template: "image-text",
        en: {
          heading: "Two guides and a lot of rain",
          content:
            "Fern & Fell began with two friends, one borrowed tent and a wet April. We still walk every route ourselves before we take anyone along it, and we still carry more tea than we need.\n\nRead [how we work and who we are](page:pg_about).",
          image: "im_valley",
          ctaText: "Meet the guides",
          ctaLink: "page:pg_about",
          layout: "image-left",
          background: "gray",
        },
      },
      {
        id: "sc_home_cta",
        template: "cta",
        variant: "banner",
        en: {
          heading: "The hut has room this month",
          description: "Two days, one ridge, soup at seven. We answer within a day.",
          buttonText: "Ask for a date",
          buttonLink: "page:pg_contact",
          backgroundImage: { image: "im_shelter", decorative: true },
        },
      },
    ],
  },
  {
    id: "pg_about",
    kind: "page",
    slug: "about",
    name: "About",
    meta: {
      title: "About our guides",
      description:
        "Who leads the walks at Fern & Fell, how we plan a day on the fells, and why our groups never grow beyond six people.",
      ogImage: "im_valley",
    },
    sections: [
      {
        id: "sc_about_hero",
        template: "hero",
        en: {
          title: "We walk slowly, on purpose",
          subtitle:
            "Ines Marlow and Tobias Reed have led walks together since 2014, in every kind of weather but lightning.",
          image: "im_valley",
        },
      },
      {
        id: "sc_about_image_text",
        template: "image-text",
        en: {
          heading: "How we plan a day",
          content:
            "We look at three things, in this order:\n\n1. **The people.** Who is coming, what they hope for, and whose knees are not what they were.\n2. **The weather.** Not the symbol in the forecast but the wind on the ridge at noon. We wrote down [how to read it](entry:en_reading_the_weather).\n3. **The ground.** Which becks are high, which paths have slipped, and where the sheep are lambing.\n\nOnly then do we choose a summit, and some days we choose none.",
          image: "im_compass",
          layout: "image-right",
        },
      },
      {
        id: "sc_about_gallery",
        template: "gallery",
        en: {
          title: "Places we keep going back to",
          images: ["im_ridge", "im_valley", "im_shelter"],
          layout: "grid",
        },
      },
    ],
  },
  {
    id: "pg_contact",
    kind: "page",
    slug: "contact",
    name: "Contact",
    meta: {
      title: "Plan a walk with us",
      description:
        "Write to Fern & Fell to plan a guided walk: tell us when you come, who comes along and how far you like to go. We answer within a day.",
      ogImage: "im_ridge",
    },
    sections: [
      {
        id: "sc_contact_hero",
        template: "hero",
        variant: "centered",
        en: {
          title: "Tell us where your feet would like to go",
          subtitle:
            "A sentence is enough: when, how many of you, and whether you would rather have a summit or a picnic.",
        },
      },
      {
        id: "sc_contact_cta",
        template: "cta",
        en: {
          heading: "Write to us",
          description:
            "We are out walking most days, so letters work better than the telephone. **We answer within a day**, usually in the evening with our boots off.",
          buttonText: "Send us an email",
          buttonLink: "mailto:hello@fernandfell.example",
        },
      },
    ],
  },
];
