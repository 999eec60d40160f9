import type { SiteAnswer } from "../../plugins/cms/protocol/answers.ts";

/** Suggested first requests: each can be done on the site in its current state, even if it was done before. */

export interface SuggestedRequest {
  readonly text: string;
  readonly about: string;
}

type Outline = SiteAnswer<"SiteOutline">;

/** Pages that a small site may want, the first one first, with what is in them. */
const PAGES: readonly (readonly [name: string, sections: string])[] = [
  ["Prices", "a hero image and a feature section"],
  ["Team", "a hero image and a gallery"],
  ["Gallery", "a hero image and a gallery"],
  ["Our story", "a hero image and a feature section"],
  ["Questions", "a hero section and a feature section"],
  ["Partners", "a hero image and a gallery"],
];

const TITLES = ["Walk slowly, see more", "Come as a guest, leave as a friend"];

/** One that makes and publishes a page, one that edits a draft, one that only looks. `site` null: nothing is known of it. */
export function suggestedRequests(site: Outline | null): readonly SuggestedRequest[] {
  const taken = new Set(
    (site?.pages ?? []).flatMap(({ name, slug }) => [normalizedName(name), normalizedName(slug)]),
  );
  const page = PAGES.find(([name]) => !taken.has(normalizedName(name)));
  const title = TITLES.find((each) => each !== site?.heroTitle);
  return [
    ...(page === undefined
      ? []
      : [
          {
            text: `Create ${article(page[0])} ${page[0]} page with ${page[1]}, publish it and add it to the navigation`,
            about: "It makes a draft, and asks you before anything is public.",
          },
        ]),
    ...(title === undefined
      ? []
      : [
          {
            text: `Change the title of the hero on the home page to "${title}"`,
            about: "It edits a draft. Visitors see no change yet.",
          },
        ]),
    { text: "Which pages are on the site?", about: "Read-only." },
  ];
}

const normalizedName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "");
const article = (name: string): string => (/^[AEIOU]/.test(name) ? "an" : "a");
