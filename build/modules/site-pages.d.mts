export * from "../beside/site-pages.ts";
