import type { Bindings } from "../../../../cairn/bindings.ts";
import { ownValue } from "../../../../cairn/core/log/json.ts";
import { err, ok } from "../../../../cairn/core/log/result.ts";
import type { LoadOutline } from "../../http/preview-link.ts";
import { servicesOf } from "../../pack.ts";
import { loadEnvironment, loadPages } from "../../storage/load.ts";
import { rowsOf } from "../../storage/rows.ts";
import { text } from "../../model/columns.ts";
import { NOT_CONFIGURED } from "./preview-link.ts";

const PAGES_MAX = 200;

/** Summary of the working copy: its pages, and the first text of the home page. */
export function createOutline(seed: (env: Bindings, now: number) => Promise<void>): LoadOutline {
  return async (env, at) => {
    const services = servicesOf(env);
    if (services === null) return err(NOT_CONFIGURED);
    await seed(env, at);
    const there = await rowsOf(services, "SELECT 1 FROM environments WHERE id=?1", services.env);
    if (there.length === 0) return err(NOT_CONFIGURED);
    const { homePageId, defaultLocale } = await loadEnvironment(services);
    const [rows, [home]] = await Promise.all([
      rowsOf(
        services,
        `SELECT name, slug, status, id FROM pages WHERE env_id=?1 AND deleted_at IS NULL AND kind='page'
          ORDER BY name COLLATE NOCASE, id LIMIT ${PAGES_MAX}`,
        services.env,
      ),
      homePageId === null ? [] : loadPages(services, [homePageId]),
    ]);
    const hero = home?.sections.find((section) => section.template === "hero");
    const title = ownValue(hero?.content, defaultLocale)?.["title"];
    return ok({
      pages: rows.map((row) => ({
        name: text(row, "name"),
        slug: text(row, "slug"),
        status: text(row, "status"),
      })),
      heroTitle: typeof title === "string" ? title : null,
    });
  };
}
