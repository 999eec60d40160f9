/** The templates of the site with their reader of Markdown, loaded with its first page (pdf.ts says why it lies here). */
export const loadSitePages = () => import("./site-pages.mjs");
