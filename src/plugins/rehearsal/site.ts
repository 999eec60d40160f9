import type { JsonObject } from "../../cairn/core/log/json.ts";
import type { Conversation, Failure, ListedPages, MemoryEntry, Outcome } from "./conversation.ts";
import { listedPages } from "./conversation.ts";
import type { Course, Offer } from "./course.ts";
import { isDenied, read, write } from "./course.ts";
import { isAt, listAt, objectAt, objectsAt, textAt } from "../../cairn/models/script/fields.ts";
import { slugify } from "./reading.ts";
import type { PageRef, SectionRef, Slots } from "./slots.ts";
import { folded } from "./slots.ts";

/** What is known of the site while a run is worked on, and how the things that the person names are found in it. */

const STATUSES = ["published", "draft", "unpublished"] as const;
export type Status = (typeof STATUSES)[number];

export interface KnownPage {
  readonly id: string;
  readonly name: string;
  readonly slug: string | null;
  /** null when only its name is known */
  readonly status: Status | null;
  /** its draft differs from what is public; null when that is not known */
  readonly dirty: boolean | null;
}

/** A post of the blog. */
export interface KnownPost {
  readonly id: string;
  readonly title: string;
  readonly status: string;
}

export interface NavItem {
  readonly id: string;
  readonly label: string;
  readonly target: string;
  readonly location: "header" | "footer";
}

export interface Site {
  readonly name: string;
  readonly homeId: string | null;
  readonly pages: readonly KnownPage[];
  readonly nav: readonly NavItem[];
}

/** A section as `page_get` shows it. */
export interface KnownSection {
  readonly id: string;
  readonly template: string;
  readonly heading: string;
  readonly hidden: boolean;
}

export interface PageDetail {
  readonly page: KnownPage;
  readonly url: string | null;
  readonly sections: readonly KnownSection[];
}

/** What a wish came to, for the answer. */
export type Report = readonly [kind: "done" | "told" | "note" | "failed" | "asked", text: string];

/** Everything that the wishes of a run share. Filled only from the conversation, so each reply fills it alike. */
export interface Desk {
  readonly tools: Offer;
  readonly memory: readonly MemoryEntry[];
  readonly listed: ListedPages | null;
  readonly reports: Report[];
  /** notes what a wish came to */
  readonly say: (...report: Report) => void;
  /** the day of the question, `2026-11-21`; null where the prompt does not say */
  readonly today: string | null;
  site: Site | null;
  /** the post that the run worked on last; `unmade` when what it was to write was not written */
  post: KnownPost | "unmade" | null;
  /** whether what is written goes into a change set, as the last write said */
  isCollecting: boolean;
  /** the page or pages that the run worked on last; empty when what it was to make was not made */
  subject: readonly KnownPage[] | null;
  /** ids of images of the library, once they were listed */
  library: readonly string[] | null;
  /** pages whose sections got other places in this run: "the second" may be another one since */
  readonly rearranged: Set<string>;
  /** pages whose publishing was refused or failed in this run */
  readonly held: Set<string>;
}

/** What an intent of the table does: it reads, calls and reports, with what its shape took from the words. */
export type Does = (desk: Desk, slots: Slots) => Course<void>;

export function openDesk({ tools, calls, memory, earlier, today }: Conversation): Desk {
  // Tools that were called count too, so that their results are read again; and when an answer must come at once, all of
  // them: then the first call that would be needed shows where the work stopped.
  const names = new Set([...tools, ...calls.map((one) => one.name)]);
  const has = (name: string): boolean => tools.size === 0 || names.has(name);
  const reports: Report[] = [];
  return {
    ...{ reports, say: (...report) => void reports.push(report), memory },
    ...{ tools: { has, failures: new Map(), looked: null }, listed: listedPages(earlier) },
    ...{ today, post: null, isCollecting: false },
    ...{ site: null, subject: null, library: null, rearranged: new Set(), held: new Set() },
  };
}

