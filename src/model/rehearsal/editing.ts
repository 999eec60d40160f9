import type { Json, JsonObject } from "../../core/log/json.ts";
import type { Outcome } from "./conversation.ts";
import type { Course } from "./course.ts";
import type { Desk } from "./desk.ts";
import type { KnownSection, PageDetail } from "./sections.ts";
import type { FieldWord, WishOf } from "./wish.ts";
import { briefFor, linkFor } from "./briefing.ts";
import { call, isDenied, write } from "./course.ts";
import { report, reportFailure } from "./desk.ts";
import { fieldsOf, fitContent } from "./fitting.ts";
import { draftNote } from "./images.ts";
import { isObject, textAt } from "./reading.ts";
import { readDetail, resolveSection, sectionNames } from "./sections.ts";
import { resolvePage } from "./resolve.ts";
import { firstOf } from "./tokens.ts";

/** What people call a field → its key, by template. */
const FIELD: Readonly<Record<string, Readonly<Partial<Record<FieldWord, string>>>>> = {
  hero: { title: "title", subtitle: "subtitle", text: "subtitle", button: "ctaText" },
  feature: { title: "heading", subtitle: "description", text: "description" },
  cta: { title: "heading", subtitle: "description", text: "description", button: "buttonText" },
  gallery: { title: "title" },
  "image-text": { title: "heading", subtitle: "content", text: "content", button: "ctaText" },
  header: { button: "ctaText" },
  footer: { title: "companyName", subtitle: "note", text: "note" },
};

/** The read that follows when a change was refused because of another one. */
export function lookAgain(detail: PageDetail): { name: string; input: JsonObject } {
  return { name: "page_get", input: { page: detail.page.id, detail: "full" } };
}

/** Notes that a section of a page was changed in this run. */
export function touched(desk: Desk, detail: PageDetail, section: { id: string; template: string }): void {
  desk.edited.add(detail.page.id);
  desk.section = { id: section.id, name: section.template, page: detail.page.id };
}

/** Changes the words of a section. */
export function* changeText(desk: Desk, wish: WishOf<"section_text">): Course<void> {
  const word = wish.field === "text" ? "text" : wish.field === "title" ? "heading" : wish.field;
  if (wish.value === null) {
    report(desk, "asked", `What should the new ${word} be? Put it in quotes: change the ${word} to "…".`);
    return;
  }
  const page = yield* resolvePage(desk, wish.page);
  if (page === null) return;
  const detail = yield* readDetail(desk, page, true);
  if (detail === null) return;
  const change =
    wish.from === null
      ? fieldChange(desk, detail, wish, wish.value)
      : replacement(desk, detail, wish, wish.from, wish.value);
  if (change === null) return;
  const { section, content } = change;
  const thought = `I will change the ${word} of the ${section.template} section on "${detail.page.name}".`;
  let done = yield* write(
    desk.tools,
    thought,
    "section_update",
    { section: section.id, content },
    lookAgain(detail),
  );
  if (!done.ok) done = yield* correct(desk, section, content, done, detail);
  if (done.ok) {
    touched(desk, detail, section);
    const place = `of the ${section.template} section on "${detail.page.name}"`;
    const changed =
      wish.from === null
        ? `The ${word} ${place} is "${short(wish.value)}" now`
        : `In the text ${place}, "${short(wish.from)}" is replaced with "${short(wish.value)}"`;
    report(desk, "done", `${changed}${draftNote(detail)}.`);
  } else
    reportFailure(desk, done.error, {
      act: `change the ${word} of the ${section.template} section`,
      thing: `changing the ${word} of the ${section.template} section`,
    });
}

function short(text: string): string {
  return text.length <= 120 ? text : `${firstOf(text, 119)}…`;
}

interface Change {
  readonly section: KnownSection;
  readonly content: JsonObject;
}

