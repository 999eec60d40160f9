import type { FakeD1 } from "../../sim/site/d1.ts";
import { publicView } from "./state.ts";

/** Looks at the site after every batch: what visitors see changes as a whole, and nothing is done twice. */
export class Witness {
  readonly #db: FakeD1;
  readonly #faults = new Set<string>();
  readonly #views: string[];
  #operations: number;

  constructor(db: FakeD1) {
    this.#db = db;
    this.#views = [publicView(db)];
    this.#operations = this.#count();
  }

  get faults(): readonly string[] {
    return [...this.#faults];
  }

  look(): void {
    const view = publicView(this.#db);
    const operations = this.#count();
    const more = operations - this.#operations;
    if (view !== this.#views.at(-1)) {
      this.#views.push(view);
      // Whatever visitors see anew is one operation, whole, in one batch.
      if (more !== 1)
        this.#faults.add(`visitors saw a half: ${more} operations in a batch that changed what is public`);
    }
    if (more > 1) this.#faults.add("two operations in one batch");
    this.#operations = operations;
    const twice = this.#db.rows(
      "SELECT op_key FROM revisions GROUP BY op_key, entity_type, entity_id HAVING count(*)>1",
    );
    if (twice.length > 0) this.#faults.add("an operation has changed a thing twice");
  }

  /**
   * State that crashes must not change: the views in order, each operation, and everything derived from the content.
   */
  traces(): string {
    const rows = [
      "SELECT key, tool, summary, session_id, undo_of, undone_by, env_id FROM operations ORDER BY key",
      "SELECT op_key, seq, entity_type, entity_id, version_before, version_after FROM revisions ORDER BY op_key, seq",
      "SELECT * FROM asset_refs ORDER BY target_type, target_id, owner_type, owner_id, state, locale, path",
      "SELECT doc_key, status, title, slug, body, parent_id FROM search_docs ORDER BY doc_key",
      "SELECT set_id, tbl, pk FROM change_set_rows ORDER BY set_id, tbl, pk",
    ].map((sql) => this.#db.rows(sql));
    // Times differ: a crash takes some.
    return JSON.stringify([this.#views, rows]).replace(/\b1[67]\d{11}\b/g, "0");
  }

  #count(): number {
    return Number(this.#db.rows("SELECT count(*) AS n FROM operations")[0]?.["n"]);
  }
}