/**
 * Why a call failed, as the second half of a sentence: what blocks it or the message, and the tool's own hint. The hint of a call
 * that was not approved is for a language model.
 */
export function because(error: Failure): string {
  const { code, message, hint, details } = error;
  const end = (text: string): string => text.trim().replace(/[.\s]{1,20}$/u, "");
  const all = [details, ...objectsAt(details, "targets")].flatMap((one) => objectsAt(one, "blockers"));
  const blockers = all.flatMap((one) => textAt(one, "message") ?? []);
  if (blockers.length > 0) return end([...new Set(blockers)].join(" "));
  const why = message === "" ? `the tool says ${code}` : end(message);
  return [why, isDenied(error) ? "" : end(hint)].filter(Boolean).join(". ");
}

/** What a call gave; null when it failed, which is then reported. `act` names it: "publish the page". */
export function valueOf(desk: Desk, outcome: Outcome, act: string): JsonObject | null {
  if (outcome.ok) return outcome.value;
  const { error } = outcome;
  const why = because(error);
  if (isDenied(error))
    desk.say("failed", `I did not ${act}: it was not approved (${why}), so I left it as it was.`);
  else if (error.code === "unknown_outcome")
    desk.say("failed", `I do not know whether I could ${act}. Please look at it before asking again.`);
  else desk.say("failed", `I could not ${act}: ${why}.`);
  if (error.code === "slug_taken") desk.say("asked", "Which other slug shall it be?");
  return null;
}

type Value = Course<JsonObject | null>;

/** A write; null when it failed, or found it like that already, which is then reported. */
export function* change(desk: Desk, act: string, tool: string, input: JsonObject): Value {
  const done = valueOf(desk, yield* write(desk.tools, `I will ${act}.`, tool, input), act);
  const kept = listAt(done, "notes").find((note) => typeof note === "string" && note.startsWith(COLLECTED));
  desk.isCollecting = kept !== undefined;
  if (typeof kept === "string") desk.say("note", kept);
  if (!isAt(done, "unchanged") || tool === "changes_begin") return done;
  desk.say("told", `I did not have to ${act}: it was like this already.`);
  return null;
}

/** How a write says that it went into a change set. */
const COLLECTED = "In the change set";

/** A read; null when it failed, which is then reported. */
export function* look(desk: Desk, act: string, tool: string, input: JsonObject): Value {
  return valueOf(desk, yield* read(desk.tools, `I will ${act}.`, tool, input), act);
}

/** The site at a glance, read once a run. Null when it cannot be read, which is then reported. */
export function* lookAtSite(desk: Desk): Course<Site | null> {
  if (desk.site !== null) return desk.site;
  const looked = yield* read(desk.tools, "I will look at the site first.", "site_overview", {});
  if (keepSite(desk, looked)) return desk.site;
  const list = yield* look(desk, "list the pages, because the overview does not tell", "page_list", {});
  if (list === null) return null;
  const pages = objectsAt(list, "items").flatMap(readPage);
  desk.site = { name: "us", homeId: null, pages, nav: [] };
  return desk.site;
}

/** Keeps what `site_overview` said; false when it failed, or was cut so that it cannot be read. */
export function keepSite(desk: Desk, overview: Outcome | undefined): boolean {
  const value = overview?.ok === true ? overview.value : {};
  const byStatus = objectAt(value, "pages");
  if (byStatus === null) return false;
  const pages = STATUSES.flatMap((status) =>
    objectsAt(objectAt(byStatus, status), "items").flatMap((item) => readPage({ ...item, status })),
  );
  const nav = objectAt(value, "nav");
  desk.site = {
    name:
      textAt(objectAt(objectAt(value, "settings"), "identity"), "title") ??
      textAt(objectAt(value, "site"), "name") ??
      "us",
    homeId: textAt(objectAt(value, "site"), "homePage"),
    pages,
    nav: [...readNav(objectsAt(nav, "header"), "header"), ...readNav(objectsAt(nav, "footer"), "footer")],
  };
  return true;
}

