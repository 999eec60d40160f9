import { lazy, type ComponentType, type LazyExoticComponent } from "react";
import { fetchUntilThere, type Standing } from "./fetch-part.ts";

/** A part of the page that is fetched when it is first shown. */
export const part = <Props>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): LazyExoticComponent<ComponentType<Props>> => lazy(() => fetchPart(load));

/** Result of `import()`, with retries over a bad connection. Rejects if a later version has been deployed. */
export const fetchPart = <Value>(load: () => Promise<Value>): Promise<Value> =>
  fetchUntilThere(load, standsThere);

/** The name of the page's own script has its digest in it, and the HTML names the script. */
async function standsThere(): Promise<Standing> {
  const own = document.querySelector("script[type=module][src]")?.getAttribute("src");
  const html = await fetch("/", { cache: "no-store" }).then(
    (response) => (response.ok ? response.text() : null),
    () => null,
  );
  if (html === null || own == null) return "silent";
  return html.includes(own) ? "same" : "later";
}
