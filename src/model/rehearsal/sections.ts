import type { JsonObject } from "../../core/log/json.ts";
import type { Course } from "./course.ts";
import type { Desk, KnownPage } from "./desk.ts";
import type { SectionRef } from "./wish.ts";
import { call } from "./course.ts";
import { lookAtSite, readPage, report } from "./desk.ts";
import { isAt, objectAt, objectsAt, textAt } from "./reading.ts";
import { alike, exact } from "./resolve.ts";
import { foldWords } from "./tokens.ts";

/** A section as `page_get` shows it. */
export interface KnownSection {
  readonly id: string;
  readonly template: string;
  readonly templateName: string;
  readonly heading: string;
  readonly hidden: boolean;
  /** empty unless it was asked for */
  readonly content: JsonObject;
}

export interface PageDetail {
  readonly page: KnownPage;
  readonly dirty: boolean;
  readonly url: string | null;
  readonly sections: readonly KnownSection[];
  readonly raw: JsonObject;
}

/** Reads a page. When it is gone under its id, it is looked for by its name once. Null when it cannot be read. */
export function* readDetail(
  desk: Desk,
  page: KnownPage,
  full: boolean,
  thought?: string,
): Course<PageDetail | null> {
  const input = (ref: string): JsonObject => ({ page: ref, detail: full ? "full" : "outline" });
  let got = yield* call(
    desk.tools,
    thought ?? `I will read the page "${page.name}".`,
    "page_get",
    input(page.id),
  );
  if (!got.ok && got.error.code === "not_found") {
    const site = yield* lookAtSite(desk, "That page was not there, so I will look at the list again.", true);
    const again = site === null ? [] : exact(site.pages, page.name);
    const [other] = again.length > 0 ? again : site === null ? [] : alike(site.pages, page.name);
    if (other !== undefined && other.id !== page.id) {
      desk.subject = [other];
      got = yield* call(desk.tools, `The page is now "${other.name}".`, "page_get", input(other.id));
    }
  }
  if (!got.ok) {
    report(
      desk,
      "failed",
      `I could not read the page "${page.name}": ${got.error.message.replace(/[.\s]+$/u, "")}.`,
    );
    return null;
  }
  const value = got.value;
  const head = objectAt(value, "page") ?? value;
  const known = readPage(head)[0] ?? page;
  const sections = objectsAt(value, "sections").flatMap((section): KnownSection[] => {
    const id = textAt(section, "id");
    if (id === null) return [];
    const template = textAt(section, "template") ?? "";
    return [
      {
        id,
        template,
        templateName: textAt(section, "templateName") ?? template,
        heading: textAt(section, "heading") ?? "",
        hidden: isAt(section, "hidden"),
        content: objectAt(section, "content") ?? {},
      },
    ];
  });
  desk.subject = [known];
  return { page: known, dirty: isAt(head, "dirty"), url: textAt(head, "url"), sections, raw: value };
}

/** The section meant, or null when none or several fit, which is then reported. */
export function resolveSection(desk: Desk, detail: PageDetail, ref: SectionRef): KnownSection | null {
  const { sections, page } = detail;
  if (ref.pronoun) {
    const focus =
      desk.section?.page === page.id
        ? desk.section.id
        : desk.memory.find((entry) => entry.type === "section" && entry.focus)?.id;
    const focused = sections.find((section) => section.id === focus);
    if (focused !== undefined) return focused;
    if (sections.length === 1) return sections[0] ?? null;
    report(desk, "asked", `Which section of "${page.name}" do you mean? ${sectionNames(sections)}`);
    return null;
  }
  let fitting =
    ref.template === null ? [...sections] : sections.filter((section) => section.template === ref.template);
  if (ref.phrase !== null) {
    const wanted = foldWords(ref.phrase).join(" ");
    const names = (section: KnownSection): string[] =>
      [section.heading, section.templateName, section.template].map((name) => foldWords(name).join(" "));
    const same = fitting.filter((section) => names(section).includes(wanted));
    fitting =
      same.length > 0
        ? same
        : fitting.filter((section) => names(section).some((name) => name.includes(wanted)));
  }
  const found =
    ref.ordinal !== null ? fitting.at(ref.ordinal > 0 ? ref.ordinal - 1 : ref.ordinal) : fitting[0];
  if (found === undefined) {
    const word = ref.template ?? ref.phrase ?? "such";
    report(desk, "failed", `I could not find a ${word} section on "${page.name}". ${sectionNames(sections)}`);
    return null;
  }
  if (fitting.length > 1 && ref.ordinal === null && ref.phrase === null) {
    report(
      desk,
      "note",
      `"${page.name}" has ${fitting.length} ${found.template} sections; I took the first.`,
    );
  }
  return found;
}

/** The sections of a page in a sentence, numbered. */
export function sectionNames(sections: readonly KnownSection[]): string {
  if (sections.length === 0) return "It has no sections.";
  return `Its sections are: ${sections.map((section, at) => `${at + 1}. ${sectionName(section)}`).join(", ")}.`;
}

/** A section in few words: template and heading. */
export function sectionName(section: KnownSection): string {
  const heading = section.heading === "" ? "" : ` "${section.heading}"`;
  return `${section.template}${heading}${section.hidden ? " (hidden)" : ""}`;
}
