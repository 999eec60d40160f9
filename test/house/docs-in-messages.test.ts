import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { docsPage } from "../../src/cli/places.ts";
import { DOCS } from "../docs/doc-pages.ts";
import { readTexts, ROOT } from "./source-tree.ts";

/** Messages that name a page of the docs. A project has these in its node_modules, not in a folder of its own. */

/** `docs/a.md` in code, without comments. */
function namedIn(text: string): string[] {
  const code = text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
  return Array.from(code.matchAll(/docs\/[\w-]+\.md(?:<\/code>)?(?:\s+of\s+Cairn)?/g), ([named]) => named);
}

describe("a message that names a page of the docs", () => {
  const files = readTexts("src").map((file) => ({ file: file.path, named: namedIn(file.text) }));

  test("says that it is one of Cairn's, and a command asks where it lies", () => {
    const faults = files.flatMap(({ file, named }) =>
      named
        .filter((each) => file.startsWith("src/cli/") || !/of\s+Cairn$/.test(each))
        .map((each) => `${file}: ${each}`),
    );
    expect(faults).toEqual([]);
    expect(files.flatMap(({ named }) => named).length).toBeGreaterThan(10);
  });

  test("names one that there is", () => {
    const asked = readTexts("src/cli").flatMap(({ text }) =>
      Array.from(text.matchAll(/docsPage\("([^"]+)"\)/g), ([, page]) => `docs/${page}`),
    );
    expect(asked.length).toBeGreaterThan(2);
    const named = files.flatMap((each) => each.named.map((text) => /docs\/[\w-]+\.md/.exec(text)?.[0]));
    expect([...named, ...asked].filter((page) => !DOCS.includes(page ?? ""))).toEqual([]);
  });

  test("is found in the package: the docs are packed", () => {
    const { files: packed } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as {
      readonly files: readonly string[];
    };
    expect(packed).toContain("docs");
    expect(docsPage("deploy.md")).toBe("docs/deploy.md");
  });
});
