import type { EntityRef } from "../../../cairn/core/log/tool.ts";

/** A section as working memory takes it: named by its template and its heading, under its page. */
export function sectionEntity(
  op: EntityRef["op"],
  { id, template, heading }: { readonly id: string; readonly template: string; readonly heading: string },
  page: string,
): EntityRef {
  const name = heading === "" ? template : `${template} “${heading}”`;
  return { op, type: "section", id, name, parent: { type: "page", id: page } };
}
