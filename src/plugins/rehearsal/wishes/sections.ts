import { startOf } from "../../../cairn/core/text/cut.ts";
import { type JsonObject, ownValue } from "../../../cairn/core/log/json.ts";
import type { Course } from "../course.ts";
import { readTogether } from "../course.ts";
import { listAt, objectAt, objectsAt, textAt } from "../../../cairn/models/script/fields.ts";
import { foldWords } from "../reading.ts";
import type { Desk, Does, KnownSection, PageDetail, Site } from "../site.ts";
import { change, draftNote, keepPage, keepSite, lookAtSite, readDetail } from "../site.ts";
import { resolvePage, resolveSection, sectionName } from "../site.ts";
import { KNOWN_TEMPLATES, type FieldWord, type Slots } from "../slots.ts";
import { planOwn, type PlannedSection } from "./own-templates.ts";

/** What new sections say and show, and what is done with the sections of a page. */

/** What there is to say of a page: a subtitle, a heading, and items with a title and a text. */
function topicOf(name: string) {
  if (foldWords(name).includes("about"))
    return {
      subtitle: "Who we are, what we do and why we do it.",
      heading: "What we stand for",
      items: [
        { title: "Experience", description: "We know our trade and share what we have learned." },
        { title: "Care", description: "We take our time and look after the details." },
        { title: "Honesty", description: "We say what is possible, and what is not." },
      ],
    };
  return {
    subtitle: `All about ${name}, in one place.`,
    heading: `${name} at a glance`,
    items: [
      { title: "What it is", description: `The short answer on ${name}.` },
      { title: "Why it matters", description: "What you gain from it, in plain words." },
      { title: "How to begin", description: "The first step is easier than you think." },
    ],
  };
}

/** A link for buttons in the form that the CMS takes: to the contact page, else to the home page. */
function linkFor(site: Site | null): string {
  const goal = site?.pages.find((page) => page.slug === "contact" && page.status === "published");
  const id = goal?.id ?? site?.homeId ?? null;
  return id === null ? "/site/" : `page:${id}`;
}

/** What a page is about, for search engines. */
export const describePage = (name: string, site: Site | null): string =>
  startOf(`${name}${site === null ? "" : ` at ${site.name}`}. ${topicOf(name).subtitle}`, 160);

/** Ids of the images that `image_search` found: photographs first, drawings last. */
export function photographs(value: JsonObject): readonly string[] {
  const isDrawing = (item: JsonObject): boolean =>
    /\.svg$/iu.test(textAt(item, "filename") ?? "") || listAt(item, "tags").includes("logo");
  const items = objectsAt(value, "items");
  const ranked = [...items.filter((item) => !isDrawing(item)), ...items.filter(isDrawing)];
  return ranked.flatMap((item) => textAt(item, "id") ?? []);
}

/** Content for a section, every required field filled; null when it needs an image and there is none. */
function writeSection(template: string, name: string, { site, library }: Desk): JsonObject | null {
  const topic = topicOf(name);
  const siteName = site?.name ?? "us";
  const [image] = library ?? [];
  // Headings of all known templates hold 120 characters.
  const heading = startOf(topic.heading, 120);
  if (template === "hero") {
    const content = { title: startOf(name, 120), subtitle: startOf(topic.subtitle, 240) };
    return image === undefined ? content : { ...content, image };
  }
  if (template === "feature")
    return { heading, description: `What you can expect from ${siteName}.`, items: topic.items };
  if (template === "cta") {
    const description = `Tell ${siteName} what you have in mind. We will find the rest together.`;
    const button = { buttonText: "Get in touch", buttonLink: linkFor(site) };
    return { heading: "Shall we talk?", description, ...button };
  }
  if (image === undefined || library === null) return null;
  if (template === "gallery") return { title: heading, images: library.slice(0, 3) };
  const lines = topic.items.map((item) => `**${item.title}.** ${item.description}`);
  return { heading, content: lines.join("\n\n"), image };
}

type Planned = readonly PlannedSection[];

/**
 * Sections for a page of that name. Looks at the site and, when they need images, at the library, in one reply. One that
 * needs an image, and there is none, is left out, and so is one that the site has no template for; that is said.
 */
export function* planSections(desk: Desk, name: string, templates: readonly string[]): Course<Planned> {
  const search = { name: "image_search", input: { limit: 10 } };
  const showsImage = (one: string): boolean => KNOWN_TEMPLATES.has(one) && one !== "feature" && one !== "cta";
  if (desk.library === null && templates.some(showsImage)) {
    const isNew = desk.site === null && desk.tools.has("site_overview");
    const calls = isNew ? [{ name: "site_overview", input: {} }, search] : [search];
    const what = isNew ? "at the site and at its images first" : "into the image library";
    const looked = yield* readTogether(desk.tools, `I will look ${what}.`, calls);
    const found = looked.at(-1);
    desk.library = found?.ok === true ? photographs(found.value) : [];
    if (isNew) keepSite(desk, looked[0]);
  }
  yield* lookAtSite(desk);
  const own = yield* planOwn(
    desk,
    templates.filter((one) => !KNOWN_TEMPLATES.has(one)),
  );
  return templates.flatMap((template): Planned => {
    if (!KNOWN_TEMPLATES.has(template)) return own.get(template) ?? [];
    const content = writeSection(template, name, desk);
    if (content !== null) return [{ template, content }];
    desk.say("failed", `I could not add the ${template}, because the library has no image for it.`);
    return [];
  });
}

