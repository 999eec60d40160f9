import type { Entry } from "../../core/log/entry.ts";
import type { Plan } from "../../core/log/plan.ts";
import { changePlan, currentPlan, type PlanState } from "../../core/state/plan.ts";
import type { DataChunk } from "./ui-chunk.ts";

/** The plan of one run as its entries leave it, for people. */
export class PlanChunks {
  #state: PlanState | null = null;
  #stored: Plan | null = null;

  /** The plan as it is now, where this entry has changed it or one of its items. */
  accept(entry: Entry): readonly DataChunk[] {
    const before = this.#state;
    this.#state = changePlan(before, entry);
    if (entry.kind === "plan_changed") this.#stored = entry.body;
    if (this.#state === null || this.#stored === null) return [];
    if (entry.kind !== "plan_changed" && statuses(this.#state) === statuses(before)) return [];
    const { rev, goal, items } = currentPlan(this.#state, this.#stored);
    const shown = items.map(({ id, text, status, reason = null }) => ({ id, text, status, reason }));
    return [{ type: "data-plan", id: "plan", data: { rev, goal, items: shown } }];
  }
}

const statuses = (state: PlanState | null): string => (state?.items ?? []).map((item) => item.status).join();
