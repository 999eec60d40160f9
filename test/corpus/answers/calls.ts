import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { AnswerCall, ChangedThing, Thing } from "../answer-format.ts";
import { TOOLS, type ToolName } from "./tools.ts";

/** Calls as a run's log has them, with inputs and outputs of the form that the tools of the CMS have. */

export type Made = Omit<AnswerCall, "id">;
type Input = AnswerCall["input"];
type Status = "draft" | "published" | "unpublished" | "archived";

/** A page or an entry, with the status that it has before the call. */
export interface Doc {
  readonly type: "page" | "entry";
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly status: Status;
}

export function P(name: string, slug: string, status: Status = "draft"): Doc {
  return { type: "page", id: `pg_${slug.replaceAll("-", "_")}`, slug, name, status };
}

/** A blog post. */
export function E(name: string, slug: string, status: Status = "draft"): Doc {
  return { type: "entry", id: `en_${slug.replaceAll("-", "_")}`, slug, name, status };
}

export interface Part {
  readonly id: string;
  readonly template: string;
  readonly heading: string;
}

export function S(id: string, template: string, heading: string): Part {
  return { id: `sc_${id}`, template, heading };
}

const thingOf = ({ type, id, name }: Thing): Thing => ({ type, id, name });
const url = ({ type, slug }: Doc): string => (type === "page" ? `/site/${slug}` : `/site/blog/${slug}`);
const refOf = (doc: Doc): string => (doc.type === "page" ? doc.slug : `blog/${doc.slug}`);

function pageBrief(page: Doc, dirty = true): Input {
  const { id, slug, name, status } = page;
  return { id, slug, name, status, version: 3, dirty, url: url(page) };
}

function partBrief({ id, template, heading }: Part, position: number): Input {
  return { id, template, variant: "default", position, hidden: false, heading, version: 2 };
}

function partThing(part: Part): Thing {
  const name = part.heading === "" ? part.template : `${part.template} “${part.heading}”`;
  return { type: "section", id: part.id, name };
}

function make(
  tool: ToolName,
  input: Input,
  output: Json,
  about: readonly Thing[],
  changed: readonly ChangedThing[] = [],
): Made {
  const { title, effect, verbs } = TOOLS[tool];
  return {
    tool,
    title,
    effect,
    verbs: [...verbs],
    input,
    status: "ok",
    reusedFrom: null,
    proposed: null,
    observation: JSON.stringify(output),
    about: about.map(thingOf),
    changed: [...changed],
  };
}

const written = (publicNow: boolean): Input => ({ ok: true, op: "s_4c1d/r1s2c0", publicNow });

// Reads.

export function listPages(...pages: Doc[]): Made {
  const items = pages.map((page) => ({
    ...pageBrief(page, page.status === "draft"),
    sectionCount: 4,
    inNav: page.status === "published",
    updatedAt: "2026-11-20T09:14:00.000Z",
  }));
  return make("page_list", {}, { items, total: items.length }, pages);
}

export function listEntries(...entries: Doc[]): Made {
  const items = entries.map(({ id, slug, name, status }) => ({
    id,
    slug,
    title: name,
    status,
    dirty: status === "draft",
    category: null,
    tags: [],
    publishedAt: status === "published" ? "2026-11-18T08:00:00.000Z" : null,
    url: `/site/blog/${slug}`,
  }));
  const collection = { id: "co_blog", slug: "blog", name: "Blog" };
  return make("entry_list", { collection: "blog" }, { collection, items, total: items.length }, entries);
}

export function getPage(page: Doc, parts: readonly Part[] = [], content: Input = {}): Made {
  const sections = parts.map((part, at) => ({ ...partBrief(part, at + 1), content }));
  const output = {
    page: { ...pageBrief(page, page.status === "draft"), kind: "page", state: "draft", locale: "en" },
    sections,
  };
  return make("page_get", { page: page.slug, detail: "full" }, output, [page, ...parts.map(partThing)]);
}

export function search(query: string, ...docs: Doc[]): Made {
  const items = docs.map(({ type, id, name, slug }) => ({
    type,
    id,
    name,
    slug,
    score: 0.92,
    band: "strong",
    match: "text",
    snippet: name,
  }));
  return make("find", { query }, { items, total: items.length }, docs);
}