/** Sections as a phrase: "a hero section and a gallery section". */
export const inWords = (planned: Planned): string =>
  planned
    .map(({ template }) => `${/^[aeiou]/u.test(template) ? "an" : "a"} ${template} section`)
    .join(" and ");

/** Adds sections to a page that is there. */
export function* addSections(desk: Desk, slots: Slots): Course<void> {
  const page = yield* resolvePage(desk, slots.page);
  if (page === null) return;
  const sections = yield* planSections(desk, page.name, slots.sections ?? []);
  if (sections.length === 0) return;
  const detail = yield* readDetail(desk, page);
  if (detail === null) return;
  const { name } = detail.page;
  if (slots.sections?.includes("hero") === true && detail.sections.some((one) => one.template === "hero"))
    return desk.say("asked", `"${name}" has a hero section already. What shall be different in it?`);
  let behind = placeFor(detail, slots, null);
  for (const section of sections) {
    const input = { page: detail.page.id, ...section, ...behind };
    const added = yield* change(desk, `add ${inWords([section])} to "${name}"`, "section_add", input);
    if (added === null) continue;
    const id = textAt(objectAt(added, "section"), "id");
    // The next one goes behind this one, so that they stand in the order in which they were asked for.
    if ("position" in behind && id !== null) behind = { position: { after: id } };
    keepPage(desk, { ...detail.page, dirty: true });
    desk.say("done", `"${name}" has a new ${section.template} section${draftNote(desk, detail.page)}.`);
  }
}

/** The position as the tools take it, at the start or the end; empty when it is there by itself. */
function placeFor({ sections }: PageDetail, { where }: Slots, own: KnownSection | null): JsonObject {
  const others = sections.filter((one) => one !== own);
  const [first, last] = [others[0], others.at(-1)];
  if (where === "start" && first !== undefined) return { position: { before: first.id } };
  return where === "end" && own !== null && last !== undefined ? { position: { after: last.id } } : {};
}

interface Plan {
  readonly tool: string;
  readonly input: JsonObject;
  /** names the act: "delete the hero section" */
  readonly act: string;
  readonly said: string;
}

/** What is done with one section that is there: its page is read, the section is found, one call changes it. */
function onSection(
  plan: (section: KnownSection, what: string, detail: PageDetail, slots: Slots) => Plan | string,
): Does {
  return function* (desk, slots) {
    const page = yield* resolvePage(desk, slots.page);
    const detail = page === null ? null : yield* readDetail(desk, page);
    if (detail === null) return;
    const { section: ref, field } = slots;
    // "The heading of the about page" is that of its first section that has one.
    const first = detail.sections.find(
      (one) => ownValue(FIELDS, one.template)?.[field ?? "title"] !== undefined,
    );
    const section = (ref === undefined && field !== undefined && first) || resolveSection(desk, detail, ref);
    if (section === null) return;
    const what = `the ${sectionName({ ...section, hidden: false })} section of "${detail.page.name}"`;
    const planned = plan(section, what, detail, slots);
    if (typeof planned === "string") return desk.say("failed", planned);
    if ((yield* change(desk, planned.act, planned.tool, planned.input)) === null) return;
    keepPage(desk, { ...detail.page, dirty: true });
    if (planned.tool !== "section_update") desk.rearranged.add(detail.page.id);
    const said = planned.said.charAt(0).toUpperCase() + planned.said.slice(1);
    desk.say("done", `${said}${draftNote(desk, detail.page)}.`);
  };
}

export const moveSection = onSection((section, what, detail, slots) => {
  const position = placeFor(detail, slots, section);
  if (!("position" in position)) return `I could not move ${what}: it is the only one there.`;
  const input = { section: section.id, ...position };
  return { tool: "section_move", input, act: `move ${what}`, said: `${what} has its new place` };
});

export const hideSection = onSection((section, what) => {
  if (section.hidden) return `I changed nothing: ${what} is hidden already.`;
  const input = { section: section.id, hidden: true };
  return { tool: "section_update", input, act: `hide ${what}`, said: `${what} is hidden now` };
});

export const deleteSection = onSection((section, what) => {
  const input = { sections: [section.id] };
  return { tool: "section_delete", input, act: `delete ${what}`, said: `${what} is deleted` };
});

/** What people call a text → its key, by template. */
const FIELDS: Readonly<Record<string, Readonly<Partial<Record<FieldWord, string>>>>> = {
  hero: { title: "title", subtitle: "subtitle", text: "subtitle" },
  feature: { title: "heading", subtitle: "description", text: "description" },
  cta: { title: "heading", subtitle: "description", text: "description" },
  gallery: { title: "title" },
  "image-text": { title: "heading", text: "content" },
};

/** Changes one text of a section. */
export const changeText = onSection((section, _, detail, { field = "title", value = "" }) => {
  const word = field === "title" ? "heading" : field;
  const key = ownValue(FIELDS, section.template)?.[field];
  if (key === undefined)
    return `I could not change that: I know no ${word} of a ${section.template} section.`;
  const what = `the ${word} of the ${section.template} section on "${detail.page.name}"`;
  const input = { section: section.id, content: { [key]: value } };
  return { tool: "section_update", input, act: `change ${what}`, said: `${what} is "${value}" now` };
});
