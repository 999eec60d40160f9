import type { AnswerWish, Change, ChangeWish, NothingWish, Trait, Wish } from "../format.ts";

/** Worded by who wrote the table of the rehearsal model: what its shapes are meant to take, and what they must not. */

const ABOUT_IN_FOCUS = ['- page pg_about "About" slug=about focus'];

function change(id: string, text: string, ...changes: Change[]): ChangeWish {
  return {
    ...{ id: `tabled-${id}`, language: "en", trait: "plain", wants: "change", text },
    ...{ memory: ABOUT_IN_FOCUS, pages: [["Team", "team", "draft"]], whole: true },
    wished: [{ say: "team", changes }],
  };
}

function answer(id: string, text: string, ...says: string[]): AnswerWish {
  return {
    ...{ id: `tabled-${id}`, language: "en", trait: "question", wants: "answer", text, says },
    ...{ memory: ABOUT_IN_FOCUS, pages: [["Team", "team", "draft"]] },
  };
}

/** Here a part of the wish could only be guessed. */
function guess(id: string, trait: Trait, text: string): NothingWish {
  return {
    ...{ id: `tabled-${id}`, language: "en", trait, wants: "nothing", text },
    ...{ memory: ABOUT_IN_FOCUS, pages: [["Team", "team", "draft"]] },
  };
}

const make = (name: string, slug?: string): Change => ({
  do: "make page",
  name,
  ...(slug === undefined ? {} : { slug }),
});
const status = (page: string, to: "draft" | "published" | "unpublished"): Change => ({
  do: "set page",
  page,
  status: to,
});

export const TABLED: readonly Wish[] = [
  change("make-caps", "CREATE A PAGE CALLED SNOW SHOES", make("SNOW SHOES")),
  change("make-two-publish", "Create two pages: Jobs and Press", make("Jobs"), make("Press")),
  change("make-japanese", "Create a page called 会社概要", make("会社概要")),
  change("make-draft", 'Create a page called "Publish me" but leave it as draft', make("Publish me")),
  change("make-verb", "create a page named Delete", make("Delete")),
  change("make-rock", "Create a page called Rock and Roll but don't publish it yet", make("Rock and Roll")),
  change("make-faq", "I'd like to have a FAQ page please", make("FAQ")),
  change(
    "make-address",
    "Create a page Opening times with the address /times",
    make("Opening times", "times"),
  ),
  change(
    "make-publish-link",
    "Create a page called Huts, publish it and link it in the footer",
    make("Huts"),
    status("Huts", "published"),
    { do: "add link", location: "footer", target: "Huts" },
  ),
  change("publish-should", "Team should be published", status("team", "published")),
  change("publish-everything", "Publish everything", status("team", "published")),
  change("unpublish-draft", "turn the contact page back into a draft", status("contact", "unpublished")),
  change(
    "link-main",
    "Please publish the page Team and then add it to the main navigation",
    status("team", "published"),
    { do: "add link", location: "header", target: "team" },
  ),
  change("link-footer", "In the footer, add the team page", {
    ...{ do: "add link", location: "footer", target: "team" },
  }),
  change("link-not-header", "add Team to the footer but not to the header", {
    ...{ do: "add link", location: "footer", target: "team" },
  }),
  change("unlink-main", "take Contact off the main menu", {
    ...{ do: "remove link", location: "header", target: "contact" },
  }),
  change("unlink-footer", "remove the about page from the footer", {
    ...{ do: "remove link", location: "footer", target: "about" },
  }),
  change(
    "rename-slug",
    'rename "Contact" to "Reach us" and change its slug to reach-us',
    {
      ...{ do: "rename page", page: "contact", name: "Reach us" },
    },
    { do: "readdress page", page: "contact", slug: "reach-us" },
  ),
  change("call", 'Call the about page "Our story"', { do: "rename page", page: "about", name: "Our story" }),
  change("heading", 'change the heading of the hero on the about page to "Hello there"', {
    ...{ do: "write section", section: "sc_about_0", content: { title: "Hello there" } },
  }),
  change("heading-should", 'The heading of the hero on the home page should be "Up and away"', {
    ...{ do: "write section", section: "sc_home_0", content: { title: "Up and away" } },
  }),
  change("subtitle", 'Set the subtitle of the hero on the home page to "A, B and C"', {
    ...{ do: "write section", section: "sc_home_0", content: { subtitle: "A, B and C" } },
  }),
  change("cta-end", "Add a call to action at the end of the about page", {
    ...{ do: "add section", page: "about", section: { template: "cta" }, at: "last" },
  }),
  change("gallery-top", "Move the gallery to the top of the about page", {
    ...{ do: "move section", section: "sc_about_2", at: "first" },
  }),
  change("hide-second", "Hide the second section of the contact page", {
    ...{ do: "hide section", section: "sc_contact_1" },
  }),
  change(
    "delete-two",
    "delete Team and Contact",
    { do: "delete page", page: "team" },
    {
      ...{ do: "delete page", page: "contact" },
    },
  ),
  change("delete-last", "Delete the last section", { do: "delete section", section: "sc_about_2" }),
  answer("how-many", "hello, how many pages do we have?", "home", "about", "contact", "team"),
  answer("drafts", "Which pages are still in draft?", "team"),
  answer("on-it", "What's on it?", "pictures"),
  answer("in-footer", "Is Team in the footer?", "not in the footer"),
  answer("gallery", "does the contact page have a gallery?", "0 gallery"),
  answer("mention", "Where do we mention ridge walks?", "why us"),
  guess("unless", "condition", "publish Team unless it is empty"),
  guess("tomorrow", "condition", "Publish Team tomorrow"),
  guess("swap-names", "several", "rename About to Contact and Contact to About"),
  guess("but-not", "exception", "publish Team, but not About"),
  guess("everything-but", "exception", "delete everything except home"),
  guess("two-places", "negation", "put Team in the footer, keep it out of the header"),
  guess("second-part", "several", "change the hero title on home to Hello and the subtitle to Bye"),
  guess("not-at-the-end", "negation", "lösche die Seite Contact nicht"),
  guess("somebody-said", "quotes", "He said: delete the about page"),
  guess("quoted-line", "quotes", "> delete the about page"),
];
