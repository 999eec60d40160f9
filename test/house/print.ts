import { countProse, PAGES, readText } from "../docs/doc-pages.ts";
import { tableOf } from "./rooms.ts";
import { readTree, type SourceFile } from "./source-tree.ts";

/** `npm run house`: prints every folder with its size, purpose and allowed imports, and the size of the whole. */

const [src = [], scripts = [], build = [], tests = []] = ["src", "scripts", "build", "test"].map(readTree);
console.log(tableOf([...src, ...scripts, ...build]));

const linesOf = (files: readonly SourceFile[]): number => files.reduce((sum, { lines }) => sum + lines, 0);
const words = PAGES.reduce((sum, page) => sum + countProse(readText(page)), 0);
console.log(`\nLines: ${linesOf(src)} in src, ${linesOf(tests)} in test. Words of documentation: ${words}.`);
