import { canonicalJson, isObject, toJson, type Json, type JsonObject } from "../../../cairn/core/log/json.ts";
import type { Change, Plan } from "../model/types.ts";
import { sideOf } from "./changes.ts";

/** An edit that equals the current state is no change: nothing is written, and nobody is asked. */

export const UNCHANGED = "It was like this already; nothing changed.";

/** Fields that every write of a row changes, whatever it writes. */
const MARKS: ReadonlySet<string> = new Set(["version", "updatedAt"]);
/** The texts by language: one in which there is no text is as one that is not there. */
const BY_LANGUAGE: ReadonlySet<string> = new Set(["meta", "content", "labels", "texts"]);

/** True if both sides of a change have the same content. */
export function isSame(before: object | null, after: object | null): boolean {
  const [old, now] = [sideOf(before), sideOf(after)];
  if (old === null || now === null) return false;
  return canonicalJson(contentOf(old)) === canonicalJson(contentOf(now));
}

function contentOf(side: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(side)
      .filter(([key]) => !MARKS.has(key))
      .map(([key, value]) => [key, BY_LANGUAGE.has(key) ? withoutEmpty(value) : value]),
  );
}

function withoutEmpty(texts: Json): Json {
  if (!isObject(texts)) return texts;
  return Object.fromEntries(
    Object.entries(texts).filter(([, own]) => !isObject(own) || Object.keys(own).length > 0),
  );
}

/** The row after an edit, with the next version; the row itself if the edit changes nothing. */
export function edited<Row extends { readonly version: number; readonly updatedAt: number }>(
  before: Row,
  after: Row,
  at: number,
): Row {
  return isSame(before, after) ? before : { ...after, version: before.version + 1, updatedAt: at };
}

/** True if a plan changes nothing. Its effects on a change set or on another operation count as changes of those. */
export function changesNothing({ changes, changeSet, undoes }: Plan<unknown>): boolean {
  return (
    changeSet === undefined &&
    undoes === undefined &&
    changes.every(({ before, after }: Change) => isSame(before, after))
  );
}

/** The answer to a call that changed nothing. There is no operation, so it names none. */
export function unchangedAnswer(result: object): JsonObject {
  const answer = toJson(result);
  if (!isObject(answer)) throw new TypeError("a write answers with fields");
  const { op: _, notes, ...rest } = answer;
  const own: readonly Json[] = Array.isArray(notes) ? notes : [];
  return { ...rest, publicNow: false, unchanged: true, notes: [UNCHANGED, ...own] };
}