export function searchImages(query: string, ...filenames: string[]): Made {
  const items = filenames.map((filename) => ({
    id: imageId(filename),
    filename,
    alt: "",
    altSource: "none",
    tags: [],
    width: 1600,
    height: 900,
    url: `/media/${filename}`,
    usageCount: 0,
  }));
  const things = items.map(({ id, filename }): Thing => ({ type: "image", id, name: filename }));
  return make("image_search", { query }, { items, total: items.length }, things);
}

export function readingTime(page: Doc, minutes: number): Made {
  return make("reading_time", { page: page.slug }, { minutes, words: minutes * 210 }, [page]);
}

// Changes.

export function createPage(page: Doc, parts: readonly Part[] = [], nav?: "header" | "footer"): Made {
  const item = { id: `nv_${page.slug}`, label: page.name, location: nav ?? "header", version: 1 };
  const input = {
    name: page.name,
    slug: page.slug,
    sections: parts.map(({ template, heading }) => ({ template, content: { title: heading } })),
    ...(nav === undefined ? {} : { nav: { location: nav } }),
  };
  const output = {
    ...written(false),
    page: { ...pageBrief(page), status: "draft", version: 1 },
    sections: parts.map((part, at) => partBrief(part, at + 1)),
    nav: nav === undefined ? [] : [item],
    checks: { blockers: [], warnings: [] },
    preview: { path: url(page) },
    notes: ["The page is a draft. set_status publishes it, and its navigation items appear with it."],
  };
  return make(
    "page_create",
    input,
    output,
    [page],
    [
      { ...thingOf(page), op: "create", state: "draft" },
      ...(nav === undefined
        ? []
        : [{ type: "nav_item", id: item.id, name: page.name, op: "create", state: "hidden" } as const]),
    ],
  );
}

type Goal = "published" | "unpublished" | "archived";

export function setStatus(to: Goal, ...docs: Doc[]): Made {
  const after = docs.map((doc) => ({
    ...doc,
    status: doc.type === "entry" && to === "unpublished" ? "draft" : to,
  }));
  const targets = after.map(({ type, id, name, slug, status }, at) => ({
    type,
    id,
    name,
    slug,
    status,
    version: 4,
    url: docs[at] === undefined ? "" : url(docs[at]),
    ...(docs[at]?.status === status ? { unchanged: true } : {}),
  }));
  const changed = after.filter((one, at) => one.status !== docs[at]?.status);
  return make(
    "set_status",
    { targets: docs.map((doc) => ({ type: doc.type, ref: refOf(doc) })), to },
    {
      ...written(changed.length > 0 && to === "published"),
      targets,
      ...(changed.length === 0 ? { notes: ["Everything was like this already; nothing changed."] } : {}),
    },
    docs,
    changed.map((one) => ({ ...thingOf(one), op: "touch", state: to })),
  );
}

/** Name, slug or meta. A new slug of a public page is public at once; all else is a draft until it is published. */
export function updatePage(page: Doc, input: Input): Made {
  const after: Doc = { ...page, name: typeof input.name === "string" ? input.name : page.name };
  const isPublic = page.status === "published" && (input.slug !== undefined || input.indexing !== undefined);
  return make(
    "page_update",
    { page: page.slug, ...input },
    { ...written(isPublic), page: pageBrief(after, !isPublic), changed: Object.keys(input) },
    [page],
    [{ ...thingOf(after), op: "touch", state: isPublic ? "published" : "draft" }],
  );
}

function partOutput(page: Doc, part: Part, position: number, changed?: string[]): Input {
  return {
    ...written(false),
    section: partBrief(part, position),
    page: pageBrief(page),
    order: [partBrief(part, position)],
    ...(changed === undefined ? {} : { changed }),
    preview: { path: url(page), section: part.id },
  };
}

function partChange(page: Doc, part: Part, op: ChangedThing["op"]): ChangedThing {
  return { ...partThing(part), op, state: op === "delete" ? "deleted" : "draft", on: page.name };
}

export function addSection(page: Doc, part: Part, content: Input): Made {
  return make(
    "section_add",
    { page: page.slug, template: part.template, content },
    partOutput(page, part, 5),
    [page, partThing(part)],
    [partChange(page, part, "create")],
  );
}

