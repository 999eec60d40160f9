import { ASKING } from "./data/asking.ts";
import { CHANGING } from "./data/changing.ts";
import { GERMAN } from "./data/german.ts";
import { LINKING } from "./data/linking.ts";
import { MAKING } from "./data/making.ts";
import { TRICKY } from "./data/tricky.ts";
import type { Wish } from "./format.ts";

export const WISHES: readonly Wish[] = [...MAKING, ...CHANGING, ...LINKING, ...ASKING, ...TRICKY, ...GERMAN];
