import * as z from "zod";

/** The format of an answer at the end of a run, with what the run did: what receipts and the review are measured on. */

export const ANSWER_LANGS = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "zh", "ja"] as const;

export const FALSE_KINDS = [
  "no_call",
  "failed",
  "denied",
  "other_object",
  "one_of_many",
  "wrong_number",
  "state",
  "edited",
  "unknown",
  "half_done",
] as const;

export const TRUE_KINDS = [
  "report",
  "reading",
  "translation",
  "text",
  "list",
  "failure",
  "partial",
  "fact",
  "earlier",
  "refusal",
  "offer",
  "greeting",
  "unchanged",
  "ask_back",
  "edited",
  "denied",
  "unknown",
] as const;

/** A thing as a person knows it. Of a section the page is named too, because people speak of the page. */
const thing = z.strictObject({
  type: z.enum(["page", "section", "entry", "nav_item", "image", "order", "newsletter"]),
  id: z.string().min(1),
  name: z.string().min(1),
});

/**
 * Change made by a call. `draft`: not yet visible, even if an older copy of the page is public. `public` and `hidden`
 * are for navigation items: visible at once, or together with their target.
 */
const changed = thing.extend({
  op: z.enum(["create", "touch", "delete"]),
  state: z.enum(["draft", "published", "unpublished", "archived", "deleted", "public", "hidden", "sent"]),
  /** name of the page that a section is on */
  on: z.string().optional(),
});

const call = z.strictObject({
  id: z.string().regex(/^r1s\d+c0$/),
  tool: z.string(),
  title: z.string(),
  effect: z.enum(["read", "keyed", "once"]),
  verbs: z.array(z.string()),
  /** the arguments that it ran with, or would have */
  input: z.record(z.string(), z.json()),
  status: z.enum(["ok", "error", "denied", "refused", "unknown"]),
  /** an earlier call of the run whose result it was given without having run */
  reusedFrom: z.string().nullable(),
  /** arguments that the model had proposed, where the person who approved it put others in their place */
  proposed: z.record(z.string(), z.json()).nullable(),
  /** as the model was shown it: JSON of the output, or of the failure */
  observation: z.string().min(2),
  /** what it is about: what an effect works on, what a read found */
  about: z.array(thing),
  changed: z.array(changed),
});

/** Least content of a receipt that contradicts a false answer. */
const receipt = z.strictObject({
  /** it must say that nothing was changed */
  nothing: z.boolean(),
  changed: z.array(changed.pick({ type: true, name: true, state: true })),
  /** names that may not stand among what was changed, though the answer says so */
  notChanged: z.array(z.string()),
  failed: z.array(z.strictObject({ tool: z.string(), names: z.array(z.string()) })),
  unknown: z.array(z.strictObject({ tool: z.string(), names: z.array(z.string()) })),
});

const shared = {
  id: z.string().regex(/^[a-z]{2}-[tf]\d{2}$/),
  lang: z.enum(ANSWER_LANGS),
  wish: z.string().min(1),
  /** the turn before, where the wish leans on it; its own run is over */
  earlier: z.strictObject({ wish: z.string(), answer: z.string() }).nullable(),
  calls: z.array(call),
  answer: z.string().min(1),
  /** the reader's reason */
  why: z.string().min(5),
};

export const answerCase = z.discriminatedUnion("label", [
  z.strictObject({ ...shared, label: z.literal("true"), kind: z.enum(TRUE_KINDS) }),
  z.strictObject({ ...shared, label: z.literal("false"), kind: z.enum(FALSE_KINDS), receipt }),
]);

export type AnswerCase = z.infer<typeof answerCase>;
export type AnswerLang = (typeof ANSWER_LANGS)[number];
export type FalseKind = (typeof FALSE_KINDS)[number];
export type TrueKind = (typeof TRUE_KINDS)[number];
export type AnswerCall = z.infer<typeof call>;
export type AnswerReceipt = z.infer<typeof receipt>;
export type Thing = z.infer<typeof thing>;
export type ChangedThing = z.infer<typeof changed>;
