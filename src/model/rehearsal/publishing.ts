import type { JsonObject } from "../../core/json.ts";
import type { Failure, Outcome } from "./conversation.ts";
import type { Course } from "./course.ts";
import { call, callTogether, write } from "./course.ts";
import type { Desk, KnownPage, Status } from "./desk.ts";
import { because, keepPage, lookAtSite, pageOfAnswer, readPage, report, reportFailure } from "./desk.ts";
import { briefFor, fieldsOf, linkFor } from "./creating.ts";
import { pickImage, readImages } from "./library.ts";
import { isAt, isObject, objectAt, objectsAt, textAt } from "./reading.ts";
import { resolvePages } from "./resolve.ts";
import type { WishOf } from "./wish.ts";
import { writeField } from "./writing.ts";

/** Publishes pages or takes them off the public site. Looks first, so that nobody is asked about what is so already. */
export function* setStatus(desk: Desk, wish: WishOf<"set_status">): Course<void> {
  const meant = wish.all ? yield* allPages(desk, wish.to) : yield* resolvePages(desk, wish.page);
  if (meant.length === 0) return;
  const pages = yield* whatChanges(desk, meant, wish.to);
  if (pages.length === 0) return;
  desk.subject = meant;
  const input: JsonObject = { targets: pages.map((page) => ({ type: "page", ref: page.id })), to: wish.to };
  const thought =
    wish.to === "published"
      ? `I will ask to publish ${names(pages)}.`
      : `I will ask to take ${names(pages)} off the public site.`;
  const again = { name: "page_get", input: { page: pages[0]?.id ?? "", detail: "outline" } };
  let outcome = yield* write(desk.tools, thought, "set_status", input, again);
  if (!outcome.ok && outcome.error.code === "publish_blocked")
    outcome = yield* repairAndPublish(desk, pages, input, outcome.error);
  if (!outcome.ok && outcome.error.code === "unknown_outcome")
    outcome = yield* seeWhetherDone(desk, pages, wish.to, outcome);
  if (outcome.ok) tellStatus(desk, pages, wish.to, outcome.value);
  else tellFailure(desk, pages, wish.to, outcome.error);
}

function names(pages: readonly KnownPage[]): string {
  return pages.map((page) => `"${page.name}"`).join(" and ");
}

/** "All drafts": every page that differs from what visitors see. */
function* allPages(desk: Desk, to: "published" | "unpublished"): Course<readonly KnownPage[]> {
  const input: JsonObject =
    to === "published" ? { dirtyOnly: true, limit: 10 } : { status: "published", limit: 10 };
  const listed = yield* call(desk.tools, "I will see which pages that concerns.", "page_list", input);
  if (!listed.ok) {
    report(desk, "failed", `I could not list the pages: ${because(listed.error)}.`);
    return [];
  }
  const pages = objectsAt(listed.value, "items").flatMap(readPage);
  for (const page of pages) desk.edited.add(page.id);
  if (pages.length === 0)
    report(
      desk,
      "told",
      to === "published"
        ? "Nothing waits to be published: every page is public as it is."
        : "No page is published.",
    );
  return pages;
}

function* whatChanges(
  desk: Desk,
  pages: readonly KnownPage[],
  to: "published" | "unpublished",
): Course<readonly KnownPage[]> {
  const unsure = pages.filter(
    (page) =>
      page.status === null ||
      (to === "published" && page.status === "published" && !desk.edited.has(page.id)),
  );
  const reads = unsure.map((page) => ({ name: "page_get", input: { page: page.id, detail: "outline" } }));
  const read =
    reads.length === 0
      ? []
      : yield* callTogether(desk.tools, `I will see how ${names(unsure)} stands.`, reads);
  const changing: KnownPage[] = [];
  for (const page of pages) {
    const outcome = read[unsure.indexOf(page)];
    const head = outcome?.ok === true ? (objectAt(outcome.value, "page") ?? outcome.value) : null;
    const known = head === null ? page : (readPage(head)[0] ?? page);
    const dirty = head === null ? true : isAt(head, "dirty");
    if (head !== null) keepPage(desk, known);
    if (to === "published" && known.status === "published" && !dirty)
      report(desk, "told", `"${known.name}" is published already, and nothing of it waits to be published.`);
    else if (to === "unpublished" && (known.status === "draft" || known.status === "unpublished"))
      report(desk, "told", `"${known.name}" is not public anyway (${known.status}).`);
    else changing.push(known);
  }
  return changing;
}