export function updateSection(page: Doc, part: Part, content: Input): Made {
  return make(
    "section_update",
    { section: part.id, content },
    partOutput(page, part, 2, Object.keys(content)),
    [page, partThing(part)],
    [partChange(page, part, "touch")],
  );
}

export function moveSection(page: Doc, part: Part, position: number): Made {
  return make(
    "section_move",
    { section: part.id, position },
    partOutput(page, part, position),
    [page, partThing(part)],
    [partChange(page, part, "touch")],
  );
}

export function deleteSections(page: Doc, ...parts: Part[]): Made {
  return make(
    "section_delete",
    { sections: parts.map((one) => one.id) },
    {
      ...written(false),
      deleted: parts.map(({ id, template, heading }) => ({ id, template, heading, page: page.id })),
      pages: [{ ...pageBrief(page), order: [] }],
    },
    [page, ...parts.map(partThing)],
    parts.map((part) => partChange(page, part, "delete")),
  );
}

export function deletePages(...pages: Doc[]): Made {
  const deleted = pages.map(({ id, slug, name }) => ({ id, slug, name, sections: [], version: 5 }));
  const isPublic = pages.some((one) => one.status === "published");
  return make(
    "page_delete",
    { pages: pages.map((one) => one.slug) },
    { ...written(isPublic), deleted, navRemoved: [], deadLinks: [] },
    pages,
    pages.map((one) => ({ ...thingOf(one), op: "delete", state: "deleted" })),
  );
}

type Place = "header" | "footer";
const navBrief = (label: string, location: Place): Input => ({
  id: `nv_${label.toLowerCase().replaceAll(" ", "_")}`,
  label,
  location,
  version: 2,
});

function navMade(op: Input, how: "created" | "changed" | "removed", label: string, location: Place): Made {
  const brief = navBrief(label, location);
  const item: Thing = { type: "nav_item", id: String(brief.id), name: label };
  const nav = { header: [], footer: [] };
  const output = {
    ...written(true),
    nav,
    created: [],
    changed: [],
    removed: [],
    [how]: [brief],
    preview: { path: "/site/" },
  };
  const kind = how === "created" ? "create" : how === "changed" ? "touch" : "delete";
  return make(
    "nav_edit",
    { ops: [op] },
    output,
    [item],
    [{ ...item, op: kind, state: how === "removed" ? "deleted" : "public" }],
  );
}

export function navAdd(label: string, location: Place, page: Doc): Made {
  return navMade({ op: "add", location, label, target: `page:${page.slug}` }, "created", label, location);
}

export function navRemove(label: string, location: Place): Made {
  return navMade({ op: "remove", item: label }, "removed", label, location);
}

export function navRename(from: string, to: string, location: Place): Made {
  return navMade({ op: "update", item: from, label: to }, "changed", to, location);
}

const imageId = (filename: string): string => `im_${filename.replace(/\.\w+$/, "").replaceAll("-", "_")}`;

export function attach(filename: string, page: Doc, part: Part): Made {
  const image = { id: imageId(filename), filename, url: `/media/${filename}` };
  return make(
    "image_attach",
    { image: image.id, target: { type: "section", ref: part.id }, field: "image" },
    { ...written(false), target: { ...partThing(part), field: "image" }, image, alt: "" },
    [{ type: "image", id: image.id, name: filename }, partThing(part)],
    [partChange(page, part, "touch")],
  );
}

export function sendNewsletter(subject: string, recipients: number): Made {
  const item: Thing = { type: "newsletter", id: "nl_48", name: subject };
  const output = { ok: true, id: "nl_48", subject, recipients };
  return make(
    "newsletter_send",
    { subject, list: "all" },
    output,
    [item],
    [{ ...item, op: "create", state: "sent" }],
  );
}

export function placeOrder(what: string, count: number): Made {
  const item: Thing = { type: "order", id: "or_2107", name: what };
  const output = { ok: true, order: "or_2107", what, count };
  return make("order_place", { what, count }, output, [item], [{ ...item, op: "create", state: "sent" }]);
}

export { denied, edited, failed, refused, reused, unknown } from "./outcomes.ts";
