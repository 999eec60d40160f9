import { sha256Hex } from "../../../cairn/core/log/digest.ts";
import type { JsonObject } from "../../../cairn/core/log/json.ts";
import { startOf } from "../../../cairn/core/text/cut.ts";
import type { Outcome } from "../../../cairn/models/script/conversation.ts";
import { objectAt, objectsAt, textAt } from "../../../cairn/models/script/fields.ts";
import { change, valueOf, type Action, type Context } from "../context.ts";
import { readAll, reasonOf, write, type Plan } from "../plan.ts";
import { draftNote, resolvePage, resolvePages, storePage } from "../references.ts";
import { pagesNamed, parsePage, type KnownPage } from "../site.ts";
import { slugify } from "../text/tokens.ts";
import { describePage } from "./content.ts";
import { planSections, sectionsInWords } from "./sections.ts";

/** The CMS accepts no longer name. */
const NAME_CHARS_MAX = 120;

export const quoteNames = (things: readonly { readonly name: string }[]): string =>
  things.map(({ name }) => `"${name}"`).join(" and ");

/** Creates a draft, with sections that have content. */
export const createPage: Action = function* (context, { name: given, sections: templates = ["hero"] }) {
  context.subject = [];
  if (given === undefined) return context.report("question", "What should the page be called?");
  const name = startOf(given, NAME_CHARS_MAX).trim();
  if (given.length > NAME_CHARS_MAX)
    context.report("note", `The name was longer than ${NAME_CHARS_MAX} characters, so I cut it there.`);
  const sections = yield* planSections(context, name, templates);
  const [holder] = context.site === null ? [] : pagesNamed(context.site, name);
  if (holder !== undefined) {
    const existing = `There is already a page "${holder.name}" (${holder.slug ?? holder.id})`;
    return context.report("question", `${existing}, so I made none. What should the new one be called?`);
  }
  const input: JsonObject = {
    name,
    // The CMS makes the slug, except of names without a Latin letter.
    ...(slugify(name) === "" ? { slug: `page-${sha256Hex(name).slice(0, 6)}` } : {}),
    meta: { title: name, description: describePage(name, context.site) },
    ...(sections.length === 0 ? {} : { sections }),
  };
  const act = `create the page "${name}" as a draft`;
  const first = yield* write(context.tools, `I will ${act}.`, "page_create", input);
  const made = valueOf(context, yield* withSuggestedSlug(context, input, first), act);
  if (made === null) return;
  const head = objectAt(made, "page") ?? made;
  const [known] = parsePage(head);
  const page: KnownPage = { id: "", name, slug: null, ...known, status: "draft", dirty: true };
  storePage(context, page);
  context.subject = [page];
  const own = page.slug === null ? "" : ` (slug ${page.slug})`;
  const content = sections.length === 0 ? "" : ` with ${sectionsInWords(sections)}`;
  const address = textAt(objectAt(made, "preview"), "path") ?? textAt(head, "url");
  const where = address === null ? "" : `; its address is ${address}`;
  context.report("done", `The page "${page.name}" is made as a draft${own}${content}${where}.`);
};

/** Replaces a slug that is taken or reserved, if the tool suggests exactly one. */
function* withSuggestedSlug(context: Context, input: JsonObject, outcome: Outcome): Plan<Outcome> {
  if (outcome.ok || !["slug_taken", "slug_reserved"].includes(outcome.error.code)) return outcome;
  const [first, ...more] = outcome.error.suggestions;
  const slug = textAt(first, "value");
  if (slug === null || more.length > 0) return outcome;
  context.report("note", `${reasonOf({ ...outcome.error, hint: "" })}, so I took ${slug}.`);
  const thought = `That slug is not available, so I will use "${slug}".`;
  return yield* write(context.tools, thought, "page_create", { ...input, slug });
}

/** Publishes pages, or takes them off the public site. */
export const setStatus = (to: "published" | "unpublished"): Action =>
  function* (context, slots) {
    const pages = yield* pagesToChange(context, yield* resolvePages(context, slots.page), to);
    if (pages.length === 0) return;
    const act = `${to === "published" ? "publish" : "unpublish"} ${quoteNames(pages)}`;
    const input = { targets: pages.map(({ id }) => ({ type: "page", ref: id })), to };
    const done = yield* change(context, act, "set_status", input);
    if (done === null) return pages.forEach(({ id }) => context.unpublished.add(id));
    for (const page of pages) {
      const url = textAt(
        objectsAt(done, "targets").find((target) => textAt(target, "id") === page.id),
        "url",
      );
      storePage(context, { ...page, status: to, dirty: false });
      if (to === "published")
        context.report("done", `"${page.name}" is published${url === null ? "" : ` at ${url}`}.`);
      else context.report("done", `"${page.name}" is no longer public; its draft stays.`);
    }
  };

/** The pages whose status differs. Reads where that is unknown, so that nobody approves what is so already. */
function* pagesToChange(
  context: Context,
  meant: readonly KnownPage[],
  to: "published" | "unpublished",
): Plan<readonly KnownPage[]> {
  const unsure = meant.filter(
    (page) => page.status === null || (to === "published" && page.status === to && page.dirty !== true),
  );
  const reads = yield* readAll(
    context.tools,
    `I will look at ${quoteNames(unsure)}.`,
    unsure.map(({ id }) => ["page_get", { page: id, detail: "outline" }] as const),
  );
  return meant.flatMap((page) => {
    const own = reads[unsure.indexOf(page)];
    const [known = page] = own?.ok === true ? parsePage(objectAt(own.value, "page") ?? own.value) : [];
    if (to === "published" && known.status === to && known.dirty === false)
      context.report("info", `"${known.name}" is published already, and has no unpublished changes.`);
    else if (to === "unpublished" && (known.status === "draft" || known.status === to))
      context.report("info", `"${known.name}" is not public anyway (${known.status}).`);
    else return [known];
    return [];
  });
}

export const renamePage: Action = function* (context, { page: ref, value = "" }) {
  const page = yield* resolvePage(context, ref);
  if (page === null) return;
  const input = { page: page.id, name: value };
  const done = yield* change(context, `change the name of "${page.name}"`, "page_update", input);
  if (done === null) return;
  const [after = page] = parsePage(objectAt(done, "page") ?? done);
  const known = { ...after, name: value, status: after.status ?? page.status, dirty: true };
  storePage(context, known);
  const slug = known.slug ?? "the same";
  const note = draftNote(context, known);
  context.report("done", `The page "${page.name}" is called "${value}" now${note}. Its slug stays ${slug}.`);
};

/** Deletes pages. A person always decides. */
export const deletePages: Action = function* (context, slots) {
  const pages = yield* resolvePages(context, slots.page);
  if (pages.length === 0) return;
  const names = quoteNames(pages);
  const input = { pages: pages.map(({ id }) => id) };
  if ((yield* change(context, `delete ${names}`, "page_delete", input)) === null) return;
  context.subject = [];
  context.report("done", `${names} ${pages.length === 1 ? "is" : "are"} deleted.`);
};
