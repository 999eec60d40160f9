import type { Course } from "./course.ts";
import type { Desk, KnownPage, Site } from "./desk.ts";
import type { PageRef } from "./wish.ts";
import { call } from "./course.ts";
import { lookAtSite, readPage, report } from "./desk.ts";
import { oneApart } from "./lexicon.ts";
import { numberAt, objectsAt, textAt } from "./reading.ts";
import { foldWords, likeness, slugify, searchText } from "./tokens.ts";

const LIKE_MIN = 0.6;

const PAGES_TOLD_MAX = 20;

/** The pages that someone speaks of; an empty list when they could not be told, which is then reported. */
export function* resolvePages(desk: Desk, ref: PageRef): Course<readonly KnownPage[]> {
  // "The last page" without a list before it is the one that was worked on last.
  const places = ref.ordinals?.filter((place) => place > 0 || desk.listed?.fresh === true) ?? [];
  if (places.length > 0) return yield* resolvePlaces(desk, places);
  if (ref.pronoun) {
    const meant = pronounPages(desk, ref);
    if (meant.length > 0) return remember(desk, meant);
    if (desk.unmade.size > 0) return [];
    const site = yield* lookAtSite(desk, "I will look at the pages to see which one is meant.");
    const mentioned = site === null ? [] : mentions(site.pages, ref.words);
    if (mentioned.length > 0) return remember(desk, mentioned);
    report(
      desk,
      "asked",
      `Which page do you mean? ${site === null ? "I could not read the list of pages." : pageNames(site)}`,
    );
    return [];
  }
  const phrase = ref.phrase ?? "";
  if (desk.unmade.has(phrase.toLowerCase())) return [];
  const near = exact([...desk.made, ...desk.subject], phrase);
  if (near.length === 1) return remember(desk, near);
  const remembered = exact(memoryPages(desk), phrase);
  if (remembered.length === 1 && desk.site === null && ref.words.length <= 3 + foldWords(phrase).length)
    return remember(desk, remembered);
  const site = yield* lookAtSite(desk);
  if (site === null) {
    report(desk, "failed", "I could not read the pages of the site.");
    return [];
  }
  const named = exact(site.pages, phrase);
  const home = phrase.toLowerCase() === "home" ? site.pages.filter((page) => page.id === site.homeId) : [];
  const spoken = mentions(site.pages, ref.words);
  const found =
    spoken.length > 1
      ? spoken
      : named.length > 0
        ? named
        : home.length > 0
          ? home
          : spoken.length > 0
            ? spoken
            : mentions(site.pages, foldWords(phrase));
  if (found.length > 0) return remember(desk, found);
  const like = alike(site.pages, phrase);
  if (like.length === 1) return remember(desk, like);
  if (like.length > 1) {
    report(
      desk,
      "asked",
      `Which page do you mean by "${phrase}"? ${like.map((page) => `"${page.name}"`).join(" or ")}?`,
    );
    return [];
  }
  return yield* searchPage(desk, site, phrase);
}

/** "The first page": of those that this run made, else of those that the person was last shown as a list. */
function* resolvePlaces(desk: Desk, places: readonly number[]): Course<readonly KnownPage[]> {
  const at = <One>(list: readonly One[]): One[] =>
    places.flatMap((place) => list.at(place > 0 ? place - 1 : place) ?? []);
  const made = desk.made.length > 1 ? at(desk.made) : [];
  if (made.length === places.length) return remember(desk, made);
  const slugs = at(desk.listed?.pages ?? []).map((page) => page.slug);
  const among = (pages: readonly KnownPage[]): KnownPage[] => {
    const found = slugs.flatMap((slug) => exact(pages, slug));
    return found.length === places.length ? found : [];
  };
  const known = among(memoryPages(desk));
  if (known.length > 0) return remember(desk, known);
  const site = yield* lookAtSite(desk, "I will look at the pages to see which one is meant.");
  const found = site === null ? [] : among(site.pages);
  if (found.length > 0) return remember(desk, found);
  const names = site === null ? "I could not read the list of pages." : pageNames(site);
  report(desk, "asked", `Which page do you mean? ${names}`);
  return [];
}

/** As `resolvePages`, for wishes about one page; several are asked about. */
export function* resolvePage(desk: Desk, ref: PageRef): Course<KnownPage | null> {
  const pages = yield* resolvePages(desk, ref);
  const [first] = pages;
  if (first === undefined) return null;
  if (pages.length === 1) return first;
  const named = ref.phrase === null ? [] : exact(pages, ref.phrase);
  const [only] = named.length === 1 ? named : pages;
  return only ?? first;
}

function* searchPage(desk: Desk, site: Site, phrase: string): Course<readonly KnownPage[]> {
  const found = yield* call(desk.tools, `No page is called "${phrase}", so I will search for it.`, "find", {
    query: searchText(phrase),
    types: ["page"],
  });
  if (found.ok) {
    const hits = objectsAt(found.value, "items").filter(
      (item) => textAt(item, "type") === "page" && (numberAt(item, "score") ?? 0) >= 0.6,
    );
    const pages = hits.flatMap(readPage);
    if (pages.length === 1) return remember(desk, pages);
  }
  report(desk, "failed", `I could not find a page called "${phrase}". ${pageNames(site)}`);
  return [];
}

