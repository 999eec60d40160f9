import type { JsonObject } from "../../core/log/json.ts";
import type { Outcome } from "./conversation.ts";
import type { Course } from "./course.ts";
import type { Desk, Site } from "./desk.ts";
import type { LibraryImage } from "./library.ts";
import type { SectionAsk } from "./wish.ts";
import type { Brief } from "./writing.ts";
import { call, callTogether } from "./course.ts";
import { keepSite, lookAtSite, report } from "./desk.ts";
import { readImages } from "./library.ts";
import { objectsAt, textAt } from "./reading.ts";
import { slugify, searchText } from "./tokens.ts";
import { wantsImage, writeByFields, writeSection } from "./writing.ts";

/** A section as `page_create` and `section_add` take it. */
export interface PlannedSection {
  readonly template: string;
  readonly content: JsonObject;
}

/** Looks at the site and, when sections need images, at the library, in one reply. */
export function* lookAround(
  desk: Desk,
  asks: readonly SectionAsk[],
  query: string | null,
): Course<readonly LibraryImage[]> {
  const needsImages = asks.some((ask) => wantsImage(ask.template) || ask.template === null);
  if (!needsImages) {
    yield* lookAtSite(desk);
    return [];
  }
  const wanted: JsonObject = query === null ? { limit: 10 } : { query: searchText(query), limit: 10 };
  if (query === null && desk.library.length > 0) return desk.library;
  const search = { name: "image_search", input: wanted };
  let found: Outcome | undefined;
  if (desk.site === null && desk.tools.has("site_overview")) {
    const looked = yield* callTogether(desk.tools, "I will look at the site and at its images first.", [
      { name: "site_overview", input: {} },
      search,
    ]);
    if (looked[0] === undefined || keepSite(desk, looked[0]) === null)
      yield* lookAtSite(desk, "The overview did not come, so I will list the pages.", true);
    found = looked[1];
  } else
    found = yield* call(desk.tools, "I will choose an image from the library.", search.name, search.input);
  const images = found?.ok === true ? readImages(found.value) : [];
  if (query === null) desk.library = images;
  if (images.length > 0 || query === null) return images;
  const any = yield* call(
    desk.tools,
    `No image fits "${query}", so I will look at all of them.`,
    "image_search",
    { limit: 10 },
  );
  report(desk, "note", `No image of the library fits "${query}", so I took the one that suits best.`);
  return any.ok ? readImages(any.value) : [];
}

/** What the texts of a page of this name are written from. */
export function briefFor(
  desk: Desk,
  name: string,
  images: readonly LibraryImage[],
  imageQuery: string | null,
): Brief {
  const site = desk.site;
  return {
    name,
    siteName: site?.name ?? "us",
    tagline: site?.tagline ?? null,
    link: linkFor(site),
    images,
    title: null,
    count: 1,
    imageQuery,
  };
}

/** Buttons lead to the contact page, else to the home page. */
export function linkFor(site: Site | null): string {
  const pages = site?.pages ?? [];
  const goal =
    pages.find(
      (page) => /contact/iu.test(`${page.slug ?? ""} ${page.name}`) && page.status === "published",
    ) ?? pages.find((page) => page.id === site?.homeId);
  return goal === undefined ? "/site/" : `page:${goal.id}`;
}

/** Writes the sections asked for. A word that is no template we know is looked up; what cannot be made is said. */
export function* planSections(
  desk: Desk,
  asks: readonly SectionAsk[],
  brief: Brief,
): Course<PlannedSection[]> {
  const planned: PlannedSection[] = [];
  for (const ask of asks) {
    const own: Brief = { ...brief, title: ask.title, count: ask.count };
    if (ask.template === null) {
      const found = yield* templateByWord(desk, ask.word, own);
      if (found !== null) planned.push(found);
      continue;
    }
    const content = writeSection(ask.template, own);
    if (content === null)
      report(desk, "failed", `I could not add the ${ask.word}, because the library has no image for it.`);
    else
      for (let copy = 0; copy < (ask.template === "feature" ? 1 : ask.count); copy += 1)
        planned.push({ template: ask.template, content });
  }
  return planned;
}

function* templateByWord(desk: Desk, word: string, brief: Brief): Course<PlannedSection | null> {
  const listed = yield* call(
    desk.tools,
    `I will see whether there is a template for "${word}".`,
    "schema_list",
    { kind: "section" },
  );
  const templates = listed.ok
    ? objectsAt(listed.value, "templates").filter(
        (one) => textAt(one, "region") !== "header" && textAt(one, "region") !== "footer",
      )
    : [];
  const stem = slugify(word).replace(/s$/u, "");
  const found = templates.find((one) =>
    [textAt(one, "key"), textAt(one, "name")].some(
      (name) => name !== null && slugify(name).replace(/s$/u, "").includes(stem),
    ),
  );
  const key = textAt(found, "key");
  const content =
    found === undefined || key === null ? null : writeByFields(objectsAt(found, "fields"), brief);
  if (key !== null && content !== null) return { template: key, content };
  const keys = templates.map((one) => textAt(one, "key")).filter((one) => one !== null);
  report(
    desk,
    "failed",
    `I could not add a "${word}" section: there is no such template${keys.length > 0 ? ` (there are ${keys.join(", ")})` : ""}.`,
  );
  return null;
}
