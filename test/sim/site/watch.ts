import type { FakeD1 } from "./d1.ts";

/** Invariants of a site and its change sets, under any writer and any crash of the worker. */

export const SITE_INVARIANTS = {
  unseen: "no write into a change set touches the site",
  whole: "visitors see a change set as a whole or not at all",
  once: "a key is one operation, with its changes once",
  settled: "nothing of a settled change set is left behind",
  kept: "an edit of somebody else outlives the publishing of a set that has not changed the same",
  shown: "a set shows what was written into it, and publishes what it showed",
  free: "a set that nobody else has got in the way of is published",
  undone: "a published change set is taken back whole",
  apart: "no history of the site knows the writes into a set, nor is one of its operations marked by them",
} as const;
export type SiteFault = keyof typeof SITE_INVARIANTS;

type Rows = ReadonlyMap<string, string>;

/** Rows of the site as visitors and editors have it, without counters and times. */
const LIVE = ["pages", "sections", "contents", "nav_items", "published_docs", "redirects", "settings"];
const COUNTERS = ["version", "published_version", "updated_at", "published_at", "created_at", "deleted_at"];
const KEYS: Readonly<Record<string, readonly string[]>> = {
  contents: ["owner_type", "owner_id", "locale"],
  published_docs: ["owner_type", "owner_id"],
  redirects: ["from_path"],
  settings: ["key"],
};

export class Watch {
  readonly #db: FakeD1;
  readonly #seen = new Set<SiteFault>();
  /** the state that a write into a set must leave alone; null while the site itself is written */
  #still: string | null = null;
  /** what visitors saw before a publishing, and how many states it has shown them since */
  #publics: Set<string> | null = null;
  #undoable: { readonly key: string; readonly before: string; readonly after: string } | null = null;
  #isElsewhere = false;
  /** somebody has written to the site since the set began */
  #isRivalled = false;
  published = 0;

  constructor(db: FakeD1) {
    this.#db = db;
  }

