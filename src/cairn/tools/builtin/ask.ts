import * as z from "zod";
import { ASK_HUMAN } from "../../core/entries/question.ts";
import { defineTool, ToolError } from "../define.ts";

const QUESTION_CHARS_MAX = 2_000;
const OPTION_CHARS_MAX = 200;
const OPTIONS_MAX = 10;
const DEFAULT_CHARS_MAX = 500;

const shortText = (max: number): z.ZodString => z.string().trim().min(1).max(max);

const input = z
  .strictObject({
    question: shortText(QUESTION_CHARS_MAX).describe("One question, in the person's language"),
    options: z
      .array(shortText(OPTION_CHARS_MAX))
      .min(2)
      .max(OPTIONS_MAX)
      .refine((options) => new Set(options).size === options.length, "Each option once.")
      .optional()
      .describe("When the answer is one of these"),
    context: shortText(QUESTION_CHARS_MAX).optional().describe("What the person needs to know to answer"),
    default: shortText(DEFAULT_CHARS_MAX)
      .optional()
      .describe("What you take for the answer when nobody gives one"),
  })
  .refine(
    ({ options, default: taken }) => options === undefined || taken === undefined || options.includes(taken),
    { path: ["default"], message: "One of the options." },
  );

/** Asks the person, and waits for the answer. The loop asks by itself (core/entries/question.ts); it is never run. */
export const askHuman = defineTool<unknown, z.ZodType, never>({
  name: ASK_HUMAN,
  version: 1,
  title: "Ask",
  description:
    "Asks the person one question and waits, for days if need be. Only for what you cannot find out and must not guess. Reads beside it are done first; make no changes beside it. An answer is never an approval.",
  input,
  effect: "read",
  kind: "send",
  // An earlier answer is not reused: a repeated question gets a note.
  freshMs: 0,
  shape: { query: "question" },
  tier: "open",
  reads: "none",
  run: () => Promise.reject(new ToolError("internal", "ask_ran", "The loop asks the person itself.")),
});
