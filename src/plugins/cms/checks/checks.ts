import { type Json, ownValue } from "../../../cairn/core/log/json.ts";
import type { EntryDocument, PageDocument, PublishedDocument } from "../model/document.ts";
import { Findings, type FindingTarget } from "./findings.ts";
import { checkImage, checkPart, type Part } from "./content.ts";
import { imagesOf, isEmpty, walkFields } from "../model/values.ts";
import { DOCUMENT_BYTES_MAX, type Checks } from "../model/types.ts";
import type { CheckFacts } from "./facts.ts";
import { isReservedSlug, META_FIELDS } from "../model/validate.ts";

/**
 * Publish checks: pure functions over a document and what the site knows around it. A blocker stops publishing,
 * a warning is shown. Hidden sections are left out of a published document, so they are not checked.
 */

const META_DESCRIPTION_CHARS_MAX = 160;
export const TITLE_CHARS_MAX = 60;

/** Texts of a document in the default locale, and how many of them are translated to a locale. */
interface Coverage {
  readonly filled: number;
  readonly total: number;
}

/** Checks a page or the layout. Each finding names its owner, the field and how to fix it. */
export function checkPage(document: PageDocument, facts: CheckFacts): Checks {
  const found = new Findings();
  const owner = { type: "page", id: document.id, name: document.name };
  for (const section of document.sections) {
    if (section.hidden) continue;
    const template = facts.templates.get(section.template);
    const target = { owner: { type: "section", id: section.id, name: template?.name ?? section.template } };
    if (template === undefined) {
      const fix = "Delete this section and add one with a known template (schema_list).";
      found.block("unknown_template", target, `The template “${section.template}” does not exist.`, fix);
    } else if (!template.variants.includes(section.variant)) {
      const fix = `Set the variant to one of: ${template.variants.join(", ")}.`;
      found.block("unknown_variant", target, `“${template.key}” has no variant “${section.variant}”.`, fix);
    }
  }
  if (document.kind === "page") checkPageItself(document, { owner }, facts, found);
  checkParts(document, owner, facts, found);
  return { blockers: found.blockers, warnings: found.warnings };
}

/** Checks an entry of a collection. */
export function checkEntry(document: EntryDocument, facts: CheckFacts): Checks {
  const found = new Findings();
  const title = textOf(ownValue(document.content, facts.environment.defaultLocale)?.title);
  const owner = { type: "entry", id: document.id, name: title || document.slug };
  checkSlug(document.slug, { owner }, facts, found);
  if (title === "") {
    found.block(
      "missing_required",
      { owner, field: "title" },
      "The entry has no title.",
      "Set it with entry_update.",
    );
  }
  checkTitle(title, { owner, field: "title" }, facts, found);
  if (document.cover !== null)
    checkImage({ image: document.cover }, false, { owner, field: "cover" }, facts, found);
  checkParts(document, owner, facts, found);
  return { blockers: found.blockers, warnings: found.warnings };
}

/** Field by field of the visible content: a list counts as one text. */
export function computeCoverage(document: PublishedDocument, facts: CheckFacts, locale: string): Coverage {
  let filled = 0;
  let total = 0;
  for (const part of partsOf(document, facts)) {
    const inDefault = ownValue(part.content, facts.environment.defaultLocale) ?? {};
    for (const field of part.fields) {
      const isText = field.type === "text" || field.type === "markdown" || field.type === "list";
      if (!isText || isEmpty(ownValue(inDefault, field.key))) continue;
      total += 1;
      if (!isEmpty(ownValue(ownValue(part.content, locale), field.key))) filled += 1;
    }
  }
  return { filled, total };
}

function partsOf(document: PublishedDocument, facts: CheckFacts): readonly Part[] {
  if (document.type === "entry") {
    const owner = { type: "entry", id: document.id, name: document.slug };
    const fields = facts.collections.get(document.collection)?.fields ?? [];
    return [{ owner, fields, content: document.content }];
  }
  return document.sections.flatMap((section) => {
    const template = facts.templates.get(section.template);
    if (section.hidden || template === undefined) return [];
    const owner = { type: "section", id: section.id, name: template.name };
    return [{ owner, fields: template.fields, content: section.content }];
  });
}

