import type { Json, JsonObject } from "../../core/json.ts";
import { sha256Hex } from "../../core/digest.ts";
import type { Failure, Outcome } from "./conversation.ts";
import type { Course } from "./course.ts";
import { call, callTogether, write, isDenied } from "./course.ts";
import type { Desk, KnownPage, Site } from "./desk.ts";
import { keepPage, keepSite, lookAtSite, pageOfAnswer, report, reportFailure } from "./desk.ts";
import { readImages } from "./library.ts";
import { isObject, listAt, objectAt, objectsAt, textAt } from "./reading.ts";
import { exact, resolvePage } from "./resolve.ts";
import { slugify } from "./tokens.ts";
import type { SectionAsk, WishOf } from "./wish.ts";
import type { LibraryImage } from "./library.ts";
import type { Brief } from "./writing.ts";
import { wantsImage, writeByFields, writeField, writeSection } from "./writing.ts";

/** A section as `page_create` and `section_add` take it. */
export interface PlannedSection {
  readonly template: string;
  readonly content: JsonObject;
}

/** What the CMS takes as the name of a page. */
const NAME_CHARS_MAX = 120;

/** Creates a page as a draft, with sections that say something. */
export function* createPage(desk: Desk, wish: WishOf<"create_page">): Course<void> {
  if (wish.name === null) {
    yield* lookAtSite(desk);
    report(desk, "asked", 'What should the page be called? Say for example "Create a page called Team".');
    desk.unmade.add("");
    return;
  }
  const name = wish.name.slice(0, NAME_CHARS_MAX).trim();
  const asks = sectionsFor(wish);
  const images = yield* lookAround(desk, asks, wish.imageQuery);
  const site = desk.site;
  const holders = site === null || wish.another ? [] : exact(site.pages, name);
  const [holder] = holders;
  if (holder !== undefined) {
    desk.subject = wish.ifMissing ? [holder] : [];
    if (wish.ifMissing) return;
    tellItExists(desk, holder, name);
    return;
  }
  const original = wish.copyOf === null ? null : yield* resolvePage(desk, wish.copyOf);
  if (wish.copyOf !== null && original === null) {
    desk.unmade.add(name.toLowerCase());
    return;
  }
  const brief = briefFor(desk, name, images, wish.imageQuery);
  const sections = yield* planSections(desk, asks, brief);
  const slug = wish.slug ?? slugFor(name);
  const input: JsonObject = {
    name,
    ...(slug === null ? {} : { slug }),
    ...(original === null ? {} : { copyFrom: original.id }),
    meta: { title: name, description: describe(name, brief, site) },
    ...(sections.length === 0
      ? {}
      : { sections: sections.map(({ template, content }) => ({ template, content })) }),
  };
  const made = yield* submit(desk, wish, input, brief);
  if (made === null) {
    desk.unmade.add(name.toLowerCase());
    desk.subject = [];
  }
}

