import { ownValue } from "../../../cairn/core/log/json.ts";
import type { ByLocale, Content, Field } from "../model/document.ts";
import type { CheckFacts, CheckImage } from "./facts.ts";
import type { Findings, FindingTarget } from "./findings.ts";
import { altOf, imagesOf, isBlank, isEmpty, linksOf, walkFields, type ImageAt } from "../model/values.ts";
import { splitWords } from "../search/score.ts";

/** Checks of field values: required ones, links, images and the words of links and headings. Pure. */

const IMAGE_WITHOUT_VARIANTS_BYTES_MAX = 1_000_000;

/** Link texts that mean nothing when read alone, as a screen reader lists them (WCAG 2.4.4). */
const VAGUE = new Set([
  "click here",
  "here",
  "read more",
  "more",
  "learn more",
  "this",
  "this page",
  "link",
  "this link",
  "details",
  "hier",
  "hier klicken",
  "mehr",
  "mehr erfahren",
  "weiterlesen",
  "diese seite",
]);

/** The content of one section or entry with the fields it was made by. */
export interface Part {
  readonly owner: FindingTarget["owner"];
  readonly fields: readonly Field[];
  readonly content: ByLocale<Content>;
}

/** Checks one part: required fields in the default locale, everything else in every active one. */
export function checkPart(part: Part, facts: CheckFacts, found: Findings): void {
  const { defaultLocale, locales } = facts.environment;
  const inDefault = ownValue(part.content, defaultLocale) ?? {};
  for (const { field, path, value } of walkFields(part.fields, inDefault)) {
    if (field.required !== true || !isEmpty(value)) continue;
    const target = { owner: part.owner, field: path };
    found.block(
      "missing_required",
      target,
      `“${field.label}” is required and empty.`,
      `Give ${path} a value.`,
    );
  }
  for (const locale of locales) {
    if (locale.active || locale.isDefault)
      checkValues(part, ownValue(part.content, locale.code) ?? {}, facts, found);
  }
}

/** Checks one use of an image. `required`: the slot cannot be left empty. */
export function checkImage(
  slot: Omit<ImageAt, "at">,
  required: boolean,
  target: FindingTarget,
  facts: CheckFacts,
  found: Findings,
): void {
  const image = facts.images.get(slot.image);
  if (image === undefined) {
    const message = `The image ${slot.image} no longer exists.`;
    const fix = "Attach another one (image_search, image_attach).";
    if (required) found.block("broken_image", target, message, fix);
    else found.warn("broken_image", target, message, fix);
    return;
  }
  if (slot.decorative !== true) checkAlt(slot, image, target, found);
  if (image.variants === 0 && image.byteSize > IMAGE_WITHOUT_VARIANTS_BYTES_MAX) {
    const size = (image.byteSize / 1e6).toFixed(1);
    const message = `“${image.filename}” has ${size} MB and no smaller variants.`;
    found.warn("image_oversized", target, message, "Use a smaller file.");
  }
}

function checkAlt(
  slot: Omit<ImageAt, "at">,
  image: CheckImage,
  target: FindingTarget,
  found: Findings,
): void {
  const alt = altOf(slot, image);
  const own = (slot.alt ?? "").trim() !== "";
  if (alt === "") {
    const fix = "Describe it in its place, or mark the place decorative (image_attach).";
    found.block("alt_missing", target, `“${image.filename}” has no alternative text.`, fix);
  } else if (isFilename(alt, image.filename)) {
    const fix = "Describe in its place what the image shows (image_attach).";
    found.warn("alt_is_filename", target, `The alternative text “${alt}” is the file name.`, fix);
  } else if (!own && (image.altSource === "filename" || image.altSource === "model")) {
    const fix = "Confirm or correct it in its place (image_attach).";
    found.warn("alt_unreviewed", target, `The alternative text “${alt}” was not written by a person.`, fix);
  }
}

function checkValues(part: Part, content: Content, facts: CheckFacts, found: Findings): void {
  for (const { field, path, value, siblings } of walkFields(part.fields, content)) {
    const target = { owner: part.owner, field: path };
    for (const link of linksOf(field, value)) checkTarget(link, target, facts, found);
    for (const image of imagesOf(field, value)) {
      const at = { owner: part.owner, field: path + image.at };
      checkImage(image, field.required === true && field.type !== "markdown", at, facts, found);
    }
    if (field.type === "markdown" && typeof value === "string") checkMarkdown(value, target, found);
    if (field.type === "link" && !isEmpty(value)) checkLinkLabel(field, path, siblings, part.owner, found);
    const isHeading = field.type === "text" && /^(heading|title)$/.test(field.key);
    if (isHeading && field.required !== true && isBlank(value)) {
      found.warn(
        "heading_empty",
        target,
        `“${field.label}” is blank.`,
        "Write a heading, or clear the field.",
      );
    }
  }
}

function checkTarget(link: string, at: FindingTarget, facts: CheckFacts, found: Findings): void {
  const target = facts.targets.get(link);
  if (target === undefined) {
    const fix = "Link to something that exists, or remove the link.";
    found.block("broken_link", at, `The target ${link} no longer exists.`, fix);
  } else if (!target.public) {
    const message = `“${target.name}” (${link}) is not public; the link shows as plain text.`;
    found.warn("link_to_draft", at, message, "Publish the target too (set_status).");
  }
}

function checkMarkdown(text: string, target: FindingTarget, found: Findings): void {
  const prose = text.replace(/^```[\s\S]*?^```/gm, "");
  for (const [, label = ""] of prose.matchAll(/(?<!!)\[([^[\]\n]*)\]\([^)\s[]+\)/g))
    checkLabel(label, target, found);
  if (/^ {0,3}#{1,6}[ \t]*(?:#+[ \t]*)?$/m.test(prose)) {
    found.warn("heading_empty", target, "A heading has no text.", "Write it or remove the line.");
  }
}

/** A link field `xLink` is labelled by its neighbour `xText`. */
function checkLinkLabel(
  field: Field,
  path: string,
  siblings: Content,
  owner: FindingTarget["owner"],
  found: Findings,
): void {
  if (!field.key.endsWith("Link")) return;
  const key = field.key.replace(/Link$/, "Text");
  const label = ownValue(siblings, key);
  const at = path.slice(0, path.length - field.key.length) + key;
  if (typeof label === "string" && label.trim() !== "") checkLabel(label, { owner, field: at }, found);
}

function checkLabel(label: string, target: FindingTarget, found: Findings): void {
  const words = splitWords(label).join(" ");
  if (words !== "" && !VAGUE.has(words)) return;
  const message = `The link text “${label}” says nothing about its target.`;
  found.warn("vague_link_text", target, message, "Name the target in the link text.");
}

function isFilename(alt: string, filename: string): boolean {
  const stem = filename.replace(/\.[a-z0-9]+$/i, "");
  return (
    alt.toLowerCase() === filename.toLowerCase() || splitWords(alt).join(" ") === splitWords(stem).join(" ")
  );
}
