import type { JsonObject } from "../../core/log/json.ts";
import type { Course } from "./course.ts";
import { write } from "./course.ts";
import type { Desk, KnownPage, NavItem } from "./desk.ts";
import { because, isOrAre, lookAtSite, report, reportFailure } from "./desk.ts";
import { exact, resolvePages } from "./resolve.ts";
import { firstOf, foldWords, likeness } from "./tokens.ts";
import type { Location, WishOf } from "./wish.ts";

/** What the CMS takes as a label. */
const LABEL_CHARS_MAX = 80;
const LOOK = { name: "site_overview", input: {} };

/** Puts pages into the navigation, where they are not yet. A page whose publishing was refused is not worth an entry. */
export function* addToNavigation(desk: Desk, wish: WishOf<"nav_add">): Course<void> {
  const pages = yield* resolvePages(desk, wish.page);
  if (pages.length === 0) return;
  const held = pages.filter((page) => desk.held.has(page.id));
  for (const page of held)
    report(
      desk,
      "note",
      `"${page.name}" is not in the navigation either, because it is not published and visitors would not see it.`,
    );
  const open = pages.filter((page) => !desk.held.has(page.id));
  if (open.length === 0) return;
  yield* lookAtSite(desk);
  const places: readonly NavItem["location"][] =
    wish.location === "both" ? ["header", "footer"] : [wish.location];
  const wanted = open.flatMap((page) => places.map((location) => ({ page, location })));
  const missing = wanted.filter(({ page, location }) => {
    const there = (desk.site?.nav ?? []).find((item) => item.location === location && isTarget(item, page));
    if (there !== undefined)
      report(desk, "told", `"${page.name}" is in the ${location} navigation already, as "${there.label}".`);
    return there === undefined;
  });
  if (missing.length === 0) return;
  const ops = missing.map(({ page, location }): JsonObject => ({
    op: "add",
    location,
    label: firstOf(wish.label ?? page.name, LABEL_CHARS_MAX),
    target: `page:${page.id}`,
  }));
  const added = yield* write(
    desk.tools,
    `I will add ${open.map((page) => `"${page.name}"`).join(" and ")} to the ${inWords(wish.location)} navigation.`,
    "nav_edit",
    { ops },
    LOOK,
  );
  if (!added.ok && added.error.code === "already_exists") {
    report(desk, "told", `Nothing to add to the navigation: ${because(added.error)}.`);
    return;
  }
  if (!added.ok) {
    const thing = `adding ${open.map((page) => `"${page.name}"`).join(" and ")} to the navigation`;
    reportFailure(desk, added.error, { act: thing.replace(/^adding/u, "add"), thing });
    return;
  }
  for (const { page, location } of missing) {
    const shown = page.status === "published" ? "" : "; visitors see it there once the page is published";
    report(
      desk,
      "done",
      `"${page.name}" is in the ${location} navigation${wish.label === null ? "" : ` as "${wish.label}"`}${shown}.`,
    );
  }
}

function inWords(location: Location): string {
  return location === "both" ? "header and the footer" : location;
}

function isTarget(item: NavItem, page: KnownPage): boolean {
  return item.target === `page:${page.id}` || (page.slug !== null && item.target === `page:${page.slug}`);
}

/** The items that someone speaks of: by their label, or by the page they lead to. */
function* findItems(
  desk: Desk,
  wish: WishOf<"nav_remove" | "nav_label">,
  location: Location | null,
): Course<readonly NavItem[] | null> {
  const site = yield* lookAtSite(desk);
  if (site === null) {
    report(desk, "failed", "I could not read the navigation.");
    return null;
  }
  const places = site.nav.filter(
    (item) => location === null || location === "both" || item.location === location,
  );
  const { phrase, pronoun } = wish.page;
  if (!pronoun && phrase !== null) {
    const wanted = foldWords(phrase).join(" ");
    const labelled = places.filter((item) => foldWords(item.label).join(" ") === wanted);
    const pages = exact(site.pages, phrase);
    const leading = places.filter((item) => pages.some((page) => isTarget(item, page)));
    const found = [...new Set([...labelled, ...leading])];
    if (found.length > 0) {
      desk.subject = pages.length > 0 ? pages : desk.subject;
      return found;
    }
    const like = places.filter(
      (item) =>
        likeness(item.label, phrase) >= 0.6 ||
        foldWords(item.label).some((word) => foldWords(phrase).includes(word)),
    );
    if (like.length > 0) return like;
    const known = pages.length > 0;
    report(
      desk,
      known ? "told" : "failed",
      known
        ? `"${phrase}" is not in the ${location ?? "site"} navigation anyway.`
        : `I could not find "${phrase}" in the navigation. ${navigationText(site.nav)}`,
    );
    return null;
  }
  const pages = yield* resolvePages(desk, wish.page);
  if (pages.length === 0) return null;
  const found = places.filter((item) => pages.some((page) => isTarget(item, page)));
  if (found.length > 0) return found;
  report(
    desk,
    "told",
    `${pages.map((page) => `"${page.name}"`).join(" and ")} ${isOrAre(pages)} not in the ${location ?? "site"} navigation anyway.`,
  );
  return null;
}

/** Takes items out of the navigation; the pages stay. */
export function* removeFromNavigation(desk: Desk, wish: WishOf<"nav_remove">): Course<void> {
  const items = yield* findItems(desk, wish, wish.location);
  if (items === null) return;
  const named = items.map((item) => `"${item.label}" (${item.location})`).join(" and ");
  const removed = yield* write(
    desk.tools,
    `I will ask to take ${named} out of the navigation.`,
    "nav_edit",
    { ops: items.map((item) => ({ op: "remove", item: item.id })) },
    LOOK,
  );
  if (removed.ok)
    report(desk, "done", `${named} ${isOrAre(items)} no longer in the navigation; the page itself stays.`);
  else
    reportFailure(desk, removed.error, {
      act: `take ${named} out of the navigation`,
      thing: `taking ${named} out of the navigation`,
    });
}

/** Gives an item another label. */
export function* relabel(desk: Desk, wish: WishOf<"nav_label">): Course<void> {
  const items = yield* findItems(desk, wish, null);
  if (items === null) return;
  const ops = items.map((item) => ({
    op: "update",
    item: item.id,
    label: firstOf(wish.label, LABEL_CHARS_MAX),
  }));
  const done = yield* write(
    desk.tools,
    `I will ask to change the label to "${wish.label}".`,
    "nav_edit",
    { ops },
    LOOK,
  );
  const old = items.map((item) => `"${item.label}"`)[0] ?? "";
  if (done.ok) report(desk, "done", `${old} is called "${wish.label}" in the navigation now.`);
  else
    reportFailure(desk, done.error, { act: `change the label ${old}`, thing: `changing the label ${old}` });
}

/** The navigation in a sentence. */
export function navigationText(nav: readonly NavItem[]): string {
  const list = (location: NavItem["location"]): string =>
    nav
      .filter((item) => item.location === location)
      .map((item) => `"${item.label}"`)
      .join(", ") || "nothing";
  return `The header holds ${list("header")}; the footer holds ${list("footer")}.`;
}

/** Whether a page is in the navigation, read afresh. */
export function* isInNavigation(desk: Desk, page: KnownPage): Course<readonly NavItem[]> {
  const site = yield* lookAtSite(desk);
  return (site?.nav ?? []).filter((item) => isTarget(item, page));
}
