import { renderEntry, renderEntryList } from "./pages/entry.ts";
import { renderNotFound } from "./pages/not-found.ts";
import { renderPage } from "./pages/page.ts";
import type { Render } from "./routes.ts";
import { themeCss } from "./html/style.ts";

/** The templates of this site. */
export const rendering: Render = {
  page: renderPage,
  list: renderEntryList,
  entry: renderEntry,
  notFound: renderNotFound,
  themeCss,
};