function readNav(items: readonly JsonObject[], location: NavItem["location"]): NavItem[] {
  return items.flatMap((item) => {
    const id = textAt(item, "id") ?? "";
    const own = { id, label: textAt(item, "label") ?? "", target: textAt(item, "target") ?? "", location };
    return [...(id === "" ? [] : [own]), ...readNav(objectsAt(item, "children"), location)];
  });
}

/** A page in a list, or the page of a write's answer. */
export function readPage(value: JsonObject): KnownPage[] {
  const [id, slug, said] = [textAt(value, "id"), textAt(value, "slug"), textAt(value, "status")];
  const status = STATUSES.find((one) => one === said) ?? null;
  const dirty = value["dirty"] === undefined ? null : isAt(value, "dirty");
  return id === null ? [] : [{ id, name: textAt(value, "name") ?? slug ?? id, slug, status, dirty }];
}

/** Replaces what is known of a page everywhere, after a write changed it or made it. */
export function keepPage(desk: Desk, page: KnownPage): void {
  const others = desk.site?.pages.filter((one) => one.id !== page.id) ?? [];
  if (desk.site !== null) desk.site = { ...desk.site, pages: [...others, page] };
  desk.subject = desk.subject?.map((one) => (one.id === page.id ? page : one)) ?? null;
}

/** The pages of the site in a sentence. */
function pageNames({ pages }: Site): string {
  const names = pages.slice(0, 20).map((page) => `"${page.name}"`);
  const more = pages.length > names.length ? ` and ${pages.length - names.length} more` : "";
  return pages.length === 0 ? "The site has no pages yet." : `The pages are ${names.join(", ")}${more}.`;
}

/** The pages that someone speaks of; an empty list when they could not be told, which is then reported. */
export function* resolvePages(desk: Desk, ref: PageRef | undefined): Course<readonly KnownPage[]> {
  const found = yield* findPages(desk, ref ?? { kind: "it", plural: false });
  if (found.length > 0) desk.subject = found;
  return found;
}

/** As `resolvePages`, for wishes about one page; several are asked about. */
export function* resolvePage(desk: Desk, ref: PageRef | undefined): Course<KnownPage | null> {
  const pages = yield* resolvePages(desk, ref);
  if (pages.length > 1) desk.say("asked", "Which page do you mean? I can do that for one page at a time.");
  return pages.length === 1 ? (pages[0] ?? null) : null;
}

function* findPages(desk: Desk, ref: PageRef): Course<readonly KnownPage[]> {
  if (ref.kind === "it") {
    // What was to be made was not made: what was wished for it is left out with it.
    if (desk.subject?.length === 0) return [];
    const meant = desk.subject ?? rememberedPages(desk);
    if (meant.length > 0) return ref.plural ? meant : meant.slice(-1);
  }
  const site = yield* lookAtSite(desk);
  if (site === null) return [];
  if (ref.kind === "named") {
    const found = ref.names.map((name) => nameInSite(desk, site, name));
    return found.some((page) => page === null) ? [] : found.filter((page) => page !== null);
  }
  const slug = ref.kind === "place" ? nth(desk.listed?.slugs ?? [], ref.place) : undefined;
  const listed = site.pages.filter((page) => page.slug !== null && page.slug === slug);
  if (listed.length === 0) desk.say("asked", `Which page do you mean? ${pageNames(site)}`);
  return listed;
}

/** The thing at that place: from 1, or from the end below 0. */
const nth = <T>(all: readonly T[], place: number): T | undefined => all.at(place > 0 ? place - 1 : place);

/** The page of that name; none is guessed. */
function nameInSite(desk: Desk, site: Site, name: string): KnownPage | null {
  const [only, ...more] = namesakes(site, name);
  if (only !== undefined && more.length === 0) return only;
  const why =
    only === undefined ? `I could not find a page called "${name}"` : `Several are called "${name}"`;
  desk.say("asked", `${why}, so I changed nothing there. Which page do you mean? ${pageNames(site)}`);
  return null;
}

