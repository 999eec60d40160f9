import type { Entry } from "../../core/log/entry.ts";
import { asBudgetEnd, budgetQuestionView, type BudgetEnd } from "./budget-question.ts";
import type { DataChunk } from "./ui-chunk.ts";

/** The question of a run about its budget as its stream has it: when it is asked, and once more when it is over. */
export class BudgetChunks {
  #question: Entry<"budget_asked"> | null = null;

  accept(session: string, entry: Entry): DataChunk[] {
    if (entry.kind === "budget_asked") {
      this.#question = entry;
      return [chunk(session, entry, null)];
    }
    const question = this.#question;
    const end = question === null ? null : asBudgetEnd(entry);
    if (question === null || end === null) return [];
    this.#question = null;
    return [chunk(session, question, end)];
  }
}

function chunk(session: string, question: Entry<"budget_asked">, end: BudgetEnd | null): DataChunk {
  const data = { ...budgetQuestionView(session, question, end) };
  return { type: "data-budget-question", id: question.body.question, data };
}
