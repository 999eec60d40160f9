import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { exampleAt, PAGES, placesOf } from "../docs/doc-pages.ts";
import { ROOT } from "../house/source-tree.ts";

/** What a checkout has beside its sources. */
const LEFT_OUT = new Set(["node_modules", "dist", ".git", ".wrangler"]);

/** Examples of the documentation, each of which stands at the place that its page names. */
const EXAMPLES = [
  ...["house-rules.ts", "hooks.ts", "reading-time.ts", "skills.ts"],
  ...["skills/release-notes/SKILL.md", "skills/release-notes/references/words.md"],
].map((name) => `test/fixtures/docs/${name}`);

/** A copy of this tree in an empty folder, with the examples of an agent, webhooks, skills and a tool in place. */
export function makeFork(folder: string): void {
  cpSync(ROOT, folder, {
    recursive: true,
    filter: (source) => !LEFT_OUT.has(path.relative(ROOT, source)),
  });
  for (const linked of ["node_modules", "dist"])
    symlinkSync(path.join(ROOT, linked), path.join(folder, linked));
  const read = (file: string): string => readFileSync(path.join(folder, file), "utf8");
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  };
  const places = placesOf(PAGES);
  for (const example of EXAMPLES) write(places.get(example) ?? example, exampleAt(example, places));
  write(
    "src/tools/packs.ts",
    `import { writingPack } from "./writing/reading-time.ts";\n${read("test/fixtures/deployment/packs.ts")
      .replaceAll("../../../src/tools/", "./")
      .replaceAll("../../../src/", "../")
      .replace(".add(imagesPack, env)", ".add(imagesPack, env).add(writingPack, env)")}`,
  );
}
