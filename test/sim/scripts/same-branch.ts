import { createHash } from "node:crypto";
import type { Deed } from "../play.ts";
import type { Branch } from "./harness.ts";

/**
 * Finds places where a death leaves everything as an earlier one did: nothing has reached the disk, the client, or anything else
 * outside of the isolate in between, or two ways have led to the same. What is left decides how the play goes on, so that a second
 * schedule from there would go exactly as the first one.
 */

/** Numbers of functions, which are equal only to themselves. */
const FUNCTIONS = new WeakMap<object, number>();
let functions = 0;

function numberOf(value: object): number {
  const known = FUNCTIONS.get(value);
  if (known !== undefined) return known;
  functions++;
  FUNCTIONS.set(value, functions);
  return functions;
}

/** Text of elements of lists that snapshots share: none of them changes once it is in a list. */
const TEXTS = new WeakMap<object, string>();
/** longer texts are shortened to their hash */
const TEXT_CHARS_MAX = 64;

const hashOf = (text: string): string => createHash("md5").update(text).digest("base64");

/** A value as text, equal for equal values. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) => {
    if (item === undefined) return { undefined: true };
    if (typeof item === "function") return { function: numberOf(item) };
    if (typeof item === "number" && !Number.isFinite(item)) return { number: String(item) };
    if (item instanceof Map) return { map: [...item] };
    if (item instanceof Set) return { set: [...item] };
    return item;
  });

function textOfElement(element: unknown): string {
  if (typeof element !== "object" || element === null) return textOf(element);
  const known = TEXTS.get(element);
  if (known !== undefined) return known;
  const whole = textOf(element);
  const text = whole.length > TEXT_CHARS_MAX ? hashOf(whole) : whole;
  TEXTS.set(element, text);
  return text;
}

const textOfList = (list: readonly unknown[]): string => `${list.map(textOfElement).join("\n")}\n\n`;

/** Everything of a branch that decides how the play goes on. The places before it and the number of crashes do not. */
export function branchKey(branch: Branch, deeds: readonly Deed[]): string {
  const { platform, client, choices: _places, crashes: _crashes, begun, done, doing, ...more } = branch;
  const { lists, begun: effects, told, disk, ...outside } = platform;
  const { writes, ...alarms } = disk;
  const { events, chunks, ...connection } = client;
  const deedOf = (deed: Deed): number => deeds.indexOf(deed);
  const small = textOf([
    more,
    outside,
    alarms,
    connection,
    [...begun].map(deedOf),
    [...done].map(deedOf),
    typeof doing === "string" ? doing : deedOf(doing),
    [...chunks.keys()],
  ]);
  const long = [...Object.values(lists), effects, told, writes, events, ...chunks.values()];
  return hashOf(small + long.map(textOfList).join(""));
}

/** Remembers branches of one script, each with the most departures that are tried from there. */
export function createKnownBranches(deeds: readonly Deed[]): (branch: Branch, departures: number) => boolean {
  const known = new Map<string, number>();
  return (branch, departures) => {
    const key = branchKey(branch, deeds);
    const most = known.get(key) ?? -1;
    if (most >= departures) return true;
    known.set(key, departures);
    return false;
  };
}
