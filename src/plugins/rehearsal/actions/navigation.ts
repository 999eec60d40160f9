import type { JsonObject } from "../../../cairn/core/log/json.ts";
import { startOf } from "../../../cairn/core/text/cut.ts";
import { change, type Action } from "../context.ts";
import { loadSite, resolvePages } from "../references.ts";
import type { KnownPage, NavItem } from "../site.ts";
import { quoteNames } from "./pages.ts";

/** The CMS accepts no longer label. */
const LABEL_CHARS_MAX = 80;

const leadsTo = (item: NavItem, page: KnownPage): boolean =>
  item.target === `page:${page.id}` || (page.slug !== null && item.target === `page:${page.slug}`);

/** Adds pages to the navigation. A page whose publishing failed is left out. */
export const addToNavigation: Action = function* (context, slots) {
  const pages = yield* resolvePages(context, slots.page);
  const site = pages.length === 0 ? null : yield* loadSite(context);
  if (site === null) return;
  const location = slots.location === "footer" ? "footer" : "header";
  const ops: JsonObject[] = [];
  const added: string[] = [];
  for (const page of pages) {
    if (context.unpublished.has(page.id)) {
      context.report("note", `"${page.name}" is not in the navigation either, because it is not published.`);
      continue;
    }
    if (site.nav.some((item) => item.location === location && leadsTo(item, page))) {
      context.report("info", `"${page.name}" is in the ${location} navigation already.`);
      continue;
    }
    const { status } = site.pages.find(({ id }) => id === page.id) ?? page;
    const note = status === "published" ? "" : "; visitors see it there once the page is published";
    ops.push({ op: "add", location, label: startOf(page.name, LABEL_CHARS_MAX), target: `page:${page.id}` });
    added.push(`"${page.name}" is in the ${location} navigation${note}.`);
  }
  const act = `add ${quoteNames(pages)} to the ${location} navigation`;
  if (ops.length === 0 || (yield* change(context, act, "nav_edit", { ops })) === null) return;
  for (const text of added) context.report("done", text);
};

/** Removes the entries of pages from the navigation; the pages stay. */
export const removeFromNavigation: Action = function* (context, { page: ref, location = "any" }) {
  const pages = yield* resolvePages(context, ref);
  const site = pages.length === 0 ? null : yield* loadSite(context);
  if (site === null) return;
  const items = site.nav.filter(
    (item) => (location === "any" || item.location === location) && pages.some((page) => leadsTo(item, page)),
  );
  if (items.length === 0) return context.report("info", "That is not in the navigation anyway.");
  const names = items.map((item) => `"${item.label}" (${item.location})`).join(" and ");
  const ops = items.map(({ id }) => ({ op: "remove", item: id }));
  if ((yield* change(context, `take ${names} out of the navigation`, "nav_edit", { ops })) === null) return;
  const verb = items.length === 1 ? "is" : "are";
  context.report("done", `${names} ${verb} no longer in the navigation; the page itself stays.`);
};
