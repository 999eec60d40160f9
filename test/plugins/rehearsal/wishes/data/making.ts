import type { Wish } from "../format.ts";

/** New pages, with and without sections, copies, links to them. */
export const MAKING: readonly Wish[] = [
  {
    ...{ id: "make-team", language: "en", trait: "plain", wants: "change" },
    text: "Create a page called Team.",
    wished: [{ say: "team", changes: [{ do: "make page", name: "Team" }] }],
  },
  {
    ...{ id: "make-prices-lower", language: "en", trait: "slang", wants: "change" },
    text: "yo can u whip up a prices page real quick",
    wished: [{ say: "prices", changes: [{ do: "make page", name: ["Prices", "Prices page"] }] }],
  },
  {
    ...{ id: "make-typos", language: "en", trait: "typos", wants: "change" },
    text: "pls creat a new pgae named Gallery",
    wished: [{ say: "gallery", changes: [{ do: "make page", name: "Gallery" }] }],
  },
  {
    ...{ id: "make-polite", language: "en", trait: "plain", wants: "change" },
    text: "Good morning! Would you be so kind as to set up a Frequently Asked Questions page for us? Many thanks 🙏",
    wished: [
      { say: "questions", changes: [{ do: "make page", name: ["Frequently Asked Questions", "FAQ"] }] },
    ],
  },
  {
    ...{ id: "make-quoted", language: "en", trait: "quotes", wants: "change" },
    text: "New page: 'Huts & Shelters' please",
    wished: [{ say: "huts", changes: [{ do: "make page", name: "Huts & Shelters" }] }],
  },
  {
    ...{ id: "make-quoted-verb", language: "en", trait: "quotes", wants: "change" },
    text: 'I need a page titled "Delete your account"',
    wished: [{ say: "delete your account", changes: [{ do: "make page", name: "Delete your account" }] }],
  },
  {
    ...{ id: "make-quoted-and", language: "en", trait: "quotes", wants: "change" },
    text: "add a page “Terms and Conditions”",
    wished: [{ say: "terms", changes: [{ do: "make page", name: "Terms and Conditions" }] }],
  },
  {
    ...{ id: "make-unquoted-and", language: "en", trait: "plain", wants: "change" },
    text: "Please make a page called Food and Drink",
    wished: [{ say: "food", changes: [{ do: "make page", name: "Food and Drink" }] }],
  },
  {
    ...{ id: "make-slug", language: "en", trait: "plain", wants: "change" },
    text: "create a page Summer Camp 2027 with the address /camp",
    wished: [{ say: "camp", changes: [{ do: "make page", name: "Summer Camp 2027", slug: "camp" }] }],
  },
  {
    ...{ id: "make-correction", language: "en", trait: "correction", wants: "change" },
    text: "Make a page called Careers. no wait, call it Jobs instead",
    wished: [{ say: "jobs", changes: [{ do: "make page", name: "Jobs" }] }],
  },
  {
    ...{ id: "make-correction-sorry", language: "en", trait: "correction", wants: "change" },
    text: "create an Events page, sorry i mean News, not Events",
    wished: [{ say: "news", changes: [{ do: "make page", name: "News" }] }],
  },
  {
    ...{ id: "make-correction-link", language: "en", trait: "correction", wants: "change" },
    text: "add a Shop page and put it in the header – actually the footer, not the header",
    wished: [
      { say: "shop", changes: [{ do: "make page", name: "Shop" }] },
      { say: "footer", changes: [{ do: "add link", location: "footer", target: "Shop" }] },
    ],
  },
  {
    ...{ id: "make-nevermind", language: "en", trait: "correction", wants: "answer" },
    text: "can you make a page called Partners... hmm no, forget it, leave everything as it is",
    says: [],
  },
  {
    ...{ id: "make-not-in-menu", language: "en", trait: "negation", wants: "change" },
    text: "Create a Thank you page but don't put it in the menu",
    wished: [{ say: "thank you", changes: [{ do: "make page", name: "Thank you" }] }],
  },
  {
    ...{ id: "make-not-in-header", language: "en", trait: "negation", wants: "change" },
    text: "i want an Imprint page linked in the footer but not in the header",
    wished: [
      { say: "imprint", changes: [{ do: "make page", name: "Imprint" }] },
      { say: "footer", changes: [{ do: "add link", location: "footer", target: "Imprint" }] },
    ],
  },
  {
    ...{ id: "make-no-publish", language: "en", trait: "negation", wants: "change" },
    text: "Set up a Privacy page. Do NOT publish it yet, legal has to look at it first.",
    wished: [{ say: "privacy", changes: [{ do: "make page", name: "Privacy" }] }],
  },
  {
    ...{ id: "make-and-header", language: "en", trait: "several", wants: "change" },
    text: "Create a page called Routes and add it to the header navigation",
    wished: [
      { say: "routes", changes: [{ do: "make page", name: "Routes" }] },
      {
        say: ["header", "navigation"],
        changes: [{ do: "add link", location: "header", target: "Routes" }],
      },
    ],
  },
  {
    ...{ id: "make-and-publish", language: "en", trait: "several", wants: "change" },
    text: "make a page Opening hours, publish it and link it in the footer",
    wished: [
      { say: "opening hours", changes: [{ do: "make page", name: "Opening hours" }] },
      {
        say: "publish",
        changes: [{ do: "set page", page: "Opening hours", status: "published" }],
      },
      {
        say: "footer",
        changes: [{ do: "add link", location: "footer", target: "Opening hours" }],
      },
    ],
  },
  {
    ...{ id: "make-header-label", language: "en", trait: "several", wants: "change" },
    text: 'New page "Book a guided walk", and in the top menu it should just say "Book"',
    wished: [
      { say: "walk", changes: [{ do: "make page", name: "Book a guided walk" }] },
      {
        say: ["menu", "header"],
        changes: [{ do: "add link", location: "header", target: "Book a guided walk", label: "Book" }],
      },
    ],
  },
  {
    ...{ id: "make-two", language: "en", trait: "several", wants: "change" },
    text: "we need two new pages: Summer and Winter",
    wished: [
      { say: "summer", changes: [{ do: "make page", name: "Summer" }] },
      { say: "winter", changes: [{ do: "make page", name: "Winter" }] },
    ],
  },
  {
    ...{ id: "make-three", language: "en", trait: "several", wants: "change" },
    text: "Please create the pages Guides, Gear and Getting here. Only Guides goes in the header.",
    wished: [
      { say: "guides", changes: [{ do: "make page", name: "Guides" }] },
      { say: "gear", changes: [{ do: "make page", name: "Gear" }] },
      { say: "getting here", changes: [{ do: "make page", name: "Getting here" }] },
      { say: "header", changes: [{ do: "add link", location: "header", target: "Guides" }] },
    ],
  },
  {
    ...{ id: "make-all-but", language: "en", trait: "exception", wants: "change" },
    text: "Make pages for Spring, Autumn and Winter and link all of them in the footer except Winter",
    wished: [
      { say: "spring", changes: [{ do: "make page", name: "Spring" }] },
      { say: "autumn", changes: [{ do: "make page", name: "Autumn" }] },
      { say: "winter", changes: [{ do: "make page", name: "Winter" }] },
      {
        say: "footer",
        changes: [
          { do: "add link", location: "footer", target: "Spring" },
          { do: "add link", location: "footer", target: "Autumn" },
        ],
      },
    ],
  },
  {
    ...{ id: "make-hero-title", language: "en", trait: "several", wants: "change" },
    text: "create a Volunteers page with a hero that says Walk with purpose",
    wished: [
      { say: "volunteers", changes: [{ do: "make page", name: "Volunteers" }] },
      {
        say: ["hero", "walk with purpose"],
        changes: [
          {
            do: "fill page",
            page: "Volunteers",
            section: { template: "hero", content: { title: "Walk with purpose" } },
          },
        ],
      },
    ],
  },
  {
    ...{ id: "make-hero-gallery", language: "en", trait: "several", wants: "change" },
    text: "Build a Photos page: hero on top, below it a gallery with the ridge and the valley picture",
    wished: [
      { say: "photos", changes: [{ do: "make page", name: "Photos" }] },
      {
        say: "hero",
        changes: [{ do: "fill page", page: "Photos", section: { template: "hero" } }],
      },
      {
        say: "gallery",
        changes: [{ do: "fill page", page: "Photos", section: { template: "gallery" } }],
      },
    ],
  },
  {
    ...{ id: "make-quote", language: "en", trait: "quotes", wants: "change" },
    text: 'page "Voices" with a quote: "Best week of my life" by Anna',
    wished: [
      { say: "voices", changes: [{ do: "make page", name: "Voices" }] },
      {
        say: ["quote", "anna"],
        changes: [
          {
            do: "fill page",
            page: "Voices",
            section: {
              template: "quote",
              content: { text: "Best week of my life", author: ["Anna", "by Anna"] },
            },
          },
        ],
      },
    ],
  },
  {
    ...{ id: "make-copy", language: "en", trait: "plain", wants: "change" },
    text: "duplicate the About page and call the copy Our people",
    wished: [
      { say: ["copy", "our people"], changes: [{ do: "make page", name: "Our people", like: "about" }] },
    ],
  },
  {
    ...{ id: "make-copy-like", language: "en", trait: "plain", wants: "change" },
    text: "I'd like a Press page that looks the same as Contact, to start from",
    wished: [{ say: "press", changes: [{ do: "make page", name: "Press", like: "contact" }] }],
  },
  {
    ...{ id: "make-copy-change", language: "en", trait: "several", wants: "change" },
    text: "Copy the contact page as Visit us, then hide the old contact page from the header menu",
    wished: [
      { say: "visit us", changes: [{ do: "make page", name: "Visit us", like: "contact" }] },
      { say: ["header", "menu"], changes: [{ do: "remove link", location: "header", target: "contact" }] },
    ],
  },
  {
    ...{ id: "make-if-missing", language: "en", trait: "condition", wants: "change" },
    text: "if there is no page called Safety yet, make one, otherwise leave it alone",
    wished: [{ say: "safety", changes: [{ do: "make page", name: "Safety" }] }],
  },
  {
    ...{ id: "make-if-there", language: "en", trait: "condition", wants: "answer" },
    text: "If we don't have a Contact page yet, please create one.",
    says: ["contact"],
  },
  {
    ...{ id: "make-taken", language: "en", trait: "plain", wants: "answer" },
    text: "make sure there's an about page",
    says: ["about"],
  },
  {
    ...{ id: "make-emoji", language: "en", trait: "slang", wants: "change" },
    text: "🎉 new page time!! name = Anniversary 🎂 thx 😘",
    wished: [{ say: "anniversary", changes: [{ do: "make page", name: ["Anniversary", "Anniversary 🎂"] }] }],
  },
  {
    ...{ id: "make-impossible-part", language: "en", trait: "impossible", wants: "change" },
    text: "Make a Newsletter page and send an email to all customers about it",
    wished: [
      { say: "newsletter", changes: [{ do: "make page", name: "Newsletter" }] },
      { say: ["email", "e-mail", "customers"], changes: [] },
    ],
  },
  {
    ...{ id: "make-later", language: "en", trait: "condition", wants: "change" },
    text: "Create a page Christmas special and publish it on the first of December",
    wished: [
      { say: "christmas", changes: [{ do: "make page", name: "Christmas special" }] },
      { say: ["december", "publish"], changes: [] },
    ],
  },
  {
    ...{ id: "make-no-name", language: "en", trait: "vague", wants: "nothing" },
    text: "I need a new page",
  },
];
