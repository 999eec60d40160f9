import type { JsonObject } from "../../core/log/json.ts";
import type { Course } from "./course.ts";
import { call, write } from "./course.ts";
import type { Desk } from "./desk.ts";
import { lookAtSite, report, reportFailure } from "./desk.ts";
import { objectAt, textAt } from "./reading.ts";
import type { KnownSection, PageDetail } from "./sections.ts";
import { readDetail, resolveSection } from "./sections.ts";
import { resolvePage } from "./resolve.ts";
import { foldWords, searchText } from "./tokens.ts";
import type { WishOf } from "./wish.ts";
import type { LibraryImage } from "./library.ts";
import { pickImage, readImages } from "./library.ts";
import { writeSection } from "./writing.ts";
import { briefFor } from "./briefing.ts";

/** The slot for the one image of a section, by template; null where there is none. */
const SLOT: Readonly<Record<string, string>> = {
  hero: "image",
  "image-text": "image",
  cta: "backgroundImage",
  header: "logo",
  gallery: "images[0]",
};

/** Puts another image into a section of a page, or takes it out. */
export function* changeImage(desk: Desk, wish: WishOf<"page_image">): Course<void> {
  const page = yield* resolvePage(desk, wish.page);
  if (page === null) return;
  const detail = yield* readDetail(desk, page, true);
  if (detail === null) return;
  const section = sectionForImage(desk, detail, wish);
  if (wish.remove) {
    if (section !== null) yield* takeOut(desk, detail, section);
    return;
  }
  const image = yield* chooseImage(desk, detail, section, wish.query);
  if (image === null) return;
  if (section === null) {
    yield* addHero(desk, detail, image);
    return;
  }
  const field = SLOT[section.template] ?? "image";
  const input: JsonObject = { image: image.id, target: { type: "section", ref: section.id }, field };
  const attached = yield* write(
    desk.tools,
    `I will put "${image.name}" into the ${section.template} section.`,
    "image_attach",
    input,
    lookAgain(detail),
  );
  const done = attached.ok
    ? attached
    : yield* otherSlot(desk, input, attached.error.code, attached.error.suggestions);
  if (done !== null && done.ok) {
    desk.edited.add(page.id);
    report(
      desk,
      "done",
      `The ${section.template} section of "${detail.page.name}" now shows "${image.name}"${draftNote(detail)}.`,
    );
  } else if (!attached.ok)
    reportFailure(desk, attached.error, {
      act: `change the image of "${detail.page.name}"`,
      thing: `changing the image of "${detail.page.name}"`,
    });
}

function lookAgain(detail: PageDetail): { name: string; input: JsonObject } {
  return { name: "page_get", input: { page: detail.page.id, detail: "full" } };
}

/** What a visitor still sees of a page that was edited. */
export function draftNote(detail: Pick<PageDetail, "page">): string {
  return detail.page.status === "published" ? "; visitors see it once the page is published again" : "";
}

function sectionForImage(desk: Desk, detail: PageDetail, wish: WishOf<"page_image">): KnownSection | null {
  if (!wish.section.pronoun) {
    const wanted = wish.section.template;
    if (wanted === "hero" && !wish.remove && !detail.sections.some((section) => section.template === "hero"))
      return null;
    return resolveSection(desk, detail, wish.section);
  }
  return detail.sections.find((section) => SLOT[section.template] === "image") ?? null;
}

