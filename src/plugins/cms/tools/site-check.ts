import { ownValue } from "../../../cairn/core/log/json.ts";
import * as z from "zod";
import { defineTool } from "../../../cairn/tools/define.ts";
import { checkEntry, checkPage, computeCoverage } from "../checks/checks.ts";
import { loadFactsOfAll } from "../checks/facts.ts";
import { type Schemas } from "../model/types.ts";
import { pickLocale, refInput } from "../edit/plan.ts";
import { entryDocument, workingPageDocument } from "../edit/publish.ts";
import { resolveEntries, resolvePages } from "../edit/refs.ts";
import type { PublishedDocument } from "../model/document.ts";
import { fail } from "../model/errors.ts";
import type { Check, CmsContext, CmsServices, Environment } from "../model/types.ts";
import { cursorAfter, positionOf } from "../model/ids.ts";
import { loadCounts } from "../storage/counts.ts";
import { loadSite } from "../storage/load.ts";
import { rowsOf } from "../storage/rows.ts";
import { number, text } from "../model/columns.ts";

/** Things that one call looks through; the others come with its cursor. */
const CHECKED_MAX = 50;
/** Limit for blockers and for warnings each; omitted ones are counted. */
const SHOWN_MAX = 40;

const input = z.strictObject({
  scope: z.enum(["site", "page", "entry"]).default("site"),
  ref: refInput.describe("id or slug, for page and entry").optional(),
  locale: z.string().max(20).optional().describe("coverage of this language only"),
  cursor: z.string().max(500).describe("of the site: those that the last call left out").optional(),
});

export const siteCheck = defineTool({
  name: "site_check",
  version: 1,
  title: "Check the site",
  description:
    "Checks the drafts of the site, a page or an entry: what blocks publishing, what is doubtful, each with its fix, and how much is translated.",
  input,
  effect: "read",
  tier: "open",
  reads: "private",
  observationMax: 16_384,
  run: async (given, { services }: CmsContext) => {
    const { environment, schemas } = await loadSite(services);
    const locale = given.locale === undefined ? null : pickLocale(environment, given.locale);
    const { documents, total, nextCursor } = await documentsOf(given, services, environment, schemas);
    const facts = await loadFactsOfAll(services, environment, documents, schemas);
    const [blockers, warnings]: [Check[], Check[]] = [[], []];
    const counts = new Map<string, { filled: number; total: number }>();
    for (const [i, document] of documents.entries()) {
      const own = facts[i];
      if (own === undefined) continue;
      const found = document.type === "page" ? checkPage(document, own) : checkEntry(document, own);
      blockers.push(...found.blockers);
      warnings.push(...found.warnings);
      for (const { code } of environment.locales.filter((one) => one.active)) {
        const [part, sum] = [computeCoverage(document, own, code), counts.get(code)];
        counts.set(code, { filled: part.filled + (sum?.filled ?? 0), total: part.total + (sum?.total ?? 0) });
      }
    }
    const first = documents[0];
    return {
      scope: given.scope,
      ref:
        given.scope === "site" || first === undefined
          ? null
          : { id: first.id, name: nameOf(first, environment) },
      site: { id: environment.siteId, name: environment.siteName },
      blockers: blockers.slice(0, SHOWN_MAX),
      warnings: warnings.slice(0, SHOWN_MAX),
      /** percent of the texts of the default locale that each locale has */
      coverage: Object.fromEntries(
        [...counts]
          .filter(([code]) => locale === null || code === locale)
          .map(([code, { filled, total: all }]) => [
            code,
            all === 0 ? 100 : Math.round((100 * filled) / all),
          ]),
      ),
      checked: documents.length,
      leftOut: {
        documents: total - documents.length,
        blockers: Math.max(0, blockers.length - SHOWN_MAX),
        warnings: Math.max(0, warnings.length - SHOWN_MAX),
      },
      ...(nextCursor === null ? {} : { nextCursor }),
    };
  },
  entities: (_, { scope, ref, site }) => [
    ref === null
      ? { op: "touch", type: "site", id: site.id, name: site.name }
      : { op: "touch", type: scope, id: ref.id, name: ref.name },
  ],
});

