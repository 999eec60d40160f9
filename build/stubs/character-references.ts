/**
 * What `wrangler.toml` puts in the place of `decode-named-character-reference`: the same names of HTML (`hearts` of
 * `&hearts;`), out of a static file instead of the worker, because few texts have any.
 */

/** Path among the static files; test/build/character-references.ts makes it. */
export const REFERENCES_ASSET = "/site/assets/character-references.txt";

/**
 * Reads the table: groups split by `;`, each a place and the names of it, split by `,`. A place is the distance from the
 * code point before in base 36, 1 when empty; a second code point follows a `+`.
 */
function unpackReferences(packed: string): ReadonlyMap<string, string> {
  const references = new Map<string, string>();
  let point = 0;
  for (const group of packed.trim().split(";")) {
    const [place = "", ...names] = group.split(",");
    const [step = "", second] = place.split("+");
    point += step === "" ? 1 : parseInt(step, 36);
    const text = String.fromCodePoint(point, ...(second === undefined ? [] : [parseInt(second, 36)]));
    for (const name of names) references.set(name, text);
  }
  return references;
}

let references: ReadonlyMap<string, string> | null = null;
/** a name was met before the table was read */
let met = false;

/** The characters that a name without `&` and `;` stands for, or false when HTML has no such name. */
export function decodeNamedCharacterReference(name: string): string | false {
  met ||= references === null;
  return references?.get(name) ?? false;
}

/**
 * What `render` gives. The parser asks for names in the middle of a text and cannot wait: when one is met for the first
 * time, the table is read and the texts are rendered again. Throws what `load` throws; it gives the text of the file.
 */
export async function withReferences<T>(render: () => Promise<T>, load: () => Promise<string>): Promise<T> {
  const rendered = await render();
  if (references !== null || !met) return rendered;
  references = unpackReferences(await load());
  return render();
}