function fieldChange(
  desk: Desk,
  detail: PageDetail,
  wish: WishOf<"section_text">,
  value: string,
): Change | null {
  const has = (section: KnownSection): string | undefined =>
    FIELD[section.template]?.[wish.field] ?? likelyKey(section, wish.field);
  const focus = desk.section?.page === detail.page.id ? desk.section.id : null;
  const open = wish.section.pronoun;
  const section = open
    ? (detail.sections.find((one) => one.id === focus && has(one) !== undefined) ??
      detail.sections.find((one) => has(one) !== undefined))
    : resolveSection(desk, detail, wish.section);
  if (section === null) return null;
  if (section === undefined) {
    report(
      desk,
      "failed",
      `I could not find a section with a ${wish.field} on "${detail.page.name}". ${sectionNames(detail.sections)}`,
    );
    return null;
  }
  const key = has(section);
  if (key === undefined) {
    report(desk, "failed", `I could not change that: the ${section.template} section has no ${wish.field}.`);
    return null;
  }
  // The text of a button and its link come together (cms 5).
  const link: JsonObject =
    key === "ctaText" && section.content["ctaLink"] === undefined ? { ctaLink: linkFor(desk.site) } : {};
  return { section, content: { [key]: value, ...link } };
}

/** A field of a template that we do not know, by what it is called. */
function likelyKey(section: KnownSection, field: FieldWord): string | undefined {
  if (FIELD[section.template] !== undefined) return undefined;
  const likely: Readonly<Record<FieldWord, RegExp>> = {
    title: /^(?:title|heading|headline|name)$/u,
    subtitle: /sub|tagline/u,
    text: /text|body|content|description/u,
    button: /button|cta/u,
  };
  return Object.keys(section.content).find(
    (key) => likely[field].test(key) && typeof section.content[key] === "string",
  );
}

/** "Replace X with Y": the first section that holds X, with every X in the field replaced. */
function replacement(
  desk: Desk,
  detail: PageDetail,
  wish: WishOf<"section_text">,
  from: string,
  to: string,
): Change | null {
  const candidates = wish.section.pronoun
    ? detail.sections
    : detail.sections.filter((section) => section.template === wish.section.template);
  for (const section of candidates) {
    for (const [key, value] of Object.entries(section.content)) {
      const replaced = replaceIn(value, from, to);
      if (JSON.stringify(replaced) !== JSON.stringify(value))
        return { section, content: { [key]: replaced } };
    }
  }
  report(desk, "failed", `I could not find "${from}" on "${detail.page.name}".`);
  return null;
}

function replaceIn(value: Json, from: string, to: string): Json {
  if (typeof value === "string")
    return value.includes(from)
      ? value.replaceAll(from, to)
      : value.toLowerCase() === from.toLowerCase()
        ? to
        : value;
  if (Array.isArray(value)) return value.map((item: Json) => replaceIn(item, from, to));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, key === "image" ? item : replaceIn(item, from, to)]),
  );
}

/** A refused field is corrected by what the template declares: another key, a shorter text. */
function* correct(
  desk: Desk,
  section: KnownSection,
  content: JsonObject,
  refused: Outcome,
  detail: PageDetail,
): Course<Outcome> {
  if (
    refused.ok ||
    isDenied(refused.error) ||
    !["unknown_field", "invalid_content", "required_field"].includes(refused.error.code)
  )
    return refused;
  const fields = yield* fieldsOf(desk, section.template);
  const keys = fields.map((field) => textAt(field, "key") ?? "");
  const [[key, value] = ["", null]] = Object.entries(content);
  const suggested = refused.error.suggestions
    .map((one) => (typeof one === "string" ? one : (textAt(one, "value") ?? textAt(one, "label"))))
    .find((one) => one !== null && keys.includes(one) && one !== key);
  const renamed: JsonObject =
    keys.includes(key) || suggested === undefined || suggested === null ? content : { [suggested]: value };
  const allowed: JsonObject = Object.fromEntries(
    Object.entries(renamed).filter(([one]) => keys.includes(one)),
  );
  const wanted = fields.filter((field) => allowed[textAt(field, "key") ?? ""] !== undefined);
  const fitted = fitContent(allowed, wanted, briefFor(desk, detail.page.name, [], null));
  if (
    fitted === null ||
    Object.keys(fitted).length === 0 ||
    JSON.stringify(fitted) === JSON.stringify(content)
  )
    return refused;
  return yield* call(desk.tools, "I have corrected the field and will try again.", "section_update", {
    section: section.id,
    content: fitted,
  });
}
