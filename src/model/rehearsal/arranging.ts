import type { Json, JsonObject } from "../../core/log/json.ts";
import type { PlannedSection } from "./briefing.ts";
import type { Outcome } from "./conversation.ts";
import type { Course } from "./course.ts";
import type { Desk } from "./desk.ts";
import type { KnownSection, PageDetail } from "./sections.ts";
import type { Place, WishOf } from "./wish.ts";
import { briefFor, lookAround, planSections } from "./briefing.ts";
import { call, write } from "./course.ts";
import { report, reportFailure } from "./desk.ts";
import { lookAgain, touched } from "./editing.ts";
import { fieldsOf, fitContent } from "./fitting.ts";
import { draftNote } from "./images.ts";
import { objectAt, textAt } from "./reading.ts";
import { readDetail, resolveSection, sectionName } from "./sections.ts";
import { resolvePage } from "./resolve.ts";

/** Adds sections to a page that is there. */
export function* addSections(desk: Desk, wish: WishOf<"section_add">): Course<void> {
  const page = yield* resolvePage(desk, wish.page);
  if (page === null) return;
  const images = yield* lookAround(desk, wish.sections, wish.imageQuery);
  const detail = yield* readDetail(desk, page, false);
  if (detail === null) return;
  const planned = yield* planSections(
    desk,
    wish.sections,
    briefFor(desk, detail.page.name, images, wish.imageQuery),
  );
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
