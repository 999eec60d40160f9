import * as z from "zod";
import { findBrokenLine } from "../../cairn/core/trace.ts";
import { parseJson } from "../../cairn/protocol/json.ts";

/** Verdict on an exported trace: is it complete, in order and unchanged? */
export interface TraceVerdict {
  readonly lines: number;
  readonly steps: number;
  readonly run: string | null;
  readonly outcome: string | null;
  /** hash of the last line: over it and all before it */
  readonly seal: string;
  /** what is wrong with it, in words; null when it holds */
  readonly fault: string | null;
}

const lineSchema = z.looseObject({
  line: z.string(),
  run: z.string().optional(),
  outcome: z.string().nullish(),
  hash: z.string(),
});

/** Checks the chain of hashes, and that neither end was cut off, which a chain alone cannot show. */
export function checkTrace(lines: readonly string[]): TraceVerdict {
  const parsed = lines.map((line) => lineSchema.safeParse(parseJson(line)).data ?? null);
  const [first] = parsed;
  const last = parsed.at(-1) ?? null;
  return {
    lines: lines.length,
    steps: parsed.filter((line) => line?.line === "step").length,
    run: first?.run ?? null,
    outcome: last?.outcome ?? null,
    seal: last?.hash ?? "",
    fault: findFault(lines, first?.line ?? null, last?.line ?? null),
  };
}

function findFault(lines: readonly string[], first: string | null, last: string | null): string | null {
  const broken = findBrokenLine(lines);
  if (broken !== null)
    return `The trace was changed: line ${broken} is not what was exported, or a line before it is missing.`;
  if (first !== "run") return "The trace is not whole: its first line is missing.";
  return last === "end" ? null : "The trace is not whole: its last line is missing.";
}
