import type { Frame } from "../html/frame.ts";

/**
 * Search engines are let in only where the site knows its own address and this is the environment for the world; a copy
 * under another host, or a deployment that is being tried out, stays out of their index.
 */
export function robotsText(frame: Frame | null): string {
  const base = frame?.isDefault === true ? frame.environment.baseUrl : null;
  if (base === null) return "User-agent: *\nDisallow: /\n";
  return `User-agent: *\nDisallow: /api/\n\nSitemap: ${base.replace(/\/+$/, "")}/site/sitemap.xml\n`;
}
