import { parseJson, textAt } from "../../cairn/models/script/fields.ts";

/** Working memory, as the runtime's situation block lists it. */

/** A thing of working memory, as the block lists it. */
export interface MemoryEntry {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly slug: string | null;
  readonly parent: { readonly type: string; readonly id: string } | null;
  readonly focus: boolean;
}

const MEMORY_LINE = /^\s*- (\w+) (\S+) "(.*)"((?: [^"]*)?)$/u;

/** The lines of the block that list working memory. */
export const memoryLines = (situation: string): string =>
  situation
    .split("\n")
    .filter((line) => MEMORY_LINE.test(line))
    .join("\n");

export function readMemory(lines: string): readonly MemoryEntry[] {
  return lines.split("\n").flatMap((line): MemoryEntry[] => {
    const found = MEMORY_LINE.exec(line);
    if (found === null) return [];
    const [, type = "", id = "", name = "", rest = ""] = found;
    const parent = / of (\w+) (\S+)/u.exec(rest);
    return [
      {
        type,
        id,
        // The line has the name as JSON without its outer quotes.
        name: textAt({ name: parseJson(`"${name}"`) }, "name") ?? name,
        slug: / slug=(\S+)/u.exec(rest)?.[1] ?? null,
        parent: parent === null ? null : { type: parent[1] ?? "", id: parent[2] ?? "" },
        focus: /(?:^| )focus\b/u.test(rest),
      },
    ];
  });
}
