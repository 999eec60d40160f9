import type { BodyOf, Entry } from "../log/entry.ts";
import type { ReplyPart } from "../log/model.ts";

/**
 * A thought is the reasoning of a reply, or the text that accompanies its calls. A run may restrict its thoughts to
 * admins: the log has them, and others see its entries as they are transformed here.
 */

/** Prefix in a summary for text that accompanied calls. */
export const QUOTES_THOUGHT = "- said: ";

/** The entry without thoughts: the very same where it holds none. What a provider has added to its parts goes with them. */
export function withoutThoughts(entry: Entry): Entry {
  switch (entry.kind) {
    case "model_replied":
      return { ...entry, body: { ...entry.body, parts: thoughtParts(entry.body), words: [] } };
    case "compacted": {
      const lines = entry.body.summary.split("\n").filter((line) => !line.startsWith(QUOTES_THOUGHT));
      return { ...entry, body: { ...entry.body, summary: lines.join("\n") } };
    }
    default:
      return entry;
  }
}

function thoughtParts({ parts, finish }: BodyOf<"model_replied">): readonly ReplyPart[] {
  // After a stopped reply, it is unknown whether calls would have followed.
  const answers = finish !== "aborted" && !parts.some((part) => part.type === "call");
  return parts.flatMap(({ options: _options, ...part }): ReplyPart[] =>
    part.type === "call" || (part.type === "text" && answers) ? [part] : [],
  );
}
