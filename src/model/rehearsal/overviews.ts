import type { JsonObject } from "../../core/log/json.ts";
import type { Course } from "./course.ts";
import type { Desk } from "./desk.ts";
import type { WishOf } from "./wish.ts";
import { call } from "./course.ts";
import { because, lookAtSite, report } from "./desk.ts";
import { isInNavigation, navigationText } from "./navigating.ts";
import { isObject, listAt, numberAt, objectAt, objectsAt, textAt } from "./reading.ts";
import { resolvePage } from "./resolve.ts";
import { lines, plural } from "./telling.ts";
import { searchText } from "./tokens.ts";

export function* tellNavigation(desk: Desk, wish: WishOf<"ask_navigation">): Course<void> {
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

export function* tellImages(desk: Desk, wish: WishOf<"ask_images">): Course<void> {
  const input: JsonObject = {
    ...(wish.query === null ? {} : { query: searchText(wish.query) }),
    ...(wish.only === "unused" ? { unused: true } : {}),
    ...(wish.only === "missing_alt" ? { missingAlt: true } : {}),
  };
  let found = yield* call(desk.tools, "I will look into the image library.", "image_search", input);
  const singular = wish.query?.endsWith("s") === true ? wish.query.slice(0, -1) : null;
  if (found.ok && singular !== null && objectsAt(found.value, "items").length === 0) {
    found = yield* call(desk.tools, `I will try "${singular}".`, "image_search", {
      query: searchText(singular),
    });
  }
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

export function* tellSite(desk: Desk): Course<void> {
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

export function* tellEntries(desk: Desk, wish: WishOf<"ask_entries">): Course<void> {
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

export function* tellTemplates(desk: Desk): Course<void> {
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
