import { writeFileSync } from "node:fs";
import path from "node:path";
import { drawingOf, withDrawing } from "../house/drawing.ts";
import { readTree, ROOT } from "../house/source-tree.ts";
import { PAGES, placesOf, readText, withExamples } from "./doc-pages.ts";
import { generatedPages } from "./generated.ts";

/**
 * `npm run docs`: rewrites what the documentation shows of other files. These are the examples that are compiled, the drawing of
 * the folders in ARCHITECTURE.md, and llms.txt.
 */

function write(page: string, text: string): void {
  if (text === readText(page)) return;
  writeFileSync(path.join(ROOT, page), text);
  console.log(`Written: ${page}`);
}

const places = placesOf(PAGES);
for (const page of PAGES) write(page, withExamples(readText(page), places));
write("ARCHITECTURE.md", withDrawing(readText("ARCHITECTURE.md"), drawingOf(readTree("src"))));
for (const [page, text] of generatedPages()) write(page, text);
