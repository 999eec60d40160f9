import { COLLECTION_SORT, type EntryDocument, type PageDocument } from "../../model/document.ts";
import { loadEntries, loadPages, loadPublished } from "../../storage/load.ts";
import type { PreviewGrant } from "../preview.ts";
import { entryDocument, workingPageDocument } from "../../edit/publish.ts";
import { batchOf } from "../../storage/rows.ts";
import { numberOrNull, text, type Row } from "../../model/columns.ts";
import { publishedOf } from "../../model/tables.ts";
import type { CmsServices, Collection } from "../../model/types.ts";
import type { Frame } from "../html/frame.ts";
import { covers, type Target } from "../target.ts";

/** The documents of one response: published ones for the public, the working copy with a token. */

const ENTRIES_PER_PAGE = 10;

export interface Documents {
  readonly layout: PageDocument | null;
  readonly page: PageDocument | null;
  readonly entry: EntryDocument | null;
  /** of a list: the entries of this page of it, and how many pages there are */
  readonly entries: readonly EntryDocument[];
  readonly pages: number;
  /** drafts are among them */
  readonly isDraft: boolean;
}

/** One read; two when a list of drafts is shown. `page` counts from 1 and matters for lists only. */
export async function loadDocuments(
  services: CmsServices,
  frame: Frame,
  target: Target,
  page: number,
  grant: PreviewGrant | null,
): Promise<Documents> {
  const siteDraft = grant?.scope === "site";
  const layoutIds = frame.layoutId === null ? [] : [frame.layoutId];
  const pageIds = target.kind === "page" ? [target.id] : [];
  const entryIds = target.kind === "entry" ? [target.id] : [];
  const isDraft =
    target.kind === "page" || target.kind === "entry" ? covers(grant, target.kind, target.id) : siteDraft;
  const working = [...(siteDraft ? layoutIds : []), ...(isDraft ? pageIds : [])];
  const frozen = [...(siteDraft ? [] : layoutIds), ...(isDraft ? [] : [...pageIds, ...entryIds])];

  const [pages, entries, published, list] = await Promise.all([
    working.length === 0 ? [] : loadPages(services, working),
    isDraft && entryIds.length > 0 ? loadEntries(services, entryIds) : [],
    frozen.length === 0 ? new Map<string, never>() : loadPublished(services, frozen),
    target.kind === "list" ? loadList(services, frame, target.collection, page, siteDraft) : NO_LIST,
  ]);
  const documents = [
    ...pages.map(workingPageDocument),
    ...entries.map((one) => entryDocument(one, frame.environment.defaultLocale)),
    ...[...published.values()].map((row) => row.document),
  ];
  const pageOf = (ids: readonly string[]): PageDocument | null =>
    (documents.find((one) => one.type === "page" && ids.includes(one.id)) as PageDocument | undefined) ??
    null;
  const entry = documents.find((one) => one.type === "entry");
  return { layout: pageOf(layoutIds), page: pageOf(pageIds), entry: entry ?? null, ...list, isDraft };
}

const NO_LIST: Pick<Documents, "entries" | "pages"> = { entries: [], pages: 1 };

async function loadList(
  services: CmsServices,
  { environment }: Frame,
  collection: Collection,
  page: number,
  draft: boolean,
): Promise<Pick<Documents, "entries" | "pages">> {
  const sort = COLLECTION_SORT.test(collection.sort) ? collection.sort : "published_at desc";
  const listed = `FROM entries e ${draft ? "" : "JOIN published_docs d ON d.owner_type='entry' AND d.owner_id=e.id"}
    WHERE e.env_id=?1 AND e.collection_id=?2 AND e.deleted_at IS NULL AND e.status${draft ? "<>'archived'" : "='published'"}`;
  const statuses = draft ? ["draft", "published"] : ["published"];
  const [[count] = [], rows = []] = await batchOf(services, [
    // A published entry has its document; their number is stored.
    [
      `SELECT sum(n) AS n FROM site_counts WHERE env_id=?1 AND kind='entry'
        AND part IN (SELECT value FROM json_each(?2))`,
      services.env,
      JSON.stringify(statuses.map((status) => `${collection.id}/${status}`)),
    ],
    [
      `SELECT ${draft ? "e.id" : "d.*"} ${listed} ORDER BY e.${sort} ${draft ? "NULLS FIRST" : ""}, e.id
        LIMIT ${ENTRIES_PER_PAGE} OFFSET ?3`,
      services.env,
      collection.id,
      (page - 1) * ENTRIES_PER_PAGE,
    ],
  ]);
  const pages = Math.max(
    1,
    Math.ceil((count === undefined ? 0 : (numberOrNull(count, "n") ?? 0)) / ENTRIES_PER_PAGE),
  );
  const entries = draft
    ? await workingEntries(services, rows, environment.defaultLocale)
    : rows.map(frozenEntry);
  return { entries: entries.filter((one) => one !== null), pages };
}

function frozenEntry(row: Row): EntryDocument | null {
  const { document } = publishedOf(row);
  return document.type === "entry" ? document : null;
}

async function workingEntries(
  services: CmsServices,
  rows: readonly Row[],
  defaultLocale: string,
): Promise<readonly (EntryDocument | null)[]> {
  const ids = rows.map((row) => text(row, "id"));
  const byId = new Map((await loadEntries(services, ids)).map((one) => [one.id, one]));
  return ids.map((id) => {
    const entry = byId.get(id);
    return entry === undefined ? null : entryDocument(entry, defaultLocale);
  });
}
