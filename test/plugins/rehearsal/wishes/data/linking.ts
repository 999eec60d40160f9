import type { Wish } from "../format.ts";

/** The navigation, what is public, what is deleted, and the posts of the blog. */
export const LINKING: readonly Wish[] = [
  {
    ...{ id: "nav-remove-header", language: "en", trait: "plain", wants: "change" },
    text: "Remove About from the header.",
    wished: [{ say: "about", changes: [{ do: "remove link", location: "header", target: "about" }] }],
  },
  {
    ...{ id: "nav-remove-footer-only", language: "en", trait: "negation", wants: "change" },
    text: "take contact out of the footer, but leave it in the header",
    wished: [{ say: "footer", changes: [{ do: "remove link", location: "footer", target: "contact" }] }],
  },
  {
    ...{ id: "nav-remove-both", language: "en", trait: "several", wants: "change" },
    text: "About shouldn't be linked in either the header or the footer anymore",
    wished: [
      { say: "header", changes: [{ do: "remove link", location: "header", target: "about" }] },
      { say: "footer", changes: [{ do: "remove link", location: "footer", target: "about" }] },
    ],
  },
  {
    ...{ id: "nav-remove-blog", language: "en", trait: "slang", wants: "change" },
    text: "nobody reads our blog tbh, kick it out of the menu",
    wished: [
      { say: "blog", changes: [{ do: "remove link", location: "header", target: "collection:co_blog" }] },
    ],
  },
  {
    ...{ id: "nav-all-but", language: "en", trait: "exception", wants: "change" },
    text: "Remove all links from the header except Home and Contact.",
    wished: [
      { say: "about", changes: [{ do: "remove link", location: "header", target: "about" }] },
      { say: "blog", changes: [{ do: "remove link", location: "header", target: "collection:co_blog" }] },
    ],
  },
  {
    ...{ id: "nav-relabel", language: "en", trait: "plain", wants: "change" },
    text: 'In the header, "Contact" should read "Get in touch". Only the link, not the page.',
    wished: [
      {
        say: "get in touch",
        changes: [{ do: "relabel link", location: "header", target: "contact", label: "Get in touch" }],
      },
    ],
  },
  {
    ...{ id: "nav-relabel-typo", language: "en", trait: "typos", wants: "change" },
    text: "chnage the blog link in the haeder menu to Stories",
    wished: [
      {
        say: "stories",
        changes: [{ do: "relabel link", location: "header", target: "collection:co_blog", label: "Stories" }],
      },
    ],
  },
  {
    ...{ id: "nav-add-footer", language: "en", trait: "plain", wants: "change" },
    text: "could you add the home page to the footer too?",
    wished: [{ say: "footer", changes: [{ do: "add link", location: "footer", target: "home" }] }],
  },
  {
    ...{ id: "nav-add-blog-footer", language: "en", trait: "plain", wants: "change" },
    text: "Link the blog in the footer",
    wished: [
      {
        say: "blog",
        changes: [{ do: "add link", location: "footer", target: "collection:co_blog", label: "Blog" }],
      },
    ],
  },
  {
    ...{ id: "nav-add-url", language: "en", trait: "plain", wants: "change" },
    text: "add a link Weather to the footer, it goes to https://weather.example.com",
    wished: [
      {
        say: "weather",
        changes: [
          {
            do: "add link",
            location: "footer",
            target: "https://weather.example.com",
            label: "Weather",
          },
        ],
      },
    ],
  },
  {
    ...{ id: "nav-add-draft", language: "en", trait: "plain", wants: "change" },
    text: "put Team into the header menu",
    pages: [["Team", "team", "draft"]],
    wished: [{ say: ["team", "header"], changes: [{ do: "add link", location: "header", target: "team" }] }],
  },
  {
    ...{ id: "nav-add-there", language: "en", trait: "plain", wants: "answer" },
    text: "Please add Contact to the header",
    says: ["contact"],
  },
  {
    ...{ id: "nav-add-missing", language: "en", trait: "plain", wants: "answer" },
    text: "add the Sponsors page to the footer",
    says: ["sponsors", ["no ", "not", "n't"]],
  },
  {
    ...{ id: "nav-first", language: "en", trait: "plain", wants: "change" },
    text: "Contact should be the first thing in the header menu",
    wished: [
      {
        say: "contact",
        changes: [{ do: "move link", location: "header", target: "contact", at: "first" }],
      },
    ],
  },
  {
    ...{ id: "nav-move-footer", language: "en", trait: "several", wants: "change" },
    text: "move the Blog link from the header down to the footer",
    wished: [
      {
        say: "blog",
        changes: [
          { do: "remove link", location: "header", target: "collection:co_blog" },
          { do: "add link", location: "footer", target: "collection:co_blog", label: "Blog" },
        ],
      },
    ],
  },
  {
    ...{ id: "nav-swap", language: "en", trait: "correction", wants: "change" },
    text: "remove Blog from the header. oh and About as well. hmm, no, keep About, just Blog",
    wished: [
      { say: "blog", changes: [{ do: "remove link", location: "header", target: "collection:co_blog" }] },
    ],
  },
  {
    ...{ id: "publish-draft", language: "en", trait: "plain", wants: "change" },
    text: "publish the Team page",
    pages: [["Team", "team", "draft"]],
    wished: [{ say: "team", changes: [{ do: "set page", page: "team", status: "published" }] }],
  },
  {
    ...{ id: "publish-live", language: "en", trait: "slang", wants: "change" },
    text: "prices is good to go, ship it 🚀",
    pages: [["Prices", "prices", "draft"]],
    wished: [{ say: "prices", changes: [{ do: "set page", page: "prices", status: "published" }] }],
  },
  {
    ...{ id: "publish-all", language: "en", trait: "several", wants: "change" },
    text: "Publish all draft pages",
    pages: [
      ["Team", "team", "draft"],
      ["Prices", "prices", "draft"],
    ],
    wished: [
      { say: "team", changes: [{ do: "set page", page: "team", status: "published" }] },
      { say: "prices", changes: [{ do: "set page", page: "prices", status: "published" }] },
    ],
  },
  {
    ...{ id: "publish-all-but", language: "en", trait: "exception", wants: "change" },
    text: "publish every draft page except Prices, that one isn't ready",
    pages: [
      ["Team", "team", "draft"],
      ["Prices", "prices", "draft"],
      ["Huts", "huts", "draft"],
    ],
    wished: [
      { say: "team", changes: [{ do: "set page", page: "team", status: "published" }] },
      { say: "huts", changes: [{ do: "set page", page: "huts", status: "published" }] },
    ],
  },
  {
    ...{ id: "publish-not", language: "en", trait: "negation", wants: "answer" },
    text: "Whatever you do, don't publish the Team page.",
    pages: [["Team", "team", "draft"]],
    says: [],
  },
  {
    ...{ id: "unpublish", language: "en", trait: "plain", wants: "change" },
    text: "take the about page offline",
    wished: [{ say: "about", changes: [{ do: "set page", page: "about", status: "unpublished" }] }],
  },
  {
    ...{ id: "unpublish-not-delete", language: "en", trait: "negation", wants: "change" },
    text: "Unpublish Contact for the winter, but please don't delete it, we need it again in spring",
    wished: [{ say: "contact", changes: [{ do: "set page", page: "contact", status: "unpublished" }] }],
  },
  {
    ...{ id: "publish-if-draft", language: "en", trait: "condition", wants: "answer" },
    text: "If the About page isn't published yet, publish it.",
    says: ["about"],
  },
  {
    ...{ id: "delete-page", language: "en", trait: "plain", wants: "change" },
    text: "Delete the old offers page, we don't need it",
    pages: [["Old offers", "old-offers", "unpublished"]],
    wished: [{ say: "offers", changes: [{ do: "delete page", page: "old-offers" }] }],
  },
  {
    ...{ id: "delete-two", language: "en", trait: "several", wants: "change" },
    text: "bin Test and Test 2 pls",
    pages: [
      ["Test", "test", "draft"],
      ["Test 2", "test-2", "draft"],
      ["Testimonials", "testimonials", "draft"],
    ],
    wished: [
      { say: "test", changes: [{ do: "delete page", page: "test" }] },
      { say: "test 2", changes: [{ do: "delete page", page: "test-2" }] },
    ],
  },
  {
    ...{ id: "delete-missing", language: "en", trait: "plain", wants: "answer" },
    text: "please delete the page Summer party 2019",
    says: ["summer party 2019", ["no ", "not", "n't"]],
  },
  {
    ...{ id: "delete-everything", language: "en", trait: "vague", wants: "nothing" },
    text: "this all sucks, just wipe the stuff that looks bad",
  },
  {
    ...{ id: "delete-not", language: "en", trait: "negation", wants: "change" },
    text: "Don't delete the About page, just rename it to History",
    wished: [{ say: "history", changes: [{ do: "rename page", page: "about", name: "History" }] }],
  },
  {
    ...{ id: "entry-publish", language: "en", trait: "plain", wants: "change" },
    text: "Publish the blog post Winter routes",
    wished: [{ say: "winter", changes: [{ do: "set entry", entry: "en_winter", status: "published" }] }],
  },
  {
    ...{ id: "entry-offline", language: "en", trait: "slang", wants: "change" },
    text: "that packing light post needs to come down, its outdated",
    wished: [{ say: "packing", changes: [{ do: "set entry", entry: "en_packing", status: "unpublished" }] }],
    allowed: [{ changes: [{ do: "set entry", entry: "en_packing", status: "archived" }], leftOut: [] }],
  },
  {
    ...{ id: "entry-make", language: "en", trait: "plain", wants: "change" },
    text: "Start a new blog post with the title Ten quiet huts. Leave it as a draft.",
    wished: [{ say: "ten quiet huts", changes: [{ do: "make entry", title: "Ten quiet huts" }] }],
  },
  {
    ...{ id: "entry-rename", language: "en", trait: "plain", wants: "change" },
    text: 'the post "Packing light" should be titled "Packing lighter"',
    wished: [
      {
        say: "packing lighter",
        changes: [{ do: "rename entry", entry: "en_packing", title: "Packing lighter" }],
      },
    ],
  },
  {
    ...{ id: "entry-delete", language: "en", trait: "plain", wants: "change" },
    text: "delete the draft post about winter routes",
    wished: [{ say: "winter", changes: [{ do: "delete entry", entry: "en_winter" }] }],
  },
];
