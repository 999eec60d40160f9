import type { Wish } from "../format.ts";

/** Pages and sections that are there: names, addresses, texts, order, pictures. */
export const CHANGING: readonly Wish[] = [
  {
    ...{ id: "rename-about", language: "en", trait: "plain", wants: "change" },
    text: "Rename the About page to Our story",
    wished: [{ say: "our story", changes: [{ do: "rename page", page: "about", name: "Our story" }] }],
  },
  {
    ...{ id: "rename-slang", language: "en", trait: "slang", wants: "change" },
    text: "contact sounds boring lol, the page should be called Say Hi",
    wished: [{ say: "say hi", changes: [{ do: "rename page", page: "contact", name: "Say Hi" }] }],
  },
  {
    ...{ id: "rename-typo", language: "en", trait: "typos", wants: "change" },
    text: "renmae the contcat page to Get in touch plz",
    wished: [
      { say: "get in touch", changes: [{ do: "rename page", page: "contact", name: "Get in touch" }] },
    ],
  },
  {
    ...{ id: "rename-not-slug", language: "en", trait: "negation", wants: "change" },
    text: "Change the name of the about page to Who we are, but keep its address",
    wished: [{ say: "who we are", changes: [{ do: "rename page", page: "about", name: "Who we are" }] }],
  },
  {
    ...{ id: "rename-everywhere", language: "en", trait: "several", wants: "change" },
    text: "rename About to Our Story, in the header and the footer too",
    wished: [
      { say: "page", changes: [{ do: "rename page", page: "about", name: "Our Story" }] },
      {
        say: "header",
        changes: [{ do: "relabel link", location: "header", target: "about", label: "Our Story" }],
      },
      {
        say: "footer",
        changes: [{ do: "relabel link", location: "footer", target: "about", label: "Our Story" }],
      },
    ],
  },
  {
    ...{ id: "rename-correction", language: "en", trait: "correction", wants: "change" },
    text: "Rename Contact to Help. Wait, no — I meant About, rename About to Help.",
    wished: [{ say: "help", changes: [{ do: "rename page", page: "about", name: "Help" }] }],
  },
  {
    ...{ id: "rename-to-to", language: "en", trait: "quotes", wants: "change" },
    text: "rename the page contact to 'How to get to us'",
    wished: [
      { say: "how to get", changes: [{ do: "rename page", page: "contact", name: "How to get to us" }] },
    ],
  },
  {
    ...{ id: "slug-about", language: "en", trait: "plain", wants: "change" },
    text: "the url of the about page should be /our-story from now on",
    wished: [{ say: "our-story", changes: [{ do: "readdress page", page: "about", slug: "our-story" }] }],
  },
  {
    ...{ id: "slug-taken", language: "en", trait: "plain", wants: "nothing" },
    text: "Change the slug of the about page to contact",
  },
  {
    ...{ id: "title-home", language: "en", trait: "plain", wants: "change" },
    text: 'Change the headline on the home page to "Walk slower"',
    wished: [
      {
        say: "walk slower",
        changes: [{ do: "write section", section: "sc_home_0", content: { title: "Walk slower" } }],
      },
    ],
  },
  {
    ...{ id: "title-replace", language: "en", trait: "quotes", wants: "change" },
    text: 'where it says "How it began" on About it should say "How we began"',
    wished: [
      {
        say: "how we began",
        changes: [{ do: "write section", section: "sc_about_1", content: { heading: "How we began" } }],
      },
    ],
  },
  {
    ...{ id: "text-find", language: "en", trait: "quotes", wants: "change" },
    text: 'There is a sentence somewhere: "With a map." Please make it "With a map and a dog."',
    wished: [
      {
        say: "dog",
        changes: [
          { do: "write section", section: "sc_about_1", content: { content: "With a map and a dog." } },
        ],
      },
    ],
  },
  {
    ...{ id: "button-text", language: "en", trait: "plain", wants: "change" },
    text: "On the homepage the button says Write. I'd prefer it to say Write to us.",
    wished: [
      {
        say: "button",
        changes: [{ do: "write section", section: "sc_home_3", content: { buttonText: "Write to us" } }],
      },
    ],
  },
  {
    ...{ id: "button-link", language: "en", trait: "plain", wants: "change" },
    text: "the mail button on contact should go to mailto:hello@example.com",
    wished: [
      {
        say: ["button", "mail"],
        changes: [
          {
            do: "write section",
            section: "sc_contact_1",
            content: { buttonLink: "mailto:hello@example.com" },
          },
        ],
      },
    ],
  },
  {
    ...{ id: "subtitle-new", language: "en", trait: "plain", wants: "change" },
    text: "Give the hero of the contact page the subtitle We answer within a day",
    wished: [
      {
        say: "subtitle",
        changes: [
          {
            do: "write section",
            section: "sc_contact_0",
            content: { subtitle: "We answer within a day" },
          },
        ],
      },
    ],
  },
  {
    ...{ id: "subtitle-clear", language: "en", trait: "plain", wants: "change" },
    text: "remove the subtitle from the hero on home, keep the title",
    wished: [{ say: "subtitle", changes: [{ do: "clear field", section: "sc_home_0", field: "subtitle" }] }],
  },
  {
    ...{ id: "title-two-pages", language: "en", trait: "several", wants: "change" },
    text: "home headline: Walk with us. contact headline: Talk to us",
    wished: [
      {
        say: ["home", "walk with us"],
        changes: [{ do: "write section", section: "sc_home_0", content: { title: "Walk with us" } }],
      },
      {
        say: ["contact", "talk to us"],
        changes: [{ do: "write section", section: "sc_contact_0", content: { title: "Talk to us" } }],
      },
    ],
  },
  {
    ...{ id: "title-and-publish", language: "en", trait: "several", wants: "change" },
    text: "set the title of the contact hero to Hello there and publish the page",
    wished: [
      {
        say: "hello there",
        changes: [{ do: "write section", section: "sc_contact_0", content: { title: "Hello there" } }],
      },
      { say: "publish", changes: [{ do: "set page", page: "contact", status: "published" }] },
    ],
  },
  {
    ...{ id: "title-no-publish", language: "en", trait: "negation", wants: "change" },
    text: "Change the home hero title to Coming soon but dont publish that",
    wished: [
      {
        say: "coming soon",
        changes: [{ do: "write section", section: "sc_home_0", content: { title: "Coming soon" } }],
      },
    ],
  },
  {
    ...{ id: "section-quote", language: "en", trait: "quotes", wants: "change" },
    text: 'Add a quote to the About page: "They know every stone." – Tom',
    wished: [
      {
        say: "quote",
        changes: [
          {
            do: "add section",
            page: "about",
            section: {
              template: "quote",
              content: { text: "They know every stone.", author: ["Tom", "– Tom"] },
            },
          },
        ],
      },
    ],
  },
  {
    ...{ id: "section-cta-after", language: "en", trait: "plain", wants: "change" },
    text: "on about, right below the hero, add a call to action Join us with a button Write us that goes to the contact page",
    wished: [
      {
        say: ["call to action", "cta", "join us"],
        changes: [
          {
            do: "add section",
            page: "about",
            at: { after: "sc_about_0" },
            section: {
              template: "cta",
              content: {
                heading: "Join us",
                buttonText: "Write us",
                buttonLink: ["page:pg_contact", "page:contact"],
              },
            },
          },
        ],
      },
    ],
  },
  {
    ...{ id: "section-feature-top", language: "en", trait: "plain", wants: "change" },
    text: "Put a feature section with the heading What to bring at the very top of Contact",
    wished: [
      {
        say: ["feature", "what to bring"],
        changes: [
          {
            do: "add section",
            page: "contact",
            at: "first",
            section: { template: "feature", content: { heading: "What to bring" } },
          },
        ],
      },
    ],
  },
  {
    ...{ id: "section-unknown", language: "en", trait: "impossible", wants: "nothing" },
    text: "add a booking calendar with live availability to the home page",
  },
  {
    ...{ id: "section-delete", language: "en", trait: "plain", wants: "change" },
    text: "Please delete the gallery on the About page.",
    wished: [{ say: "gallery", changes: [{ do: "delete section", section: "sc_about_2" }] }],
  },
  {
    ...{ id: "section-delete-heading", language: "en", trait: "typos", wants: "change" },
    text: "get rid of the 'why us' bit on the hompage",
    wished: [{ say: "why us", changes: [{ do: "delete section", section: "sc_home_1" }] }],
  },
  {
    ...{ id: "section-delete-but", language: "en", trait: "exception", wants: "change" },
    text: "Remove everything from the about page except the hero",
    wished: [
      { say: "how it began", changes: [{ do: "delete section", section: "sc_about_1" }] },
      { say: ["gallery", "pictures"], changes: [{ do: "delete section", section: "sc_about_2" }] },
    ],
  },
  {
    ...{ id: "section-hide", language: "en", trait: "negation", wants: "change" },
    text: "hide the Come along section on home for now, don't delete it!",
    wished: [{ say: "come along", changes: [{ do: "hide section", section: "sc_home_3" }] }],
  },
  {
    ...{ id: "section-move-top", language: "en", trait: "plain", wants: "change" },
    text: "move the gallery on About up so it comes right after the hero",
    wished: [
      {
        say: "gallery",
        changes: [{ do: "move section", section: "sc_about_2", at: { after: "sc_about_0" } }],
      },
    ],
  },
  {
    ...{ id: "section-move-end", language: "en", trait: "plain", wants: "change" },
    text: "On the home page, Why us should be the last section.",
    wished: [{ say: "why us", changes: [{ do: "move section", section: "sc_home_1", at: "last" }] }],
  },
  {
    ...{ id: "image-hero", language: "en", trait: "plain", wants: "change" },
    text: "Use the picture of the stone shelter as the hero image of the about page",
    wished: [
      {
        say: ["shelter", "image", "picture"],
        changes: [{ do: "place image", section: "sc_about_0", field: "image", image: "im_shelter" }],
      },
    ],
  },
  {
    ...{ id: "image-not-there", language: "en", trait: "impossible", wants: "nothing" },
    text: "put a photo of a penguin on the home page hero",
  },
  {
    ...{ id: "image-swap", language: "en", trait: "several", wants: "change" },
    text: "swap the pics on home: valley in the hero, ridge in the Our valley section",
    wished: [
      {
        say: "hero",
        changes: [{ do: "place image", section: "sc_home_0", field: "image", image: "im_valley" }],
      },
      {
        say: ["our valley", "ridge"],
        changes: [{ do: "place image", section: "sc_home_2", field: "image", image: "im_ridge" }],
      },
    ],
  },
  {
    ...{ id: "image-alt", language: "en", trait: "plain", wants: "change" },
    text: "The alt text of valley.png should be: A green valley in June",
    wished: [
      {
        say: ["alt", "valley"],
        changes: [{ do: "describe image", image: "im_valley", alt: "A green valley in June" }],
      },
    ],
  },
];