function* chooseImage(
  desk: Desk,
  detail: PageDetail,
  section: KnownSection | null,
  query: string | null,
): Course<LibraryImage | null> {
  const fresh = desk.memory.find((entry) => entry.type === "image" && entry.focus);
  const sent = query !== null && /\b(?:sent|uploaded|attached|upload)\b/iu.test(query);
  if (sent && fresh !== undefined)
    return { id: fresh.id, name: fresh.name, words: [], width: 0, height: 0, isDrawing: false, hasAlt: true };
  const input: JsonObject = sent
    ? { origin: "chat", session: "current", limit: 10 }
    : query === null
      ? { limit: 10 }
      : { query: searchText(query), limit: 10 };
  const found = yield* call(
    desk.tools,
    query === null ? "I will look at the images of the library." : `I will look for an image of "${query}".`,
    "image_search",
    input,
  );
  let images = found.ok ? readImages(found.value) : [];
  if (images.length === 0 && query !== null) {
    const all = yield* call(desk.tools, "None fits, so I will look at all images.", "image_search", {
      limit: 10,
    });
    const library = all.ok ? readImages(all.value) : [];
    const words = foldWords(query);
    images = library.filter((image) => words.some((word) => image.words.includes(word)));
    if (images.length === 0) {
      report(
        desk,
        "asked",
        `I could not find an image for "${query}". The library has: ${library.map((image) => `"${image.name}"`).join(", ")}. Which one shall I take?`,
      );
      return null;
    }
  }
  const present = JSON.stringify(section?.content ?? {});
  const others = images.filter((image) => !present.includes(`"${image.id}"`));
  const picked = pickImage(query === null ? others : images, query ?? detail.page.name, 0);
  if (picked === null) report(desk, "failed", "I could not find another image in the library.");
  return picked;
}

function* otherSlot(
  desk: Desk,
  input: JsonObject,
  code: string,
  suggestions: readonly unknown[],
): Course<{ ok: boolean } | null> {
  if (code !== "unknown_field") return null;
  const slot = suggestions
    .map((one) =>
      typeof one === "string"
        ? one
        : typeof one === "object" && one !== null
          ? ((one as { value?: unknown; label?: unknown }).value ?? (one as { label?: unknown }).label)
          : null,
    )
    .find((one): one is string => typeof one === "string" && one !== input["field"]);
  if (slot === undefined) return null;
  return yield* call(desk.tools, `The slot is called "${slot}", so I will use that.`, "image_attach", {
    ...input,
    field: slot,
  });
}

function* addHero(desk: Desk, detail: PageDetail, image: LibraryImage): Course<void> {
  yield* lookAtSite(desk);
  const content = writeSection("hero", briefFor(desk, detail.page.name, [image], null)) ?? {};
  const first = detail.sections[0];
  const input: JsonObject = {
    page: detail.page.id,
    template: "hero",
    content,
    ...(first === undefined ? {} : { position: { before: first.id } }),
  };
  const added = yield* write(
    desk.tools,
    `"${detail.page.name}" has no section for an image, so I will add a hero.`,
    "section_add",
    input,
    lookAgain(detail),
  );
  if (!added.ok) {
    reportFailure(desk, added.error, {
      act: `add a hero image to "${detail.page.name}"`,
      thing: `adding a hero image to "${detail.page.name}"`,
    });
    return;
  }
  desk.edited.add(detail.page.id);
  const id = textAt(objectAt(added.value, "section"), "id");
  if (id !== null) desk.section = { id, name: "hero", page: detail.page.id };
  report(
    desk,
    "done",
    `"${detail.page.name}" now has a hero section with "${image.name}"${draftNote(detail)}.`,
  );
}

function* takeOut(desk: Desk, detail: PageDetail, section: KnownSection): Course<void> {
  const field = SLOT[section.template];
  if (field === undefined || field.includes("[") || section.template === "image-text") {
    report(
      desk,
      "failed",
      `I could not take the image out of the ${section.template} section, because it needs one. Say "Delete the ${section.template} from the page ${detail.page.name}" to delete the section.`,
    );
    return;
  }
  const done = yield* write(
    desk.tools,
    `I will take the image out of the ${section.template} section.`,
    "section_update",
    { section: section.id, unset: [field] },
    lookAgain(detail),
  );
  if (done.ok) {
    desk.edited.add(detail.page.id);
    report(
      desk,
      "done",
      `The ${section.template} section of "${detail.page.name}" is without an image now${draftNote(detail)}.`,
    );
  } else
    reportFailure(desk, done.error, {
      act: "take the image out",
      thing: `taking the image out of "${detail.page.name}"`,
    });
}
