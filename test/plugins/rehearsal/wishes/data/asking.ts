import type { Wish } from "../format.ts";

/** Questions, small talk, what the tools cannot do, and what is too vague to begin with. */
export const ASKING: readonly Wish[] = [
  {
    ...{ id: "ask-pages", language: "en", trait: "question", wants: "answer" },
    text: "Which pages does my site have?",
    says: ["home", "about", "contact"],
  },
  {
    ...{ id: "ask-drafts", language: "en", trait: "question", wants: "answer" },
    text: "are there any pages that arent published yet",
    pages: [["Team", "team", "draft"]],
    says: ["team"],
  },
  {
    ...{ id: "ask-header", language: "en", trait: "question", wants: "answer" },
    text: "what's in the header menu right now?",
    says: ["home", "about", "blog", "contact"],
  },
  {
    ...{ id: "ask-sections", language: "en", trait: "question", wants: "answer" },
    text: "Can you tell me what sections are on the about page?",
    says: ["about us", ["how it began", "image-text"], ["pictures", "gallery"]],
  },
  {
    ...{ id: "ask-headline", language: "en", trait: "question", wants: "answer" },
    text: "whats the headline on the home page",
    says: ["walk further"],
  },
  {
    ...{ id: "ask-exists", language: "en", trait: "question", wants: "answer" },
    text: "Do we already have a page about prices?",
    says: [["no page", "not", "n't", "none"]],
  },
  {
    ...{ id: "ask-posts", language: "en", trait: "question", wants: "answer" },
    text: "how many blog posts do we have and what are they called?",
    says: ["packing light", "winter routes"],
  },
  {
    ...{ id: "ask-images", language: "en", trait: "question", wants: "answer" },
    text: "Which images are in the library that we don't use anywhere?",
    says: ["valley", "shelter"],
  },
  {
    ...{ id: "ask-where", language: "en", trait: "question", wants: "answer" },
    text: 'where on the site does it say "We know every path"?',
    says: [["home", "our valley"]],
  },
  {
    ...{ id: "ask-rename-how", language: "en", trait: "question", wants: "answer" },
    text: "What would happen to the links if I renamed the About page? Just asking, don't do it.",
    says: [["link", "header", "navigation"]],
  },
  {
    ...{ id: "ask-should", language: "en", trait: "question", wants: "nothing" },
    text: "Should I delete the Contact page or would you keep it?",
  },
  {
    ...{ id: "ask-published", language: "en", trait: "question", wants: "answer" },
    text: "is the contact page published?",
    says: ["contact", ["yes", "published", "public"]],
  },
  {
    ...{ id: "ask-what-can", language: "en", trait: "question", wants: "answer" },
    text: "hi, what can you do?",
    says: ["page"],
  },
  {
    ...{ id: "ask-who", language: "en", trait: "question", wants: "answer" },
    text: "Are you ChatGPT?",
    says: [["rehearsal", "rules", "model", "cairn"]],
  },
  {
    ...{ id: "talk-thanks", language: "en", trait: "slang", wants: "answer" },
    text: "thx, looks great 👍",
    earlier: [
      ["user", "Rename About to History"],
      ["assistant", "About is now called History. It is a change of the draft."],
    ],
    says: [],
  },
  {
    ...{ id: "talk-hello", language: "en", trait: "plain", wants: "answer" },
    text: "hello there",
    says: [],
  },
  {
    ...{ id: "cannot-colour", language: "en", trait: "impossible", wants: "nothing" },
    text: "Make the background of the whole site dark green",
  },
  {
    ...{ id: "cannot-font", language: "en", trait: "impossible", wants: "nothing" },
    text: "can we get a bigger font for the headlines? comic sans maybe haha",
  },
  {
    ...{ id: "cannot-domain", language: "en", trait: "impossible", wants: "nothing" },
    text: "Please connect the domain fernandfell.example to the website.",
  },
  {
    ...{ id: "cannot-weather", language: "en", trait: "impossible", wants: "nothing" },
    text: "whats the weather on the ridge tomorrow",
  },
  {
    ...{ id: "cannot-mail", language: "en", trait: "impossible", wants: "nothing" },
    text: "write a mail to our accountant that the invoice is late",
  },
  {
    ...{ id: "cannot-shop", language: "en", trait: "impossible", wants: "nothing" },
    text: "install woocommerce",
  },
  {
    ...{ id: "cannot-password", language: "en", trait: "impossible", wants: "nothing" },
    text: "I forgot my password, reset it please",
  },
  {
    ...{ id: "cannot-translate", language: "en", trait: "impossible", wants: "nothing" },
    text: "Translate the entire website into French and Italian.",
  },
  {
    ...{ id: "cannot-wait-for-rain", language: "en", trait: "impossible", wants: "nothing" },
    text: "whenever it rains publish whatever is in draft",
    pages: [["Team", "team", "draft"]],
  },
  {
    ...{ id: "cannot-rewrite", language: "en", trait: "impossible", wants: "nothing" },
    text: "Rewrite all our texts so that they sound more like Hemingway",
  },
  {
    ...{ id: "vague-nicer", language: "en", trait: "vague", wants: "nothing" },
    text: "make the homepage pop more",
  },
  {
    ...{ id: "vague-fix", language: "en", trait: "vague", wants: "nothing" },
    text: "fix it",
  },
  {
    ...{ id: "vague-seo", language: "en", trait: "vague", wants: "nothing" },
    text: "We need better SEO. Can you take care of that?",
  },
  {
    ...{ id: "vague-rename", language: "en", trait: "vague", wants: "nothing" },
    text: "rename the page",
  },
  {
    ...{ id: "vague-better-name", language: "en", trait: "vague", wants: "nothing" },
    text: "The About page needs a better name.",
  },
  {
    ...{ id: "vague-footer", language: "en", trait: "vague", wants: "nothing" },
    text: "there's something wrong with the footer, please correct",
  },
  {
    ...{ id: "vague-section", language: "en", trait: "vague", wants: "nothing" },
    text: "delete the section",
  },
  {
    ...{ id: "vague-gibberish", language: "en", trait: "typos", wants: "nothing" },
    text: "asdf jkl",
  },
  {
    ...{ id: "vague-statement", language: "en", trait: "vague", wants: "nothing" },
    text: "Someone called and said the page about the huts is confusing.",
  },
];
