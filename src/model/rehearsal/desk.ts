import type { JsonObject } from "../../core/log/json.ts";
import type { Conversation, Failure, Outcome } from "./conversation.ts";
import type { Course, Offer } from "./course.ts";
import { call, isDenied } from "./course.ts";
import type { LibraryImage } from "./library.ts";
import { listedPages, type ListedPages } from "./listed.ts";
import type { MemoryEntry } from "./memory.ts";
import { numberAt, objectAt, objectsAt, textAt } from "./reading.ts";

export type Status = "draft" | "published" | "unpublished";

export interface KnownPage {
  readonly id: string;
  readonly name: string;
  readonly slug: string | null;
  /** null when only its name is known */
  readonly status: Status | null;
}

export interface NavItem {
  readonly id: string;
  readonly label: string;
  readonly target: string;
  readonly location: "header" | "footer";
}

export interface Site {
  readonly name: string;
  readonly tagline: string | null;
  readonly homeId: string | null;
  readonly pages: readonly KnownPage[];
  readonly pageCount: number;
  readonly nav: readonly NavItem[];
  readonly raw: JsonObject;
}

/** What one wish came to, for the answer. */
export interface Report {
  readonly kind: "done" | "failed" | "denied" | "told" | "asked" | "note";
  readonly text: string;
}

/** What is known while the wishes of a run are worked on. Filled only from the conversation, so it is the same every time. */
export interface Desk {
  readonly tools: Offer;
  readonly memory: readonly MemoryEntry[];
  /** the pages that the person was last shown as a list, in its order; null when there was none */
  readonly listed: ListedPages | null;
  readonly reports: Report[];
  site: Site | null;
  /** pages made in this run */
  readonly made: KnownPage[];
  /** the page or pages that the run worked on last */
  subject: readonly KnownPage[];
  /** the section that the run worked on last */
  section: { readonly id: string; readonly name: string; readonly page: string } | null;
  /** images of the library, once they were listed */
  library: readonly LibraryImage[];
  /** pages whose publishing was refused or failed in this run */
  readonly held: Set<string>;
  /** names of pages that could not be made */
  readonly unmade: Set<string>;
  /** ids of pages edited in this run, so that they certainly differ from what is public */
  readonly edited: Set<string>;
}

/** An empty desk for a run. */
export function openDesk(conversation: Conversation): Desk {
  return {
    tools: offerOf(conversation),
    memory: conversation.memory,
    listed: listedPages(conversation.earlier),
    reports: [],
    site: null,
    made: [],
    subject: [],
    section: null,
    library: [],
    held: new Set(),
    unmade: new Set(),
    edited: new Set(),
  };
}

/**
 * The tools that may be planned with. Those already called count too, so that their results are read again; and when an
 * answer must come at once, all of them: then the first call that would be needed shows where the work stopped.
 */
function offerOf({ tools, calls }: Conversation): Offer {
  const names = new Set([...tools, ...calls.map((one) => one.name)]);
  return { has: (name) => tools.size === 0 || names.has(name), failures: new Map() };
}

/** Notes what a wish came to. */
export function report(desk: Desk, kind: Report["kind"], text: string): void {
  desk.reports.push({ kind, text });
}

/** The site at a glance, read once a run; read again when `fresh`. Null when it cannot be read. */
export function* lookAtSite(
  desk: Desk,
  thought = "I will look at the site first.",
  fresh = false,
): Course<Site | null> {
  if (desk.site !== null && !fresh) return desk.site;
  const overview = yield* call(desk.tools, thought, "site_overview", {});
  const kept = keepSite(desk, overview);
  if (kept !== null) return kept;
  const list = yield* call(
    desk.tools,
    "The overview does not tell, so I will list the pages.",
    "page_list",
    {},
  );
  if (!list.ok) return null;
  const pages = objectsAt(list.value, "items").flatMap(readPage);
  desk.site = {
    name: "the site",
    tagline: null,
    homeId: null,
    pages,
    pageCount: pages.length,
    nav: [],
    raw: {},
  };
  return desk.site;
}

