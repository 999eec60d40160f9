export * from "../on-demand/site-pages.ts";
