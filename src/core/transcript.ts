import type { Entry } from "./entries.ts";
import type { PromptMessage, PromptPart, PromptResult, ReplyPart } from "./model.ts";

/**
 * The conversation as the model reads it: earlier runs as what was said and answered, the current run in the order
 * of the log. A reply and the results of all its calls stay together, so no result is ever without its call.
 */
export function transcript(
  history: readonly Entry[],
  current: readonly Entry[],
  policy: TranscriptPolicy = "whole",
): PromptMessage[] {
  const earlier = history.flatMap(spoken);
  const now = blocks(current);
  const said = new Set(current.flatMap((row) => (row.kind === "user_said" ? [row.body.parts] : [])));
  return policy === "window" ? windowed(earlier, now, said) : [...earlier, ...now];
}

/** whole: everything there is. window: at most the newest messages, as the CMS agent did (guards 10.4). */
export type TranscriptPolicy = "whole" | "window";

const WINDOW_FROM = 20;
const WINDOW_KEPT = 10;

/**
 * More than 20 messages: the last 10, widened to whole blocks, and what the person asks in this run, which no window
 * may drop. Begins with the person's words.
 */
function windowed(
  earlier: readonly PromptMessage[],
  now: readonly PromptMessage[],
  said: ReadonlySet<readonly PromptPart[]>,
): PromptMessage[] {
  const all = [...earlier, ...now];
  if (all.length <= WINDOW_FROM) return all;
  let from = all.length - WINDOW_KEPT;
  while (from > 0 && all[from]?.role === "tool") from--;
  const asked = now.filter(
    (message, index) => earlier.length + index < from && message.role === "user" && said.has(message.parts),
  );
  while (asked.length === 0 && from > 0 && all[from]?.role !== "user") from--;
  return [...asked, ...all.slice(from)];
}

/** The person's input and the answer of an earlier run. */
function spoken(entry: Entry): PromptMessage[] {
  if (entry.kind === "user_said") return [{ role: "user", parts: entry.body.parts }];
  if (entry.kind === "answer" && entry.body.text !== "") {
    return [{ role: "assistant", parts: [{ type: "text", text: entry.body.text }] }];
  }
  return [];
}

function blocks(rows: readonly Entry[]): PromptMessage[] {
  const messages: PromptMessage[] = [];
  /** what came while the results of a reply were still missing */
  let later: PromptMessage[] = [];
  let open: { order: readonly string[]; results: Map<string, PromptResult> } | null = null;
  const say = (message: PromptMessage): void => void (open === null ? messages : later).push(message);
  for (const row of rows) {
    switch (row.kind) {
      case "user_said":
        say({ role: "user", parts: row.body.parts });
        break;
      case "model_replied": {
        const parts = row.body.parts.filter(isKept);
        if (!parts.some((part) => part.type !== "reasoning")) break;
        messages.push({ role: "assistant", parts });
        if (row.body.calls.length > 0) {
          open = { order: row.body.calls.map((call) => call.call), results: new Map() };
        }
        break;
      }
      case "call_settled": {
        if (open === null) break;
        const { call, tool, observation, status } = row.body;
        open.results.set(call, { call, tool, observation, failed: status !== "ok" });
        if (open.results.size < open.order.length) break;
        const results = open.order
          .map((name) => open?.results.get(name))
          .filter((result) => result !== undefined);
        messages.push({ role: "tool", results }, ...later);
        open = null;
        later = [];
        break;
      }
      case "approval_decided":
        if (row.body.decision === "edit") {
          say(
            note(
              `Before approving it, the person changed the arguments of ${row.body.call} to ${JSON.stringify(row.body.args)}.`,
            ),
          );
        }
        break;
      case "guard_fired":
        if (row.body.act === "reask" || row.body.act === "force" || row.body.act === "note")
          say(note(row.body.hint));
        break;
      default:
        break;
    }
  }
  // A block that is still open is never shown: the loop calls no model before its last result.
  return messages;
}

function isKept(part: ReplyPart): boolean {
  return part.type === "call" || part.text !== "";
}

/** Words of the runtime to the model, marked so that they are not taken for the person's. */
export function note(text: string): PromptMessage {
  return { role: "user", parts: [textPart(`<cairn-note>${text}</cairn-note>`)] };
}

export function textPart(text: string): PromptPart {
  return { type: "text", text };
}
