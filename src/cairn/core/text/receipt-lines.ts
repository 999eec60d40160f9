import type { Receipt, ReceiptItem } from "../log/receipt.ts";
import type { OutcomeClass } from "../log/run.ts";
import { endWords } from "./cause-words.ts";
import { revealHidden } from "./untrusted.ts";

/**
 * The receipt of a run in plain English: one status line, and one line each for what was changed, what failed and what is
 * unknown. Every surface that shows an answer shows these lines first and the model's text below; a surface lays them out and
 * adds no words. Each text is one line without hidden characters, because names and reasons come from outside.
 */
export interface ReceiptLine {
  readonly about: "status" | "changed" | "nothing" | "failed" | "unknown" | "more";
  readonly text: string;
}

/** How a run ended. */
export interface RunEnd {
  readonly outcome: OutcomeClass;
  readonly reason: string | null;
}

/**
 * Returns the lines of a receipt. A run that changed nothing gets a line for it, whatever the request and answer: no
 * rule about words can detect every claim of a change. Empty only for an answer without a receipt (an imported log).
 */
export function receiptLines(receipt: Receipt | null, end: RunEnd): readonly ReceiptLine[] {
  if (receipt === null) return [];
  const { changed, failed, unknown, more } = receipt;
  const lines: readonly (ReceiptLine | null)[] = [
    { about: "status", text: statusLine(receipt, end) },
    changed.length > 0 ? { about: "changed", text: listOf("changed", receipt) } : null,
    changed.length + unknown.length === 0 ? { about: "nothing", text: "Nothing was changed." } : null,
    failed.length > 0 ? { about: "failed", text: listOf("failed", receipt) } : null,
    unknown.length > 0 ? { about: "unknown", text: listOf("unknown", receipt) } : null,
    more > 0 ? { about: "more", text: `And ${more} more.` } : null,
  ];
  return lines.filter((line) => line !== null);
}

/** The lines as one text; empty where there are none. */
export const receiptText = (lines: readonly ReceiptLine[]): string =>
  lines.map(({ text }) => text).join("\n");

/**
 * The lines above a text in Markdown: one line each, and no name in them is read as markup. Where there are none, the text
 * alone; where there is no text, the lines alone.
 */
export function underReceipt(lines: readonly ReceiptLine[], text: string): string {
  const above = lines.map((line) => escapeMarkdown(line.text)).join("  \n");
  return [above, text].filter((part) => part.trim() !== "").join("\n\n");
}

/** Escapes a line for Markdown, so that no name in it becomes a link or emphasis. */
const escapeMarkdown = (line: string): string => line.replace(/[\\`*_[\]<>#|~&]/gu, "\\$&");

/** such as `Answered, with 1 failure.` */
function statusLine({ failed, unknown }: Receipt, { outcome, reason }: RunEnd): string {
  const words = endWords(outcome, reason);
  const problems = [
    failed.length > 0 ? counted(failed.length, "failure") : "",
    unknown.length > 0 ? counted(unknown.length, "unknown outcome") : "",
  ].filter((part) => part !== "");
  const withProblems =
    outcome !== "answered" || problems.length === 0 ? "" : `, with ${problems.join(" and ")}`;
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}${withProblems}.`;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

export type ReceiptList = "changed" | "failed" | "unknown";

/** The first words of a line. */
export const LIST_WORDS: Readonly<Record<ReceiptList, string>> = {
  changed: "Changed",
  failed: "Failed",
  unknown: "Not known whether it happened",
};

/**
 * Returns the end of a list's line; may be empty. A complete list says that it is complete, against a claim of more.
 */
export function afterList(list: ReceiptList, { unknown, more }: Pick<Receipt, "unknown" | "more">): string {
  if (list === "unknown") return "Look before you ask for it again.";
  return list === "changed" && unknown.length === 0 && more === 0 ? "Nothing else was changed." : "";
}

function listOf(list: ReceiptList, receipt: Receipt): string {
  const items = receipt[list].map(itemWords).join("; ");
  return `${LIST_WORDS[list]}: ${items}. ${afterList(list, receipt)}`.trimEnd();
}

/** such as `Create a page: “About us”, “Team” (draft)` */
function itemWords({ title, targets, state, reason }: ReceiptItem): string {
  const names = targets.length === 0 ? "" : `: ${targets.map((name) => `“${inQuotes(name)}”`).join(", ")}`;
  const became = state === null ? "" : ` (${inLine(state)})`;
  return `${inLine(title)}${names}${became}${reason === null ? "" : `: ${inLine(reason)}`}`;
}

/** Puts a name in quotation marks that its own characters cannot end. */
const inQuotes = (name: string): string => inLine(name).replace(/[“”„‟"«»]/gu, "'");

/** A text from outside within a line: no line break, no hidden character. */
const inLine = (text: string): string => revealHidden(text.replace(/[\s\u0085\u2028\u2029]+/gu, " ").trim());
