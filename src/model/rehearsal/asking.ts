import type { JsonObject } from "../../core/json.ts";
import type { Course } from "./course.ts";
import { call } from "./course.ts";
import type { Desk } from "./desk.ts";
import { because, lookAtSite, report } from "./desk.ts";
import { isInNavigation, navigationText } from "./navigating.ts";
import { isAt, isObject, listAt, numberAt, objectAt, objectsAt, textAt } from "./reading.ts";
import type { PageDetail } from "./resolve.ts";
import { readDetail, resolvePage, sectionName } from "./resolve.ts";
import type { Question, WishOf } from "./wish.ts";

const LINES_MAX = 25;
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

function lines(all: readonly string[], total: number): string {
  const shown = all.slice(0, LINES_MAX);
  const rest = total - shown.length;
  return [...shown.map((line) => `- ${line}`), ...(rest > 0 ? [`- and ${rest} more`] : [])].join("\n");
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
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
    : `: ${text.length > TEXT_CHARS_MAX ? `${text.slice(0, TEXT_CHARS_MAX - 1)}…` : text}`;
}

function* tellStatus(desk: Desk, wish: WishOf<"ask_status">): Course<void> {
  const page = yield* resolvePage(desk, wish.page);
  if (page === null) return;
  const detail = yield* readDetail(desk, page, false);
  if (detail !== null) report(desk, "told", headOf(detail));
}

function* tellNavigation(desk: Desk, wish: WishOf<"ask_navigation">): Course<void> {
  const site = yield* lookAtSite(desk, "I will look at the navigation.");
  if (site === null) {
    report(desk, "failed", "I could not read the navigation.");
    return;
  }
  if (wish.page !== null) {
    const page = yield* resolvePage(desk, wish.page);
    if (page === null) return;
    const items = yield* isInNavigation(desk, page);
    report(
      desk,
      "told",
      items.length === 0
        ? `No, "${page.name}" is not in the navigation.`
        : `Yes, "${page.name}" is in the navigation: ${items.map((item) => `"${item.label}" in the ${item.location}`).join(", ")}.`,
    );
    return;
  }
  const shown = site.nav.filter(
    (item) => wish.location === null || wish.location === "both" || item.location === wish.location,
  );
  report(
    desk,
    "told",
    wish.location === "header" || wish.location === "footer"
      ? `The ${wish.location} navigation holds ${shown.map((item) => `"${item.label}"`).join(", ") || "nothing"}.`
      : navigationText(site.nav),
  );
}

function* tellImages(desk: Desk, wish: WishOf<"ask_images">): Course<void> {
  const input: JsonObject = {
    ...(wish.query === null ? {} : { query: wish.query }),
    ...(wish.only === "unused" ? { unused: true } : {}),
    ...(wish.only === "missing_alt" ? { missingAlt: true } : {}),
  };
  const found = yield* call(desk.tools, "I will look into the image library.", "image_search", input);
  if (!found.ok) {
    report(desk, "failed", `I could not search the images: ${because(found.error)}.`);
    return;
  }
  const items = objectsAt(found.value, "items");
  const total = numberAt(found.value, "total") ?? items.length;
  const kind =
    wish.only === "unused"
      ? " that are not used anywhere"
      : wish.only === "missing_alt"
        ? " without alternative text"
        : wish.query === null
          ? ""
          : ` for "${wish.query}"`;
  const described = items.map((item) => {
    const size =
      numberAt(item, "width") === null ? "" : `, ${numberAt(item, "width")}×${numberAt(item, "height")}`;
    const used = numberAt(item, "usageCount");
    return `${textAt(item, "filename") ?? textAt(item, "id") ?? ""}${size}: ${textAt(item, "alt") ?? "no alternative text"}${used === null ? "" : ` (${used === 0 ? "not used" : used === 1 ? "used once" : `used ${used} times`})`}`;
  });
  report(
    desk,
    "told",
    total === 0
      ? `There are no images${kind}.`
      : `There ${total === 1 ? "is" : "are"} ${plural(total, "image")}${kind}:\n${lines(described, total)}`,
  );
}