const HOME = new Set(["home", "homepage", "front", "start", "startseite", "landing"]);

/** Pages of that name, else of that slug; the home page has more names. */
export function namesakes(site: Site, name: string): readonly KnownPage[] {
  const wanted = folded(name);
  const ways: ((page: KnownPage) => boolean)[] = [
    // Names of signs alone fold to nothing: they are equal as written.
    (page) => (wanted === "" ? page.name === name.trim() : folded(page.name) === wanted),
    (page) => page.slug !== null && page.slug === slugify(name),
    (page) => HOME.has(wanted) && page.id === site.homeId,
  ];
  return ways.map((isMeant) => site.pages.filter(isMeant)).find((found) => found.length > 0) ?? [];
}

/** The page that "it" was when the run began. Behind a list of several, it is none of them in particular. */
function rememberedPages(desk: Desk): readonly KnownPage[] {
  if (desk.listed?.fresh === true && desk.listed.slugs.length > 1) return [];
  const section = desk.memory.find((entry) => entry.type === "section" && entry.focus);
  const inFocus = desk.memory.find((entry) => entry.type === "page" && entry.focus);
  const id = inFocus?.id ?? section?.parent?.id;
  if (id === undefined) return [];
  const known = desk.memory.find((entry) => entry.type === "page" && entry.id === id);
  const name = known?.name ?? section?.name ?? id;
  return [{ id, name, slug: known?.slug ?? null, status: null, dirty: null }];
}

/** Reads a page. Null when it cannot be read, which is then reported. */
export function* readDetail(desk: Desk, page: KnownPage): Course<PageDetail | null> {
  const input = { page: page.id, detail: "outline" };
  const got = yield* look(desk, `read the page "${page.name}"`, "page_get", input);
  if (got === null) return null;
  const head = objectAt(got, "page") ?? got;
  const known = readPage(head)[0] ?? page;
  const sections = objectsAt(got, "sections").map((section): KnownSection => ({
    id: textAt(section, "id") ?? "",
    template: textAt(section, "template") ?? "",
    heading: textAt(section, "heading") ?? "",
    hidden: isAt(section, "hidden"),
  }));
  desk.subject = [known];
  return { page: known, url: textAt(head, "url"), sections };
}

/** The section meant; null when none or several fit, which is then reported. Without a name it is the one in focus. */
export function resolveSection(
  desk: Desk,
  { sections, page }: PageDetail,
  ref: SectionRef | undefined,
): KnownSection | null {
  const focus = desk.memory.find((entry) => entry.type === "section" && entry.focus)?.id;
  const { template = null, heading = null, ordinal: at = null } = ref ?? {};
  const fitting = sections.filter((section) =>
    ref === undefined
      ? section.id === focus
      : (template === null || section.template === template) &&
        (heading === null || folded(section.heading) === folded(heading)),
  );
  const moved = at !== null && desk.rearranged.has(page.id);
  const found = at === null ? fitting[0] : nth(fitting, at);
  if (found !== undefined && !moved && (at !== null || fitting.length === 1)) return found;
  const names = sections.map((section, index) => `${index + 1}. ${sectionName(section)}`).join(", ");
  const there = sections.length === 0 ? "It has no sections." : `Its sections are: ${names}.`;
  const word = template ?? heading;
  if (moved || fitting.length > 1 || word === null)
    desk.say("asked", `Which section of "${page.name}" do you mean? ${there}`);
  else desk.say("failed", `I could not find a ${word} section on "${page.name}". ${there}`);
  return null;
}

/** A section in few words: template and heading. */
export const sectionName = ({ template, heading, hidden }: KnownSection): string =>
  `${template}${heading === "" ? "" : ` "${heading}"`}${hidden ? " (hidden)" : ""}`;

/** What a visitor still sees of a page that was edited. */
export const draftNote = ({ isCollecting }: Desk, page: KnownPage): string =>
  page.status === "published" && !isCollecting ? "; visitors see it once the page is published again" : "";
