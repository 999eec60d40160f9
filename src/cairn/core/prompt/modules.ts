import { isSpare } from "../guards/budget/spare.ts";
import type { RunSpec } from "../log/run-spec.ts";
import type { Profile } from "../log/verdict.ts";
import { mayPlan } from "../state/plan.ts";

/**
 * The prompt modules of a run: those of its tools, and those that its specification asks for. That of plans only where its class may
 * have one; null: the class is not known yet.
 */
export function modulesOf(
  offered: readonly string[],
  { marker }: Pick<RunSpec, "marker">,
  profile: Profile | null,
): readonly string[] {
  const isTaught = (name: string): boolean => {
    if (isSpare(profile)) return LEAN_MODULES.has(name);
    return name !== "plan" || profile === null || mayPlan(profile);
  };
  const taught = offered.filter(isTaught);
  return marker ? [...taught, "final-answer"] : taught;
}

/** The prompt modules of a lean run, without those of every prompt. */
const LEAN_MODULES: ReadonlySet<string> = new Set(["questions"]);