function remember(desk: Desk, pages: readonly KnownPage[]): readonly KnownPage[] {
  const known = pages.map(
    (page) =>
      desk.site?.pages.find((one) => one.id === page.id) ??
      desk.made.find((one) => one.id === page.id) ??
      page,
  );
  desk.subject = known;
  return known;
}

/** "It" is what this run made or worked on last, else the page in focus. */
function pronounPages(desk: Desk, ref: PageRef): readonly KnownPage[] {
  const plural = ["them", "both", "all", "they", "pages"].some((word) => ref.words.includes(word));
  if (plural && desk.made.length > 1) return desk.made;
  if (desk.subject.length > 0) return plural ? desk.subject : desk.subject.slice(-1);
  if (desk.unmade.size > 0) return [];
  const spoken = ref.words.some((word) => ["it", "its", "that", "this", "page"].includes(word))
    ? []
    : mentions(memoryPages(desk), ref.words);
  if (spoken.length === 1) return spoken;
  // Behind a list of several, "it" is none of them in particular.
  if (desk.listed?.fresh === true && desk.listed.pages.length > 1) {
    // But "that page" is the one that the talk was about before the list.
    const { before } = desk.listed;
    const points = ref.words.includes("page") && ["that", "this"].some((word) => ref.words.includes(word));
    return points && before !== null ? exact(memoryPages(desk), before.slug) : [];
  }
  const pages = memoryPages(desk);
  const focus = desk.memory.find((entry) => entry.type === "page" && entry.focus);
  const section = desk.memory.find((entry) => entry.type === "section" && entry.focus);
  const id = focus?.id ?? section?.parent?.id;
  const focused = pages.filter((page) => page.id === id);
  if (focused.length > 0) return focused;
  if (section?.parent?.type === "page")
    return [{ id: section.parent.id, name: section.parent.id, slug: null, status: null }];
  return [];
}

/** The pages of working memory. */
export function memoryPages(desk: Desk): KnownPage[] {
  return desk.memory
    .filter((entry) => entry.type === "page")
    .map((entry) => ({ id: entry.id, name: entry.name, slug: entry.slug, status: null }));
}

/** Pages whose name, slug or id is the phrase. */
export function exact(pages: readonly KnownPage[], phrase: string): KnownPage[] {
  const wanted = foldWords(phrase).join(" ");
  const slug = slugify(phrase);
  const found = pages.filter(
    (page) =>
      page.id === phrase ||
      // Names of signs alone fold to nothing: they are equal as written.
      (wanted === "" ? page.name === phrase.trim() : foldWords(page.name).join(" ") === wanted) ||
      (page.slug !== null && slug !== "" && page.slug === slug),
  );
  return [...new Map(found.map((page) => [page.id, page])).values()];
}

/** Pages whose name or slug stands among the words, the longest first; words are used once. */
function mentions(pages: readonly KnownPage[], words: readonly string[]): KnownPage[] {
  const names = pages
    .flatMap((page) =>
      [foldWords(page.name), foldWords(page.slug ?? "")]
        .filter((name) => name.length > 0)
        .map((name) => ({ page, name })),
    )
    .sort((a, b) => b.name.length - a.name.length);
  const free = [...words];
  const found: { page: KnownPage; at: number }[] = [];
  for (const { page, name } of names) {
    const at = free.findIndex((_, index) => name.every((word, offset) => free[index + offset] === word));
    if (at < 0) continue;
    for (let offset = 0; offset < name.length; offset += 1) free[at + offset] = "";
    if (!found.some((one) => one.page.id === page.id)) found.push({ page, at });
  }
  return found.sort((a, b) => a.at - b.at).map((one) => one.page);
}

/** Pages whose name shares all words with the phrase, else differs by a slip, else is most like it. */
export function alike(pages: readonly KnownPage[], phrase: string): KnownPage[] {
  const words = foldWords(phrase);
  const within = pages.filter((page) => {
    const name = foldWords(page.name);
    return (
      words.length > 0 &&
      (words.every((word) => name.includes(word)) || name.every((word) => words.includes(word)))
    );
  });
  if (within.length > 0) return within;
  const typed = words.join(" ");
  const misspelt = pages.filter((page) =>
    [foldWords(page.name).join(" "), page.slug ?? ""].some((name) => oneApart(name, typed, 4)),
  );
  if (misspelt.length > 0) return misspelt;
  const scored = pages.map((page) => ({
    page,
    score: Math.max(likeness(page.name, phrase), likeness(page.slug ?? "", phrase)),
  }));
  const best = Math.max(0, ...scored.map((one) => one.score));
  return best < LIKE_MIN ? [] : scored.filter((one) => one.score === best).map((one) => one.page);
}

/** The pages of the site in a sentence; at most 20 by name. */
export function pageNames(site: Site): string {
  const names = site.pages.slice(0, PAGES_TOLD_MAX).map((page) => `"${page.name}"`);
  const more = site.pageCount > names.length ? ` and ${site.pageCount - names.length} more` : "";
  return names.length === 0 ? "The site has no pages yet." : `The pages are ${names.join(", ")}${more}.`;
}
