import type { CallStatus, Entry } from "../entries.ts";
import { unfence } from "./fence.ts";
import type { Json } from "../json.ts";
import { argWordsOf } from "./failures.ts";
import type { ReviewCall } from "./subject.ts";

/** What the review asks about a tool, and about one call of it. */
export interface CallFacts {
  readonly kind: ReviewCall["kind"];
  /** null where the tool does not say */
  readonly verbs: readonly string[] | null;
  readonly target: string | null;
  readonly item: string | null;
  readonly opensLater: boolean;
}

/** What the person denied, a guard skipped or a cancel stopped was never tried. */
const STATUS: Readonly<Record<CallStatus, ReviewCall["status"]>> = {
  ok: "ok",
  error: "error",
  unknown: "unknown",
  refused: "skipped",
  denied: "skipped",
  cancelled: "skipped",
};

/**
 * The settled calls of a run as the review looks at them, from its rows. `about` says what the rows do not: it is asked once
 * per call. A result is fresh when it holds something and no earlier result of the run was the same.
 */
export function reviewCallsOf(
  run: string,
  rows: readonly Entry[],
  about: (tool: string, input: Json, call: string) => CallFacts,
): readonly ReviewCall[] {
  const own = rows.filter((row) => row.run === run);
  const proposed = new Map(
    own
      .flatMap((row) => (row.kind === "model_replied" ? row.body.calls : []))
      .map((call) => [call.call, call]),
  );
  const seen = new Set<string>();
  return own.flatMap((row) => {
    if (row.kind !== "call_settled") return [];
    const { call: id, tool, status, failure, reusedFrom } = row.body;
    const observation = unfence(row.body.observation);
    const call = proposed.get(id);
    const isOk = status === "ok";
    const fresh = isOk && reusedFrom === null && !isEmpty(observation) && !seen.has(observation);
    if (isOk) seen.add(observation);
    const input = call?.input ?? null;
    return [
      {
        ...{ id, seq: row.seq, tool, title: call?.title ?? tool, effect: call?.effect ?? "read" },
        ...about(tool, input, id),
        status: isOk && reusedFrom !== null ? ("reused" as const) : STATUS[status],
        error: failure?.class ?? null,
        fresh,
        argWords: argWordsOf(input),
        result: isOk ? observation : "",
      },
    ];
  });
}

/** Whether a result holds nothing: no text, an empty list, or an object whose only list is empty. */
function isEmpty(observation: string): boolean {
  const text = observation.trim();
  if (["", "[]", "{}", "null", '""'].includes(text)) return true;
  try {
    const value = JSON.parse(text) as Json;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    const lists = Object.values(value).filter((one) => Array.isArray(one));
    return lists.length > 0 && lists.every((list) => list.length === 0);
  } catch {
    return false;
  }
}
