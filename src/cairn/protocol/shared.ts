import { isObject, type JsonObject } from "../core/log/json.ts";
import { citationsSchema, receiptSchema, type CitationView, type ReceiptView } from "./receipt.ts";
import type { UiMessage } from "./stream/ui-chunk.ts";

/** The view for holders of a read-only link. */

export interface SharedMessage {
  readonly id: string;
  readonly role: "user" | "assistant";
  /** the message or the answer; empty if there is none */
  readonly text: string;
  readonly at: string | null;
  /** of an answer whose run has ended */
  readonly outcome: string | null;
  readonly receipt: ReceiptView | null;
  /** sources of an answer's marks, in order */
  readonly citations: readonly CitationView[];
}

export interface SharedView {
  /** of the session; empty where one run is shown */
  readonly title: string;
  /** the run that is shown; null: the whole session */
  readonly run: string | null;
  readonly expiresAt: string;
  /** older messages are not shown */
  readonly more: boolean;
  /** oldest first */
  readonly items: readonly SharedMessage[];
}

/** With the maker of the link, for the worker: a link has the present rights of its maker. */
export type SharedByMaker = SharedView & {
  readonly maker: {
    readonly subject: string;
    readonly grant: string | null;
    /** the session is theirs; anybody else reads it as an admin */
    readonly owner: boolean;
  };
};

/** Returns the text of a message: all of a person's, and for a run that of its last step, which is its answer. */
export function sharedMessage({ id, role, parts, metadata = {} }: UiMessage): SharedMessage {
  const from = role === "user" ? 0 : parts.findLastIndex((part) => part["type"] === "step-start") + 1;
  const { createdAt, outcome } = metadata;
  return {
    id,
    role,
    text: textOf(parts.slice(from)),
    at: typeof createdAt === "string" ? createdAt : null,
    outcome: typeof outcome === "string" ? outcome : null,
    receipt: receiptSchema.safeParse(metadata["receipt"]).data ?? null,
    citations: citationsOf(parts.slice(from)),
  };
}

function citationsOf(parts: readonly JsonObject[]): readonly CitationView[] {
  const cited = parts.findLast((part) => part["type"] === "data-citations");
  return citationsSchema.safeParse(cited?.["data"]).data?.items ?? [];
}

const textOf = (parts: readonly JsonObject[]): string =>
  parts
    .flatMap((part) =>
      isObject(part) && part["type"] === "text" && typeof part["text"] === "string" ? [part["text"]] : [],
    )
    .join("\n\n");