function tellStatus(desk: Desk, pages: readonly KnownPage[], to: Status, answer: JsonObject): void {
  const results = [...objectsAt(answer, "targets"), ...objectsAt(answer, "items")];
  for (const page of pages) {
    const own = results.find((one) => textAt(one, "id") === page.id || textAt(one, "ref") === page.id);
    const url = textAt(own, "url") ?? textAt(answer, "url");
    keepPage(desk, { ...page, status: to });
    desk.edited.delete(page.id);
    if (to === "published")
      report(desk, "done", `"${page.name}" is published${url === null ? "" : ` at ${url}`}.`);
    else report(desk, "done", `"${page.name}" is no longer public; its content is kept.`);
  }
}

function tellFailure(desk: Desk, pages: readonly KnownPage[], to: Status, error: Failure): void {
  if (to === "published") for (const page of pages) desk.held.add(page.id);
  const act = to === "published" ? "publish" : "unpublish";
  if (error.code === "publish_blocked") {
    const blockers = readBlockers(error).map((one) => one.message);
    report(
      desk,
      "failed",
      `I could not publish ${names(pages)}: ${[...new Set(blockers)].join("; ") || because(error)}.`,
    );
  } else reportFailure(desk, error, { act: `${act} ${names(pages)}`, thing: `${act}ing ${names(pages)}` });
}

function* seeWhetherDone(
  desk: Desk,
  pages: readonly KnownPage[],
  to: Status,
  outcome: Outcome,
): Course<Outcome> {
  const [first] = pages;
  if (first === undefined) return outcome;
  const read = yield* call(
    desk.tools,
    "It is not known whether that took effect, so I will look.",
    "page_get",
    { page: first.id, detail: "outline" },
  );
  const page = read.ok ? pageOfAnswer(read.value) : null;
  const head = read.ok ? (objectAt(read.value, "page") ?? read.value) : null;
  const isSo = page?.status === to && !(to === "published" && isAt(head ?? {}, "dirty"));
  return isSo && read.ok ? { ok: true, value: {} } : outcome;
}

interface Blocker {
  readonly code: string;
  readonly ownerType: string;
  readonly owner: string;
  readonly field: string;
  readonly message: string;
}

function readBlockers(error: Failure): Blocker[] {
  const details = error.details;
  const direct = Array.isArray(details)
    ? details.filter(isObject)
    : [
        ...objectsAt(details, "blockers"),
        ...objectsAt(details, "targets").flatMap((target) => objectsAt(target, "blockers")),
      ];
  const found =
    direct.length > 0
      ? direct
      : error.suggestions.flatMap((one) => (isObject(one) && isObject(one["value"]) ? [one["value"]] : []));
  return found.map((one) => {
    const owner = objectAt(one, "owner");
    return {
      code: textAt(one, "code") ?? "",
      ownerType: textAt(owner, "type") ?? "",
      owner: textAt(owner, "id") ?? "",
      field: textAt(one, "field") ?? "",
      message: (textAt(one, "message") ?? "").replace(/[.\s]+$/u, ""),
    };
  });
}

const REPAIRS_MAX = 5;

/** Mends what blocks publishing where that is possible without guessing what the person wants, then asks again. */
function* repairAndPublish(
  desk: Desk,
  pages: readonly KnownPage[],
  input: JsonObject,
  error: Failure,
): Course<Outcome> {
  const blocked: Outcome = { ok: false, error };
  let mended = 0;
  for (const blocker of readBlockers(error).slice(0, REPAIRS_MAX)) {
    if (yield* repair(desk, pages, blocker)) mended += 1;
  }
  if (mended === 0) return blocked;
  return yield* call(
    desk.tools,
    "I have mended what stood in the way and will ask again.",
    "set_status",
    input,
  );
}

