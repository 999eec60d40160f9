import { readFileSync } from "node:fs";
import path from "node:path";
import type { CmsBindings } from "../../../src/plugins/cms/model/types.ts";
import { ensureReady } from "../../../src/plugins/cms/seed/index.ts";
import { FakeD1 } from "../../sim/site/d1.ts";

/** The sample site, as a deployment has it on its first day, on a D1 and a bucket of the simulation. */

const PUBLIC = path.resolve(import.meta.dirname, "../../../src/page/public");
/** the day on which the site was set up, and on which the tasks begin: a Monday morning */
export const SITE_BORN_AT = Date.UTC(2026, 0, 1, 9);
export const TASK_BEGINS_AT = Date.UTC(2026, 0, 5, 9);

const ASSETS = {
  fetch: async (input: RequestInfo | URL): Promise<Response> => {
    const { pathname } = new URL(input instanceof Request ? input.url : String(input));
    return new Response(new Uint8Array(readFileSync(path.join(PUBLIC, pathname))));
  },
};

/** A bucket in memory: what the tools ask of one, and no more. */
function bucket(): R2Bucket {
  const objects = new Map<string, Uint8Array>();
  const fake = {
    put: async (key: string, bytes: ArrayBuffer) => {
      objects.set(key, new Uint8Array(bytes));
      return { key };
    },
    head: async (key: string) => (objects.has(key) ? { key } : null),
    delete: async (keys: string | string[]) => {
      for (const key of [keys].flat()) objects.delete(key);
    },
  };
  return fake as unknown as R2Bucket;
}

export interface Site {
  readonly db: FakeD1;
  readonly bindings: CmsBindings;
}

/** the rows of the seeded site by table, as one JSON text each */
let kept: ReadonlyMap<string, string> | null = null;

/** Tables with rows of their own; those of the full text search, of the counts and of the sitemap fill themselves. */
const tablesOf = (db: FakeD1): string[] =>
  db
    .rows("SELECT name FROM sqlite_master WHERE type='table'")
    .flatMap(({ name }) =>
      /_fts|^sqlite_|^site_counts$|^sitemap_docs$/.test(String(name)) ? [] : [String(name)],
    );

/** A site of one's own. It is seeded by the code of the deployment once in a process, and copied from then on. */
export async function sampleSite(): Promise<Site> {
  const db = new FakeD1();
  const bindings: CmsBindings = { DB: db.binding, MEDIA: bucket(), ASSETS };
  if (kept === null) {
    await ensureReady(bindings, SITE_BORN_AT);
    kept = new Map(
      tablesOf(db).flatMap((table) => {
        // PRAGMA table_info lists the stored columns and omits the generated ones.
        const columns = db.rows(`PRAGMA table_info(${table})`).map(({ name }) => String(name));
        const rows = db.rows(`SELECT ${columns.join(",")} FROM ${table}`);
        return rows.length === 0 ? [] : [[table, JSON.stringify(rows)]];
      }),
    );
    return { db, bindings };
  }
  db.exec("PRAGMA foreign_keys=OFF; BEGIN");
  for (const [table, rows] of kept) {
    const columns = Object.keys((JSON.parse(rows) as Record<string, unknown>[])[0] ?? {});
    const values = columns.map((column) => `value->>'${column}'`);
    db.rows(`INSERT INTO ${table}(${columns.join(",")}) SELECT ${values.join(",")} FROM json_each(?1)`, rows);
  }
  db.exec("COMMIT; PRAGMA foreign_keys=ON");
  return { db, bindings };
}
