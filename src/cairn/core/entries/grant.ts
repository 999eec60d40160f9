import type { Entry } from "../log/entry.ts";
import type { EffectClass } from "../log/names.ts";
import type { RunSpec } from "../log/run-spec.ts";
import type { ToolFailure, ToolCard } from "../log/tool.ts";
import { nearestWords } from "../text/nearest.ts";

/** The specification of a run, the tools granted when it began, and the refusals of calls that were not granted. */

/** The tools that a run may use, frozen when it began: a deployment in its middle neither adds to it nor changes it. */
export type Grant = ReadonlyMap<string, { readonly version: number; readonly effect: EffectClass }>;

/** By the entry that froze it: a step asks for it several times. */
const grants = new WeakMap<Entry, Grant>();
const NOTHING: Grant = new Map();

/** The grant of the run whose entries these are. */
export function grantOf(entries: readonly Entry[]): Grant {
  const started = entries.find((entry) => entry.kind === "run_started");
  if (started === undefined) return NOTHING;
  const known = grants.get(started);
  if (known !== undefined) return known;
  const grant: Grant = new Map(started.body.grant.map((tool) => [tool.tool, tool]));
  grants.set(started, grant);
  return grant;
}

/** Returns the specification of the run that these entries belong to. */
export function specOf(entries: readonly Entry[]): RunSpec {
  const queued = entries.find((entry) => entry.kind === "run_queued");
  if (queued === undefined) throw new Error("these are not the entries of a run");
  return queued.body.spec;
}

/** Why a tool is not the one that was granted, or null when it is. */
export function grantFailure(grant: Grant, tool: string, card: ToolCard | undefined): ToolFailure | null {
  const granted = grant.get(tool);
  if (granted === undefined) {
    return refusal("not_granted", `${tool} was not offered when this run began.`);
  }
  if (card === undefined || card.version !== granted.version || card.effect !== granted.effect) {
    return refusal("tool_changed", `${tool} has changed since this run began, so nothing was done.`);
  }
  return null;
}

/** There is no such tool, with the nearest of those that are offered (`UNKNOWN_TOOL`). */
export function unknownTool(tool: string, offered: readonly string[]): ToolFailure {
  const near = nearestWords(tool, offered);
  const hint =
    near.length === 0 ? "Use one of the tools that are offered." : `Did you mean ${near.join(", ")}?`;
  const message = `There is no tool ${tool}.`;
  return { class: "not_found", code: "unknown_tool", message, retryable: false, hint };
}

function refusal(code: string, message: string): ToolFailure {
  const hint = "Work with the other tools, or tell the person to ask again: a new run has it.";
  return { class: "permission", code, message, retryable: false, hint };
}
