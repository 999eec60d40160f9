import { REFERENCES } from "./reference-table.ts";

/**
 * What `wrangler.toml` puts in the place of `decode-named-character-reference`: the same names of HTML (`hearts` of
 * `&hearts;`), half as heavy, because they are ordered by what they stand for.
 */

/**
 * Reads the table: groups split by `;`, each a place and the names of it, split by `,`. A place is the distance from the
 * code point before in base 36, 1 when empty; a second code point follows a `+`.
 */
function unpackReferences(packed: string): ReadonlyMap<string, string> {
  const references = new Map<string, string>();
  let point = 0;
  for (const group of packed.split(";")) {
    const [place = "", ...names] = group.split(",");
    const [step = "", second] = place.split("+");
    point += step === "" ? 1 : parseInt(step, 36);
    const text = String.fromCodePoint(point, ...(second === undefined ? [] : [parseInt(second, 36)]));
    for (const name of names) references.set(name, text);
  }
  return references;
}

let references: ReadonlyMap<string, string> | null = null;

/** The characters that a name without `&` and `;` stands for, or false when HTML has no such name. */
export function decodeNamedCharacterReference(name: string): string | false {
  // Most texts have none: a cold start need not read the table.
  references ??= unpackReferences(REFERENCES);
  return references.get(name) ?? false;
}
