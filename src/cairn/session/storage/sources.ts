import { type Entry, sourcesIn } from "../../core/log/entry.ts";
import {
  evidenceName,
  pageName,
  sourceNumber,
  type EvidenceRecord,
  type PageRecord,
} from "../../core/log/receipt.ts";
import type { SourceIndex } from "../engine/ports.ts";

interface Exec {
  exec(query: string, ...values: (string | number | null)[]): Record<string, string | number | null>[];
}

/**
 * The pages and the evidence of a session by their names: an index of its log, written with the entries that name them, so
 * that a copy of the log has it too. The addresses that it was shown are no part of the log: a copy asks about them anew.
 */
export class SourceRows implements SourceIndex {
  readonly #disk: Exec;

  constructor(disk: Exec) {
    this.#disk = disk;
  }

  /** Stores the sources that an entry names. Entries come in log order, each once. */
  index(entry: Entry): void {
    const sources = sourcesIn(entry);
    if (sources === null) return;
    for (const { page, url, title, date, digest, chars, fetchedAt } of sources.pages)
      this.#disk.exec(
        "INSERT OR REPLACE INTO pages (n, digest, url, title, date, chars, fetched_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        sourceNumber("p", page),
        digest,
        url,
        title,
        date,
        chars,
        fetchedAt,
      );
    for (const { id, page, start, end, quote } of sources.evidence)
      this.#disk.exec(
        "INSERT OR REPLACE INTO evidence (n, run, page, first, behind, quote) VALUES (?, ?, ?, ?, ?, ?)",
        sourceNumber("e", id),
        entry.run,
        page,
        start,
        end,
        quote,
      );
  }

  count(): { readonly pages: number; readonly evidence: number } {
    const last = (table: string): number =>
      Number(this.#disk.exec(`SELECT max(n) AS n FROM ${table}`)[0]?.["n"] ?? 0);
    return { pages: last("pages"), evidence: last("evidence") };
  }

  pageOf(digest: string): string | null {
    const row = this.#disk.exec("SELECT n FROM pages WHERE digest = ?", digest)[0];
    return row === undefined ? null : pageName(Number(row["n"]));
  }

  page(name: string): PageRecord | null {
    const n = sourceNumber("p", name);
    const row = n === null ? undefined : this.#disk.exec("SELECT * FROM pages WHERE n = ?", n)[0];
    if (row === undefined) return null;
    return {
      page: name,
      url: String(row["url"]),
      title: String(row["title"]),
      date: row["date"] === null ? null : String(row["date"]),
      digest: String(row["digest"]),
      chars: Number(row["chars"]),
      fetchedAt: Number(row["fetched_at"]),
    };
  }

  evidence(name: string): (EvidenceRecord & { readonly run: string }) | null {
    const n = sourceNumber("e", name);
    const row = n === null ? undefined : this.#disk.exec("SELECT * FROM evidence WHERE n = ?", n)[0];
    if (row === undefined) return null;
    return {
      id: evidenceName(Number(row["n"])),
      run: String(row["run"]),
      page: String(row["page"]),
      start: Number(row["first"]),
      end: Number(row["behind"]),
      quote: String(row["quote"]),
    };
  }

  saveUrls(call: string, urls: readonly string[]): void {
    if (urls.length === 0) return;
    // One row for each call, because each row is billed.
    const body = `\n${urls.join("\n")}\n`;
    this.#disk.exec("INSERT OR REPLACE INTO urls (call, body) VALUES (?, ?)", call, body);
  }

  knowsUrl(url: string): boolean {
    return (
      this.#disk.exec("SELECT 1 AS one FROM urls WHERE instr(body, ?) > 0 LIMIT 1", `\n${url}\n`).length > 0
    );
  }
}
