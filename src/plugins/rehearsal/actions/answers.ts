import type { JsonObject } from "../../../cairn/core/log/json.ts";
import { isAt, numberAt, objectsAt, textAt } from "../../../cairn/models/script/fields.ts";
import { look, type Action } from "../context.ts";
import { loadPage, resolvePage } from "../references.ts";
import { sectionName } from "../site.ts";

/** Answers to questions about the site. They change nothing. */

const LINES_MAX = 25;

/** A count, and the things one per line, cut after `LINES_MAX`. */
function listInWords(noun: string, all: readonly string[], total = all.length): string {
  const shown = all.slice(0, LINES_MAX);
  const more = total > shown.length ? [`and ${total - shown.length} more`] : [];
  const lines = [...shown, ...more].map((line) => `\n- ${line}`);
  return `${total} ${noun}${total === 1 ? "" : "s"}${total === 0 ? "" : ":"}${lines.join("")}`;
}

/** context.ts recognizes these lines in an earlier answer. */
function pageLine(item: JsonObject): string {
  const status = textAt(item, "status") ?? "unpublished";
  const dirty = isAt(item, "dirty") && status === "published" ? " with unpublished edits" : "";
  const nav = item["inNav"] === undefined ? "" : `, ${isAt(item, "inNav") ? "" : "not "}in the navigation`;
  return `"${textAt(item, "name") ?? ""}" (${textAt(item, "slug") ?? ""}), ${status}${dirty}${nav}`;
}

export const listPages = (noun: string, input: JsonObject): Action =>
  function* (context) {
    const found = yield* look(context, `list the ${noun}s`, "page_list", input);
    if (found === null) return;
    const lines = objectsAt(found, "items").map(pageLine);
    context.report("info", `I found ${listInWords(noun, lines, numberAt(found, "total") ?? lines.length)}`);
  };

/** Status, address and sections of a page. */
export const describePage: Action = function* (context, slots) {
  const page = yield* resolvePage(context, slots.page);
  const detail = page === null ? null : yield* loadPage(context, page);
  if (detail === null) return;
  const { name, slug, id, status, dirty } = detail.page;
  const edits = dirty === true && status === "published" ? ", with edits that are not published yet" : "";
  const address = detail.url === null ? "" : `; its address is ${detail.url}`;
  const state = `"${name}" (${slug ?? id}) is ${status === "draft" ? "a draft" : (status ?? "a page")}`;
  const sections = listInWords("section", detail.sections.map(sectionName));
  context.report("info", `${state}${edits}${address}. It has ${sections}`);
};
