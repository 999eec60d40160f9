import * as z from "zod";

/** Fields of a labeled trace that the evaluation needs; a line may have more. */

const traits = z.object({
  cls: z.enum(["read", "keyed", "once"]),
  query: z.string().optional(),
  ids: z.string().optional(),
  volatile: z.array(z.string()).optional(),
  cursors: z.array(z.string()).optional(),
  /** of an effect: the argument that names what is written to, and the one that is written */
  target: z.string().optional(),
  value: z.string().optional(),
  polling: z.object({ minIntervalMs: z.number(), maxPolls: z.number() }).optional(),
});

const event = z.discriminatedUnion("t", [
  z.object({ at: z.number(), t: z.literal("human") }),
  z.object({
    at: z.number(),
    t: z.literal("reply"),
    text: z.string(),
    calls: z.array(z.object({ id: z.string(), tool: z.string(), args: z.json() })),
  }),
  z.object({
    at: z.number(),
    t: z.literal("result"),
    call: z.string(),
    ok: z.boolean(),
    output: z.json().optional(),
    error: z.object({ class: z.string(), code: z.string(), message: z.string() }).optional(),
  }),
  /** turns, from 1, both within */
  z.object({ at: z.number(), t: z.literal("compact"), from: z.number(), to: z.number() }),
]);

const trace = z.object({
  id: z.string(),
  family: z.string(),
  label: z.enum(["loop", "ok"]),
  /** turn, from 1, from which a careful reader calls it a loop, and the last turn that is soon enough */
  onset: z.number().optional(),
  detect_by: z.number().optional(),
  rules: z.array(z.string()),
  split: z.enum(["tune", "held"]),
  config: z.object({
    profile: z.enum(["standard", "complex", "research"]).optional(),
    onStuck: z.object({ iterations: z.number().optional() }).optional(),
  }),
  tools: z.record(z.string(), traits),
  events: z.array(event),
});

export type Trace = z.infer<typeof trace>;
export type TraceEvent = Trace["events"][number];
export type TraceTool = Trace["tools"][string];

/** The traces of a file of JSON lines. Throws with the number of the line that is none. */
export function parseTraces(text: string): Trace[] {
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const parsed = trace.safeParse(JSON.parse(line));
    if (!parsed.success) throw new Error(`line ${index + 1} is no trace: ${z.prettifyError(parsed.error)}`);
    return [parsed.data];
  });
}