function* tellFound(desk: Desk, wish: WishOf<"ask_find">): Course<void> {
  const found = yield* call(desk.tools, `I will search the site for "${wish.query}".`, "find", {
    query: wish.query,
    types: ["page", "section", "entry"],
  });
  if (!found.ok) {
    report(desk, "failed", `I could not search the site: ${because(found.error)}.`);
    return;
  }
  const items = objectsAt(found.value, "items");
  const described = items.map((item) => {
    const parent = objectAt(item, "parent");
    const snippet = textAt(item, "snippet");
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

function* tellSite(desk: Desk): Course<void> {
  const site = yield* lookAtSite(desk);
  if (site === null) {
    report(desk, "failed", "I could not read the site.");
    return;
  }
  const count = (status: string): number =>
    numberAt(objectAt(objectAt(site.raw, "pages"), status), "total") ??
    site.pages.filter((page) => page.status === status).length;
  const locales = objectsAt(site.raw, "locales")
    .filter((one) => one["active"] !== false)
    .map((one) => textAt(one, "name") ?? textAt(one, "code") ?? "");
  const collections = objectsAt(site.raw, "collections").map(
    (one) => textAt(one, "name") ?? textAt(one, "slug") ?? "",
  );
  const parts = [
    `The site is called "${site.name}"${site.tagline === null ? "" : ` (${site.tagline.replace(/[.\s]+$/u, "")})`}.`,
    `It has ${plural(site.pageCount, "page")}: ${count("published")} published, ${count("draft")} in draft, ${count("unpublished")} unpublished.`,
    ...(locales.length > 0 ? [`Languages: ${locales.join(", ")}.`] : []),
    ...(collections.length > 0 ? [`Collections: ${collections.join(", ")}.`] : []),
    navigationText(site.nav),
  ];
  report(desk, "told", parts.join(" "));
}

function* tellEntries(desk: Desk, wish: WishOf<"ask_entries">): Course<void> {
  const listed = yield* call(
    desk.tools,
    "I will list the posts.",
    "entry_list",
    wish.status === "all" ? {} : { status: wish.status },
  );
  if (!listed.ok) {
    report(desk, "failed", `I could not list the posts: ${because(listed.error)}.`);
    return;
  }
  const items = objectsAt(listed.value, "items");
  const total = numberAt(listed.value, "total") ?? items.length;
  const kind = wish.status === "all" ? "" : ` (${wish.status})`;
  const described = items.map(
    (item) =>
      `"${textAt(item, "title") ?? ""}" (${textAt(item, "slug") ?? ""}), ${textAt(item, "status") ?? ""}`,
  );
  report(
    desk,
    "told",
    total === 0
      ? `There are no posts${kind}.`
      : `There ${total === 1 ? "is" : "are"} ${plural(total, "post")}${kind}:\n${lines(described, total)}`,
  );
}

function* tellTemplates(desk: Desk): Course<void> {
  const listed = yield* call(desk.tools, "I will read the section templates.", "schema_list", {
    kind: "section",
  });
  if (!listed.ok) {
    report(desk, "failed", `I could not read the templates: ${because(listed.error)}.`);
    return;
  }
  const described = objectsAt(listed.value, "templates").map((one) => {
    const fields = listAt(one, "fields")
      .filter(isObject)
      .map((field) => textAt(field, "key") ?? "");
    return `${textAt(one, "key") ?? ""}: ${textAt(one, "description") ?? ""}${fields.length > 0 ? ` (${fields.join(", ")})` : ""}`;
  });
  report(
    desk,
    "told",
    `There are ${plural(described.length, "section template")}:\n${lines(described, described.length)}`,
  );
}

/** Runs the publish checks over a page or the whole site and tells what they found. */
export function* tellChecks(desk: Desk, wish: WishOf<"check">): Course<void> {
  const page = wish.page.phrase === null ? null : yield* resolvePage(desk, wish.page);
  if (wish.page.phrase !== null && page === null) return;
  const checked = yield* call(
    desk.tools,
    "I will run the checks.",
    "site_check",
    page === null ? { scope: "site" } : { scope: "page", ref: page.id },
  );
  if (!checked.ok) {
    report(desk, "failed", `I could not run the checks: ${because(checked.error)}.`);
    return;
  }
  const found = (key: string): string[] =>
    objectsAt(checked.value, key).map(
      (one) =>
        `${textAt(objectAt(one, "owner"), "name") ?? ""}: ${textAt(one, "message") ?? textAt(one, "code") ?? ""}`,
    );
  const [blockers, warnings] = [found("blockers"), found("warnings")];
  const what = page === null ? "The site" : `"${page.name}"`;
  if (blockers.length + warnings.length === 0) report(desk, "told", `${what} passes all checks.`);
  else
    report(
      desk,
      "told",
      `${what} has ${plural(blockers.length, "blocker")} and ${plural(warnings.length, "warning")}:\n${lines([...blockers, ...warnings], blockers.length + warnings.length)}`,
    );
}