/** Keeps what `site_overview` said. Null when it failed, or was cut so that it cannot be read. */
export function keepSite(desk: Desk, overview: Outcome): Site | null {
  if (!overview.ok || objectAt(overview.value, "pages") === null) return null;
  const value = overview.value;
  const site = objectAt(value, "site");
  const byStatus = objectAt(value, "pages");
  const identity = objectAt(objectAt(value, "settings"), "identity");
  const statuses: readonly Status[] = ["published", "draft", "unpublished"];
  const pages = statuses.flatMap((status) =>
    objectsAt(objectAt(byStatus, status), "items")
      .flatMap(readPage)
      .map((page) => ({ ...page, status })),
  );
  const counted = statuses.reduce(
    (sum, status) => sum + (numberAt(objectAt(byStatus, status), "total") ?? 0),
    0,
  );
  const nav = objectAt(value, "nav");
  desk.site = {
    name: textAt(identity, "title") ?? textAt(site, "name") ?? "the site",
    tagline: textAt(identity, "tagline"),
    homeId: textAt(site, "homePage") ?? textAt(objectAt(objectAt(value, "settings"), "home"), "page"),
    pages,
    pageCount: Math.max(counted, pages.length),
    nav: [...readNav(objectsAt(nav, "header"), "header"), ...readNav(objectsAt(nav, "footer"), "footer")],
    raw: value,
  };
  return desk.site;
}

function readNav(items: readonly JsonObject[], location: NavItem["location"]): NavItem[] {
  return items.flatMap((item) => {
    const id = textAt(item, "id");
    const own =
      id === null
        ? []
        : [{ id, label: textAt(item, "label") ?? "", target: textAt(item, "target") ?? "", location }];
    return [...own, ...readNav(objectsAt(item, "children"), location)];
  });
}

/** A page in a list, or the page of a write's answer. */
export function readPage(value: JsonObject): KnownPage[] {
  const id = textAt(value, "id");
  if (id === null) return [];
  const status = textAt(value, "status");
  return [
    {
      id,
      name: textAt(value, "name") ?? textAt(value, "slug") ?? id,
      slug: textAt(value, "slug"),
      status: status === "draft" || status === "published" || status === "unpublished" ? status : null,
    },
  ];
}

/** The page that an answer speaks of: under `page`, or the answer itself. */
export function pageOfAnswer(value: JsonObject): KnownPage | null {
  return readPage(objectAt(value, "page") ?? value)[0] ?? null;
}

/** Replaces what is known of a page everywhere, after a write changed it. */
export function keepPage(desk: Desk, page: KnownPage): void {
  const replaced = (pages: readonly KnownPage[]): KnownPage[] =>
    pages.map((one) => (one.id === page.id ? page : one));
  if (desk.site !== null) {
    const known = desk.site.pages.some((one) => one.id === page.id);
    desk.site = { ...desk.site, pages: known ? replaced(desk.site.pages) : [...desk.site.pages, page] };
  }
  const made = desk.made.findIndex((one) => one.id === page.id);
  if (made >= 0) desk.made[made] = page;
  desk.subject = replaced(desk.subject);
}

/** "is" for one thing, "are" for several. */
export function isOrAre(things: readonly unknown[]): "is" | "are" {
  return things.length === 1 ? "is" : "are";
}

/** Why a call failed, as the second half of a sentence. */
export function because(error: Failure): string {
  const message = error.message.trim().replace(/[.\s]+$/u, "");
  return message === "" ? "the tool gave no reason" : message;
}

/** Notes a failed call. `what.act` completes "I could not …", `what.thing` names the act: "publishing the page". */
export function reportFailure(desk: Desk, error: Failure, what: { act: string; thing: string }): void {
  if (isDenied(error))
    report(
      desk,
      "denied",
      `Not done: ${what.thing}. It was not approved (${because(error)}), so I left it as it was.`,
    );
  else if (error.code === "unknown_outcome")
    report(
      desk,
      "failed",
      `I do not know whether I could ${what.act}: the outcome is unknown. Please look at it before asking again.`,
    );
  else if (error.code === "not_offered")
    report(desk, "failed", `I cannot ${what.act} here, because ${because(error)}.`);
  else report(desk, "failed", `I could not ${what.act}: ${because(error)}.`);
}
