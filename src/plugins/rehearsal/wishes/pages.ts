import { startOf } from "../../../cairn/core/text/cut.ts";
import { sha256Hex } from "../../../cairn/core/log/digest.ts";
import type { JsonObject } from "../../../cairn/core/log/json.ts";
import type { Outcome } from "../conversation.ts";
import type { Course } from "../course.ts";
import { readTogether, write } from "../course.ts";
import { objectAt, objectsAt, textAt } from "../../../cairn/models/script/fields.ts";
import { slugify } from "../reading.ts";
import { setPostStatus } from "./posts.ts";
import { describePage, inWords, planSections } from "./sections.ts";
import type { Desk, Does, KnownPage, NavItem } from "../site.ts";
import { because, change, draftNote, keepPage, look, lookAtSite, namesakes, readPage } from "../site.ts";
import { resolvePage, resolvePages, valueOf } from "../site.ts";
import type { Slots } from "../slots.ts";
import { folded } from "../slots.ts";

/** What is done with whole pages: made, made public, renamed, deleted, put into the navigation. */

/** What the CMS takes as the name of a page, and as a label. */
const NAME_CHARS_MAX = 120;
const LABEL_CHARS_MAX = 80;

const quoted = (things: readonly { readonly name: string }[]): string =>
  things.map(({ name }) => `"${name}"`).join(" and ");
const isOrAre = (things: readonly unknown[]): string => (things.length === 1 ? "is" : "are");

/** Creates pages as drafts, with sections that say something. */
export function* createPages(desk: Desk, slots: Slots): Course<void> {
  const made: KnownPage[] = [];
  const unnamed =
    'What should the page be called? A name that is not of letters stands in quotes: call it "…".';
  if (slots.names === undefined) desk.say("asked", unnamed);
  for (const name of slots.names ?? []) {
    const page = yield* createPage(desk, name, slots);
    if (page !== null) made.push(page);
  }
  desk.subject = made;
}

function* createPage(desk: Desk, given: string, slots: Slots): Course<KnownPage | null> {
  const name = startOf(given, NAME_CHARS_MAX).trim();
  if (given.length > NAME_CHARS_MAX)
    desk.say("note", `The name was longer than ${NAME_CHARS_MAX} characters, so I cut it there.`);
  const sections = yield* planSections(desk, name, slots.sections ?? ["hero"]);
  const [holder] = desk.site === null ? [] : namesakes(desk.site, name);
  if (holder !== undefined) {
    const there = `There is already a page "${holder.name}" (${holder.slug ?? holder.id})`;
    desk.say("asked", `${there}, so I made none. What should the new one be called?`);
    return null;
  }
  const wished = slots.value === undefined ? "" : slugify(slots.value) || slots.value;
  // The CMS makes the slug, but for names without a Latin letter.
  const slug = wished === "" && slugify(name) === "" ? `page-${sha256Hex(name).slice(0, 6)}` : wished;
  const input: JsonObject = {
    ...{ name, ...(slug === "" ? {} : { slug }) },
    meta: { title: name, description: describePage(name, desk.site) },
    ...(sections.length === 0 ? {} : { sections }),
  };
  const act = `create the page "${name}" as a draft`;
  const first = yield* write(desk.tools, `I will ${act}.`, "page_create", input);
  const outcome = wished === "" ? yield* withOnlySlug(desk, input, first) : first;
  const made = valueOf(desk, outcome, act);
  if (made === null) return null;
  const head = objectAt(made, "page") ?? made;
  const none = { id: "", name, slug: null };
  const page: KnownPage = { ...none, ...readPage(head)[0], status: "draft", dirty: true };
  keepPage(desk, page);
  const held = sections.length > 0 ? ` with ${inWords(sections)}` : "";
  const address = textAt(objectAt(made, "preview"), "path") ?? textAt(head, "url");
  const at = address === null ? "" : `; its address is ${address}`;
  const own = page.slug === null ? "" : ` (slug ${page.slug})`;
  desk.say("done", `The page "${page.name}" is made as a draft${own}${held}${at}.`);
  return page;
}

