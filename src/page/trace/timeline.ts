import type { Event } from "../../cairn/protocol/views.ts";
import { budgetItem } from "./items/item-budget.ts";
import { childItem } from "./items/item-children.ts";
import { callItem } from "./items/item-calls.ts";
import { modelItem } from "./items/item-model.ts";
import { momentItem } from "./items/item-moments.ts";
import { personItem } from "./items/item-people.ts";
import { timeOf, type Group, type Item } from "./items/item.ts";
import type { Reading } from "./reading.ts";

/** The entries of one run as what happened in it, in steps. Pure: the same entries make the same timeline. */

/** The entries of `run` (`r3`), out of its session's. */
export function entriesOfRun(events: readonly Event[], run: string): readonly Event[] {
  const own = events.filter((entry) => entry.run === run);
  const first = own[0]?.seq ?? 0;
  const last = own.some((entry) => entry.kind === "run_ended") ? (own.at(-1)?.seq ?? 0) : Infinity;
  // Entries of the session itself stay where they happened; an answer is hidden after its run.
  return events.filter(
    (entry) =>
      entry.run === run ||
      (entry.run === null && entry.seq > first && entry.seq < last && entry.kind !== "answer_hidden") ||
      (entry.kind === "answer_hidden" && entry.body.run === run),
  );
}

const KNOWN = [budgetItem, modelItem, childItem, callItem, personItem] as const;

export function timelineOf(entries: readonly Event[]): readonly Group[] {
  const reading: Reading = { items: [], open: new Map(), calls: new Map(), again: null };
  const starts: { readonly at: number; readonly step: string | null; readonly title: string }[] = [];
  for (const entry of entries) {
    if (entry.kind === "step_started")
      starts.push({ at: reading.items.length, step: entry.step, title: stepTitle(entry) });
    if (!KNOWN.some((read) => read(reading, entry))) reading.items.push(...momentItem(entry));
  }
  const ended = entries.find((entry) => entry.kind === "run_ended");
  const items = ended === undefined ? withAgain(reading) : closed(reading.items, timeOf(ended));
  const headings = [{ at: 0, step: null, title: "Before the first step" }, ...starts];
  return headings.flatMap(({ at, step, title }, index) => {
    const own = items.slice(at, headings[index + 1]?.at ?? items.length);
    const first = own[0];
    if (first === undefined) return [];
    const to = own.some((item) => item.to === null) ? null : Math.max(...own.map((item) => item.to ?? 0));
    return [{ step, title, from: first.from, to, items: own }];
  });
}

function stepTitle(entry: Event<"step_started">): string {
  return entry.body.purpose === "final" ? `Step ${entry.body.n}, the closing answer` : `Step ${entry.body.n}`;
}

/** An attempt of the model that has no entry yet: it is being made. */
function withAgain({ items, again }: Reading): readonly Item[] {
  const last = items.at(-1);
  if (again === null || last === undefined) return items;
  const next: Item = {
    ...last,
    id: `${last.id}+`,
    kind: "model",
    title: "The model is asked again",
    note: null,
    tone: "plain",
    from: again,
    to: null,
    waits: false,
    tokens: null,
    cost: null,
    input: null,
    entries: [],
  };
  return [...items, next];
}

/** After the end nothing goes on any more. */
function closed(items: readonly Item[], at: number): readonly Item[] {
  return items.map((item) =>
    item.to === null || item.to > at ? { ...item, to: Math.max(item.from, at) } : item,
  );
}
