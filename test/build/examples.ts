import { writeFileSync } from "node:fs";
import path from "node:path";
import { PAGES, placesOf, readText, withExamples } from "../docs/doc-pages.ts";
import { ROOT } from "../house/source-tree.ts";

/** Writes the examples of the documentation anew from the files that are compiled: `npx node test/build/examples.ts`. */

const places = placesOf(PAGES);
for (const page of PAGES) {
  const before = readText(page);
  const after = withExamples(before, places);
  if (after !== before) writeFileSync(path.join(ROOT, page), after);
}
