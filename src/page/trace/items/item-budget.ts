import type { BodyOf } from "../../../cairn/core/log/entry.ts";
import { budgetAmounts, budgetWords } from "../../../cairn/protocol/stream/budget-question.ts";
import type { Event } from "../../../cairn/protocol/views.ts";
import { add, begin, type Reading } from "../reading.ts";
import { moment, timeOf, type Item } from "./item.ts";
import { lowerFirst, unstopped } from "../../log-text/codes.ts";

/** The question of a run whether it may have more: one item, from asking to what became of it. The run works on meanwhile. */

const NAME = "budget";

export function budgetItem(reading: Reading, entry: Event): boolean {
  switch (entry.kind) {
    case "budget_asked": {
      const { title, adds } = budgetWords(budgetAmounts(entry.body));
      const waitingItem = { note: lowerFirst(unstopped(adds)), tone: "waits", to: null } as const;
      begin(reading, NAME, moment("person", entry, `It asked: “${title}”`, waitingItem));
      return true;
    }
    case "budget_answered": {
      const tone = entry.body.decision === "extend" ? "good" : "plain";
      return add(reading, NAME, entry, became(reading, entry, answerText(entry.body), tone));
    }
    case "command_queued":
      if (entry.body.command === "retry_now") return false;
      if (entry.body.command !== "extend") return leave(reading, entry);
      if (isOpen(reading))
        return add(reading, NAME, entry, became(reading, entry, `${entry.body.actor} gave it more`, "good"));
      // The approved amount of the question.
      return isYes(questionItem(reading)?.entries.at(-1)) && add(reading, NAME, entry, {});
    case "verdict":
      return entry.body.act === "force" || entry.body.act === "end" ? leave(reading, entry) : false;
    case "run_ended":
      return leave(reading, entry);
    default:
      return false;
  }
}

function answerText({ decision, actor }: BodyOf<"budget_answered">): string {
  switch (decision) {
    case "extend":
      return `${actor} gave it this`;
    case "finish":
      return `${actor} had it finish with what there is`;
    case "ended":
      return `${actor} approved, but the day's budget was too small`;
  }
}

/** The question is closed. The entry that closes it belongs to another item. */
function leave(reading: Reading, entry: Event): false {
  const at = reading.open.get(NAME);
  const item = questionItem(reading);
  if (at !== undefined && item !== undefined && isOpen(reading))
    reading.items[at] = { ...item, ...became(reading, entry, "nobody answered", "plain") };
  return false;
}

const questionItem = (reading: Reading): Item | undefined => reading.items[reading.open.get(NAME) ?? -1];
const isOpen = (reading: Reading): boolean => questionItem(reading)?.to === null;
const isYes = (entry: Event | undefined): boolean =>
  entry?.kind === "budget_answered" && entry.body.decision === "extend";

const became = (reading: Reading, entry: Event, words: string, tone: Item["tone"]): Partial<Item> => ({
  note: `${questionItem(reading)?.note ?? ""}; ${words}`,
  tone,
  to: timeOf(entry),
});