/** `German` for `de`; the code itself if it has no English name. */
function languageName(code: string): string {
  try {
    return new Intl.DisplayNames(["en"], { type: "language" }).of(code) ?? code;
  } catch {
    return code;
  }
}

function checkParts(
  document: PublishedDocument,
  owner: FindingTarget["owner"],
  facts: CheckFacts,
  found: Findings,
): void {
  for (const part of partsOf(document, facts)) {
    checkPart(document.type === "entry" ? { ...part, owner } : part, facts, found);
  }
  for (const locale of facts.environment.locales) {
    if (!locale.active || locale.isDefault) continue;
    const { filled, total } = computeCoverage(document, facts, locale.code);
    if (filled === total) continue;
    const message = `${languageName(locale.code)}: ${filled} of ${total} texts translated. Visitors see the fallback language.`;
    found.warn("locale_coverage", { owner }, message, `Translate the rest, with locale “${locale.code}”.`);
  }
  const bytes = new TextEncoder().encode(JSON.stringify(document)).length;
  if (bytes > DOCUMENT_BYTES_MAX) {
    const message = `The document has ${bytes} bytes; ${DOCUMENT_BYTES_MAX} are allowed.`;
    found.block("doc_too_large", { owner }, message, "Shorten it or split it in two.");
  }
}

function checkPageItself(
  document: PageDocument,
  target: FindingTarget,
  facts: CheckFacts,
  found: Findings,
): void {
  const { owner } = target;
  checkSlug(document.slug, target, facts, found);
  if (document.sections.length === 0) {
    found.warn("empty_page", target, "The page has no sections.", "Add one with section_add.");
  } else if (document.sections.every((section) => section.hidden)) {
    found.warn(
      "all_hidden",
      target,
      "All sections are hidden.",
      "Show one with section_update, hidden false.",
    );
  }
  if (facts.environment.homePageId !== document.id && !facts.linked.has(`page:${document.id}`)) {
    const fix = "Add it to the navigation with nav_edit, or link to it.";
    found.warn("orphan_page", target, "Nothing links to this page, so visitors won't find it.", fix);
  }
  const meta = ownValue(document.meta, facts.environment.defaultLocale) ?? {};
  const description = textOf(meta.description);
  const at = { owner, field: "meta.description" };
  if (description === "") {
    const fix = "Write one sentence with page_update.";
    found.warn("meta_description", at, "The page has no description for search engines.", fix);
  } else if (description.length > META_DESCRIPTION_CHARS_MAX) {
    const message = `The description has ${description.length} characters; ${META_DESCRIPTION_CHARS_MAX} are shown.`;
    found.warn("meta_description", at, message, "Shorten it.");
  }
  for (const { field, path, value } of walkFields(META_FIELDS, meta)) {
    for (const { image } of imagesOf(field, value)) {
      if (facts.images.has(image)) continue;
      const fix = "Set another one with page_update.";
      found.warn(
        "broken_image",
        { owner, field: `meta.${path}` },
        `The image ${image} no longer exists.`,
        fix,
      );
    }
  }
  checkTitle(textOf(meta.title) || document.name, { owner, field: "meta.title" }, facts, found);
}

function checkSlug(slug: string, target: FindingTarget, facts: CheckFacts, found: Findings): void {
  const isLocale = facts.environment.locales.some((locale) => locale.code.toLowerCase() === slug);
  if (!isLocale && !isReservedSlug(slug)) return;
  const fix = "Choose another slug.";
  found.block("slug_reserved", { ...target, field: "slug" }, `The slug “${slug}” is reserved.`, fix);
}

function checkTitle(title: string, target: FindingTarget, facts: CheckFacts, found: Findings): void {
  if (title.length > TITLE_CHARS_MAX) {
    const message = `The title has ${title.length} characters; about ${TITLE_CHARS_MAX} are shown.`;
    found.warn("title_length", target, message, "Shorten it.");
  }
  if (title !== "" && facts.otherTitles.has(title.toLowerCase())) {
    const message = `Another public page or entry is titled “${title}” too.`;
    found.warn("duplicate_title", target, message, "Tell the two apart by their titles.");
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value.trim() : "";
}