function nameOf(document: PublishedDocument, { defaultLocale }: Environment): string {
  if (document.type === "page") return document.name;
  const title = ownValue(document.content, defaultLocale)?.title;
  return typeof title === "string" ? title : document.slug;
}

interface Looked {
  readonly documents: readonly PublishedDocument[];
  readonly total: number;
  readonly nextCursor: string | null;
}

/** The drafts of the scope, archived ones left out, and how many there are. */
async function documentsOf(
  { scope, ref, cursor }: z.output<typeof input>,
  services: CmsServices,
  environment: Environment,
  schemas: Schemas,
): Promise<Looked> {
  if ((scope === "site") !== (ref === undefined)) {
    throw fail("invalid_input", "A page or an entry is named by ref, the whole site is not.", {
      at: "ref",
      hint: scope === "site" ? "Pass scope page or entry with ref." : "page_list and entry_list list them.",
    });
  }
  const pagesOf = async (refs: readonly string[]) =>
    (await resolvePages(services, refs, "ref")).map(workingPageDocument);
  const entriesOf = async (refs: readonly string[]) =>
    (await resolveEntries(services, refs, "ref")).map((one) => entryDocument(one, environment.defaultLocale));
  if (ref !== undefined) {
    const documents = scope === "page" ? await pagesOf([ref]) : await entriesOf([ref]);
    return { documents, total: documents.length, nextCursor: null };
  }
  const collections = [...schemas.collections.keys()];
  const [found, counts, layout] = await Promise.all([
    newest(services, collections, positionOf("check", cursor)),
    loadCounts(services, environment),
    // The layout is a page too, but is not counted.
    rowsOf(
      services,
      "SELECT id FROM pages WHERE env_id=?1 AND slug='_layout' AND deleted_at IS NULL",
      services.env,
    ),
  ]);
  const some = found.slice(0, CHECKED_MAX);
  const last = found.length > CHECKED_MAX ? some.at(-1) : undefined;
  const ids = (isPage: boolean) =>
    some.flatMap((one) => ((one.listName === PAGES) === isPage ? [one.id] : []));
  const total = [
    layout.length,
    ...["draft", "published", "unpublished"].map(counts.pages),
    ...collections.flatMap((id) => ["draft", "published"].map((status) => counts.entries(id, status))),
  ].reduce((sum, one) => sum + one, 0);
  return {
    documents: [
      ...(ids(true).length === 0 ? [] : await pagesOf(ids(true))),
      ...(ids(false).length === 0 ? [] : await entriesOf(ids(false))),
    ],
    total,
    nextCursor:
      last === undefined ? null : cursorAfter("check", { sort: last.at, id: `${last.listName}/${last.id}` }),
  };
}

/** Pages are checked first; then the collections, by their IDs. */
const PAGES = "pages";

interface Walked {
  /** `pages`, or the collection */
  readonly listName: string;
  readonly id: string;
  /** ms; of its last change */
  readonly at: number;
}

/** The things after a place, one more than one call checks: pages, then the entries of each collection, the newest changes first. */
async function newest(
  services: CmsServices,
  collections: readonly string[],
  after: { readonly sort: string | number; readonly id: string } | null,
): Promise<readonly Walked[]> {
  const [from = PAGES, id = ""] = after?.id.split("/") ?? [];
  const listNames = [PAGES, ...collections.toSorted()];
  const found: Walked[] = [];
  for (const listName of listNames.slice(Math.max(0, listNames.indexOf(from)))) {
    const table = listName === PAGES ? "pages" : "entries";
    const own = listName === PAGES ? "env_id=?1" : "collection_id=?1 AND status<>'archived'";
    const place =
      after !== null && listName === from ? "AND updated_at<=?3 AND (updated_at<?3 OR id>?4)" : "";
    const rows = await rowsOf(
      services,
      `SELECT id, updated_at FROM ${table} WHERE ${own} AND deleted_at IS NULL ${place}
        ORDER BY updated_at DESC, id LIMIT ?2`,
      listName === PAGES ? services.env : listName,
      CHECKED_MAX + 1 - found.length,
      ...(place === "" ? [] : [Number(after?.sort), id]),
    );
    found.push(
      ...rows.map((row) => ({ listName: listName, id: text(row, "id"), at: number(row, "updated_at") })),
    );
    if (found.length > CHECKED_MAX) break;
  }
  return found;
}
