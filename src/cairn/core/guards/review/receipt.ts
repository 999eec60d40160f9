import { shortened } from "../../text/cut.ts";
import {
  RECEIPT_ITEMS_MAX,
  RECEIPT_REASON_CHARS_MAX,
  RECEIPT_TARGETS_MAX,
  RECEIPT_TARGET_CHARS_MAX,
} from "../../limits.ts";
import { ORIGIN, SEND_MESSAGE } from "../../address.ts";
import type { ChildReported } from "../../log/child.ts";
import type { EntryDraft } from "../../log/entry.ts";
import { isObject, canonicalJson, type Json, type JsonObject } from "../../log/json.ts";
import type { Receipt, ReceiptItem } from "../../log/receipt.ts";
import { readOutput } from "../../state/call-digest.ts";
import { UPDATE_PLAN } from "../../state/plan.ts";
import { reviewCallsOf, isMadeGood, namedIn } from "./evidence.ts";
import type { ReviewCall } from "./subject.ts";

/** The receipt of a run, from its entries. Entries of other runs are passed over. */
export function receiptOf(run: string, entries: readonly EntryDraft[]): Receipt {
  const own = receiptOfCalls(reviewCallsOf(run, entries));
  const below = entries.flatMap((entry) =>
    entry.kind === "child_reported" && entry.run === run ? [entry.body] : [],
  );
  return below.length === 0 ? own : withChildren(own, below);
}

/** Replaces calls that start children, which change nothing themselves, with the changes of those children. */
function withChildren(own: Receipt, reports: readonly ChildReported[]): Receipt {
  const starts = new Set(reports.map(({ call }) => call));
  let { more } = own;
  const joined = (list: "changed" | "failed" | "unknown"): readonly ReceiptItem[] => {
    const all = [
      ...own[list].filter(({ call }) => list !== "changed" || !starts.has(call)),
      ...reports.flatMap(({ call, receipt }) => receipt?.[list].map((item) => ({ ...item, call })) ?? []),
    ];
    more += Math.max(0, all.length - RECEIPT_ITEMS_MAX);
    return all.slice(0, RECEIPT_ITEMS_MAX);
  };
  const lists = { changed: joined("changed"), failed: joined("failed"), unknown: joined("unknown") };
  return { ...lists, more: more + reports.reduce((sum, { receipt }) => sum + (receipt?.more ?? 0), 0) };
}

export function receiptOfCalls(calls: readonly ReviewCall[]): Receipt {
  const own = calls.filter((call) => call.status !== "reused" && !isBookkeeping(call) && !isWord(call));
  let more = 0;
  const some = <One>(all: readonly One[], max: number): readonly One[] => {
    more += Math.max(0, all.length - max);
    return all.slice(0, max);
  };
  const items = (list: readonly ReviewCall[]): readonly ReceiptItem[] =>
    some(list, RECEIPT_ITEMS_MAX).map((call) =>
      itemOf(call, some(targetsOf(call, calls), RECEIPT_TARGETS_MAX)),
    );
  const changed = items(
    own.filter((call) => call.status === "ok" && call.effect !== "read" && !isUnchanged(call)),
  );
  const failed = items(
    own.filter(
      (call, at) => isFailure(call) && !isRepeated(call, own) && !isMadeGood(call, own.slice(at + 1)),
    ),
  );
  const unknown = items(own.filter((call) => call.status === "unknown" && call.effect !== "read"));
  return { changed, failed, unknown, more };
}

/** Plans and logs of progress are the run's own; a fact that it stores is the person's. */
function isBookkeeping({ kind, tool, verbs }: ReviewCall): boolean {
  return tool === UPDATE_PLAN || (kind === "bookkeeping" && (verbs ?? []).length === 0);
}

/**
 * True for a message to the requester, which is a part of the answer. One that did not or may not have arrived is
 * listed.
 */
function isWord({ tool, input, status }: ReviewCall): boolean {
  const { to = ORIGIN } = isObject(input) ? input : {};
  return tool === SEND_MESSAGE && to === ORIGIN && (status === "ok" || status === "skipped");
}

/** A read that a guard spared, or that was refused before it ran, is nothing that anybody waits for. */
function isFailure({ status, effect }: ReviewCall): boolean {
  return status === "error" || status === "denied" || (status === "skipped" && effect !== "read");
}

