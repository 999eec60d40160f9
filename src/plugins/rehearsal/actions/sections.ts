import { type JsonObject, ownValue } from "../../../cairn/core/log/json.ts";
import { listAt, objectsAt, textAt } from "../../../cairn/models/script/fields.ts";
import type { ScriptedCall } from "../../../cairn/models/script/reply.ts";
import { change, type Action, type Context } from "../context.ts";
import { readAll, type Plan } from "../plan.ts";
import {
  draftNote,
  loadPage,
  loadSite,
  resolvePage,
  resolveSection,
  storePage,
  storeSite,
} from "../references.ts";
import { sectionName } from "../site.ts";
import type { KnownSection, PageDetail } from "../site.ts";
import type { FieldWord, Slots } from "../text/slots.ts";
import { writeContent } from "./content.ts";

/** A section as `page_create` and `section_add` take it. */
interface NewSection extends JsonObject {
  readonly template: string;
  readonly content: JsonObject;
}

/** IDs of the images that `image_search` found, photographs first. */
function imagesIn(found: JsonObject): readonly string[] {
  const isDrawing = (item: JsonObject): boolean =>
    /\.svg$/iu.test(textAt(item, "filename") ?? "") || listAt(item, "tags").includes("logo");
  const items = objectsAt(found, "items");
  const ranked = [...items.filter((item) => !isDrawing(item)), ...items.filter(isDrawing)];
  return ranked.flatMap((item) => textAt(item, "id") ?? []);
}

/**
 * New sections for a page of that name. Reads the site and, where they show images, the library, in one reply. A section
 * that needs an image is left out where there is none, which is reported.
 */
export function* planSections(
  context: Context,
  name: string,
  templates: readonly string[],
): Plan<readonly NewSection[]> {
  if (context.library === null && templates.some((one) => one !== "feature" && one !== "cta")) {
    const search: ScriptedCall = ["image_search", { limit: 10 }];
    const isNew = context.site === null && context.tools.has("site_overview");
    const what = isNew ? "at the site and at its images first" : "into the image library";
    const calls: ScriptedCall[] = isNew ? [["site_overview", {}], search] : [search];
    const results = yield* readAll(context.tools, `I will look ${what}.`, calls);
    const found = results.at(-1);
    context.library = found?.ok === true ? imagesIn(found.value) : [];
    if (isNew) storeSite(context, results[0]);
  }
  yield* loadSite(context);
  return templates.flatMap((template): readonly NewSection[] => {
    const content = writeContent(template, name, context);
    if (content !== null) return [{ template, content }];
    context.report("failed", `I could not add the ${template}, because the library has no image for it.`);
    return [];
  });
}

/** "a hero section and a gallery section" */
export const sectionsInWords = (sections: readonly NewSection[]): string =>
  sections
    .map(({ template }) => `${/^[aeiou]/u.test(template) ? "an" : "a"} ${template} section`)
    .join(" and ");

export const addSections: Action = function* (context, slots) {
  const page = yield* resolvePage(context, slots.page);
  if (page === null) return;
  const sections = yield* planSections(context, page.name, slots.sections ?? []);
  const detail = sections.length === 0 ? null : yield* loadPage(context, page);
  if (detail === null) return;
  const { name } = detail.page;
  if (sections.some(isHero) && detail.sections.some(isHero))
    return context.report("question", `"${name}" has a hero section already. What shall be different in it?`);
  for (const section of sections) {
    const input = { page: detail.page.id, ...section };
    const added = yield* change(
      context,
      `add ${sectionsInWords([section])} to "${name}"`,
      "section_add",
      input,
    );
    if (added === null) continue;
    storePage(context, { ...detail.page, dirty: true });
    const note = draftNote(context, detail.page);
    context.report("done", `"${name}" has a new ${section.template} section${note}.`);
  }
};

const isHero = ({ template }: { readonly template: string }): boolean => template === "hero";

interface SectionChange {
  readonly tool: string;
  readonly input: JsonObject;
  /** "delete the hero section of …" */
  readonly act: string;
  /** the same when it is done, as a sentence without its period */
  readonly done: string;
}

/** Reads the page, finds the section, and makes the one call that `planChange` returns; a text there says why not. */
function onSection(
  planChange: (
    section: KnownSection,
    what: string,
    detail: PageDetail,
    slots: Slots,
  ) => SectionChange | string,
): Action {
  return function* (context, slots) {
    const page = yield* resolvePage(context, slots.page);
    const detail = page === null ? null : yield* loadPage(context, page);
    if (detail === null) return;
    const { section: ref, field } = slots;
    // The heading of a page is that of its first section with one.
    const first = detail.sections.find(({ template }) => fieldOf(template, field ?? "title") !== undefined);
    const isOfPage = ref === undefined && field !== undefined && first !== undefined;
    const section = isOfPage ? first : resolveSection(context, detail, ref);
    if (section === null) return;
    const what = `the ${sectionName({ ...section, hidden: false })} section of "${detail.page.name}"`;
    const planned = planChange(section, what, detail, slots);
    if (typeof planned === "string") return context.report("failed", planned);
    if ((yield* change(context, planned.act, planned.tool, planned.input)) === null) return;
    storePage(context, { ...detail.page, dirty: true });
    const sentence = planned.done.charAt(0).toUpperCase() + planned.done.slice(1);
    context.report("done", `${sentence}${draftNote(context, detail.page)}.`);
  };
}

export const hideSection = onSection((section, what) => {
  if (section.hidden) return `I changed nothing: ${what} is hidden already.`;
  const input = { section: section.id, hidden: true };
  return { tool: "section_update", input, act: `hide ${what}`, done: `${what} is hidden now` };
});

export const deleteSection = onSection((section, what) => {
  const input = { sections: [section.id] };
  return { tool: "section_delete", input, act: `delete ${what}`, done: `${what} is deleted` };
});

/** The key of each text, by template. */
const FIELDS: Readonly<Record<string, Readonly<Partial<Record<FieldWord, string>>>>> = {
  hero: { title: "title", subtitle: "subtitle", text: "subtitle" },
  feature: { title: "heading", subtitle: "description", text: "description" },
  cta: { title: "heading", subtitle: "description", text: "description" },
  gallery: { title: "title" },
  "image-text": { title: "heading", text: "content" },
};
const fieldOf = (template: string, field: FieldWord): string | undefined =>
  ownValue(FIELDS, template)?.[field];

/** Changes one text of a section. */
export const changeText = onSection((section, _, detail, { field = "title", value = "" }) => {
  const word = field === "title" ? "heading" : field;
  const key = fieldOf(section.template, field);
  if (key === undefined)
    return `I could not change that: I know no ${word} of a ${section.template} section.`;
  const what = `the ${word} of the ${section.template} section on "${detail.page.name}"`;
  const input = { section: section.id, content: { [key]: value } };
  return { tool: "section_update", input, act: `change ${what}`, done: `${what} is "${value}" now` };
});
