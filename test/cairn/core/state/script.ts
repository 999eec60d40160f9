import { playTrace, type Played } from "../../../corpus/loops/play.ts";
import type { Trace, TraceEvent, TraceTool } from "../../../corpus/loops/trace.ts";
import type { Json } from "../../../../src/cairn/core/log/json.ts";

/** A run written down in a few words, and played through the fold and the ladder. */

interface ScriptedCall {
  readonly tool: string;
  readonly args: Json;
  readonly output?: Json;
  readonly error?: { readonly class: string; readonly code: string; readonly message: string };
}

export type Line =
  | "human"
  | { readonly say: string }
  | { readonly compact: readonly [from: number, to: number] }
  | { readonly wait: number }
  | readonly ScriptedCall[];

export const ok = (tool: string, args: Json, output: Json): ScriptedCall => ({ tool, args, output });
export const failed = (tool: string, args: Json, cls: string, code: string = cls): ScriptedCall => ({
  tool,
  args,
  error: { class: cls, code, message: `${code} happened` },
});

export const TOOLS: Readonly<Record<string, TraceTool>> = {
  get: { cls: "read" },
  list: { cls: "read", cursors: ["cursor"] },
  search: { cls: "read", query: "q", ids: "items[].id", volatile: ["took_ms"] },
  job: { cls: "read", polling: { minIntervalMs: 5000, maxPolls: 20 } },
  put: { cls: "keyed", target: "page", value: "title" },
  send: { cls: "once" },
};

const STEP_MS = 1000;

export function traceOf(lines: readonly Line[], more: Partial<Omit<Trace, "events">> = {}): Trace {
  const events: TraceEvent[] = [];
  let at = 0;
  for (const line of lines) {
    at += STEP_MS;
    if (line === "human") events.push({ at, t: "human" });
    else if ("wait" in line) at += line.wait - STEP_MS;
    else if ("compact" in line) events.push({ at, t: "compact", from: line.compact[0], to: line.compact[1] });
    else if ("say" in line) events.push({ at, t: "reply", text: line.say, calls: [] });
    else {
      const named = line.map((call, index) => ({ ...call, id: `c${index}` }));
      const calls = named.map(({ id, tool, args }) => ({ id, tool, args }));
      events.push({ at, t: "reply", text: "", calls } as TraceEvent);
      for (const { id, output, error } of named) {
        const result = { at: at + 100, t: "result", call: id, ok: error === undefined } as const;
        events.push({ ...result, ...(error === undefined ? { output } : { error }) } as TraceEvent);
      }
    }
  }
  return {
    id: "own-001",
    family: "own",
    label: "ok",
    rules: [],
    split: "tune",
    config: {},
    tools: { ...TOOLS },
    events,
    ...more,
  };
}

export function play(lines: readonly Line[], more: Parameters<typeof traceOf>[1] = {}): Played {
  return playTrace(traceOf(lines, more));
}

/** `rule@turn level` of every climb. */
export function climbs(lines: readonly Line[], more: Parameters<typeof traceOf>[1] = {}): string[] {
  return play(lines, more).raised.map(
    (one) => `${one.verdict.rule.replace("loop.", "")}@${one.turn} ${one.level}`,
  );
}

/** The same line again and again. */
export function times(count: number, line: (n: number) => Line): Line[] {
  return Array.from({ length: count }, (_, index) => line(index + 1));
}
