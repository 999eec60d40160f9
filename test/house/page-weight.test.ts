import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { ROOT } from "./source-tree.ts";

/**
 * Bytes of the built page that a browser fetches before it is usable, and with the first answer. `npm run page` builds
 * it.
 */

const PAGE = path.join(ROOT, "dist/page");
/** gzip at its default level, as Cloudflare serves it or smaller; a kB has 1,000 bytes */
const FIRST_LOAD_BYTES_MAX = 180_000;
/** what draws the first answer, which the person has not yet asked for then */
const ANSWER_BYTES_MAX = 50_000;

const gzipped = (file: string): number => gzipSync(readFileSync(path.join(PAGE, file))).length;

/** The files that one imports before it runs, and theirs. */
function withImports(file: string, known = new Set<string>()): ReadonlySet<string> {
  if (known.has(file)) return known;
  known.add(file);
  const text = readFileSync(path.join(PAGE, file), "utf8");
  for (const [, name] of text.matchAll(/(?:\bfrom|\bimport)\s*["']\.\/([\w.-]+\.js)["']/g))
    withImports(`assets/${name}`, known);
  return known;
}

const html = readFileSync(path.join(PAGE, "index.html"), "utf8");
const scripts = [...html.matchAll(/(?:src|href)="\/(assets\/[\w.-]+\.js)"/g)].map(([, file]) => file ?? "");
const chunk = (name: string): string => {
  const file = readdirSync(path.join(PAGE, "assets")).find(
    (each) => each.startsWith(`${name}-`) && each.endsWith(".js"),
  );
  if (file === undefined) throw new Error(`no chunk ${name} in dist/page/assets`);
  return `assets/${file}`;
};

test(`the first load is under ${FIRST_LOAD_BYTES_MAX / 1_000} kB of script, and the first answer brings few more`, () => {
  expect(scripts.length).toBeGreaterThan(0);
  const first = new Set(scripts.flatMap((file) => [...withImports(file)]));
  const weight = [...first].reduce((sum, file) => sum + gzipped(file), 0);
  const drawing = [...withImports(chunk("markdown"))].filter((file) => !first.has(file));
  const answer = drawing.reduce((sum, file) => sum + gzipped(file), 0);
  console.log(
    `The page: ${(weight / 1_000).toFixed(1)} kB of script, ${(answer / 1_000).toFixed(1)} kB more with the first answer`,
  );
  expect(weight).toBeLessThan(FIRST_LOAD_BYTES_MAX);
  expect(answer).toBeLessThan(ANSWER_BYTES_MAX);
});

test("the page tells its schemas that they may not compile themselves, which its policy forbids", () => {
  // `sideEffects` of package.json names the page: a file that only sets something would be left out.
  const texts = scripts.map((file) => readFileSync(path.join(PAGE, file), "utf8"));
  expect(texts.filter((text) => /\(\{jitless:(?:!0|true)\}\)/.test(text))).toHaveLength(1);
});

test("no script stands in the page itself, and none comes from elsewhere", () => {
  expect(html.match(/<script(?![^>]*\bsrc="\/assets\/)[^>]*>/g)).toBeNull();
  expect(html.match(/https?:\/\//g)).toBeNull();
});