/** True if a call was refused because it had been done before. */
function isRepeated(refused: ReviewCall, calls: readonly ReviewCall[]): boolean {
  const input = canonicalJson(refused.input);
  return (
    refused.status === "skipped" &&
    calls.some(
      (call) => call.status === "ok" && call.tool === refused.tool && canonicalJson(call.input) === input,
    )
  );
}

function itemOf(call: ReviewCall, names: readonly string[]): ReceiptItem {
  const { id, tool, title, verbs, status, failure } = call;
  return {
    call: id,
    tool,
    title,
    verbs: verbs ?? [],
    targets: names.map((name) => cut(name, RECEIPT_TARGET_CHARS_MAX)),
    state: status === "ok" ? stateOf(call) : null,
    reason:
      status === "ok" || status === "unknown"
        ? null
        : cut((failure ?? status).replace(/(?<![.\s])[.\s]+$/u, ""), RECEIPT_REASON_CHARS_MAX),
  };
}

/** Names of the things that a call is about: what its result touched, else what its arguments name. */
function targetsOf(call: ReviewCall, calls: readonly ReviewCall[]): readonly string[] {
  const same = new Set(
    recordsIn(resultOf(call)).flatMap((one) => (one["unchanged"] === true ? [one["id"]] : [])),
  );
  const own = call.things.filter(
    ({ id, parent }, at) =>
      // A part of an already named thing is not listed separately.
      !same.has(id) && !call.things.slice(0, at).some((other) => other.id === parent?.id),
  );
  if (own.length > 0) return [...new Set(own.map(({ name }) => name))];
  const known = new Map(
    calls.flatMap((other) =>
      other.things.flatMap(
        ({ id, slug = id, name }) =>
          [
            [id, name],
            [slug, name],
          ] as const,
      ),
    ),
  );
  return [...new Set(namedIn(call.input).map((name) => known.get(name) ?? name))];
}

/** Returns the state that a result reports for all its things; null if it reports none or several. */
function stateOf(call: ReviewCall): string | null {
  if (call.things.length > 0 && call.things.every(({ op }) => op === "delete")) return "deleted";
  const result = resultOf(call);
  const values = recordsIn(result).flatMap((one) => [one["status"] ?? one["state"] ?? null]);
  const states = new Set(values.filter((one) => typeof one === "string" && !ENVELOPE.has(one)));
  const [state, ...others] = states;
  if (typeof state !== "string" || others.length > 0 || !STATES.has(state)) return null;
  // A published thing with an invisible change: its draft was changed.
  return state === "published" && isObject(result) && result["publicNow"] === false ? "draft" : state;
}

/** The states that a receipt names. A result may come from anywhere, and no sentence of it is a line of the receipt. */
const STATES: ReadonlySet<string> = new Set([
  "draft",
  "published",
  "unpublished",
  "archived",
  "deleted",
  "scheduled",
  "active",
  "paused",
  "open",
  "closed",
  "merged",
  "cancelled",
  "queued",
  "pending",
  "running",
  "sent",
  "paid",
  "refunded",
]);
/** values of an envelope, which describe no thing */
const ENVELOPE: ReadonlySet<Json> = new Set(["ok", "success", "done", "error"]);

/**
 * True if an effect found everything as wanted: its tool reports `unchanged`. An empty list of changes proves nothing,
 * because something else may have changed.
 */
function isUnchanged(call: ReviewCall): boolean {
  const result = resultOf(call);
  if (!isObject(result)) return false;
  if (result["unchanged"] === true) return true;
  const targets = Array.isArray(result["targets"]) ? result["targets"] : [];
  return targets.length > 0 && targets.every((one: Json) => isObject(one) && one["unchanged"] === true);
}

/** The result as a value; its text where it is none, or was cut. */
function resultOf({ result }: ReviewCall): Json {
  return readOutput(result);
}

/** The result itself and what it lists or holds, one level down. */
function recordsIn(result: Json): readonly JsonObject[] {
  if (!isObject(result)) return [];
  return [
    result,
    ...Object.values(result).flatMap((value) =>
      Array.isArray(value) ? (value as readonly Json[]) : [value],
    ),
  ].filter((one: Json): one is JsonObject => isObject(one));
}

function cut(text: string, max: number): string {
  return shortened(text, max);
}