/** A slug that cannot be had is replaced when the tool suggests exactly one. */
function* withOnlySlug(desk: Desk, input: JsonObject, outcome: Outcome): Course<Outcome> {
  if (outcome.ok || !["slug_taken", "slug_reserved"].includes(outcome.error.code)) return outcome;
  const [first, ...more] = outcome.error.suggestions;
  const slug = textAt(first, "value");
  if (slug === null || more.length > 0) return outcome;
  desk.say("note", `${because({ ...outcome.error, hint: "" })}, so I took ${slug}.`);
  const thought = `That slug cannot be had, so I will use "${slug}".`;
  return yield* write(desk.tools, thought, "page_create", { ...input, slug });
}

/** Publishes pages or takes them off the public site. */
export const setStatus = (to: Shown): Does =>
  function* (desk, slots) {
    // "It" is the post that was just written.
    if (desk.post !== null && slots.page?.kind !== "named") return yield* setPostStatus(to)(desk, {});
    yield* changeStatus(desk, yield* resolvePages(desk, slots.page), to);
  };

/** "All drafts": every page that differs from what visitors see. */
export function* publishDrafts(desk: Desk): Course<void> {
  const input = { dirtyOnly: true, limit: 10 };
  const listed = yield* look(desk, "list what waits to be published", "page_list", input);
  if (listed === null) return;
  desk.subject = objectsAt(listed, "items").flatMap((item) => readPage({ ...item, dirty: true }));
  if (desk.subject.length === 0) desk.say("told", "Nothing waits to be published.");
  yield* changeStatus(desk, desk.subject, "published");
}

type Shown = "published" | "unpublished";

/** Looks first where it is not known, so that nobody is asked about what is so already. */
function* changeStatus(desk: Desk, meant: readonly KnownPage[], to: Shown): Course<void> {
  const unsure = meant.filter(
    (page) => page.status === null || (to === "published" && page.status === to && page.dirty !== true),
  );
  const calls = unsure.map((page) => ({ name: "page_get", input: { page: page.id, detail: "outline" } }));
  const reads = yield* readTogether(desk.tools, `I will see how ${quoted(unsure)} stands.`, calls);
  const pages: KnownPage[] = [];
  for (const page of meant) {
    const own = reads[unsure.indexOf(page)];
    const [known = page] = own?.ok === true ? readPage(objectAt(own.value, "page") ?? own.value) : [];
    if (to === "published" && known.status === to && known.dirty === false)
      desk.say("told", `"${known.name}" is published already, and nothing of it waits to be published.`);
    else if (to === "unpublished" && (known.status === "draft" || known.status === to))
      desk.say("told", `"${known.name}" is not public anyway (${known.status}).`);
    else pages.push(known);
  }
  if (pages.length === 0) return;
  const act = `${to === "published" ? "publish" : "unpublish"} ${quoted(pages)}`;
  const input = { targets: pages.map((page) => ({ type: "page", ref: page.id })), to };
  const done = yield* change(desk, act, "set_status", input);
  if (done === null) return pages.forEach((page) => desk.held.add(page.id));
  for (const page of pages) {
    const own = objectsAt(done, "targets").find((one) => textAt(one, "id") === page.id);
    const url = textAt(own, "url");
    keepPage(desk, { ...page, status: to, dirty: false });
    if (to === "unpublished") desk.say("done", `"${page.name}" is no longer public; its content is kept.`);
    else desk.say("done", `"${page.name}" is published${url === null ? "" : ` at ${url}`}.`);
  }
}

/** Cancels the time at which pages were to be published. */
export function* cancelPublishing(desk: Desk, slots: Slots): Course<void> {
  // "It" is the post that was spoken of last.
  const isPost = desk.post !== null || desk.memory.some((one) => one.type === "entry" && one.focus);
  if (isPost && slots.page?.kind !== "named") return yield* setPostStatus("unscheduled")(desk, {});
  const pages = yield* resolvePages(desk, slots.page);
  if (pages.length === 0) return;
  const targets = pages.map((page) => ({ type: "page", ref: page.id }));
  const act = `cancel the publishing of ${quoted(pages)}`;
  if ((yield* change(desk, act, "set_status", { targets, to: "unscheduled" })) === null) return;
  for (const page of pages)
    desk.say("done", `"${page.name}" is not published at a time any more; its draft stays.`);
}

