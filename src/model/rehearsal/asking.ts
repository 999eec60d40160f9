import type { JsonObject } from "../../core/log/json.ts";
import type { Course } from "./course.ts";
import type { Desk } from "./desk.ts";
import type { PageDetail } from "./sections.ts";
import type { Question, WishOf } from "./wish.ts";
import { call } from "./course.ts";
import { because, lookAtSite, report } from "./desk.ts";
import { tellEntries, tellImages, tellNavigation, tellSite, tellTemplates } from "./overviews.ts";
import { isAt, numberAt, objectAt, objectsAt, textAt } from "./reading.ts";
import { resolvePage } from "./resolve.ts";
import { readDetail, sectionName } from "./sections.ts";
import { lines, plural } from "./telling.ts";
import { firstOf, searchText } from "./tokens.ts";

const TEXT_CHARS_MAX = 400;

/** Answers a question from what the tools say. */
export function* answerQuestion(desk: Desk, wish: Question): Course<void> {
  switch (wish.kind) {
    case "ask_pages":
      return yield* tellPages(desk, wish);
    case "ask_page":
      return yield* tellPage(desk, wish);
    case "ask_status":
      return yield* tellStatus(desk, wish);
    case "ask_navigation":
      return yield* tellNavigation(desk, wish);
    case "ask_images":
      return yield* tellImages(desk, wish);
    case "ask_find":
      return yield* tellFound(desk, wish);
    case "ask_site":
      return yield* tellSite(desk);
    case "ask_entries":
      return yield* tellEntries(desk, wish);
    case "ask_templates":
      return yield* tellTemplates(desk);
  }
}

function* tellPages(desk: Desk, wish: WishOf<"ask_pages">): Course<void> {
  const input: JsonObject =
    wish.filter === "draft" || wish.filter === "published"
      ? { status: wish.filter }
      : wish.filter === "waiting"
        ? { dirtyOnly: true }
        : {};
  const listed = yield* call(desk.tools, "I will list the pages.", "page_list", input);
  if (!listed.ok) {
    const site = yield* lookAtSite(desk, "The list did not come, so I will look at the overview.");
    if (site === null) report(desk, "failed", `I could not list the pages: ${because(listed.error)}.`);
    else
      report(
        desk,
        "told",
        `The site has ${plural(site.pageCount, "page")}:\n${lines(
          site.pages.map(
            (page) => `"${page.name}" (${page.slug ?? page.id}), ${page.status ?? "status unknown"}`,
          ),
          site.pageCount,
        )}`,
      );
    return;
  }
  const items = objectsAt(listed.value, "items").filter(
    (item) => wish.filter !== "unpublished" || textAt(item, "status") === "unpublished",
  );
  const total =
    wish.filter === "unpublished" ? items.length : (numberAt(listed.value, "total") ?? items.length);
  const before = wish.filter === "published" || wish.filter === "unpublished" ? `${wish.filter} ` : "";
  const kind =
    wish.filter === "draft"
      ? " in draft"
      : wish.filter === "waiting"
        ? " with something not yet published"
        : "";
  const described = items.map(describePage);
  const counts = wish.filter === "all" ? statusCounts(items, total) : "";
  if (total === 0)
    report(
      desk,
      "told",
      wish.filter === "waiting" ? "Nothing waits to be published." : `There is no ${before}page${kind}.`,
    );
  else
    report(
      desk,
      "told",
      `${total === 1 ? "There is" : "There are"} ${plural(total, `${before}page`)}${kind}${counts}:\n${lines(described, total)}`,
    );
}

function statusCounts(items: readonly JsonObject[], total: number): string {
  if (items.length < total) return "";
  const count = (status: string): number => items.filter((item) => textAt(item, "status") === status).length;
  const parts = ["published", "draft", "unpublished"].flatMap((status) =>
    count(status) > 0 ? [`${count(status)} ${status}`] : [],
  );
  return parts.length > 0 ? ` (${parts.join(", ")})` : "";
}

