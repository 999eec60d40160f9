import type { Row, Tables } from "./tables.ts";

/**
 * Names in the place of ids. Whatever has one keeps it to the end of the task, so that what was renamed is known again:
 * `page about`, `section about/hero`, `post packing-light`, `header item About`, `image ridge`. What comes later is new:
 * a section is `section new hero`, the second one `section new hero 2`.
 */
export class Names {
  readonly #byId = new Map<string, string>();
  readonly #used = new Set<string>();
  readonly #dates = new Map<number, string>();
  #isFirst = true;

  /** Names what has none yet. */
  learn(tables: Tables): void {
    for (const page of tables.pages)
      this.#give(page["id"], page["kind"] === "layout" ? "layout" : `page ${String(page["slug"])}`);
    for (const entry of tables.entries) this.#give(entry["id"], `post ${String(entry["slug"])}`);
    for (const image of tables.images)
      this.#give(image["id"], `image ${String(image["id"]).replace(/^im_/, "")}`);
    const placeOf = (one: Row): string => `${this.of(one["page_id"])} ${String(one["sort_key"])}`;
    const sections = tables.sections.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
    for (const one of sections) this.#give(one["id"], `section ${this.#sectionName(one)}`);
    for (const item of tables.nav_items)
      this.#give(item["id"], `${String(item["location"])} item ${String(item["label"])}`);
    if (this.#isFirst) for (const entry of tables.entries) this.#date(entry["published_at"]);
    this.#isFirst = false;
  }

  of(id: unknown): string {
    return this.#byId.get(String(id)) ?? String(id);
  }

  /** The name of what is linked to; null for none. */
  link(id: unknown): string {
    return id === null || id === undefined ? "none" : this.of(id);
  }

  /** A date that the site began with, or `now`. */
  date(ms: number | null): string | null {
    return ms === null ? null : (this.#dates.get(ms) ?? "now");
  }

  /** A value with names in the place of ids, in links of texts too. */
  within(value: unknown): unknown {
    if (typeof value === "string")
      return (
        this.#byId.get(value) ??
        value.replace(/\b(?:page|entry):(\w+)/g, (whole, id: string) => this.#byId.get(id) ?? whole)
      );
    if (Array.isArray(value)) return value.map((one) => this.within(one));
    if (typeof value !== "object" || value === null) return value;
    const { kind, id, url, anchor, image, ...rest } = value as Record<string, unknown>;
    // A link, or an image with nothing to say of it here, is what it leads to.
    if (typeof kind === "string" && Object.keys(rest).length === 0)
      return [this.link(id ?? url ?? ""), ...(anchor === undefined ? [] : [`#${String(anchor)}`])].join("");
    if (typeof image === "string" && Object.keys(value).length === 1) return this.of(image);
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.within(one)]));
  }

  #sectionName(row: Row): string {
    const seeded = /^sc_([a-z]+)_(\w+)$/.exec(String(row["id"]));
    // An id of the sample tells its place; others are made from the key of their operation.
    if (this.#isFirst && seeded !== null && !/\d/.test(String(row["id"])))
      return `${seeded[1] ?? ""}/${(seeded[2] ?? "").replaceAll("_", "-")}`;
    return `new ${String(row["template_key"])}`;
  }

  #give(id: unknown, wanted: string): void {
    if (this.#byId.has(String(id))) return;
    let name = wanted;
    for (let count = 2; this.#used.has(name); count++) name = `${wanted} ${count}`;
    this.#used.add(name);
    this.#byId.set(String(id), name);
  }

  #date(ms: unknown): void {
    if (typeof ms === "number") this.#dates.set(ms, new Date(ms).toISOString().slice(0, 10));
  }
}
