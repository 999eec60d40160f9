import { reportOf } from "../../core/family/tree.ts";
import { CHILD_PAGES_CHARS_MAX } from "../../core/limits.ts";
import type { State } from "../../core/state/state.ts";
import { loadRun } from "./log-reader.ts";
import type { SentReport } from "../engine/family/take-report.ts";
import type { Store } from "../engine/ports.ts";

/** Returns a run's result for its parent, with the pages that the answer cites. Null until the run has ended. */
export function sentReport(
  session: string,
  store: Pick<Store, "entriesBefore" | "entriesBetween" | "sources" | "loadBlob">,
  state: State,
  run: string,
): SentReport | null {
  const entries = loadRun(store, state, run);
  const report = reportOf(session, entries);
  const [first] = entries;
  const parent = first?.kind === "run_queued" ? first.body.parent : undefined;
  if (report === null || parent === undefined) return null;
  let space = CHILD_PAGES_CHARS_MAX;
  const names = [...new Set((report.citations ?? []).map(({ page }) => page))];
  const pages = names.flatMap((name): SentReport["pages"][number][] => {
    const record = store.sources.page(name);
    const text = store.loadBlob(name);
    if (record === null || text === null || text.length > space) return [];
    space -= text.length;
    const { url, title, date, fetchedAt } = record;
    return [[name, { url, title, date, text, links: [], fetchedAt }]];
  });
  const { run: above, call, createdAt } = parent;
  return { to: { run: above, call, createdAt }, report, pages };
}
