import { createReader } from "../../../../src/cairn/core/dialects/create-reader.ts";
import type { Fault, Parse, RawCall, Repair, ToolOffer } from "../../../../src/cairn/core/log/model.ts";
import type { Dialect } from "../../../../src/cairn/core/log/model.ts";
import { createMarkerFilter } from "../../../../src/cairn/core/text/markers.ts";

/** A reply as its reader gives it, and what is drafted of it while it streams. */

const text = { type: "string" } as const;
/** the tools of the corpus */
export const OFFERS: readonly ToolOffer[] = [
  offer(
    "web_search",
    { query: text, queries: { type: "array", items: text }, limit: { type: "integer" } },
    [],
  ),
  offer("page_list", { status: text }, []),
  offer("page_get", { page: text }, ["page"]),
  offer(
    "page_create",
    {
      title: text,
      draft: { type: "boolean" },
      sections: { type: "array", items: { type: "object", properties: { text, order: { type: "number" } } } },
    },
    ["title"],
  ),
  offer("store_memory", { key: text, value: text }, ["key", "value"]),
  offer("retrieve_memory", { key: text }, []),
  offer("ask_human", { question: text }, ["question"]),
  offer("run_code", { language: text, code: text }, ["code"]),
  offer("complete", { answer: text, confidence: { type: "number" } }, ["answer"]),
];

function offer(name: string, properties: ToolOffer["inputSchema"], required: readonly string[]): ToolOffer {
  return { name, description: name, inputSchema: { type: "object", properties, required } };
}

export interface ReadReply {
  readonly thoughts: readonly string[];
  readonly texts: readonly string[];
  readonly calls: readonly RawCall[];
  readonly answer: string | null;
  readonly repairs: readonly Repair[];
  readonly faults: readonly Fault[];
}

export interface Heard {
  readonly read: ReadReply;
  /** joined, by part: as the reply keeps them, and as they are shown */
  readonly parts: readonly { readonly type: "text" | "reasoning" | "call"; readonly text: string }[];
  readonly shown: string;
}

/** Reads a reply that comes in these pieces. */
export function hear(dialect: Dialect, pieces: readonly string[], offers = OFFERS): Heard {
  const parts: { type: "text" | "reasoning" | "call"; text: string }[] = [];
  const calls: RawCall[] = [];
  let open = false;
  let shown = "";
  let marker = createMarkerFilter();
  const close = (): void => {
    if (parts.at(-1)?.type === "text") shown += marker.end();
    marker = createMarkerFilter();
    open = false;
  };
  const sink = {
    say(type: "text" | "reasoning", piece: string) {
      if (piece === "") throw new Error("an empty piece");
      if (!open || parts.at(-1)?.type !== type) {
        close();
        parts.push({ type, text: "" });
        shown += "\n";
      }
      open = true;
      const part = parts.at(-1);
      if (part !== undefined) part.text += piece;
      shown += type === "text" ? marker.push(piece) : piece;
    },
    split: close,
    call(call: RawCall) {
      close();
      parts.push({ type: "call", text: call.tool });
      calls.push(call);
    },
  };
  const reader = createReader({ dialect, offers, takesWritten: true }, sink);
  for (const piece of pieces) reader.push(piece);
  const parse: Parse | undefined = reader.end();
  close();
  const of = (type: "text" | "reasoning"): string[] =>
    parts.filter((part) => part.type === type).map((part) => part.text);
  return {
    read: {
      thoughts: of("reasoning"),
      texts: of("text"),
      calls,
      answer: parse?.answer ?? null,
      repairs: parse?.repairs ?? [],
      faults: parse?.faults ?? [],
    },
    parts,
    shown,
  };
}
