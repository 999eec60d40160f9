import * as z from "zod";

/** Reasons of labels, in the order of the review. `NO_SUBSTANTIVE` is judged no more: its lines are not scored. */
export const LABEL_CODES = [
  "NO_SEND",
  "ACK_ONLY",
  "EMPTY_PROMISE",
  "UNSENT_RESULTS",
  "NO_SUBSTANTIVE",
  "ERROR_UNRESOLVED",
  "PLAN_ITEMS_OPEN",
  "CLAIM_UNBACKED",
  "NOTHING_CHANGED",
  "BAD_CITATION",
  "NO_CITATION",
] as const;

/** The format of a transcript for the review of "done": one JSON object a line of `reviews.jsonl`. */

/** A call of the run, in the order in which it was settled. */
const call = z.strictObject({
  id: z.string().regex(/^c\d+$/),
  tool: z.string(),
  kind: z.enum(["work", "bookkeeping", "send"]),
  /** what the tool declares that it does, such as `publish`; of a read, `read`, `search` or `test` */
  verb: z.string(),
  effect: z.enum(["read", "keyed", "once"]),
  /** the thing it is about, such as `page:about`; null where the tool declares none */
  target: z.string().nullable(),
  args: z.record(z.string(), z.json()),
  status: z.enum(["ok", "error", "unknown", "denied"]),
  /** class of the failure */
  error: z.string().nullable(),
  /** as the model is shown it: the output, or the message of the failure */
  result: z.string(),
  /** ok, not empty, and new in this run */
  fresh: z.boolean(),
});

const delivery = z.strictObject({
  /** how many calls were settled before it */
  after: z.int().min(0),
  kind: z.enum(["ack", "progress", "final", "question", "failure"]),
  text: z.string().min(1),
});

const item = z.strictObject({
  id: z.string().regex(/^p\d+$/),
  text: z.string(),
  kind: z.enum(["look", "do", "check", "deliver"]),
  status: z.enum(["open", "doing", "done", "failed", "dropped"]),
  /** calls that were made under it */
  calls: z.array(z.string()),
  reason: z.string().optional(),
});

export const reviewTranscript = z.strictObject({
  id: z.string().regex(/^review-\d{3}$/),
  label: z.enum(["accept", "refuse"]),
  /** every code whose trigger holds, in the order of the review; empty for `accept` */
  codes: z.array(z.enum(LABEL_CODES)),
  /** the reader's reason */
  why: z.string().min(5),
  lang: z.enum(["en", "de", "fr"]),
  by: z.literal("hand"),
  split: z.enum(["tune", "held"]),
  profile: z.enum(["trivial", "simple", "standard", "complex", "research"]),
  /** class standard or above, or an effect or research verb in the request */
  work: z.boolean(),
  deliver: z.enum(["reply", "tool"]),
  /** what the person asked for */
  request: z.string().min(1),
  calls: z.array(call),
  /** what the run has opened that works on later */
  opened: z.array(z.enum(["schedule", "child", "approval"])),
  deliveries: z.array(delivery),
  plan: z.array(item).nullable(),
  /** the newest text that came beside calls, and how many calls were settled then */
  held: z.strictObject({ after: z.int().min(0), text: z.string() }).nullable(),
  /** the text with which the model wants to finish */
  candidate: z.string(),
});

export type ReviewTranscript = z.infer<typeof reviewTranscript>;
