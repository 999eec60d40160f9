import { PLAN_GOAL_CHARS_MAX, PLAN_ITEMS_MAX, PLAN_TEXT_CHARS_MAX } from "../limits.ts";
import { definedFields, isObject, ownValue, readJson, type Json, type JsonObject } from "../log/json.ts";
import type { ItemKind, ItemStatus, Plan, PlanItem } from "../log/plan.ts";
import { shortened } from "../text/cut.ts";
import { PLAN_ID_CHARS_MAX } from "../state/plan.ts";

/**
 * The input of update_plan as models send it. Models learn the shape of a plan from other tools, so lists of strings, checklists
 * of Markdown, other names of fields and states, and items without an id are all read. Pure.
 */

export interface PlanInput {
  readonly goal: string;
  readonly items: readonly Omit<PlanItem, "seqs">[];
}

/** An item as it was sent: without an id where the model gave none. */
type ReadItem = Omit<PlanItem, "id" | "seqs"> & { readonly id?: string | undefined };

export type ReadPlan =
  | { readonly ok: true; readonly input: PlanInput }
  | { readonly ok: false; readonly message: string };

export const PLAN_EXAMPLE =
  '{"goal":"An About page","items":[{"id":"p1","text":"Look","status":"doing"},{"id":"p2","text":"Create it"}]}';

/** A list that is written as JSON or as Markdown in one string. */
const LIST_CHARS_MAX = 16_000;
const LINES_MAX = 200;

const LISTS = ["items", "plan", "steps", "todos", "tasks", "todo", "todo_list", "checklist", "list"];
const GOALS = ["goal", "objective", "title", "explanation", "summary", "purpose", "name", "description"];
const TEXTS = [
  "text",
  "step",
  "content",
  "task",
  "description",
  "title",
  "name",
  "item",
  "action",
  "goal",
  "todo",
  "label",
  "summary",
  "what",
  "activeForm",
];
const STATUSES = ["status", "state", "progress"];
const IDS = ["id", "key", "number", "step_id", "stepId", "index"];
const DONE_WHENS = ["doneWhen", "done_when", "doneIf", "criteria", "success_criteria"];

/** Other names of each state, in the form that `plainWord` gives. */
const STATES: Readonly<Record<Exclude<ItemStatus, "open">, readonly string[]>> = {
  doing: [
    "inprogress",
    "active",
    "current",
    "started",
    "running",
    "ongoing",
    "working",
    "wip",
    "now",
    "-",
    "~",
  ],
  done: [
    "completed",
    "complete",
    "finished",
    "ok",
    "success",
    "succeeded",
    "closed",
    "resolved",
    "checked",
    "x",
    "true",
  ],
  failed: ["error", "errored", "failure", "broken"],
  dropped: ["cancelled", "canceled", "skipped", "removed", "abandoned", "obsolete", "deleted", "wontdo"],
};
const KINDS: Readonly<Record<Exclude<ItemKind, "do">, readonly string[]>> = {
  look: ["read", "research", "find", "search", "inspect", "gather", "explore", "analyze", "analyse", "fetch"],
  check: ["verify", "test", "review", "validate"],
  deliver: ["answer", "report", "respond", "reply"],
};

/** Reads a plan. `now` is the plan so far: an item without an id is the one of the same text there. Refuses a plan without items, and an item without a text. */
export function readPlanInput(input: Json, now: Plan | null): ReadPlan {
  const outer = isObject(input) ? input : { items: input };
  // A plan within a field of that name, as in `{"plan":{"goal":…,"items":[…]}}`.
  const inner = LISTS.map((name) => ownValue(outer, name)).find((value) => isObject(value) && hasList(value));
  const whole = isObject(inner) ? { ...outer, ...inner } : outer;
  const list = LISTS.map((name) => listOf(ownValue(whole, name))).find((each) => each !== null);
  if (list === undefined || list === null || list.length === 0)
    return refused(`items is missing: send the whole list, such as ${PLAN_EXAMPLE}`);
  if (list.length > PLAN_ITEMS_MAX)
    return refused(`${list.length} items are too many: keep the plan to ${PLAN_ITEMS_MAX}.`);
  const read: ReadItem[] = [];
  for (const [index, each] of list.entries()) {
    const item = readItem(each);
    if (item === null) return refused(`Item ${index + 1} has no text, such as {"id":"p1","text":"Look"}.`);
    read.push(item);
  }
  const items = withIds(read, now);
  const goal = firstText(whole, GOALS) ?? now?.goal ?? items[0]?.text ?? "";
  return { ok: true, input: { goal: shortened(goal, PLAN_GOAL_CHARS_MAX), items } };
}

const refused = (message: string): ReadPlan => ({ ok: false, message });

const hasList = (value: JsonObject): boolean => LISTS.some((name) => listOf(ownValue(value, name)) !== null);

