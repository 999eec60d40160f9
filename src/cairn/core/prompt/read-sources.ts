import { shortened } from "../text/cut.ts";
import { SOURCES_CHARS, SOURCES_QUOTE_CHARS } from "../limits.ts";
import { type Entry, sourcesIn } from "../log/entry.ts";
import { sourceNumber, type EvidenceRecord, type PageRecord } from "../log/receipt.ts";
import { fence } from "../text/untrusted.ts";

/**
 * Outside sources of a summarized middle: every page with the names of its passages, so that an answer can still cite
 * them. Passages are cut before any name is dropped. All of it is outside content, and fenced.
 */

export const SOURCES_HEAD =
  "Pages read in them, and their passages, to be cited by name. A page is read again with read_observation and its name.";

interface ReadPage {
  readonly page: string;
  readonly record: PageRecord | null;
  readonly evidence: readonly EvidenceRecord[];
}

/** Null where nothing was read. */
export function sourcesOf(entries: readonly Entry[]): string | null {
  const pages = pagesIn(entries);
  if (pages.length === 0) return null;
  const texts = [
    ...SOURCES_QUOTE_CHARS.map((chars) => pages.map((one) => quotedLine(one, chars)).join("\n")),
    pages.map(shortLine).join("\n"),
  ];
  const text = texts.find((one) => one.length <= SOURCES_CHARS) ?? texts.at(-1) ?? "";
  return `${SOURCES_HEAD}\n${fence(text, "sources")}`;
}

function pagesIn(entries: readonly Entry[]): readonly ReadPage[] {
  const records = new Map<string, PageRecord>();
  const evidence = new Map<string, EvidenceRecord[]>();
  for (const entry of entries) {
    const sources = sourcesIn(entry);
    if (sources === null) continue;
    const { pages, evidence: quoted, sealed = false } = sources;
    for (const record of pages) {
      if (!sealed) records.set(record.page, record);
      evidence.set(record.page, evidence.get(record.page) ?? []);
    }
    for (const one of quoted)
      evidence.set(one.page, [...(evidence.get(one.page) ?? []), sealed ? { ...one, quote: "" } : one]);
  }
  return [...evidence].map(([page, own]) => ({ page, record: records.get(page) ?? null, evidence: own }));
}

/** Such as `p7 "Passes" http://alps.example.com/pass: e12 "The Gotthard…", e13 "…"`. */
function quotedLine({ page, record, evidence }: ReadPage, chars: number): string {
  const about = record === null ? "" : ` ${JSON.stringify(cut(record.title, 80))} ${cut(record.url, 160)}`;
  const passages = evidence.map(({ id, quote }) =>
    quote === "" ? id : `${id} ${JSON.stringify(cut(quote, chars))}`,
  );
  return `${page}${about}${passages.length === 0 ? "" : `: ${passages.join(", ")}`}`;
}

/** Such as `p7: e12..e17`. */
const shortLine = ({ page, evidence }: ReadPage): string =>
  evidence.length === 0 ? page : `${page}: ${ranges(evidence.map(({ id }) => id)).join(", ")}`;

function ranges(ids: readonly string[]): string[] {
  const found: { first: string; last: string }[] = [];
  for (const id of ids) {
    const open = found.at(-1);
    const follows = open !== undefined && sourceNumber("e", id) === (sourceNumber("e", open.last) ?? 0) + 1;
    if (follows) open.last = id;
    else found.push({ first: id, last: id });
  }
  return found.map(({ first, last }) => (first === last ? first : `${first}..${last}`));
}

function cut(text: string, chars: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return shortened(line, chars);
}
