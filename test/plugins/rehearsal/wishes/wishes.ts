import { ASKING } from "./data/asking.ts";
import { CHANGING } from "./data/changing.ts";
import { GERMAN } from "./data/german.ts";
import { LINKING } from "./data/linking.ts";
import { MAKING } from "./data/making.ts";
import { TABLED } from "./data/tabled.ts";
import { TRICKY } from "./data/tricky.ts";
import type { Wish } from "./format.ts";

/** Worded by somebody who had not seen the table of the rehearsal model. */
export const BLIND: readonly Wish[] = [...MAKING, ...CHANGING, ...LINKING, ...ASKING, ...TRICKY, ...GERMAN];

export const WISHES: readonly Wish[] = [...BLIND, ...TABLED];
