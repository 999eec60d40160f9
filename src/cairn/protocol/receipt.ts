import * as z from "zod";
import {
  RECEIPT_ITEMS_MAX,
  RECEIPT_REASON_CHARS_MAX,
  RECEIPT_STATE_CHARS_MAX,
  RECEIPT_TARGETS_MAX,
  RECEIPT_TARGET_CHARS_MAX,
} from "../core/limits.ts";
import type { CitationList, Receipt } from "../core/log/receipt.ts";
import { receiptLines, type RunEnd } from "../core/text/receipt-lines.ts";

/** The receipt of an answer as it crosses a boundary: the same in metadata, results of runs and webhooks. */

const item = z.object({
  call: z.string(),
  tool: z.string(),
  title: z.string(),
  verbs: z.array(z.string()),
  targets: z.array(z.string().max(RECEIPT_TARGET_CHARS_MAX)).max(RECEIPT_TARGETS_MAX),
  state: z.string().max(RECEIPT_STATE_CHARS_MAX).nullable(),
  reason: z.string().max(RECEIPT_REASON_CHARS_MAX).nullable(),
});
const items = z.array(item).max(RECEIPT_ITEMS_MAX);

const logged = z.object({
  changed: items,
  failed: items,
  unknown: items,
  more: z.number().int().min(0),
  sent: z.literal(true).optional(),
}) satisfies z.ZodType<Receipt>;

export const receiptSchema = logged.omit({ sent: true }).extend({
  /** the same as text, to show above the answer */
  lines: z.array(
    z.object({
      about: z.enum(["status", "changed", "nothing", "failed", "unknown", "more"]),
      text: z.string(),
    }),
  ),
});

export type ReceiptView = z.output<typeof receiptSchema>;

/** The receipt of an answer of the log, once its run has ended; null where an imported log has none that can be read. */
export function receiptView(answer: { readonly receipt?: unknown }, end: RunEnd): ReceiptView | null {
  const receipt = logged.safeParse(answer.receipt).data;
  if (receipt === undefined) return null;
  const { sent: _sent, ...shown } = receipt;
  return { ...shown, lines: [...receiptLines(receipt, end)] };
}

/** Citations of an answer, as they cross a boundary. */
export const citationsSchema = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      /** under which read_observation finds the whole page */
      page: z.string(),
      url: z.string(),
      title: z.string(),
      quote: z.string(),
      /** places of the quote in the text of the page */
      start: z.number().int().min(0),
      end: z.number().int().min(0),
      /** ISO 8601 */
      fetchedAt: z.string(),
    }),
  ),
  /** paragraphs of the answer without a mark */
  unmarked: z.number().int().min(0),
});

export type CitationView = z.output<typeof citationsSchema>["items"][number];

export function citationsView({
  citations,
}: {
  readonly citations?: CitationList;
}): z.output<typeof citationsSchema> | null {
  if (citations === undefined) return null;
  const items = citations.items.map((item) => ({
    ...item,
    fetchedAt: new Date(item.fetchedAt).toISOString(),
  }));
  return { items, unmarked: citations.unmarked };
}

/** A passage of a page that was read, and the position of a citation in it. Positions count characters of the page. */
export const sourcePageSchema = z.object({
  page: z.string(),
  url: z.string(),
  title: z.string(),
  /** as stated on the page */
  date: z.string().nullable(),
  /** ISO 8601 */
  fetchedAt: z.string(),
  /** of the page */
  chars: z.number().int().min(0),
  start: z.number().int().min(0),
  end: z.number().int().min(0),
  text: z.string(),
  quote: z
    .object({ id: z.string(), start: z.number().int().min(0), end: z.number().int().min(0) })
    .nullable(),
});
