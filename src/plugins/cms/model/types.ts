import type { Batch, ShownChange } from "../../../cairn/core/log/approval.ts";
import type { Embedder } from "../embedding/embedder.ts";
import type { Meaning, VectorIndex } from "./meaning.ts";
import type { StockProvider } from "./stock.ts";
import type { ToolContext } from "../../../cairn/tools/define.ts";
import type { AccessBindings, WebAccess } from "../../../cairn/outbound/access.ts";
import type {
  Collection,
  Entry,
  Image,
  Locale,
  Page,
  PublishedRow,
  Redirect,
  Section,
  Setting,
  StoredNavItem,
  Template,
} from "./tables.ts";

export * from "./limits.ts";
export type {
  Collection,
  Entry,
  Image,
  Locale,
  NavTarget,
  Page,
  PublishedRow,
  Redirect,
  Section,
  Setting,
  StoredNavItem,
  Template,
} from "./tables.ts";

/** Services of the CMS tools. `env` is the ID of the environment that everything is scoped by. */
export interface CmsServices {
  readonly db: D1Database;
  /** null in a deployment without a bucket, which has no images */
  readonly media: R2Bucket | null;
  readonly env: string;
  /** for images by URL; the platform's own, and any public host, when left out */
  readonly web?: WebAccess;
  /** hosts of images that need no approval: `example.com`, `*.example.com` */
  readonly imageHosts?: readonly string[];
  readonly stock?: StockProvider | null;
  /** left out where no embedding model is configured: then everything is found by words */
  readonly meaning?: Meaning;
  /** who acts, when it is not the agent: `user:<id>`, `system:seed` */
  readonly actor?: string;
  /** the change set that writes go into; `db` then shows the site as the set makes it */
  readonly changeSet?: ChangeSetScope;
}

/** Where a write goes that no visitor sees: an open change set, and the database without it. */
export interface ChangeSetScope {
  readonly id: string;
  readonly name: string;
  readonly live: D1Database;
}

export type CmsContext = ToolContext<CmsServices>;

export type PageStatus = Page["status"];
export type EntryStatus = Entry["status"];
export type Region = Template["region"];
export type NavLocation = StoredNavItem["location"];
export type SettingKey = Setting["key"];

/** The environment with the facts that nearly every write needs. */
export interface Environment {
  readonly id: string;
  readonly siteId: string;
  readonly siteName: string;
  readonly baseUrl: string | null;
  readonly isProtected: boolean;
  readonly epoch: number;
  readonly locales: readonly Locale[];
  readonly defaultLocale: string;
  readonly homePageId: string | null;
}

/** A page with its live sections, in order. */
export interface PageAggregate {
  readonly page: Page;
  readonly sections: readonly Section[];
}

export interface NavNode extends StoredNavItem {
  readonly children: readonly NavNode[];
}

/**
 * One row before and after a write: null before is a creation, null after a removal of the row (soft deletes are an
 * `after` with `deletedAt`). Statements, version guards and revisions are all made from these.
 */
export type Change =
  | { readonly type: "image"; readonly before: Image | null; readonly after: Image }
  | { readonly type: "page"; readonly before: Page | null; readonly after: Page }
  | { readonly type: "section"; readonly before: Section | null; readonly after: Section }
  | { readonly type: "entry"; readonly before: Entry | null; readonly after: Entry }
  | { readonly type: "collection"; readonly before: Collection | null; readonly after: Collection }
  | { readonly type: "locale"; readonly before: Locale | null; readonly after: Locale | null }
  | { readonly type: "nav_item"; readonly before: StoredNavItem | null; readonly after: StoredNavItem }
  | { readonly type: "setting"; readonly before: Setting | null; readonly after: Setting | null }
  | { readonly type: "published"; readonly before: PublishedRow | null; readonly after: PublishedRow | null }
  | { readonly type: "redirect"; readonly before: Redirect | null; readonly after: Redirect | null };

export type GuardTable =
  | "pages"
  | "sections"
  | "entries"
  | "nav_items"
  | "settings"
  | "locales"
  | "images"
  | "collections";

/** The write happens only if this row still has this version. For settings and locales the id is `env_id/key`. */
export interface Guard {
  readonly table: GuardTable;
  readonly id: string;
  readonly version: number;
}

/** The write happens only if this query (one number, `?1` is `json`) still answers what the plan saw. */
export interface StateGuard {
  readonly sql: string;
  readonly json: string;
  readonly equals: number;
}

type RefTarget = "image" | "page" | "entry" | "collection";

export type RefState = "draft" | "published" | "live";

/** One use of an image, page, entry or collection: a row of `asset_refs`. */
export interface AssetRef {
  readonly targetType: RefTarget;
  readonly targetId: string;
  readonly ownerType: string;
  readonly ownerId: string;
  readonly rootType: string;
  readonly rootId: string;
  readonly state: RefState;
  /** empty for what is the same in all locales */
  readonly locale: string;
  /** field path, such as `items[0].icon` */
  readonly path: string;
}

/** One searchable text: a row of `search_docs`. */
export interface SearchDocument {
  readonly kind: "page" | "section" | "entry" | "image" | "template" | "collection";
  readonly refId: string;
  readonly locale: string;
  readonly status: string;
  readonly title: string;
  readonly slug: string;
  readonly body: string;
  readonly parentId: string | null;
}