function* repair(desk: Desk, pages: readonly KnownPage[], blocker: Blocker): Course<boolean> {
  if (blocker.ownerType !== "section" || blocker.owner === "") return false;
  const [page] = pages;
  if (page === undefined) return false;
  const read = yield* call(
    desk.tools,
    `Something blocks publishing (${blocker.message}), so I will read it.`,
    "page_get",
    { page: page.id, detail: "full" },
  );
  const section = read.ok
    ? objectsAt(read.value, "sections").find((one) => textAt(one, "id") === blocker.owner)
    : undefined;
  const field = blocker.field.replace(/^content\./u, "");
  const key = /^[\w-]+/u.exec(field)?.[0] ?? "";
  const content = objectAt(section, "content") ?? {};
  if (section === undefined || key === "") return false;
  if (blocker.code === "alt_missing") {
    const image = imageIn(content[key], Number(/\[(\d+)\]/u.exec(field)?.[1] ?? 0));
    if (image === null) return false;
    const alt = `${textAt(section, "heading") ?? page.name}: a picture for the page ${page.name}`.slice(
      0,
      125,
    );
    const done = yield* call(desk.tools, "I will add the missing alternative text.", "image_attach", {
      image,
      target: { type: "section", ref: blocker.owner },
      field,
      alt,
    });
    if (done.ok)
      report(
        desk,
        "done",
        `The image of the ${textAt(section, "template") ?? ""} section now has the alternative text "${alt}".`,
      );
    return done.ok;
  }
  if (blocker.code === "broken_image") {
    const found = yield* call(
      desk.tools,
      "The image is gone, so I will choose another one.",
      "image_search",
      { limit: 10 },
    );
    const image = found.ok ? pickImage(readImages(found.value), page.name, 0) : null;
    if (image === null) return false;
    const done = yield* call(desk.tools, `I will put "${image.name}" in its place.`, "image_attach", {
      image: image.id,
      target: { type: "section", ref: blocker.owner },
      field,
    });
    return done.ok;
  }
  const site = yield* lookAtSite(desk);
  if (blocker.code === "broken_link" && /^\w+$/u.test(field)) {
    const done = yield* call(
      desk.tools,
      "The link leads nowhere, so I will lead it to a page that is there.",
      "section_update",
      { section: blocker.owner, content: { [key]: linkFor(site) } },
    );
    return done.ok;
  }
  if (blocker.code !== "missing_required") return false;
  const fields = yield* fieldsOf(desk, textAt(section, "template") ?? "");
  const wanted = fields.find((one) => textAt(one, "key") === key);
  const value = wanted === undefined ? null : writeField(wanted, briefFor(desk, page.name, [], null));
  if (value === null) return false;
  const done = yield* call(desk.tools, `I will fill the empty field "${key}".`, "section_update", {
    section: blocker.owner,
    content: { [key]: value },
  });
  return done.ok;
}

function imageIn(value: unknown, index: number): string | null {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return imageIn(value[index], 0);
  if (typeof value !== "object" || value === null) return null;
  const image = (value as { image?: unknown }).image;
  return typeof image === "string" ? image : null;
}

/** Publishes or unpublishes a blog post, found by its title. */
export function* setEntryStatus(desk: Desk, wish: WishOf<"set_status">): Course<void> {
  const entry = yield* findEntry(
    desk,
    wish.page.phrase,
    wish.all ? null : wish.to === "published" ? "draft" : "published",
  );
  if (entry === null) return;
  const outcome = yield* write(
    desk.tools,
    `I will ask to ${wish.to === "published" ? "publish" : "unpublish"} the post "${entry.name}".`,
    "set_status",
    { targets: [{ type: "entry", ref: entry.id }], to: wish.to },
    { name: "entry_get", input: { entry: entry.id } },
  );
  if (outcome.ok)
    report(
      desk,
      "done",
      wish.to === "published"
        ? `The post "${entry.name}" is published.`
        : `The post "${entry.name}" is no longer public.`,
    );
  else
    reportFailure(desk, outcome.error, {
      act: `change the post "${entry.name}"`,
      thing: `changing the status of the post "${entry.name}"`,
    });
}

/** A post by words of its title; the only one of a status when no words are given. */
export function* findEntry(
  desk: Desk,
  phrase: string | null,
  status: string | null,
): Course<{ id: string; name: string } | null> {
  const q =
    phrase
      ?.replace(/\b(?:blog|draft|the|post|posts|article|entry|published)\b/giu, "")
      .replace(/\s+/gu, " ")
      .trim() ?? "";
  const made = desk.memory.find((entry) => entry.type === "entry" && entry.focus);
  if (q === "" && phrase === null && made !== undefined) return { id: made.id, name: made.name };
  const input: JsonObject = q === "" ? (status === null ? {} : { status }) : { q };
  const listed = yield* call(desk.tools, "I will look for the post.", "entry_list", input);
  const items = listed.ok ? objectsAt(listed.value, "items") : [];
  const [first] = items;
  const id = textAt(first, "id");
  if (items.length === 1 && id !== null) return { id, name: textAt(first, "title") ?? id };
  const titles = items.map((item) => `"${textAt(item, "title") ?? ""}"`).join(", ");
  report(
    desk,
    items.length === 0 ? "failed" : "asked",
    items.length === 0
      ? `I could not find a post${q === "" ? "" : ` for "${q}"`}.`
      : `Which post do you mean? There are ${titles}.`,
  );
  return null;
}