function describePage(item: JsonObject): string {
  const status = textAt(item, "status") ?? "status unknown";
  const dirty = isAt(item, "dirty") && status === "published" ? " with unpublished edits" : "";
  const sections = numberAt(item, "sectionCount");
  const nav =
    item["inNav"] === undefined
      ? ""
      : isAt(item, "inNav")
        ? ", in the navigation"
        : ", not in the navigation";
  return `"${textAt(item, "name") ?? ""}" (${textAt(item, "slug") ?? ""}), ${status}${dirty}${sections === null ? "" : `, ${plural(sections, "section")}`}${nav}`;
}

function* tellPage(desk: Desk, wish: WishOf<"ask_page">): Course<void> {
  const page = yield* resolvePage(desk, wish.page);
  if (page === null) return;
  const detail = yield* readDetail(desk, page, wish.full);
  if (detail === null) return;
  if (wish.template !== null && !wish.full) {
    const own = detail.sections.filter((section) => section.template === wish.template);
    report(
      desk,
      "told",
      own.length === 0
        ? `"${detail.page.name}" has no ${wish.template} section.`
        : `"${detail.page.name}" has ${plural(own.length, `${wish.template} section`)}: ${own.map(sectionName).join(", ")}.`,
    );
    return;
  }
  const sections =
    wish.template === null
      ? detail.sections
      : detail.sections.filter((section) => section.template === wish.template);
  const described = sections.map(
    (section) => `${sectionName(section)}${wish.full ? textOf(section.content) : ""}`,
  );
  report(
    desk,
    "told",
    `${headOf(detail)}${described.length === 0 ? " It has no sections." : ` It has ${plural(described.length, wish.template === null ? "section" : `${wish.template} section`)}:\n${lines(described, described.length)}`}`,
  );
}

function headOf(detail: PageDetail): string {
  const { page, dirty, url } = detail;
  return `"${page.name}" (${page.slug ?? page.id}) is ${page.status === "draft" ? "a draft" : (page.status ?? "a page")}${dirty && page.status === "published" ? ", with edits that are not published yet" : ""}${url === null ? "" : `; its address is ${url}`}.`;
}

function textOf(content: JsonObject): string {
  const texts: string[] = [];
  const walk = (value: unknown, key: string): void => {
    if (typeof value === "string") {
      if (!/link|image|layout|background|icon/iu.test(key)) texts.push(value);
    } else if (Array.isArray(value)) for (const item of value) walk(item, key);
    else if (typeof value === "object" && value !== null)
      for (const [name, item] of Object.entries(value)) walk(item, name === "image" ? "image" : name);
  };
  for (const [key, value] of Object.entries(content)) walk(value, key);
  const text = texts.join(" · ").replace(/\s+/gu, " ");
  return text === ""
    ? ""
    : `: ${text.length > TEXT_CHARS_MAX ? `${firstOf(text, TEXT_CHARS_MAX - 1)}…` : text}`;
}

function* tellStatus(desk: Desk, wish: WishOf<"ask_status">): Course<void> {
  const page = yield* resolvePage(desk, wish.page);
  if (page === null) return;
  const detail = yield* readDetail(desk, page, false);
  if (detail !== null) report(desk, "told", headOf(detail));
}

function* tellFound(desk: Desk, wish: WishOf<"ask_find">): Course<void> {
  const found = yield* call(desk.tools, `I will search the site for "${wish.query}".`, "find", {
    query: searchText(wish.query),
    types: ["page", "section", "entry"],
  });
  if (!found.ok) {
    report(desk, "failed", `I could not search the site: ${because(found.error)}.`);
    return;
  }
  const items = objectsAt(found.value, "items");
  const described = items.map((item) => {
    const parent = objectAt(item, "parent");
    const snippet = textAt(item, "snippet")?.replace(/\s+/gu, " ") ?? null;
    return `${textAt(item, "type") ?? ""} "${textAt(item, "name") ?? ""}"${textAt(item, "slug") === null ? "" : ` (${textAt(item, "slug") ?? ""})`}${parent === null ? "" : ` of ${textAt(parent, "name") ?? textAt(parent, "type") ?? ""}`}${snippet === null ? "" : `: ${snippet}`}`;
  });
  report(
    desk,
    "told",
    items.length === 0
      ? `I did not find "${wish.query}" on the site.`
      : `"${wish.query}" is found in ${plural(items.length, "place")}:\n${lines(described, items.length)}`,
  );
}
