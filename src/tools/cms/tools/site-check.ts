import * as z from "zod";
import { defineTool } from "../../define.ts";
import { checkEntry, checkPage, computeCoverage } from "../checks/checks.ts";
import { loadCheckFacts, loadSchemas } from "../checks/facts.ts";
import { pickLocale, refInput } from "../edit/plan.ts";
import { entryDocument, workingPageDocument } from "../edit/publish.ts";
import { resolveEntries, resolvePages } from "../edit/refs.ts";
import type { PublishedDocument } from "../model/document.ts";
import { fail } from "../model/errors.ts";
import type { Check, CmsContext, CmsServices, Environment } from "../model/types.ts";
import { loadEnvironment, rowsOf } from "../storage/load.ts";
import { text } from "../storage/rows.ts";

/** Things that one call looks through; what is left out is counted. */
const CHECKED_MAX = 50;
/** Of blockers and of warnings each; what is left out is counted. */
const SHOWN_MAX = 40;

const input = z.strictObject({
  scope: z.enum(["site", "page", "entry"]).default("site"),
  ref: refInput.describe("id or slug, for page and entry").optional(),
  locale: z.string().max(20).optional().describe("coverage of this language only"),
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
    const [environment, schemas] = await Promise.all([loadEnvironment(services), loadSchemas(services)]);
    const locale = given.locale === undefined ? null : pickLocale(environment, given.locale);
    const { documents, total } = await documentsOf(given, services, environment);
    const [blockers, warnings]: [Check[], Check[]] = [[], []];
    const counts = new Map<string, { filled: number; total: number }>();
    for (const document of documents) {
      const facts = await loadCheckFacts(services, environment, document, schemas);
      const found = document.type === "page" ? checkPage(document, facts) : checkEntry(document, facts);
      blockers.push(...found.blockers);
      warnings.push(...found.warnings);
      for (const { code } of environment.locales.filter((one) => one.active)) {
        const [own, sum] = [computeCoverage(document, facts, code), counts.get(code)];
        counts.set(code, { filled: own.filled + (sum?.filled ?? 0), total: own.total + (sum?.total ?? 0) });
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
  const title = document.content[defaultLocale]?.title;
  return typeof title === "string" ? title : document.slug;
}

/** The drafts of the scope, archived ones left out, and how many there are. */
async function documentsOf(
  { scope, ref }: z.output<typeof input>,
  services: CmsServices,
  environment: Environment,
): Promise<{ readonly documents: readonly PublishedDocument[]; readonly total: number }> {
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
    return { documents, total: documents.length };
  }
  const rows = await rowsOf(
    services,
    `SELECT 'page' AS type, id FROM pages WHERE env_id=?1 AND deleted_at IS NULL
     UNION ALL SELECT 'entry', id FROM entries WHERE env_id=?1 AND deleted_at IS NULL AND status<>'archived'
     ORDER BY type DESC, id`,
    services.env,
  );
  const some = rows.slice(0, CHECKED_MAX);
  const ids = (type: string) => some.filter((one) => one.type === type).map((one) => text(one, "id"));
  const entries = ids("entry");
  return {
    documents: [...(await pagesOf(ids("page"))), ...(entries.length === 0 ? [] : await entriesOf(entries))],
    total: rows.length,
  };
}
