import type { Json, JsonObject } from "../../core/json.ts";
import type { Outcome } from "./conversation.ts";
import type { Course } from "./course.ts";
import { call, write, isDenied } from "./course.ts";
import type { Desk } from "./desk.ts";
import { report, reportFailure } from "./desk.ts";
import type { PlannedSection } from "./creating.ts";
import { briefFor, fieldsOf, fitContent, linkFor, lookAround, planSections } from "./creating.ts";
import { draftNote } from "./images.ts";
import { isObject, objectAt, textAt } from "./reading.ts";
import type { KnownSection, PageDetail } from "./resolve.ts";
import { readDetail, resolvePage, resolveSection, sectionName, sectionNames } from "./resolve.ts";
import type { FieldWord, Place, WishOf } from "./wish.ts";

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

function lookAgain(detail: PageDetail): { name: string; input: JsonObject } {
  return { name: "page_get", input: { page: detail.page.id, detail: "full" } };
}

function touched(desk: Desk, detail: PageDetail, section: { id: string; template: string }): void {
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
    report(
      desk,
      "done",
      `The ${word} of the ${section.template} section on "${detail.page.name}" is "${short(wish.value)}" now${draftNote(detail)}.`,
    );
  } else
    reportFailure(desk, done.error, {
      act: `change the ${word} of the ${section.template} section`,
      thing: `changing the ${word} of the ${section.template} section`,
    });
}

