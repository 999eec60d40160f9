import { startOf } from "../core/text/cut.ts";
import { ok, type Result } from "../core/log/result.ts";
import { fault, type FileFault } from "./file-fault.ts";
import { byName, openPackage, type OfficePackage } from "./office-package.ts";
import type { Reading, XmlPart } from "./office-parts.ts";
import { unpack } from "./unpack.ts";
import { WordStory, type NoteKind } from "./word-story.ts";
import { WordStyles } from "./word-styles.ts";

/** headers and footers of one document that are read, and the characters of each */
const MARGINS_MAX = 60;
const MARGIN_CHARS_MAX = 2_000;
const NOTE_PARTS = { footnote: "footnotes", endnote: "endnotes", comment: "comments" } as const;
const NOTE_KINDS: readonly NoteKind[] = ["footnote", "endnote", "comment"];

export const NOTHING_READ = fault(
  "invalid_args",
  "unreadable",
  "No text could be read from the document.",
  "It may be made of pictures or of another document inside. Open it, save it as text or PDF, and send that.",
);

/**
 * The words of a Word file: its headers, the document, its footnotes, endnotes and comments, and its footers. Faults: those of
 * `unpack`, and `unreadable` where nothing is read.
 */
export function readDocx(bytes: Uint8Array, charsMax: number): Result<Reading, FileFault> {
  const opened = openPackage(bytes);
  if (!opened.ok) return opened;
  if (opened.value?.kind !== "docx") return NOTHING_READ;
  const { main } = opened.value;
  const styles = loadStyles(bytes, opened.value);
  if (!styles.ok) return styles;
  const story = (): WordStory => new WordStory(styles.value, charsMax);
  const body = story();
  const margins = new Map(marginsOf(opened.value).map((part) => [part, story()]));
  const notes = new Map(NOTE_KINDS.map((kind) => [kind, story()]));
  const parts = new Map<string, XmlPart>([...margins].map(([part, one]) => [part, one.part]));
  for (const kind of NOTE_KINDS) {
    const part = partOf(opened.value, NOTE_PARTS[kind]);
    const one = notes.get(kind);
    if (part !== null && one !== undefined) parts.set(part, one.part);
  }
  parts.set(main, body.part);
  const unpacked = unpack(bytes, byName(parts));
  if (!unpacked.ok) return unpacked;
  const read = body.end();
  let { isWhole } = read;
  let isEmpty = read.isEmpty;
  const marginLines = (type: "header" | "footer"): readonly string[] => {
    const seen = new Set<string>();
    for (const { part, type: found } of opened.value?.relations ?? []) {
      const margin = found === type ? margins.get(part) : undefined;
      if (margin === undefined) continue;
      margins.delete(part);
      const { lines } = margin.end();
      const joined = lines.filter((line) => line.trim() !== "").join(" ");
      const text = startOf(joined.replace(/\s+/gu, " ").trim(), MARGIN_CHARS_MAX);
      if (text !== "") seen.add(`[${type}] ${text}`);
    }
    return [...seen];
  };
  const noteLines = NOTE_KINDS.flatMap((kind) => {
    const one = notes.get(kind);
    if (one === undefined) return [];
    if (!one.end().isWhole) isWhole = false;
    const found = new Map(one.notes.map((note) => [note.id, note]));
    return [...body.references[kind]].flatMap(([id, number]) => {
      const note = found.get(id);
      if (note === undefined) return [];
      const name =
        kind === "comment" ? `comment${note.author === "" ? "" : ` by ${note.author}`}` : `${kind} ${number}`;
      return [`[${name}] ${note.text}`];
    });
  });
  const headers = marginLines("header");
  const footers = marginLines("footer");
  if (headers.length + noteLines.length + footers.length > 0) isEmpty = false;
  if (isEmpty) return NOTHING_READ;
  const text = [...headers, ...read.lines, ...noteLines, ...footers].join("\n");
  return ok({ text: text.slice(0, charsMax + 1), cut: !isWhole || text.length > charsMax });
}

function loadStyles(bytes: Uint8Array, office: OfficePackage): Result<WordStyles, FileFault> {
  const styles = new WordStyles();
  const part = partOf(office, "styles");
  if (part === null) return ok(styles);
  const unpacked = unpack(bytes, byName(new Map([[part, styles.part]])));
  if (!unpacked.ok) return unpacked;
  styles.part.end();
  return ok(styles);
}

const partOf = ({ relations }: OfficePackage, type: string): string | null =>
  relations.find((relation) => relation.type === type)?.part ?? null;

const marginsOf = ({ relations }: OfficePackage): readonly string[] =>
  relations
    .filter(({ type }) => type === "header" || type === "footer")
    .slice(0, MARGINS_MAX)
    .map(({ part }) => part);
