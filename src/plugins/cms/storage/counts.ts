import type { CmsServices, Environment } from "../model/types.ts";
import { rowsOf } from "./rows.ts";
import { number, text } from "../model/columns.ts";

/** Numbers of things. Triggers maintain them (`site_counts`), because counting would read all rows. */

export interface Counts {
  pages(status: string): number;
  entries(collection: string, status: string): number;
  readonly images: number;
  /** percent of the pages, sections and entries that have text in this locale */
  coverage(locale: string): number;
}

export async function loadCounts(
  services: CmsServices,
  environment: Pick<Environment, "defaultLocale">,
): Promise<Counts> {
  const rows = await rowsOf(services, "SELECT kind, part, n FROM site_counts WHERE env_id=?1", services.env);
  // Through a change set there are several of one part: those of the site, and what the set adds and takes.
  const counts = new Map<string, number>();
  for (const row of rows) {
    const key = `${text(row, "kind")}:${text(row, "part")}`;
    counts.set(key, (counts.get(key) ?? 0) + number(row, "n"));
  }
  const of = (kind: string, part: string): number => Math.max(0, counts.get(`${kind}:${part}`) ?? 0);
  const all = of("text", environment.defaultLocale);
  return {
    pages: (status) => of("page", status),
    entries: (collection, status) => of("entry", `${collection}/${status}`),
    images: of("image", ""),
    coverage: (locale) => (all === 0 ? 0 : Math.min(100, Math.round((100 * of("text", locale)) / all))),
  };
}
