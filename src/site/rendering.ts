import { renderEntry, renderEntryList } from "./entry.ts";
import { renderNotFound } from "./not-found.ts";
import { renderPage } from "./page.ts";
import type { Render } from "./routes.ts";
import { themeCss } from "./style.ts";

/** The templates of this site. */
export const rendering: Render = {
  page: renderPage,
  list: renderEntryList,
  entry: renderEntry,
  notFound: renderNotFound,
  themeCss,
};
