import { startOf } from "../../../cairn/core/text/cut.ts";
import type { JsonObject } from "../../../cairn/core/log/json.ts";
import type { Course } from "../course.ts";
import { isAt, numberAt, objectsAt, textAt } from "../../../cairn/models/script/fields.ts";
import type { Desk, Does } from "../site.ts";
import { look, lookAtSite, readDetail, resolvePage, sectionName } from "../site.ts";
import type { Slots } from "../slots.ts";

/** What is told of the site. Each reads and says what it read; none changes anything. */

const LINES_MAX = 25;
const SEARCH_CHARS_MAX = 200;

/** Things with their number, one a line; cut, with a word of how many more there are. */
function listed(noun: string, all: readonly string[], total = all.length): string {
  const rest = total - Math.min(all.length, LINES_MAX);
  const more = rest > 0 ? [`and ${rest} more`] : [];
  const told = [...all.slice(0, LINES_MAX), ...more].map((line) => `\n- ${line}`);
  return `${total} ${noun}${total === 1 ? "" : "s"}${total === 0 ? "" : ":"}${told.join("")}`;
}

type Line = (item: JsonObject) => string;

/** Reads a list and says it, a line for each item. `input` is made of what is searched for. */
function tellList(tool: string, noun: string, line: Line, input: (query: string) => JsonObject): Does {
  return function* (desk, { value = "" }) {
    const query = startOf(value, SEARCH_CHARS_MAX).trim();
    const found = yield* look(desk, `list the ${noun}s`, tool, input(query));
    if (found === null) return;
    const items = objectsAt(found, "items").map(line);
    desk.say("told", `I found ${listed(noun, items, numberAt(found, "total") ?? items.length)}`);
  };
}

/** The list is read again by `listedPages` (conversation.ts), for "the first one". */
const pageLine: Line = (item) => {
  const status = textAt(item, "status") ?? "status unknown";
  const dirty = isAt(item, "dirty") && status === "published" ? " with unpublished edits" : "";
  const nav = item["inNav"] === undefined ? "" : `, ${isAt(item, "inNav") ? "" : "not "}in the navigation`;
  return `"${textAt(item, "name") ?? ""}" (${textAt(item, "slug") ?? ""}), ${status}${dirty}${nav}`;
};

const postLine: Line = (item) => `"${textAt(item, "title") ?? ""}", ${textAt(item, "status") ?? ""}`;

const foundLine: Line = (item) => {
  const snippet = (textAt(item, "snippet") ?? "").replace(/\s+/gu, " ");
  return `${textAt(item, "type") ?? ""} "${textAt(item, "name") ?? ""}": ${snippet}`;
};

export const tellPages = (noun: string, input: JsonObject): Does =>
  tellList("page_list", noun, pageLine, () => input);
export const tellPosts = tellList("entry_list", "post", postLine, () => ({}));
const FINDABLE = ["page", "section", "entry"];
export const tellFound = tellList("find", "place", foundLine, (query) => ({ query, types: FINDABLE }));

/** How a page stands, and its sections; with a section in the wish, those of its kind. */
export function* tellPage(desk: Desk, slots: Slots): Course<void> {
  const page = yield* resolvePage(desk, slots.page);
  const detail = page === null ? null : yield* readDetail(desk, page);
  if (detail === null) return;
  const { name, slug, id, status, dirty } = detail.page;
  const template = slots.section?.template ?? "";
  const shown = detail.sections.filter((section) => template === "" || section.template === template);
  const edits = dirty === true && status === "published" ? ", with edits that are not published yet" : "";
  const address = detail.url === null ? "" : `; its address is ${detail.url}`;
  const state = `"${name}" (${slug ?? id}) is ${status === "draft" ? "a draft" : (status ?? "a page")}`;
  const has = listed(`${template} section`.trim(), shown.map(sectionName));
  desk.say("told", `${state}${edits}${address}. It has ${has}`);
}

/** What a menu holds; of a page, whether it is there. */
export function* tellNavigation(desk: Desk, { page: ref, place = "any" }: Slots): Course<void> {
  const site = yield* lookAtSite(desk);
  const page = site === null || ref === undefined ? null : yield* resolvePage(desk, ref);
  if (site === null || (ref !== undefined && page === null)) return;
  for (const location of place === "header" || place === "footer" ? [place] : ["header", "footer"]) {
    const items = site.nav.filter((item) => item.location === location);
    const isThere = items.some((item) => item.target === `page:${page?.id ?? ""}`);
    const holds = items.map((item) => `"${item.label}"`).join(", ") || "nothing";
    const told = `"${page?.name ?? ""}" is ${isThere ? "" : "not "}in the ${location} navigation.`;
    desk.say("told", page === null ? `The ${location} navigation holds ${holds}.` : told);
  }
}
