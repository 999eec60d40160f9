import type { JsonObject } from "../../core/log/json.ts";
import type { Course } from "./course.ts";
import { call } from "./course.ts";
import { because, report, type Desk } from "./desk.ts";
import { listAt, objectsAt, textAt } from "./reading.ts";
import { firstOf, foldWords } from "./tokens.ts";
import type { WishOf } from "./wish.ts";

/** What the person wants kept in mind, and what they ask to hear again. */

const KEY_WORDS_MAX = 5;
const KEY_CHARS_MAX = 60;
/** they say nothing of what a fact is about */
const SMALL = new Set([
  "a",
  "an",
  "the",
  "our",
  "my",
  "is",
  "are",
  "that",
  "this",
  "should",
  "be",
  "we",
  "i",
  "to",
  "of",
  "and",
]);

const REMEMBER =
  /^\s*(?:please\s+)?(?:remember|keep in mind|make a note|note)\b(?:\s*[:,]|\s+(?:that|this))?\s+(?!to\b|me\b|how\b|what\b)(\S.*)$/isu;
const RECALL =
  /^\s*(?:(?:can|could|do)\s+you\s+(?:remember|recall|tell me)\s+what|what)\s+(?:(?:do|did|should|have)\s+)?(?:you|i)\s+(?:remember|recall|know|note|noted|remembered|(?:tell|told|ask|asked)\s+you(?:\s+to\s+remember)?)\b\s*(?:(?:about|of|on|for)\s+(.+?))?[\s?!.]*$/isu;

/** The wish of a whole message that is about memory, or null. Words of it are taken as they were written. */
export function hearMemory(message: string): WishOf<"remember"> | WishOf<"recall"> | null {
  const kept = REMEMBER.exec(message)?.[1]
    ?.trim()
    .replace(/[.!]+$/u, "");
  if (kept !== undefined && kept !== "") return { kind: "remember", key: keyOf(kept), value: kept };
  const asked = RECALL.exec(message);
  return asked === null ? null : { kind: "recall", query: asked[1]?.trim() ?? null };
}

function keyOf(text: string): string {
  const words = foldWords(text).filter((word) => !SMALL.has(word));
  const key = (words.length > 0 ? words : foldWords(text)).slice(0, KEY_WORDS_MAX).join(" ");
  return firstOf(key === "" ? text : key, KEY_CHARS_MAX);
}

export function* keepInMind(desk: Desk, wish: WishOf<"remember">): Course<void> {
  const { key, value } = wish;
  const kept = yield* call(desk.tools, "I will keep that in mind.", "store_memory", { key, value });
  if (kept.ok) report(desk, "done", `I will remember for this session: "${value}".`);
  else report(desk, "failed", `I could not keep that in mind: ${because(kept.error)}.`);
}

export function* callToMind(desk: Desk, wish: WishOf<"recall">): Course<void> {
  const input: JsonObject = wish.query === null ? {} : { query: firstOf(wish.query, 200) };
  const found = yield* call(desk.tools, "I will look at what I was told.", "retrieve_memory", input);
  if (!found.ok) return report(desk, "failed", `I could not look that up: ${because(found.error)}.`);
  const items = objectsAt(found.value, "items").flatMap((item) => textAt(item, "value") ?? []);
  const single = textAt(found.value, "value");
  const known = single === null ? items : [single];
  const keys = listAt(found.value, "keys").flatMap((key) => (typeof key === "string" ? key : []));
  if (known.length > 0)
    return report(desk, "told", `You told me: ${known.map((text) => `"${text}"`).join("; ")}.`);
  if (wish.query !== null) return report(desk, "told", `I was told nothing about "${wish.query}".`);
  if (keys.length === 0) return report(desk, "told", "I was told nothing to remember yet.");
  return report(desk, "told", `I was told about: ${keys.map((key) => `"${key}"`).join(", ")}.`);
}
