/** Each works with the rehearsal model on the site of the seed: one that asks, one that edits a draft, one that only looks. */
export const WISHES: readonly (readonly [wish: string, about: string])[] = [
  [
    "Create an About us page with a hero image and a feature section, publish it and add it to the navigation",
    "It makes a draft, and asks you before anything is public.",
  ],
  [
    'Change the title of the hero on the home page to "Walk slowly, see more"',
    "It edits a draft; visitors see nothing of it yet.",
  ],
  ["Which pages are on the site?", "It only looks."],
];