/** New projections, and what is cleared before they are written. A batch holds one, merged from all owners touched. */
export interface Projection {
  readonly clearOwners: readonly { readonly type: string; readonly id: string; readonly state: RefState }[];
  readonly clearRoots: readonly { readonly type: string; readonly id: string; readonly state: RefState }[];
  readonly refs: readonly AssetRef[];
  readonly clearDocuments: readonly { readonly kind: SearchDocument["kind"]; readonly id: string }[];
  readonly documents: readonly SearchDocument[];
}

/** The effect of a planned write as a person decides by it: computed by the server, worded in sentences. */
interface Impact {
  /** such as `Publish the page “About us”` */
  readonly title: string;
  /** one sentence */
  readonly summary: string;
  /** a line each */
  readonly lines: readonly string[];
  /** visible changes besides its own rows */
  readonly changes?: readonly ShownChange[];
  /** more lines, which must not be missed */
  readonly warnings?: readonly string[];
  /** the same grouped by what it is about, where it is a batch of many */
  readonly batch?: Batch;
  /** true when the change shows on the public site at once */
  readonly public: boolean;
}

/** A planned write: complete before anything is written, so that preview and commit cannot differ. */
export interface Plan<Output> {
  readonly result: Output;
  readonly changes: readonly Change[];
  /** rows that the plan relies on besides those it changes */
  readonly guards?: readonly Guard[];
  readonly stateGuards?: readonly StateGuard[];
  readonly projection: Projection;
  readonly impact: Impact;
  /** key of the operation that this one takes back */
  readonly undoes?: string;
  /** what becomes of a change set with it */
  readonly changeSet?: ChangeSetEdit;
  /** a message for the session that had scheduled this work */
  readonly notice?: Notice;
}

/** A message about scheduled work for the session that asked for it (schedule/notices.ts). */
export interface Notice {
  readonly id: string;
  readonly session: string;
  /** ms; a session of this name that is younger is another one */
  readonly createdBefore: number;
  readonly text: string;
}

/** An operation's effect on a change set itself. */
export type ChangeSetEdit =
  | {
      readonly to: "open";
      readonly id: string;
      readonly name: string;
      /** of the session, ms: open sets that are older belong to a deleted session of its name */
      readonly createdAt: number;
    }
  | {
      readonly to: "published" | "discarded";
      readonly id: string;
      /** of the set, as the plan read it */
      readonly version: number;
    }
  | {
      readonly to: "scheduled";
      readonly id: string;
      readonly version: number;
      /** ms; null takes the time away, with the reason */
      readonly at: number | null;
      readonly failure?: string;
      /** what was approved: a difference at that time leaves it unpublished */
      readonly basis?: string;
      readonly overwrite?: readonly string[];
    };

/** A planned write with any result. */
export type AnyPlan = Plan<Written & { readonly [field: string]: unknown }>;

/** One keyed write, as its row in `operations`. */
export interface Operation {
  readonly key: string;
  readonly tool: string;
  readonly argsDigest: string;
  readonly actor: string;
  readonly session: string | null;
  readonly run: string | null;
  readonly approval: string | null;
  /** ms */
  readonly at: number;
}

/** Fields that every write returns besides its own. */
export interface Written {
  readonly ok: true;
  /** the key of the operation; none where nothing was written */
  readonly op?: string;
  /** it was like this already: nothing was written */
  readonly unchanged?: true;
  /** whether the change is on the public site now */
  readonly publicNow: boolean;
  readonly preview?: { readonly path: string; readonly section?: string };
  readonly notes?: readonly string[];
  readonly replayed?: true;
}

export interface PageBrief {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly status: PageStatus;
  readonly version: number;
  readonly dirty: boolean;
  readonly url: string;
}

export interface SectionBrief {
  readonly id: string;
  readonly template: string;
  readonly variant: string;
  /** from 1 */
  readonly position: number;
  readonly hidden: boolean;
  readonly heading: string;
  readonly version: number;
}

/** A finding of a publish check. */
export interface Check {
  readonly code: string;
  readonly owner: { readonly type: string; readonly id: string; readonly name: string };
  /** path of the field, such as `items[0].icon` */
  readonly field?: string;
  readonly message: string;
  readonly fix: string;
}

export interface Checks {
  readonly blockers: readonly Check[];
  readonly warnings: readonly Check[];
}

/** The bindings that the pack runs on; a deployment without them has no CMS. */
export interface CmsBindings extends AccessBindings {
  readonly DB?: D1Database;
  readonly MEDIA?: R2Bucket;
  /** the static files; the sample site takes its images from them */
  readonly ASSETS?: Pick<Fetcher, "fetch">;
  /** hosts of images that need no approval, separated by commas */
  readonly IMAGE_HOSTS?: unknown;
  readonly PEXELS_API_KEY?: unknown;
  /** another server that answers like Pexels */
  readonly PEXELS_BASE_URL?: unknown;
  /** the embedding model; the worker makes it from its variables */
  readonly embedder?: Embedder;
  readonly VECTORIZE?: VectorIndex;
  /** id of the environment that the tools work on; the deployment's own when left out */
  readonly environment?: string;
}

/** Templates and collections, when the caller has them already. */
export interface Schemas {
  readonly templates: ReadonlyMap<string, Template>;
  readonly collections: ReadonlyMap<string, Collection>;
}
