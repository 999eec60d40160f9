import type { Json } from "../../../cairn/core/log/json.ts";
import { outcomeClass, type OutcomeClass } from "../../../cairn/core/log/run.ts";
import { endWords } from "../../../cairn/core/text/cause-words.ts";
import type { Event } from "../../../cairn/protocol/views.ts";
import { add, begin, type Reading } from "../reading.ts";
import { moment, timeOf, type Item } from "./item.ts";
import { whyNotDone } from "../../log-text/why.ts";
import { objectiveIn, textIn } from "../../log-text/codes.ts";

/** Runs that this one has started: an item each, from the call to the report, with what it and all below it have used. */

export function childItem(reading: Reading, entry: Event): boolean {
  switch (entry.kind) {
    case "call_intended": {
      const { call, share, attempt } = entry.body;
      if (share === undefined) return false;
      const input = reading.calls.get(call)?.input ?? null;
      if (attempt > 1 && add(reading, call, entry, { note: `is being started, attempt ${attempt}` }))
        return true;
      begin(
        reading,
        call,
        moment("child", entry, titleOf(input), { note: "is being started", to: null, input }),
      );
      return true;
    }
    case "call_deferred": {
      const { call, child, wait } = entry.body;
      const note = `${agentOf(reading, call)}${wait ? "running" : "running while this run continues"}`;
      return add(reading, call, entry, { child, note });
    }
    case "call_settled":
      return settleChild(reading, entry);
    case "child_reported": {
      const { call, outcome, reason, usage, used, sessions } = entry.body;
      const face = outcomeClass(outcome);
      const below = sessions > 1 ? `; with ${sessions === 2 ? "one" : sessions - 1} below it` : "";
      const ended = {
        note: `${agentOf(reading, call)}${childEnd(face, reason)}${below}`,
        tone: TONES[face],
        to: timeOf(entry),
        tokens: { input: usage.inputTokens, output: usage.outputTokens, estimated: usage.estimated },
        cost: used.cost,
      } as const;
      if (!add(reading, call, entry, ended))
        reading.items.push(moment("child", entry, "A run that it had started reported", ended));
      return true;
    }
    case "child_stopped": {
      const { call } = entry.body;
      const stopped = { note: `${agentOf(reading, call)}stopped, because this run has ended` };
      return add(reading, call, entry, { ...stopped, to: timeOf(entry) });
    }
    default:
      return false;
  }
}

/** The result of the call: of one that was started it is the report, or that it has been started. */
function settleChild(reading: Reading, entry: Event<"call_settled">): boolean {
  const at = reading.open.get(entry.body.call);
  const item = at === undefined ? undefined : reading.items[at];
  if (item?.kind !== "child") return false;
  if (item.child !== undefined) return add(reading, entry.body.call, entry, {});
  const why = whyNotDone(entry.body);
  const failed = entry.body.status === "cancelled" ? "plain" : "bad";
  return add(reading, entry.body.call, entry, { note: why ?? item.note, tone: failed, to: timeOf(entry) });
}

/** The reason for the state of a run below this one; `parent_ended` and deleted runs have their own texts. */
export function childEnd(face: OutcomeClass, reason: string | null): string {
  if (reason === "child_lost") return "unreachable, so its budget counts as used";
  if (reason === "child_deleted") return "deleted, so its budget counts as used";
  return endWords(face, reason);
}

const TONES: Readonly<Record<OutcomeClass, Item["tone"]>> = {
  answered: "good",
  partial: "waits",
  failed: "bad",
  cancelled: "plain",
};

function titleOf(input: Json): string {
  const objective = objectiveIn(input);
  return objective === "" ? "Sub-run" : `Sub-run: “${objective}”`;
}

function agentOf(reading: Reading, call: string): string {
  const agent = textIn(reading.calls.get(call)?.input ?? null, "agent");
  return agent === "" ? "" : `${agent}: `;
}
