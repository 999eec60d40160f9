import type { EntryDraft } from "./entries.ts";
import { argWordsOf, overlap } from "./guard/failures.ts";
import { unfence } from "./guard/fence.ts";
import { ARGS_OVERLAP_MIN, FOUND_TITLES_MAX } from "./guard/limits.ts";
import type { Json } from "./json.ts";
import { isPure } from "./pure.ts";

/** What the calls of a run came to, for people: titles of tools and names of things, never a model's words. */

interface Known {
  readonly title: string;
  readonly effect: string;
  readonly args: readonly string[];
}

interface Facts {
  readonly done: readonly string[];
  readonly failed: readonly string[];
  readonly unknown: readonly string[];
}

const NAMES_MAX = 3;
const NAME_CHARS_MAX = 60;
const FAILURE_CHARS_MAX = 150;

/** The effects that happened, failed, or are not known. A failure that the same call has made good later is no news. */
export function effectsOf(run: string, rows: readonly EntryDraft[]): Facts {
  const known = knownCalls(run, rows);
  const names = namesByCall(run, rows);
  const done: string[] = [];
  const unknown: string[] = [];
  let failed: { tool: string; args: readonly string[]; text: string }[] = [];
  for (const row of rows) {
    if (row.run !== run || row.kind !== "call_settled") continue;
    const { call, tool, status, failure } = row.body;
    const { title, effect, args } = known.get(call) ?? { title: tool, effect: "read", args: [] };
    if (status === "ok") {
      failed = failed.filter((other) => other.tool !== tool || overlap(other.args, args) < ARGS_OVERLAP_MIN);
      if (effect !== "read") done.push(withNames(title, names.get(call) ?? []));
    } else if (status === "unknown") unknown.push(title);
    else if (status !== "cancelled")
      failed.push({
        tool,
        args,
        text: `${title}: ${failure?.message.slice(0, FAILURE_CHARS_MAX).replace(/[.\s]+$/u, "") ?? status}`,
      });
  }
  return { done, failed: failed.map((one) => one.text), unknown };
}

/** The newest results of reads that say something new, each by the names of what it found. */
export function foundBy(run: string, rows: readonly EntryDraft[]): readonly string[] {
  const known = knownCalls(run, rows);
  const names = namesByCall(run, rows);
  const seen = new Set<string>();
  const found: string[] = [];
  for (const row of rows.toReversed()) {
    if (row.run !== run || row.kind !== "call_settled" || found.length >= FOUND_TITLES_MAX) continue;
    const { call, tool, status, observation, reusedFrom } = row.body;
    const { title, effect } = known.get(call) ?? { title: tool, effect: "read" };
    if (status !== "ok" || effect !== "read" || reusedFrom !== null || isPure(tool)) continue;
    const told = withNames(title, titlesIn(observation) ?? names.get(call) ?? []);
    if (told === title || seen.has(told)) continue;
    seen.add(told);
    found.push(told);
  }
  return found;
}

function knownCalls(run: string, rows: readonly EntryDraft[]): ReadonlyMap<string, Known> {
  const known = new Map<string, Known>();
  for (const row of rows) {
    if (row.run !== run || row.kind !== "model_replied") continue;
    for (const { call, title, effect, input } of row.body.calls)
      known.set(call, { title, effect, args: argWordsOf(input) });
  }
  return known;
}

/** Names of the things that a call worked on, from what it left in the memory. */
function namesByCall(run: string, rows: readonly EntryDraft[]): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, readonly string[]>();
  for (const row of rows) {
    if (row.run !== run || row.kind !== "memory_changed" || row.body.call === null) continue;
    names.set(
      row.body.call,
      row.body.changes.map((change) => change.name),
    );
  }
  return names;
}

/** Titles of what a result lists; null where it is no such list. */
function titlesIn(observation: string): readonly string[] | null {
  let value: Json;
  try {
    value = JSON.parse(unfence(observation)) as Json;
  } catch {
    return null;
  }
  const list = Array.isArray(value) ? value : Object.values(value ?? {}).find((one) => Array.isArray(one));
  if (!Array.isArray(list)) return null;
  const titles = list.flatMap((one: Json) => {
    if (typeof one !== "object" || one === null || Array.isArray(one)) return [];
    const { title, name } = one as { readonly title?: Json; readonly name?: Json };
    const text = title ?? name;
    return typeof text === "string" && text !== "" ? [text] : [];
  });
  return titles.length === 0 ? null : titles;
}

function withNames(title: string, names: readonly string[]): string {
  if (names.length === 0) return title;
  const shown = [...new Set(names)].slice(0, NAMES_MAX).map((name) => `“${name.slice(0, NAME_CHARS_MAX)}”`);
  const more = names.length > NAMES_MAX ? ` and ${names.length - NAMES_MAX} more` : "";
  return `${title}: ${shown.join(", ")}${more}`;
}
