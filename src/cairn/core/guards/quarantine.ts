import type { Json } from "../log/json.ts";
import type { RunSpec } from "../log/run-spec.ts";
import type { ToolCard, ToolFailure } from "../log/tool.ts";
import { taintOf } from "../state/safety.ts";
import type { EndedRun, LiveRun } from "../state/state.ts";
import { readFromOf } from "./check-result.ts";

/**
 * A run in quarantine takes in no outside text, so no page can steer it: tools that return outside text are withheld,
 * and earlier outside results cannot be read on. Values of pages come from `read_values`.
 */

export const WITHHELD =
  "The run is in quarantine: it takes in no words from outside. read_values reads values of pages.";

/** A tool whose result would taint the run. */
export const isWithheld = ({ reads }: Pick<ToolCard, "reads">): boolean => reads === "outside";

/** Why a run in quarantine does not make this call (`quarantined`), or null. */
export function quarantineFailure(
  spec: Pick<RunSpec, "quarantine">,
  run: LiveRun,
  ended: readonly EndedRun[],
  { tool, input }: { readonly tool: string; readonly input: Json },
  notOffered: readonly { readonly tool: string; readonly why: string }[],
): ToolFailure | null {
  if (spec.quarantine !== true) return null;
  if (notOffered.some((one) => one.tool === tool && one.why === WITHHELD))
    return quarantined(`${tool} is withheld: its result would be words from outside.`);
  const from = readFromOf(run, tool, input);
  if (from === undefined || taintOf(from, ended).tainted === null) return null;
  return quarantined("This may hold words from outside, so it is not read here.");
}

const quarantined = (message: string): ToolFailure => ({
  class: "policy",
  code: "quarantined",
  message,
  retryable: false,
  hint: "This run is in quarantine. Use read_values for values of a page, or tell the person what it would need.",
});
