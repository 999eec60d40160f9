import type { RunLimits } from "../../core/guards/budget/amounts.ts";
import { limitsFor, PRESETS, type PresetName } from "../../core/guards/budget/profiles.ts";
import type { Issue } from "../issues.ts";
import { issueAt } from "./faults.ts";

/** Validates required fields of a time capsule, which runs unwatched. `at`: path of each field in the request. */
export function capsuleIssues(
  preset: PresetName | undefined,
  limits: Partial<RunLimits>,
  at: { readonly cost: string; readonly wall: string; readonly preset: string },
): Issue[] {
  const ofPreset = preset === undefined ? {} : PRESETS[preset].limits;
  const made = limitsFor("time_capsule", { ...ofPreset, ...limits });
  return (made.ok ? [] : made.faults).flatMap(({ code }) => {
    if (code === "capsule_cost")
      return [issueAt(at.cost, "out_of_range", "A time capsule says what it may cost.")];
    if (code !== "capsule_wall") return [];
    // A time that was not sent came with the preset.
    const path = limits.wall === undefined ? at.preset : at.wall;
    return [issueAt(path, "out_of_range", "A time capsule has 5 to 720 minutes.")];
  });
}