function short(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
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

/** Adds sections to a page that is there. */
export function* addSections(desk: Desk, wish: WishOf<"section_add">): Course<void> {
  const page = yield* resolvePage(desk, wish.page);
  if (page === null) return;
  const images = yield* lookAround(desk, wish.sections, null);
  const detail = yield* readDetail(desk, page, false);
  if (detail === null) return;
  const planned = yield* planSections(desk, wish.sections, briefFor(desk, detail.page.name, images, null));
  let position = placeInput(desk, detail, wish.place, null);
  if (position === undefined) return;
  for (const section of planned) {
    const added: string | null = yield* addOne(desk, detail, section, position);
    if (added === null) continue;
    // The next one goes behind this one, so that they stand in the order in which they were asked for.
    position = position === null ? null : { after: added };
  }
}

function* addOne(
  desk: Desk,
  detail: PageDetail,
  section: PlannedSection,
  position: Json,
): Course<string | null> {
  const input: JsonObject = {
    page: detail.page.id,
    template: section.template,
    content: section.content,
    ...(position === null ? {} : { position }),
  };
  const added = yield* submitSection(desk, detail, section, input);
  if (!added.ok) {
    reportFailure(desk, added.error, {
      act: `add a ${section.template} section to "${detail.page.name}"`,
      thing: `adding a ${section.template} section to "${detail.page.name}"`,
    });
    return null;
  }
  const id = textAt(objectAt(added.value, "section"), "id") ?? textAt(added.value, "id") ?? "";
  touched(desk, detail, { id, template: section.template });
  report(desk, "done", `"${detail.page.name}" has a new ${section.template} section${draftNote(detail)}.`);
  return id === "" ? null : id;
}

/** Adds a section; content that the CMS refuses is fitted to the fields of its template once. */
function* submitSection(
  desk: Desk,
  detail: PageDetail,
  section: PlannedSection,
  input: JsonObject,
): Course<Outcome> {
  const thought = `I will add a ${section.template} section to "${detail.page.name}".`;
  const first = yield* write(desk.tools, thought, "section_add", input, lookAgain(detail));
  if (first.ok || !["unknown_field", "invalid_content", "required_field"].includes(first.error.code))
    return first;
  const fields = yield* fieldsOf(desk, section.template);
  const fitted = fitContent(section.content, fields, briefFor(desk, detail.page.name, [], null));
  if (fitted === null || JSON.stringify(fitted) === JSON.stringify(section.content)) return first;
  return yield* call(desk.tools, "I have corrected the content and will try again.", "section_add", {
    ...input,
    content: fitted,
  });
}

/** A place as the CMS takes it; null is the end, undefined a section that is not there (reported). */
function placeInput(
  desk: Desk,
  detail: PageDetail,
  place: Place | null,
  moving: KnownSection | null,
): Json | undefined {
  const others = detail.sections.filter((section) => section.id !== moving?.id);
  const [first] = others;
  const last = others.at(-1);
  if (place === null || others.length === 0) return null;
  switch (place.at) {
    case "start":
      return first === undefined ? null : { before: first.id };
    case "end":
      return moving === null || last === undefined ? null : { after: last.id };
    case "index": {
      const goal = others[place.index - 1];
      return goal === undefined ? (last === undefined ? null : { after: last.id }) : { before: goal.id };
    }
    case "before":
    case "after": {
      const goal = resolveSection(
        desk,
        moving === null ? detail : { ...detail, sections: others },
        place.section,
      );
      return goal === null ? undefined : { [place.at]: goal.id };
    }
    case "up":
    case "down": {
      const at = detail.sections.findIndex((section) => section.id === moving?.id);
      const goal = detail.sections[at + (place.at === "up" ? -1 : 1)];
      return goal === undefined ? null : { [place.at === "up" ? "before" : "after"]: goal.id };
    }
  }
}

/** Moves a section on its page. */
export function* moveSection(desk: Desk, wish: WishOf<"section_move">): Course<void> {
  const page = yield* resolvePage(desk, wish.page);
  if (page === null) return;
  const detail = yield* readDetail(desk, page, false);
  if (detail === null) return;
  const section = resolveSection(desk, detail, wish.section);
  if (section === null) return;
  const position = placeInput(desk, detail, wish.place, section);
  if (position === undefined) return;
  const at = detail.sections.findIndex((one) => one.id === section.id);
  const alone =
    position === null ||
    (wish.place.at === "start" && at === 0) ||
    (wish.place.at === "end" && at === detail.sections.length - 1);
  if (alone) {
    report(
      desk,
      "told",
      `The ${sectionName(section)} section of "${detail.page.name}" stands there already.`,
    );
    return;
  }
  const moved = yield* write(
    desk.tools,
    `I will move the ${section.template} section.`,
    "section_move",
    { section: section.id, position },
    lookAgain(detail),
  );
  if (!moved.ok) {
    reportFailure(desk, moved.error, {
      act: `move the ${section.template} section`,
      thing: `moving the ${section.template} section`,
    });
    return;
  }
  touched(desk, detail, section);
  report(
    desk,
    "done",
    `The ${sectionName(section)} section of "${detail.page.name}" has its new place${draftNote(detail)}.`,
  );
}

/** Hides a section from visitors, or shows it again. */
export function* hideSection(desk: Desk, wish: WishOf<"section_hide">): Course<void> {
  const page = yield* resolvePage(desk, wish.page);
  if (page === null) return;
  const detail = yield* readDetail(desk, page, false);
  if (detail === null) return;
  const section = resolveSection(desk, detail, wish.section);
  if (section === null) return;
  const word = wish.hidden ? "hidden" : "visible";
  if (section.hidden === wish.hidden) {
    report(desk, "told", `The ${section.template} section of "${detail.page.name}" is ${word} already.`);
    return;
  }
  const done = yield* write(
    desk.tools,
    `I will make the ${section.template} section ${word}.`,
    "section_update",
    { section: section.id, hidden: wish.hidden },
    lookAgain(detail),
  );
  if (!done.ok) {
    reportFailure(desk, done.error, {
      act: `make the ${section.template} section ${word}`,
      thing: `making the ${section.template} section ${word}`,
    });
    return;
  }
  touched(desk, detail, section);
  report(
    desk,
    "done",
    `The ${section.template} section of "${detail.page.name}" is ${word} now${draftNote(detail)}.`,
  );
}

/** Deletes sections. A person is always asked. */
export function* deleteSections(desk: Desk, wish: WishOf<"section_delete">): Course<void> {
  const page = yield* resolvePage(desk, wish.page);
  if (page === null) return;
  const detail = yield* readDetail(desk, page, false);
  if (detail === null) return;
  const one = wish.all ? null : resolveSection(desk, detail, wish.section);
  const sections = wish.all ? detail.sections : one === null ? [] : [one];
  if (sections.length === 0) {
    if (wish.all) report(desk, "told", `"${detail.page.name}" has no sections.`);
    return;
  }
  const named = sections.map(sectionName).join(", ");
  const deleted = yield* write(
    desk.tools,
    `I will ask to delete the section: ${named}.`,
    "section_delete",
    { sections: sections.map((section) => section.id) },
    lookAgain(detail),
  );
  if (deleted.ok) {
    desk.edited.add(detail.page.id);
    desk.section = null;
    report(desk, "done", `Deleted from "${detail.page.name}": ${named}${draftNote(detail)}.`);
  } else
    reportFailure(desk, deleted.error, {
      act: `delete the section ${named}`,
      thing: `deleting the section ${named}`,
    });
}
