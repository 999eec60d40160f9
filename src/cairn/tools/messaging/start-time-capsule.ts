import { startOf } from "../../core/text/cut.ts";
import * as z from "zod";
import { dollars } from "../../core/guards/budget/amounts.ts";
import { CAPSULE_WALL_MS } from "../../core/guards/budget/profiles.ts";
import { sha256Hex } from "../../core/log/digest.ts";
import { defineTool, ToolError } from "../define.ts";
import type { CapsuleRequest, MessagingServices, ScheduleRefusal } from "./services.ts";

const GOAL_CHARS_MAX = 8_000;
const COST_USD_MAX = 100;

const input = z.strictObject({
  goal: z
    .string()
    .trim()
    .min(1)
    .max(GOAL_CHARS_MAX)
    .describe("What is to be reached. Its run is told nothing else: write it whole"),
  minutes: z
    .number()
    .int()
    .min(CAPSULE_WALL_MS.min / 60_000)
    .max(CAPSULE_WALL_MS.max / 60_000)
    .describe("Of the clock, from its first step"),
  costUsd: z.number().positive().max(COST_USD_MAX).describe("US dollars that it may spend at most"),
});

/** Starts unattended work at a goal, with its own time. A person is asked each time. */
export const startTimeCapsule = defineTool<MessagingServices, typeof input, unknown>({
  name: "start_time_capsule",
  title: "Start autonomous work",
  description:
    "Starts a run that works at one goal for a given time and money after this one, without a person beside it, and then answers. Only where somebody asked for work over a longer time. A person is asked first.",
  input,
  effect: "keyed",
  tier: "write",
  approval: "ask",
  reads: "none",
  later: true,
  verbs: ["schedule", "create"],
  maxCalls: 1,
  entities: (_input, output) => {
    const { run, goal } = output as { run: string; goal: string };
    return [{ op: "create", type: "time_capsule", id: run, name: goal }];
  },
  preview: async (capsule, context) => {
    const { goal, minutes, costUsd } = capsule;
    const refusal = await context.services.capsules.refusal(
      context.facts.run,
      capsuleRequestOf(capsule, context),
    );
    if (refusal !== null) throw refused(refusal);
    return {
      need: { kind: "ask", reason: "It works for long, and spends money, without a person." },
      title: `Work at it for ${minutes} minutes`,
      summary: `The agent would work alone for ${minutes} minutes and spend at most ${costUsd} US dollars.`,
      impact: [goal, "It begins when this run has ended, and answers at its end at the latest."],
      basis: null,
    };
  },
  run: async (capsule, context) => {
    const { goal, minutes, costUsd } = capsule;
    const started = await context.services.capsules.start(
      context.facts.run,
      capsuleRequestOf(capsule, context),
    );
    if (started.ok) return { run: started.value.run, goal: startOf(goal, 80), minutes, costUsd };
    throw refused(started.error);
  },
});

const capsuleRequestOf = (
  { goal, minutes, costUsd }: z.output<typeof input>,
  { key }: { readonly key: string },
): CapsuleRequest => ({
  id: `capsule.${sha256Hex(key).slice(0, 16)}`,
  goal,
  minutes,
  costUsdMillionths: dollars(costUsd),
});

const refused = ({ code, message, hint }: ScheduleRefusal): ToolError =>
  new ToolError("conflict", code, message, hint === undefined ? {} : { hint });
