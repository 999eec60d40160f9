import { readFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";

/** The replies of test/corpus/dialects, each with what must come of it; what is left out is not looked at. */
const line = z.strictObject({
  dialect: z.enum(["native", "json", "tags"]),
  reply: z.string(),
  calls: z.array(z.tuple([z.string(), z.json()])),
  faults: z.array(z.string()),
  name: z.string().optional(),
  /** each of them was needed */
  repairs: z.array(z.string()).optional(),
  texts: z.array(z.string()).optional(),
  thoughts: z.array(z.string()).optional(),
  answer: z.string().optional(),
  /** it quotes a tag on purpose, in a fence or between backticks */
  quotes: z.literal(true).optional(),
});

const file = path.join(import.meta.dirname, "../../../corpus/dialects/malformed.jsonl");

export const CORPUS = readFileSync(file, "utf8")
  .trimEnd()
  .split("\n")
  .map((text) => line.parse(JSON.parse(text)));