  get faults(): readonly SiteFault[] {
    return [...this.#seen];
  }

  begin(): void {
    this.#check();
  }

  openSet(session: string): string | null {
    const [row] = this.#db.rows("SELECT id FROM change_sets WHERE session_id=?1 AND state='open'", session);
    return row === undefined ? null : String(row["id"]);
  }

  /** At every batch. */
  look(when: "before" | "after"): void {
    if (this.#isElsewhere) return;
    if (when === "after" && this.#still !== null && this.#live() !== this.#still) this.#seen.add("unseen");
    if (this.#publics !== null) this.#publics.add(this.#public());
    if (when === "after") this.#check();
  }

  /** The site itself is written. */
  async live<Value>(act: () => Promise<Value>): Promise<Value> {
    const outer = this.#isElsewhere;
    this.#isElsewhere = true;
    try {
      return await act();
    } finally {
      this.#isElsewhere = outer;
      this.#undoable = null;
      this.#isRivalled = true;
      if (this.#still !== null) this.#still = this.#live();
      if (this.#publics !== null) this.#publics = new Set([this.#public()]);
    }
  }

  /** A set begins. */
  begun(): void {
    this.#isRivalled = false;
  }

  /** A text was written into a set, and the writer was told so. */
  written(set: string, section: string, texts: Readonly<Record<string, string>>): void {
    const [shown] = this.#shadowTexts(set, section);
    const all = shown === undefined ? {} : (JSON.parse(shown) as Record<string, string>);
    if (Object.entries(texts).some(([key, value]) => all[key] !== value)) this.#seen.add("shown");
  }

  /** Something is written into a set, or refused. */
  async collecting<Value>(set: string, act: () => Promise<Value>): Promise<Value> {
    const marks = this.#marks();
    this.#still = this.#live();
    try {
      return await act();
    } finally {
      if (this.openSet("set") === set && this.#live() !== this.#still) this.#seen.add("unseen");
      this.#still = null;
      if (this.#marks() < marks) this.#seen.add("apart");
    }
  }

  /** A set is published, or refused. */
  async publishing(
    set: string,
    overwrites: boolean,
    act: () => Promise<{ readonly call: { readonly context: { readonly key: string } } } | null>,
    refusal: () => string | null,
  ): Promise<void> {
    const own = this.#fieldsOf(set);
    let before = this.#live();
    this.#publics = new Set([this.#public()]);
    let theirs = this.#texts();
    const outer = this.#db.crossing;
    this.#db.crossing = async (when) => {
      await outer(when);
      if (when === "after") return;
      theirs = this.#texts();
      before = this.#live();
    };
    const done = await act();
    this.#db.crossing = outer;
    const states = this.#publics;
    this.#publics = null;
    if (states.size > 2) this.#seen.add("whole");
    const left = ["change_set_rows", "change_set_things"].some(
      (table) => this.#db.rows(`SELECT 1 FROM ${table} WHERE set_id=?1`, set).length > 0,
    );
    if (done === null) {
      if (states.size > 1) this.#seen.add("whole");
      if (!this.#isRivalled && /conflict|stale|unavailable/.test(refusal() ?? "")) this.#seen.add("free");
      return;
    }
    if (left) this.#seen.add("settled");
    this.published += 1;
    const now = this.#texts();
    for (const [field, value] of own) if (now.has(field) && now.get(field) !== value) this.#seen.add("shown");
    for (const [field, value] of theirs) {
      if (own.has(field) || !now.has(field)) continue;
      if (now.get(field) !== value) this.#seen.add("kept");
    }
    if (!overwrites && [...own].some(([field, value]) => this.#conflicting(set, field, value, theirs)))
      this.#seen.add("kept");
    this.#undoable = { key: done.call.context.key, before, after: this.#live() };
  }

  /** At the end of the day the last published set is taken back, if nothing came after it. */
  async end(undo: (key: string) => Promise<boolean>): Promise<void> {
    this.#check();
    const last = this.#undoable;
    if (last === null || this.#live() !== last.after) return;
    if ((await undo(last.key)) && this.#live() !== last.before) this.#seen.add("undone");
  }

  /** bases of the set at its publishing, by field; read before it */
  #bases = new Map<string, Rows>();

  /** Somebody else has changed it too since the set began with it, and to something else. */
  #conflicting(set: string, field: string, own: string, theirs: Rows): boolean {
    const base = this.#bases.get(set)?.get(field);
    // A field whose page is deleted on the site is compared through that deletion.
    const section = field.slice(0, field.indexOf("."));
    if (![...theirs.keys()].some((one) => one.startsWith(`${section}.`))) return false;
    const now = theirs.get(field) ?? "";
    return base !== undefined && now !== base && now !== own;
  }

  /** The texts of sections that the set has changed, as it shows them; and what they were when it began with them. */
  #fieldsOf(set: string): Rows {
    const base = new Map<string, string>();
    const own = new Map<string, string>();
    for (const row of this.#db.rows(
      "SELECT id, base FROM change_set_things WHERE set_id=?1 AND type='section'",
      set,
    )) {
      if (row["base"] === null) continue;
      const was =
        (JSON.parse(String(row["base"])) as { content: { en?: Record<string, string> } }).content.en ?? {};
      const [kept] = this.#shadowTexts(set, String(row["id"]));
      const is = kept === undefined ? null : (JSON.parse(kept) as Record<string, string>);
      if (is === null) continue;
      for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
        if (was[key] === is[key]) continue;
        own.set(`${String(row["id"])}.${key}`, is[key] ?? "");
        base.set(`${String(row["id"])}.${key}`, was[key] ?? "");
      }
    }
    this.#bases.set(set, base);
    return own;
  }

  /** The texts of a section as the set has it; none where the section or its page is deleted in it. */
  #shadowTexts(set: string, id: string): string[] {
    const row = (table: string, pk: string) => {
      const [found] = this.#db.rows(
        "SELECT rows FROM change_set_rows WHERE set_id=?1 AND tbl=?2 AND pk=?3",
        set,
        table,
        pk,
      );
      return found === undefined ? null : (JSON.parse(String(found["rows"])) as Record<string, unknown>[]);
    };
    const [section] = row("sections", id) ?? this.#db.rows("SELECT * FROM sections WHERE id=?1", id);
    if (section === undefined || section["deleted_at"] !== null) return [];
    const pageId = String(section["page_id"]);
    const [page] = row("pages", pageId) ?? this.#db.rows("SELECT * FROM pages WHERE id=?1", pageId);
    if (page === undefined || page["deleted_at"] !== null) return [];
    const contents = row("contents", `section:${id}`);
    return (contents ?? []).map((one) => JSON.stringify(one["data"]));
  }

  /** Each text of each live section. */
  #texts(): Rows {
    const texts = new Map<string, string>();
    for (const row of this.#db.rows(
      `SELECT c.owner_id, c.data FROM contents c JOIN sections s ON s.id=c.owner_id JOIN pages p ON p.id=s.page_id
        WHERE c.owner_type='section' AND s.deleted_at IS NULL AND p.deleted_at IS NULL`,
    ))
      for (const [key, value] of Object.entries(JSON.parse(String(row["data"])) as Record<string, string>))
        texts.set(`${String(row["owner_id"])}.${key}`, value);
    return texts;
  }

  #live(): string {
    const gone = new Set<unknown>();
    return JSON.stringify(
      LIVE.map((table) => {
        const rows = this.#db.rows(`SELECT * FROM ${table} ORDER BY ${(KEYS[table] ?? ["id"]).join(",")}`);
        for (const row of rows) if (typeof row["deleted_at"] === "number") gone.add(row["id"]);
        return rows
          .filter(
            (row) =>
              ![row["id"], row["page_id"], row["owner_id"]].some((id) => id !== undefined && gone.has(id)),
          )
          .map((row) => Object.entries(row).filter(([column]) => !COUNTERS.includes(column)));
      }),
    );
  }

  /** Everything that visitors see. */
  #public(): string {
    return JSON.stringify([
      this.#db.rows("SELECT owner_id, doc FROM published_docs ORDER BY owner_id"),
      this.#db.rows(
        "SELECT id, label, target_id FROM nav_items WHERE deleted_at IS NULL AND visible=1 ORDER BY id",
      ),
    ]);
  }

  /** Operations of the site that nobody has taken back. */
  #marks(): number {
    return this.#db.rows("SELECT 1 FROM operations WHERE env_id='env_main' AND undone_by IS NULL").length;
  }

  #check(): void {
    const twice = this.#db.rows(
      "SELECT op_key FROM revisions GROUP BY op_key, entity_type, entity_id HAVING count(*)>1",
    );
    if (twice.length > 0) this.#seen.add("once");
    const left = this.#db.rows(
      `SELECT 1 FROM change_sets c WHERE c.state<>'open' AND (
         EXISTS(SELECT 1 FROM change_set_rows r WHERE r.set_id=c.id)
         OR EXISTS(SELECT 1 FROM change_set_things t WHERE t.set_id=c.id)
         OR EXISTS(SELECT 1 FROM search_docs d WHERE d.env_id=c.id))`,
    );
    if (left.length > 0) this.#seen.add("settled");
    const stray = this.#db.rows(
      `SELECT 1 FROM revisions r JOIN operations o ON o.key=r.op_key WHERE r.env_id<>o.env_id`,
    );
    if (stray.length > 0) this.#seen.add("apart");
  }
}
