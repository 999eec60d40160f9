import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { DARK, LIGHT, themeCss } from "../../src/plugins/cms/renderer/html/style.ts";

/** The look is a static file, and the accent is computed against its colours: they must be the same. */

const css = readFileSync(
  path.join(import.meta.dirname, "../../src/page/public/site/assets/site.css"),
  "utf8",
);

/** The custom properties of each `:root` in order, the first value of each name for light, the second for dark. */
function valuesOf(text: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [, block = ""] of text.matchAll(/:root\s*\{([^}]*)\}/g))
    for (const [, name = "", value = ""] of block.matchAll(/(--[\w-]+):\s*([^;}]+)/g))
      values.set(name, [...(values.get(name) ?? []), value.trim()]);
  return values;
}

test("the surfaces of the style sheet are those that an accent is made readable on", () => {
  const values = valuesOf(css);
  for (const [at, name] of ["--bg", "--surface", "--raised"].entries())
    expect([name, values.get(name)]).toEqual([name, [LIGHT[at], DARK[at]]]);
});

test("the style sheet has the default accent, so that a page without its theme can be read", () => {
  const [own, theme] = [valuesOf(css), valuesOf(themeCss(null))];
  expect([...theme.keys()]).toEqual(["--accent", "--on-accent", "--accent-ink"]);
  for (const [name, values] of theme) expect([name, own.get(name)]).toEqual([name, values]);
});
