import { isAlike, isMissed } from "./evidence.ts";
import { fold } from "../../text/sentences.ts";
import { isObject } from "../../state/call-digest.ts";
import { isOkEffect, isWork, type ReviewCall } from "./subject.ts";
import { canonicalJson, type Json } from "../../log/json.ts";

/** Whether two calls are the same act on the same things, by what they say themselves. */

/** Whether later results make a failure good: the same act on the same things. The success of an unrelated one does not. */
export function isMadeGood(failed: ReviewCall, later: readonly ReviewCall[]): boolean {
  const ok = later.filter((call) => call.status === "ok");
  // A look-up that missed is settled once the run has found or acted: it was a means, not the matter.
  if (failed.effect === "read" && isMissed(failed)) {
    const isFound = (call: ReviewCall): boolean => call.tool === failed.tool || isOkEffect(call);
    if (ok.some((call) => isWork(call) && isFound(call))) return true;
  }
  const sharesVerb = (call: ReviewCall): boolean =>
    call.effect !== "read" && call.verbs?.some((verb) => failed.verbs?.includes(verb)) === true;
  const onTarget = ok.filter(({ target }) => target !== null && target === failed.target);
  if (onTarget.some((call) => call.tool === failed.tool || sharesVerb(call))) return true;
  const tries = ok.filter(
    (call) =>
      call.tool === failed.tool && (call.target ?? failed.target) === failed.target && hasAim(call, failed),
  );
  const names = namedIn(failed.input).map(fold);
  if (names.length === 0) return tries.some((call) => isAlike(call, failed));
  const done = new Set(
    tries.flatMap(({ input, things }) => [
      ...namedIn(input).map(fold),
      ...things.flatMap(({ id, name, slug = id }) => [id, name, slug].map(fold)),
    ]),
  );
  return names.every((name) => done.has(name));
}

/** To publish a thing and to take it back are two acts of one tool. */
function hasAim(a: ReviewCall, b: ReviewCall): boolean {
  const [one, other] = [a.input, b.input];
  if (!isObject(one) || !isObject(other)) return true;
  return AIMS.every((key) => canonicalJson(one[key]) === canonicalJson(other[key]));
}
const AIMS = ["to", "status", "state", "op", "action"];

/** Arguments by which a call names its things, the plainest first. */
const NAMING = [
  ...["ref", "page", "pages", "section", "sections", "entry", "entries", "item", "title", "name", "label"],
  ...["subject", "target", "targets", "image", "collection", "slug", "id", "key", "path", "url", "ops", "to"],
];

/** The things that a call is about, as its arguments name them. */
export function namedIn(input: Json | undefined): readonly string[] {
  if (typeof input === "number") return [String(input)];
  if (typeof input === "string") return input.trim() === "" || input.includes("\n") ? [] : [input.trim()];
  if (Array.isArray(input)) return input.flatMap((one: Json) => namedIn(one));
  if (!isObject(input)) return [];
  for (const key of NAMING) {
    const named = namedIn(input[key]);
    if (named.length > 0) return named;
  }
  const first = Object.values(input).find((value) => typeof value === "string");
  return namedIn(first);
}
