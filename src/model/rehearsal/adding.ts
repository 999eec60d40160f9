import type { Hearing } from "./hearing.ts";
import type { View } from "./view.ts";
import type { SectionAsk, Wish, WishOf } from "./wish.ts";
import { lastCreation } from "./hearing.ts";
import { readPageRef } from "./references.ts";
import { imageQuery } from "./questions.ts";
import { readPlace, readSectionAsks, readSectionRef } from "./values.ts";
import { destination } from "./view.ts";

function withSections(asks: readonly SectionAsk[], more: readonly SectionAsk[]): SectionAsk[] {
  const top = more.filter((ask) => ask.place === "start");
  return [...top, ...asks, ...more.filter((ask) => ask.place !== "start")];
}

/** Sections go into the page that this message creates, unless another page is named. */
export function sectionsWish(view: View, hearing: Hearing): Wish[] {
  const side = view.rest.findIndex(
    (token, at) =>
      at > 0 &&
      ["before", "after", "above", "below", "under", "beneath", "between"].includes(token.lower) &&
      !readSectionRef(view.rest.slice(at + 1)).pronoun,
  );
  const sections = readSectionAsks(side < 0 ? view.rest : view.rest.slice(0, side));
  const creation = lastCreation(hearing);
  const page = readPageRef(destination(view.rest));
  const ofCreation = page.phrase === null || page.phrase.toLowerCase() === creation?.wish.name?.toLowerCase();
  if (creation !== null && ofCreation) {
    const query = creation.wish.imageQuery ?? imageQuery({ tokens: view.rest });
    hearing.wishes[creation.at] = {
      ...creation.wish,
      sections: withSections(creation.wish.sections, sections),
      imageQuery: query,
    };
    return [];
  }
  return [
    {
      kind: "section_add",
      page,
      sections,
      place: readPlace(view.rest),
      imageQuery: imageQuery({ tokens: view.rest }),
    },
  ];
}

/** An image for the page that this message creates: it gets a hero, unless it has one. */
export function sectionsOfImage(
  view: View,
  hearing: Hearing,
  creation: { at: number; wish: WishOf<"create_page"> },
): Wish[] {
  const hero: SectionAsk = { template: "hero", word: "hero", count: 1, place: "start", title: null };
  const sections = creation.wish.sections.some((ask) => ask.template === "hero")
    ? creation.wish.sections
    : withSections(creation.wish.sections, [hero]);
  hearing.wishes[creation.at] = {
    ...creation.wish,
    sections,
    imageQuery: creation.wish.imageQuery ?? imageQuery({ tokens: view.rest }),
  };
  return [];
}