/** What the page is to hold: what was asked for, else a hero, so that it is not empty. */
function sectionsFor(wish: WishOf<"create_page">): readonly SectionAsk[] {
  if (wish.sections.length > 0 || wish.copyOf !== null || wish.empty) return wish.sections;
  const hero: SectionAsk = { template: "hero", word: "hero", count: 1, place: null, title: null };
  const words = slugify(wish.name ?? "").split("-");
  if (words.includes("contact")) return [hero, { ...hero, template: "cta", word: "cta" }];
  if (words.includes("gallery")) return [hero, { ...hero, template: "gallery", word: "gallery" }];
  return [hero];
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
  const wanted: JsonObject = query === null ? { limit: 10 } : { query, limit: 10 };
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

function describe(name: string, brief: Brief, site: Site | null): string {
  const hero = writeSection("hero", { ...brief, name });
  const subtitle = textAt(hero ?? {}, "subtitle") ?? "";
  return `${name}${site === null ? "" : ` at ${site.name}`}. ${subtitle}`.slice(0, 160);
}

/** A slug of our own where the CMS could make none: names without a Latin letter. Null where it makes a good one itself. */
function slugFor(name: string): string | null {
  return slugify(name) === "" ? `page-${sha256Hex(name).slice(0, 6)}` : null;
}

function tellItExists(desk: Desk, holder: KnownPage, name: string): void {
  desk.unmade.add(name.toLowerCase());
  const status = holder.status === null ? "" : `, ${holder.status}`;
  report(
    desk,
    "asked",
    `There is already a page "${holder.name}" (${holder.slug ?? holder.id}${status}), so I did not make another one and changed nothing. Say "Add a feature section to the page ${holder.name}" to extend it, or "Create another page called ${holder.name}" for a second one.`,
  );
}

const REPAIRS_MAX = 3;

/** Sends the page, and mends what the CMS refuses: a taken slug, an unknown template, a field that does not fit. */
function* submit(
  desk: Desk,
  wish: WishOf<"create_page">,
  first: JsonObject,
  brief: Brief,
): Course<KnownPage | null> {
  let input = first;
  let outcome = yield* write(
    desk.tools,
    `I will create the page "${brief.name}" as a draft.`,
    "page_create",
    input,
    { name: "site_overview", input: {} },
  );
  for (let repair = 0; repair < REPAIRS_MAX && !outcome.ok; repair += 1) {
    const error = outcome.error;
    if (error.code === "unknown_outcome") {
      const site = yield* lookAtSite(
        desk,
        "It is not known whether the page was made, so I will look.",
        true,
      );
      const [there] = site === null ? [] : exact(site.pages, brief.name);
      if (there === undefined) break;
      return keepMade(desk, there, input, null);
    }
    const mended = yield* mend(desk, wish, input, error, brief);
    if (mended === null) break;
    input = mended;
    outcome = yield* call(
      desk.tools,
      "I have corrected what was refused and will try again.",
      "page_create",
      input,
    );
  }
  if (outcome.ok)
    return keepMade(
      desk,
      pageOfAnswer(outcome.value) ?? { id: "", name: brief.name, slug: null, status: "draft" },
      input,
      outcome.value,
    );
  if (outcome.error.code === "slug_taken" || outcome.error.code === "already_exists") {
    report(
      desk,
      "asked",
      `I did not create "${brief.name}": ${outcome.error.message.replace(/[.\s]+$/u, "")}. Say "Create a page called" and another name, or ask me to change the page that is there.`,
    );
    return null;
  }
  reportFailure(desk, outcome.error, {
    act: `create the page "${brief.name}"`,
    thing: `creating the page "${brief.name}"`,
  });
  return null;
}

function keepMade(desk: Desk, page: KnownPage, input: JsonObject, answer: JsonObject | null): KnownPage {
  const own: KnownPage = { ...page, status: page.status ?? "draft" };
  desk.made.push(own);
  keepPage(desk, own);
  desk.subject = [own];
  const templates = listAt(input, "sections").map((section) => textAt(section, "template") ?? "");
  const sections =
    templates.length > 0
      ? ` with ${inWords(templates)}`
      : input["copyFrom"] === undefined
        ? ""
        : " as a copy";
  const path =
    textAt(objectAt(answer ?? {}, "preview"), "path") ?? textAt(objectAt(answer ?? {}, "page"), "url");
  report(
    desk,
    "done",
    `The page "${own.name}" is made as a draft${own.slug === null ? "" : ` (slug ${own.slug})`}${sections}${path === null ? "" : `; its address is ${path}`}.`,
  );
  return own;
}

export function inWords(templates: readonly string[]): string {
  const named = templates.map((template) => `${/^[aeiou]/u.test(template) ? "an" : "a"} ${template} section`);
  return named.length < 2 ? (named[0] ?? "") : `${named.slice(0, -1).join(", ")} and ${named.at(-1) ?? ""}`;
}

/** The input that avoids the failure, or null when we know no other way. */
function* mend(
  desk: Desk,
  wish: WishOf<"create_page">,
  input: JsonObject,
  error: Failure,
  brief: Brief,
): Course<JsonObject | null> {
  if (isDenied(error)) return null;
  if (error.code === "slug_taken") {
    const free = freeSlugs(error);
    const next = free[0] ?? null;
    return (wish.explicit || wish.another) && next !== null && next !== input["slug"]
      ? { ...input, slug: next }
      : null;
  }
  if (error.code === "slug_reserved")
    return {
      ...input,
      slug: `${typeof input["slug"] === "string" ? input["slug"] : slugify(brief.name)}-page`,
    };
  const sections = listAt(input, "sections").filter(isObject);
  const index = Number(
    /^sections\[(\d+)\]/u.exec(error.at ?? "")?.[1] ?? /sections\[(\d+)\]/u.exec(error.message)?.[1] ?? -1,
  );
  const broken = sections[index];
  if (broken === undefined) {
    if (error.code !== "unknown_field" && error.code !== "invalid_content" && error.code !== "invalid_input")
      return null;
    const { meta, ...rest } = input;
    return meta === undefined ? null : rest;
  }
  const template = textAt(broken, "template") ?? "";
  const without = sections.filter((_, at) => at !== index);
  if (error.code === "unknown_template" || error.code === "template_region") {
    report(
      desk,
      "failed",
      `I could not add a ${template} section, because ${error.message.replace(/[.\s]+$/u, "")}.`,
    );
    return withSections(input, without);
  }
  const fields = yield* fieldsOf(desk, template);
  const content = fitContent(objectAt(broken, "content") ?? {}, fields, brief);
  if (content === null || JSON.stringify(content) === JSON.stringify(broken["content"])) {
    report(
      desk,
      "failed",
      `I could not add the ${template} section, because ${error.message.replace(/[.\s]+$/u, "")}.`,
    );
    return withSections(input, without);
  }
  return withSections(
    input,
    sections.map((section, at) => (at === index ? { ...section, content } : section)),
  );
}

function withSections(input: JsonObject, sections: readonly JsonObject[]): JsonObject {
  const { sections: _, ...rest } = input;
  return sections.length === 0 ? rest : { ...rest, sections };
}

/** Free slugs that an error suggests. */
export function freeSlugs(error: Failure): string[] {
  return error.suggestions.flatMap((one) => {
    const value =
      typeof one === "string"
        ? one
        : isObject(one)
          ? (one["value"] ?? (one["ref"] === undefined ? one["label"] : null))
          : null;
    return typeof value === "string" && /^[a-z0-9]+(?:-[a-z0-9]+)*$/u.test(value) ? [value] : [];
  });
}

/** Fields of a template; empty when they cannot be read. */
export function* fieldsOf(desk: Desk, template: string): Course<readonly JsonObject[]> {
  const listed = yield* call(
    desk.tools,
    `The ${template} section was refused, so I will read its fields.`,
    "schema_list",
    { kind: "section", key: template },
  );
  if (!listed.ok) return [];
  const found = objectsAt(listed.value, "templates").find((one) => textAt(one, "key") === template);
  return objectsAt(found, "fields");
}

/** Content that fits the fields: unknown keys dropped, long texts cut, required fields filled. */
export function fitContent(
  content: JsonObject,
  fields: readonly JsonObject[],
  brief: Brief,
): JsonObject | null {
  if (fields.length === 0) return null;
  const fitted: Record<string, Json> = {};
  for (const field of fields) {
    const key = textAt(field, "key") ?? "";
    const given = content[key];
    const max = field["max"];
    if (typeof given === "string" && typeof max === "number") fitted[key] = given.slice(0, max);
    else if (given !== undefined) fitted[key] = given;
    else if (field["required"] === true) {
      const value = writeField(field, brief);
      if (value === null) return null;
      fitted[key] = value;
    }
  }
  return fitted;
}
