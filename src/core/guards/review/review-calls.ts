import type { CallStatus, Entry, EntryDraft, ProposedCall } from "../../log/entry.ts";
import type { Json } from "../../log/json.ts";
import { itemsOfCalls } from "../../rows/plan.ts";
import type { EntityRef } from "../../log/tool.ts";
import { unfence } from "../../text/untrusted.ts";
import { isEmpty, readOutput } from "../../state/result.ts";
import type { ReviewCall } from "./subject.ts";

/** What a guard skipped or a cancel stopped was never tried. */
const STATUS: Readonly<Record<CallStatus, ReviewCall["status"]>> = {
  ok: "ok",
  error: "error",
  unknown: "unknown",
  refused: "skipped",
  denied: "denied",
  cancelled: "skipped",
};

/**
 * The settled calls of a run as the review and the receipt look at them, from its rows. A result is fresh when it holds
 * something and no earlier result of the run was the same.
 */
export function reviewCallsOf(run: string, rows: readonly EntryDraft[]): readonly ReviewCall[] {
  const own = rows.filter((row) => row.run === run);
  const proposed = new Map<string, ProposedCall>();
  const edited = new Map<string, Json>();
  const things = new Map<string, readonly EntityRef[]>();
  for (const row of own) {
    if (row.kind === "model_replied") for (const call of row.body.calls) proposed.set(call.call, call);
    const isVote = row.kind === "approval_decided" || row.kind === "approval_voted";
    if (isVote && row.body.decision === "edit") edited.set(row.body.call, row.body.args);
    if (row.kind === "memory_changed" && row.body.call !== null) things.set(row.body.call, row.body.changes);
  }
  const items = itemsOfCalls(own.filter(isStored));
  const seen = new Set<string>();
  return own.flatMap((row): ReviewCall[] => {
    if (row.kind !== "call_settled") return [];
    const { call: id, tool, status, failure, reusedFrom } = row.body;
    const observation = unfence(row.body.observation);
    const { title = tool, effect = "read", input = null, traits, mark } = proposed.get(id) ?? {};
    const isOk = status === "ok";
    const fresh = isOk && reusedFrom === null && !isEmpty(readOutput(observation)) && !seen.has(observation);
    if (isOk) seen.add(observation);
    return [
      {
        ...{ id, tool, title, effect, fresh },
        // A row that is being written comes after all that are.
        seq: isStored(row) ? row.seq : Number.MAX_SAFE_INTEGER,
        kind: traits?.kind ?? "work",
        verbs: traits === undefined ? null : (traits.verbs ?? null),
        target: edited.has(id) ? null : (mark?.target ?? null),
        item: items.get(id) ?? null,
        opensLater: false,
        status: reusedFrom !== null ? "reused" : STATUS[status],
        error: failure?.class ?? null,
        failure: failure?.message ?? null,
        input: edited.get(id) ?? input,
        replaced: edited.has(id) ? input : null,
        things: things.get(id) ?? [],
        result: isOk ? observation : "",
      },
    ];
  });
}

const isStored = (row: EntryDraft): row is Entry => "seq" in row;
