import { RUN_LIMITS } from "../../../src/cairn/core/limits.ts";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { ModelErrorClass, ModelRequest } from "../../../src/cairn/core/log/model.ts";
import type { RunPolicy } from "../../../src/cairn/core/log/run.ts";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import type { ErrorClass } from "../../../src/cairn/core/log/tool.ts";
import { byStep, REPORT, type Line } from "../platform/fake-model.ts";
import { FakePlatform } from "../platform/platform.ts";

/** Plays a conversation with the real engine; in its log stands what the scenario is about. */
export type Scenario = () => Promise<FakePlatform>;
/** By what they fire. */
export type Scenarios = Readonly<Record<string, Scenario>>;

export type Called = [tool: string, input: Json];

export const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;
export const PATIENCE_MS = 3_600_000;

export const look = (name: string): Called => ["look", { name }];
export const put = (name: string): Called => ["put", { name }];
export const tell = (name: string): Called => ["tell", { name }];
export const ask = (question: string): Called => ["ask_human", { question }];
export const calls = (...all: readonly Called[]): Line => ({ calls: all });
export const fails = (cls: ModelErrorClass, retryAfterMs: number | null = null): Line => ({
  fail: { class: cls, message: "It said so.", retryAfterMs, usage: null },
});
export const broken = (cls: ErrorClass): ToolError => new ToolError(cls, "failed", "It failed.");
export const stepOf = ({ step }: Pick<ModelRequest, "step">): number =>
  Number(/s(\d+)$/.exec(step)?.[1] ?? 1);

/** One line for each step, then a report; without tools it says how far it came. */
export const says = (...lines: readonly Line[]): FakePlatform =>
  new FakePlatform((request) =>
    request.tools.length === 0
      ? { text: `This far I came: ${REPORT}` }
      : (lines[stepOf(request) - 1] ?? { text: REPORT }),
  );

/** By its step, with tools or without. */
export const saysBy = (line: (step: number, request: ModelRequest) => Line): FakePlatform =>
  new FakePlatform((request) => line(stepOf(request), request));

export const exactly = (...lines: readonly Line[]): FakePlatform => new FakePlatform(byStep(...lines));

type Said = Parameters<FakePlatform["say"]>[1];

/** Says it, and lets time run until nothing is left to do. */
export async function run(
  platform: FakePlatform,
  more: Said = {},
  text = "Look at everything.",
): Promise<FakePlatform> {
  platform.say(text, more);
  await platform.settle(PATIENCE_MS);
  return platform;
}

export const steps = (count: number): Said => ({ limits: { ...RUN_LIMITS, steps: count } });
export const asClass = (profile: "trivial" | "standard" | "complex" | "research"): Said => ({
  wanted: { limits: {}, profile },
});

/** Sets fields that take effect with the next isolate. */
export function withMore(
  platform: FakePlatform,
  more: Partial<
    Pick<FakePlatform, "tells" | "plans" | "prepared" | "approvals" | "own" | "hooks" | "dialect">
  > & {
    readonly policy?: Partial<RunPolicy>;
  },
): FakePlatform {
  Object.assign(platform, more);
  platform.restart();
  return platform;
}
