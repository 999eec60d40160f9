import { writeFileSync } from "node:fs";
import path from "node:path";
import { characterEntities } from "character-entities";
import { PROJECT } from "../../src/cli/start/dev-server.ts";
import { REFERENCES_ASSET } from "../../build/stubs/character-references.ts";

/**
 * Makes the static file of character references from the package `character-entities`. Run it after that package changed; a
 * test tells when.
 */

export const REFERENCES_FILE = path.join(PROJECT, "src/ui/public", REFERENCES_ASSET);

/** Groups of names in the order of what they stand for, as `unpackReferences` reads them. */
export function packReferences(): string {
  const namesOf = new Map<string, string[]>();
  for (const [name, text] of Object.entries(characterEntities))
    namesOf.set(text, [...(namesOf.get(text) ?? []), name]);
  const groups = [...namesOf]
    .map(([text, names]) => ({ points: [...text].map((each) => each.codePointAt(0) ?? 0), names }))
    .toSorted((a, b) => (a.points[0] ?? 0) - (b.points[0] ?? 0) || (a.points[1] ?? 0) - (b.points[1] ?? 0));
  let before = 0;
  return groups
    .map(({ points: [first = 0, second], names }) => {
      const step = (first - before).toString(36);
      before = first;
      const place = second === undefined ? step : `${step}+${second.toString(36)}`;
      return [place === "1" ? "" : place, ...names].join(",");
    })
    .join(";");
}

if (import.meta.main) {
  writeFileSync(REFERENCES_FILE, `${packReferences()}\n`);
}