/** Changes the name or the slug of a page. */
export const updatePage = (what: "name" | "slug"): Does =>
  function* (desk, { page: ref, value = "" }) {
    const page = yield* resolvePage(desk, ref);
    if (page === null) return;
    const input = { page: page.id, [what]: what === "name" ? value : slugify(value) || value };
    const done = yield* change(desk, `change the ${what} of "${page.name}"`, "page_update", input);
    if (done === null) return;
    const [after = page] = readPage(objectAt(done, "page") ?? done);
    const name = what === "name" ? value : after.name;
    const known: KnownPage = { ...after, name, status: after.status ?? page.status, dirty: true };
    keepPage(desk, known);
    const slug = known.slug ?? "the same";
    if (what === "slug") return desk.say("done", `The slug of "${page.name}" is ${slug} now.`);
    const note = draftNote(desk, known);
    desk.say("done", `The page "${page.name}" is called "${value}" now${note}. Its slug stays ${slug}.`);
  };

/** Deletes pages. A person is always asked. */
export function* deletePages(desk: Desk, slots: Slots): Course<void> {
  const pages = yield* resolvePages(desk, slots.page);
  if (pages.length === 0) return;
  const input = { pages: pages.map((page) => page.id) };
  const named = quoted(pages);
  if ((yield* change(desk, `delete ${named}`, "page_delete", input)) === null) return;
  desk.subject = [];
  desk.say("done", `${named} ${isOrAre(pages)} deleted.`);
}

const isTarget = (item: NavItem, page: KnownPage): boolean =>
  item.target === `page:${page.id}` || (page.slug !== null && item.target === `page:${page.slug}`);

/** Puts pages into the navigation, where they are not yet. A page whose publishing was refused gets no entry. */
export function* addToNavigation(desk: Desk, slots: Slots): Course<void> {
  const pages = yield* resolvePages(desk, slots.page);
  if (pages.length === 0 || (yield* lookAtSite(desk)) === null) return;
  const one = slots.place === "footer" ? "footer" : "header";
  const places = slots.place === "both" ? (["header", "footer"] as const) : [one];
  const ops: JsonObject[] = [];
  const said: string[] = [];
  for (const page of pages) {
    if (desk.held.has(page.id))
      desk.say("note", `"${page.name}" is not in the navigation either, because it is not published.`);
    for (const location of desk.held.has(page.id) ? [] : places) {
      const there = desk.site?.nav.find((item) => item.location === location && isTarget(item, page));
      const label = startOf(slots.value ?? page.name, LABEL_CHARS_MAX);
      const { status } = desk.site?.pages.find((one) => one.id === page.id) ?? page;
      const shown = status === "published" ? "" : "; visitors see it there once the page is published";
      const as = there === undefined ? (label === page.name ? "" : ` as "${label}"`) : ` already`;
      const told = `"${page.name}" is in the ${location} navigation${as}${shown}.`;
      if (there === undefined) ops.push({ op: "add", location, label, target: `page:${page.id}` });
      if (there === undefined) said.push(told);
      else desk.say("told", told);
    }
  }
  if (ops.length === 0) return;
  const act = `add ${quoted(pages)} to the ${places.join(" and the ")} navigation`;
  if ((yield* change(desk, act, "nav_edit", { ops })) === null) return;
  for (const text of said) desk.say("done", text);
}

/** Takes entries out of the navigation, by their labels or by the pages they lead to; the pages stay. */
export function* removeFromNavigation(desk: Desk, { page: ref, place = "any" }: Slots): Course<void> {
  const site = yield* lookAtSite(desk);
  if (site === null) return;
  const shown = site.nav.filter((item) => place === "any" || place === "both" || item.location === place);
  const labels = ref?.kind === "named" ? ref.names.map(folded) : [];
  const labelled = shown.filter((item) => labels.includes(folded(item.label)));
  const isLabels =
    labels.length > 0 && new Set(labelled.map((item) => folded(item.label))).size === labels.length;
  const pages = isLabels
    ? site.pages.filter((page) => labelled.some((item) => isTarget(item, page)))
    : yield* resolvePages(desk, ref);
  if (!isLabels && pages.length === 0) return;
  if (pages.length > 0) desk.subject = pages;
  const items = isLabels ? labelled : shown.filter((item) => pages.some((page) => isTarget(item, page)));
  if (items.length === 0) return desk.say("told", "That is not in the navigation anyway.");
  const named = items.map((item) => `"${item.label}" (${item.location})`).join(" and ");
  const ops = items.map((item) => ({ op: "remove", item: item.id }));
  if ((yield* change(desk, `take ${named} out of the navigation`, "nav_edit", { ops })) === null) return;
  desk.say("done", `${named} ${isOrAre(items)} no longer in the navigation; the page itself stays.`);
}
