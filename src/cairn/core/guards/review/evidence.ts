import { ARGS_OVERLAP_MIN } from "../../limits.ts";
import type { CallStatus, Entry, EntryDraft, ProposedCall } from "../../log/entry.ts";
import { isObject, type Json, canonicalJson } from "../../log/json.ts";
import { itemsOfCalls } from "../../entries/plan.ts";
import { isEmpty, readOutput } from "../../state/call-digest.ts";
import { lowerCaseWords, fold } from "../../text/sentences.ts";
import { unfence } from "../../text/untrusted.ts";
import { type ReviewItem, isWork, type ReviewCall, isOkEffect } from "./subject.ts";

/** The failed work calls, and those of unknown outcome, that no later result made good and no dropped item excuses. */
export function unresolvedCalls(
  calls: readonly ReviewCall[],
  plan: readonly ReviewItem[],
): readonly ReviewCall[] {
  const dropped = new Set(plan.flatMap((item) => (item.status === "dropped" ? [item.id] : [])));
  return calls.filter((call, index) => {
    const isOpen = isWork(call) && (call.status === "error" || call.status === "unknown");
    if (!isOpen || (call.item !== null && dropped.has(call.item))) return false;
    const later = calls.slice(index + 1).filter(({ status }) => status === "ok");
    // A call that missed its target may be retried under another name.
    const isTried = isMissed(call)
      ? later.some((other) => other.tool === call.tool && isAlike(other, call))
      : later.some((other) => call.item !== null && other.item === call.item && isWork(other));
    return !isTried && !isMadeGood(call, later);
  });
}

function isMissed({ error }: ReviewCall): boolean {
  return error === "not_found" || error === "invalid_args" || error === "too_large";
}

const isAlike = (a: ReviewCall, b: ReviewCall): boolean =>
  overlap(argumentWords(a.input), argumentWords(b.input)) >= ARGS_OVERLAP_MIN;

/** Shared words over the larger set; two empty sets are equal. */
function overlap(a: readonly string[], b: readonly string[]): number {
  const [left, right] = [new Set(a), new Set(b)];
  const larger = Math.max(left.size, right.size);
  return larger === 0 ? 1 : [...left].filter((word) => right.has(word)).length / larger;
}

/** Keys and words of a call's arguments, folded: what two tries of the same thing have in common. */
function argumentWords(input: Json): readonly string[] {
  if (input === null) return [];
  if (typeof input !== "object") return lowerCaseWords(String(input));
  if (Array.isArray(input)) return input.flatMap((one: Json) => argumentWords(one));
  return Object.entries(input).flatMap(([key, value]) => [...lowerCaseWords(key), ...argumentWords(value)]);
}

/** Calls that a guard skipped or a cancel stopped were never tried. */
const STATUS: Readonly<Record<CallStatus, ReviewCall["status"]>> = {
  ok: "ok",
  error: "error",
  unknown: "unknown",
  refused: "skipped",
  denied: "denied",
  cancelled: "skipped",
};

/**
 * The settled calls of a run as the review and the receipt look at them, from its entries. A result is fresh when it holds
 * something and no earlier result of the run was the same.
 */
export function reviewCallsOf(run: string, entries: readonly EntryDraft[]): readonly ReviewCall[] {
  const own = entries.filter((entry) => entry.run === run);
  const proposed = new Map<string, ProposedCall>();
  const edited = new Map<string, Json>();
  for (const entry of own) {
    if (entry.kind === "model_replied") for (const call of entry.body.calls) proposed.set(call.call, call);
    const isVote = entry.kind === "approval_decided" || entry.kind === "approval_voted";
    if (isVote && entry.body.decision === "edit") edited.set(entry.body.call, entry.body.args);
  }
  const items = itemsOfCalls(own.filter(isStored));
  const seen = new Set<string>();
  return own.flatMap((entry): ReviewCall[] => {
    if (entry.kind !== "call_settled") return [];
    const { call: id, tool, status, failure, reusedFrom, changes = [] } = entry.body;
    const observation = unfence(entry.body.observation);
    const { title = tool, effect = "read", input = null, traits, mark, access } = proposed.get(id) ?? {};
    const isOk = status === "ok";
    const fresh = isOk && reusedFrom === null && !isEmpty(readOutput(observation)) && !seen.has(observation);
    if (isOk) seen.add(observation);
    return [
      {
        id,
        tool,
        title,
        effect,
        fresh,
        // An entry that is being written comes after all that are.
        seq: isStored(entry) ? entry.seq : Number.MAX_SAFE_INTEGER,
        kind: traits?.kind ?? "work",
        verbs: traits === undefined ? null : (traits.verbs ?? null),
        target: edited.has(id) ? null : (mark?.target ?? null),
        item: items.get(id) ?? null,
        opensLater: access?.later === true,
        status: reusedFrom !== null ? "reused" : STATUS[status],
        error: failure?.class ?? null,
        failure: failure?.message ?? null,
        input: edited.get(id) ?? input,
        replaced: edited.has(id) ? input : null,
        things: changes,
        result: isOk ? observation : "",
      },
    ];
  });
}

const isStored = (entry: EntryDraft): entry is Entry => "seq" in entry;

/** Compares calls by target and operation, as the calls themselves state them. */

/** True if a later result repairs a failure: the same operation on the same targets. An unrelated success does not. */
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
  "ref",
  "page",
  "pages",
  "section",
  "sections",
  "entry",
  "entries",
  "item",
  "title",
  "name",
  "label",
  "subject",
  "target",
  "targets",
  "image",
  "collection",
  "slug",
  "id",
  "key",
  "path",
  "url",
  "ops",
  "to",
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