/** A list as it is, one item alone, the values of a record of items, or the lines of a text; null where there is none. */
function listOf(value: Json | undefined): readonly Json[] | null {
  if (Array.isArray(value)) return value as readonly Json[];
  if (isObject(value)) {
    if (firstText(value, TEXTS) !== null) return [value];
    const values = Object.entries(value);
    if (values.length === 0 || !values.every(([, each]) => typeof each === "string" || isObject(each)))
      return null;
    return values.map(([id, each]): Json => (isObject(each) ? { id, ...each } : { id, text: each }));
  }
  if (typeof value !== "string" || value.trim() === "") return null;
  const text = value.slice(0, LIST_CHARS_MAX).trim();
  if (text.startsWith("[") && text.endsWith("]")) {
    const parsed = readJson(text);
    if (Array.isArray(parsed)) return parsed as readonly Json[];
  }
  const lines = text.split("\n", LINES_MAX).filter((line) => line.trim() !== "");
  return lines.length === 0 ? null : lines;
}

function readItem(given: Json): ReadItem | null {
  const item = isObject(given) ? given : fromLine(typeof given === "number" ? String(given) : given);
  const text = firstText(item, TEXTS);
  if (text === null) return null;
  const id = firstText(item, IDS);
  const optional = (names: readonly string[], chars: number): string | undefined => {
    const found = firstText(item, names);
    return found === null ? undefined : shortened(found, chars);
  };
  const kind = firstText(item, ["kind", "type"]);
  const own = definedFields({
    tool: optional(["tool"], TOOL_CHARS_MAX),
    fallback: optional(["fallback"], PLAN_TEXT_CHARS_MAX),
    doneWhen: optional(DONE_WHENS, PLAN_TEXT_CHARS_MAX),
    reason: optional(["reason", "why"], PLAN_TEXT_CHARS_MAX),
  });
  return {
    ...own,
    id: id === null ? undefined : (idOf(id) ?? undefined),
    text: shortened(text, PLAN_TEXT_CHARS_MAX),
    kind: kind === null ? "do" : nameIn(KINDS, kind, "do"),
    status: statusOf(item),
  };
}

const TOOL_CHARS_MAX = 64;

function statusOf(item: JsonObject): ItemStatus {
  const named = firstText(item, STATUSES);
  if (named !== null) return nameIn(STATES, named, "open");
  return ["done", "completed", "complete", "checked"].some((name) => ownValue(item, name) === true)
    ? "done"
    : "open";
}

/** A name of the table that is meant by a word, or `otherwise` where none is. */
function nameIn<Name extends string, Otherwise extends string>(
  table: Readonly<Record<Name, readonly string[]>>,
  word: string,
  otherwise: Otherwise,
): Name | Otherwise {
  const plain = plainWord(word);
  const names = Object.keys(table) as Name[];
  return names.find((name) => name === plain || table[name].includes(plain)) ?? otherwise;
}

/** In lower case, without blanks, `_` and `-` between its letters. */
function plainWord(word: string): string {
  const plain = word
    .slice(0, 40)
    .toLowerCase()
    .replaceAll(/[\s_-]/g, "");
  return plain === "" ? word.trim().slice(0, 1) : plain;
}

const LINE = /^\s{0,8}(?:[-*+•]\s{1,4}|\d{1,3}[.)]\s{1,4})?(?:\[(.)\]\s{0,4})?(.*)$/su;

/** An item that is one line: `- [x] Look`, `2. Create it`, or a text alone. */
function fromLine(line: Json): JsonObject {
  if (typeof line !== "string") return {};
  const [, mark, text = ""] = LINE.exec(line.slice(0, LIST_CHARS_MAX)) ?? [];
  return {
    ...(mark === undefined ? {} : { status: mark }),
    text,
  };
}

/** The first of the fields that holds a text or a number, without blanks around it. */
function firstText(record: JsonObject, names: readonly string[]): string | null {
  for (const name of names) {
    const value = ownValue(record, name);
    const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
    if (text !== "") return text;
  }
  return null;
}

/**
 * Returns an ID that can be put in brackets in a text, derived from the model's; null if it has no usable characters.
 */
function idOf(own: string): string | null {
  const id = own
    .slice(0, 200)
    .replaceAll(/[^A-Za-z0-9_.-]+/g, "-")
    .replaceAll(/^[-_.]+|[-_.]+$/g, "")
    .slice(0, PLAN_ID_CHARS_MAX);
  return id === "" ? null : id;
}

/** Items without an id get that of the item with the same text, of the one in the same place where the list is as long, or the next that is free. */
function withIds(items: readonly ReadItem[], now: Plan | null): readonly Omit<PlanItem, "seqs">[] {
  const old = now?.items ?? [];
  const taken = new Set(items.flatMap(({ id }) => id ?? []));
  const byText = new Map(old.map((item) => [item.text.toLowerCase(), item.id]));
  const claimed = items.map((item) => {
    const known = item.id ?? byText.get(item.text.toLowerCase());
    if (item.id === undefined && (known === undefined || taken.has(known))) return undefined;
    if (known !== undefined) taken.add(known);
    return known;
  });
  const inPlace = old.length === items.length && items.every(({ id }) => id === undefined);
  let next = 0;
  return items.map((item, index) => {
    let id = claimed[index];
    const itemId = old[index]?.id;
    if (id === undefined && inPlace && itemId !== undefined && !taken.has(itemId)) id = itemId;
    // An id of the plan so far belongs to its item, which stays where the list leaves it out.
    while (id === undefined) {
      next += 1;
      const free = `p${next}`;
      if (!taken.has(free) && !old.some((one) => one.id === free)) id = free;
    }
    taken.add(id);
    return { ...item, id };
  });
}
