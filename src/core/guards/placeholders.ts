import { PLACEHOLDER_CHARS_MAX, PLACEHOLDERS_NAMED_MAX } from "../limits.ts";
import type { ProposedCall, EntryDraft } from "../log/entry.ts";
import type { Json } from "../log/json.ts";
import { verdictEntry } from "../entries/verdict.ts";
import type { LiveRun } from "../state/state.ts";

/** What was left to be filled in: `{{x}}`, `[[x]]`, `<<x>>`, `{%x%}`, `${x}`, `[insert x]`, outside code. */

const NAME = `[\\p{L}\\p{N}_](?:[\\p{L}\\p{N}_ .|'-]{0,${PLACEHOLDER_CHARS_MAX - 1}})(?<! )`;
const PLACEHOLDER = new RegExp(
  [
    String.raw`\{\{\s*${NAME}\s*\}\}`,
    String.raw`\[\[\s*${NAME}\s*\]\]`,
    String.raw`<<${NAME}>>`,
    String.raw`\{%\s*${NAME}\s*%\}`,
    String.raw`\$\{\s*${NAME}\s*\}`,
    String.raw`\[insert ${NAME}\]`,
  ].join("|"),
  "giu",
);
/** Fenced blocks and code spans, whole or left open. */
const CODE = /(`+)[\s\S]*?(?:\1|$)/g;

/** The placeholders of a text, or of all texts of a value, each once, in their order. */
export function findPlaceholders(value: Json): readonly string[] {
  return [...new Set(textsOf(value).flatMap((text) => text.replace(CODE, " ").match(PLACEHOLDER) ?? []))];
}

function textsOf(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

/** `PLACEHOLDER_NOTE` [note], before_tool 4, for the writes of a reply that will run. `seq`: of the reply. */
export function placeholderEntries(
  run: LiveRun,
  calls: readonly ProposedCall[],
  seq: number,
): EntryDraft<"verdict">[] {
  const found = calls.flatMap((call) => {
    const isWrite = call.refused === null && call.effect !== "read" && call.traits?.kind === "work";
    const names = isWrite ? findPlaceholders(call.input) : [];
    return names.length === 0 ? [] : [{ call, names: names.slice(0, PLACEHOLDERS_NAMED_MAX) }];
  });
  return found.slice(0, PLACEHOLDERS_NAMED_MAX).map(({ call, names }) => {
    const hint = `${call.tool} writes what looks like a placeholder: ${names.join(", ")}. If it was to be filled in, put the real text there.`;
    const verdict = { code: "PLACEHOLDER_NOTE", rule: "write.placeholder", evidence: { seqs: [seq] }, hint };
    return verdictEntry(run, "before_tool", verdict, "note", { call: call.call });
  });
}
