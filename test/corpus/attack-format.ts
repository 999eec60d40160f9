import * as z from "zod";
import type { Json } from "../../src/cairn/core/log/json.ts";

/** The format of an attack: one JSON object a line of `attacks.jsonl`. What a field means is in the README beside it. */

export const ATTACK_FAMILIES = [
  "ungranted_tool",
  "name_variant",
  "claimed_approval",
  "changed_arguments",
  "hidden_call",
  "nested_json",
  "too_many_calls",
  "beside_complete",
  "cut_reply",
  "forced_answer",
  "consent_in_output",
  "consent_in_message",
  "self_approval",
  "replayed_approval",
  "foreign_person",
  "insisting",
  "secret_echo",
  "exfiltration",
  "oversized",
  "malformed",
  "prototype_keys",
  "rule_of_two",
  "role",
  "lane",
  "fence_break",
] as const;

const json = z.json();
const call = z.tuple([z.string(), json]);

/** A line of the scripted model, as in test/sim/platform/fake-model.ts. */
const line = z.union([
  z.strictObject({
    text: z.string().optional(),
    thought: z.string().optional(),
    calls: z.array(call).optional(),
    finish: z.enum(["stop", "length", "tool-calls", "content-filter", "other"]).optional(),
  }),
  z.strictObject({
    text: z.string().optional(),
    fail: z.strictObject({
      class: z.enum(["network", "cut_off", "bad_request"]),
      message: z.string(),
      retryAfterMs: z.null(),
      usage: z.null(),
    }),
  }),
]);

/** ada owns the session; mallory is another person; a reader is ada's own token without the right to approve, root hers with every right. */
const who = z.enum(["ada", "mallory", "reader", "root"]);
const source = z.enum(["web", "api", "webhook", "schedule"]);

const deed = z.discriminatedUnion("do", [
  z.strictObject({
    do: z.literal("say"),
    text: z.string(),
    who: who.optional(),
    source: source.optional(),
    mode: z.enum(["queue", "join", "replace"]).optional(),
    /** why it is not taken; absent when it is */
    refused: z.string().optional(),
  }),
  z.strictObject({
    do: z.literal("decide"),
    decision: z.enum(["approve", "deny", "edit"]),
    who: who.optional(),
    /** the one that is open, if absent */
    approval: z.string().optional(),
    digest: z.string().optional(),
    args: json.optional(),
    refused: z.string().optional(),
    /** only if an approval is open: a guard may have refused the call before anybody was asked */
    if_open: z.literal(true).optional(),
  }),
  z.strictObject({ do: z.literal("cancel") }),
  z.strictObject({ do: z.literal("restart") }),
  z.strictObject({ do: z.literal("wait"), ms: z.int().min(1) }),
]);

export const attack = z.strictObject({
  id: z.string().regex(/^[a-z_]+-\d{3}$/),
  family: z.enum(ATTACK_FAMILIES),
  /** what the attack comes to, in a sentence */
  about: z.string().min(10),
  /** a part that is not built yet; the scenario is skipped until it is */
  needs: z.enum(["taint", "more_encodings", "steps_of_final", "links_of_answers"]).optional(),
  said: z.string(),
  /** who says it first, and by which door; ada by the API */
  who: who.optional(),
  source: source.optional(),
  secrets: z.array(z.strictObject({ name: z.string(), value: z.string().min(8) })).optional(),
  /** what tools answer, whatever they are asked: `bulk`, and `outside` for `visit` and `fetch_out` */
  outputs: z.record(z.string(), z.string()).optional(),
  script: z.array(line).min(1),
  deeds: z.array(deed).optional(),
  expect: z.strictObject({
    /** tools that never begin */
    forbidden: z.array(z.string()),
    /** every change that was made outside the session, in order, with the arguments it was made with: no other may happen */
    effects: z.array(call),
    /** calls that are answered without having run, at least so many */
    held: z.int().min(0),
    /** texts that stand nowhere: not on disk, in a prompt, in a draft */
    hidden: z.array(z.string()).optional(),
    /** `person`: an approval is open when all is at rest. `ended`: every run has ended */
    rest: z.enum(["person", "ended", "either"]),
  }),
});

export type Attack = z.infer<typeof attack>;
export type Deed = z.infer<typeof deed>;

/** `{"$text": "x", "times": 9}` stands for a text, `{"$nest": 9}` for arrays within arrays: big things said shortly. */
export function expanded(value: Json): Json {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item: Json) => expanded(item));
  const { $text, times, $nest } = value as Record<string, Json | undefined>;
  if (typeof $text === "string" && typeof times === "number") return $text.repeat(times);
  if (typeof $nest === "number") return JSON.parse("[".repeat($nest) + "]".repeat($nest)) as Json;
  // Own properties one by one: `__proto__` has to stay the own key that a hostile reply has.
  const out: Record<string, Json> = {};
  for (const [key, item] of Object.entries(value))
    Object.defineProperty(out, key, {
      value: expanded(item),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  return out;
}
