import type { Outcome } from "../../cairn/models/script/conversation.ts";
import { isAt, objectAt, objectsAt, textAt } from "../../cairn/models/script/fields.ts";
import { look, type Context } from "./context.ts";
import { read, type Plan } from "./plan.ts";
import { pagesNamed, parsePage, parseSite, sectionName } from "./site.ts";
import type { KnownPage, KnownSection, PageDetail, Site } from "./site.ts";
import type { PageRef, SectionRef } from "./text/slots.ts";

/** Reads the site, and finds the pages and sections that a person refers to. */

/** The overview of the site, read once per run; null when it cannot be read, which is reported. */
export function* loadSite(context: Context): Plan<Site | null> {
  if (context.site !== null) return context.site;
  storeSite(context, yield* read(context.tools, "I will look at the site first.", "site_overview", {}));
  if (context.site !== null) return context.site;
  const list = yield* look(context, "list the pages, because the overview does not tell", "page_list", {});
  if (list === null) return null;
  const pages = objectsAt(list, "items").flatMap(parsePage);
  context.site = { name: "us", homeId: null, pages, nav: [] };
  return context.site;
}

/** Stores the result of `site_overview`, unless it failed or was cut. */
export function storeSite(context: Context, overview: Outcome | undefined): void {
  if (overview?.ok === true) context.site = parseSite(overview.value);
}

/** Replaces a page in everything known, after a write made or changed it. */
export function storePage(context: Context, page: KnownPage): void {
  const others = context.site?.pages.filter(({ id }) => id !== page.id) ?? [];
  if (context.site !== null) context.site = { ...context.site, pages: [...others, page] };
  context.subject = context.subject?.map((one) => (one.id === page.id ? page : one)) ?? null;
}

/** The pages of a reference; empty when one is not found, which is reported. Without a reference: "it". */
export function* resolvePages(context: Context, ref: PageRef | undefined): Plan<readonly KnownPage[]> {
  const found = yield* findPages(context, ref ?? { kind: "it", plural: false });
  if (found.length > 0) context.subject = found;
  return found;
}

/** The one page of a reference; null when there is not exactly one, which is reported. */
export function* resolvePage(context: Context, ref: PageRef | undefined): Plan<KnownPage | null> {
  const [page, ...more] = yield* resolvePages(context, ref);
  if (more.length > 0)
    context.report("question", "Which page do you mean? I can do that for one page at a time.");
  return more.length > 0 ? null : (page ?? null);
}

function* findPages(context: Context, ref: PageRef): Plan<readonly KnownPage[]> {
  if (ref.kind === "it") {
    // A page that could not be made: the requests for it are left out.
    if (context.subject?.length === 0) return [];
    const meant = context.subject ?? pagesInFocus(context);
    if (meant.length > 0) return ref.plural ? meant : meant.slice(-1);
  }
  const site = yield* loadSite(context);
  if (site === null) return [];
  const names = site.pages.slice(0, 20).map(({ name }) => `"${name}"`);
  const more = site.pages.length > names.length ? ` and ${site.pages.length - names.length} more` : "";
  const all = names.length === 0 ? "The site has no pages yet." : `The pages are ${names.join(", ")}${more}.`;
  if (ref.kind === "it") {
    context.report("question", `Which page do you mean? ${all}`);
    return [];
  }
  const found: KnownPage[] = [];
  for (const name of ref.names) {
    const [only, ...others] = pagesNamed(site, name);
    if (only !== undefined && others.length === 0) {
      found.push(only);
      continue;
    }
    const why =
      only === undefined ? `I could not find a page called "${name}"` : `Several are called "${name}"`;
    context.report("question", `${why}, so I changed nothing there. Which page do you mean? ${all}`);
  }
  return found.length === ref.names.length ? found : [];
}

/** The page that was in focus when the run began. */
function pagesInFocus({ memory, hasListed }: Context): readonly KnownPage[] {
  if (hasListed) return [];
  const section = memory.find(({ type, focus }) => type === "section" && focus);
  const page = memory.find(({ type, focus }) => type === "page" && focus);
  const id = page?.id ?? section?.parent?.id;
  if (id === undefined) return [];
  const known = memory.find((entry) => entry.type === "page" && entry.id === id);
  return [
    { id, name: known?.name ?? section?.name ?? id, slug: known?.slug ?? null, status: null, dirty: null },
  ];
}

/** Reads a page; null when it cannot be read, which is reported. */
export function* loadPage(context: Context, page: KnownPage): Plan<PageDetail | null> {
  const input = { page: page.id, detail: "outline" };
  const value = yield* look(context, `read the page "${page.name}"`, "page_get", input);
  if (value === null) return null;
  const head = objectAt(value, "page") ?? value;
  const known = parsePage(head)[0] ?? page;
  context.subject = [known];
  const sections = objectsAt(value, "sections").map((section) => ({
    id: textAt(section, "id") ?? "",
    template: textAt(section, "template") ?? "",
    heading: textAt(section, "heading") ?? "",
    hidden: isAt(section, "hidden"),
  }));
  return { page: known, url: textAt(head, "url"), sections };
}

/** The section of a reference; null when none or several match, which is reported. Without a reference: the one in focus. */
export function resolveSection(
  context: Context,
  { sections, page }: PageDetail,
  ref: SectionRef | undefined,
): KnownSection | null {
  const focus = context.memory.find(({ type, focus: isInFocus }) => type === "section" && isInFocus)?.id;
  const { template = null, ordinal = null } = ref ?? {};
  const matching = sections.filter((section) =>
    ref === undefined ? section.id === focus : template === null || section.template === template,
  );
  const found = ordinal === null ? matching[0] : matching.at(ordinal > 0 ? ordinal - 1 : ordinal);
  if (found !== undefined && (ordinal !== null || matching.length === 1)) return found;
  const names = sections.map((section, at) => `${at + 1}. ${sectionName(section)}`).join(", ");
  const all = sections.length === 0 ? "It has no sections." : `Its sections are: ${names}.`;
  if (matching.length > 1 || template === null)
    context.report("question", `Which section of "${page.name}" do you mean? ${all}`);
  else context.report("failed", `I could not find a ${template} section on "${page.name}". ${all}`);
  return null;
}

/** Reminds that visitors still see the published page. */
export const draftNote = ({ isCollecting }: Context, page: KnownPage): string =>
  page.status === "published" && !isCollecting ? "; visitors see it once the page is published again" : "";
