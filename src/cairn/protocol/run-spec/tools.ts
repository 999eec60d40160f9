import { ownValue } from "../../core/log/json.ts";
import type * as z from "zod";
import type { SpecWarning } from "../../core/log/run-spec.ts";
import { refuse } from "./faults.ts";

/** The tools that a run may use, as they are listed: names, packs, and the forms of other systems. */

export type ListedTool =
  | string
  | { readonly type?: "action" | undefined; readonly name: string }
  | { readonly type: "workflow"; readonly name?: string | undefined; readonly id?: string | undefined };

/** Always available without being listed. A test compares them with the pack. */
export const BUILT_INS: readonly string[] = [
  "complete",
  "ask_human",
  "pause_for_human",
  "store_memory",
  "retrieve_memory",
  "log_progress",
  "find_tool",
  "update_plan",
  "read_observation",
];

/** The tool by which a run starts another, and the name that it has elsewhere. */
const STARTS: Readonly<Record<string, string>> = { run_workflow: "run_agent", __run_workflow__: "run_agent" };

/** An agent that is offered as a tool is listed as `agent:<name>`. */
function nameOf(tool: ListedTool): string {
  if (typeof tool === "string") return ownValue(STARTS, tool) ?? tool;
  return tool.type === "workflow" ? `agent:${tool.name ?? tool.id ?? ""}` : tool.name;
}

/** `complete` of `__complete__`; other names as they are. */
const withoutUnderscores = (name: string): string => /^__([a-z_]+[a-z])__$/.exec(name)?.[1] ?? name;

/** A fault that a listed tool has by itself; whether it is there is known where the tools are. */
export function refuseTool(tool: ListedTool, context: z.core.$RefinementCtx): void {
  const name = nameOf(tool);
  if (name === "agent:") refuse(context, "missing_field", "It must name the agent, as name or as id.");
  else if (name.startsWith("__") && !BUILT_INS.includes(withoutUnderscores(name)))
    refuse(context, "reserved_name", "Names that begin with __ are for built-in tools, and this is none.");
}

export interface ToolRequest {
  /** names, and `pack:<name>`, each once, without the built-in ones */
  readonly names: readonly string[];
  readonly warnings: readonly SpecWarning[];
}

/** Returns the list without built-in names. `path`: its position. */
export function readTools(list: readonly ListedTool[], path: string): ToolRequest {
  const names: string[] = [];
  const warnings: SpecWarning[] = [];
  for (const [at, tool] of list.entries()) {
    const name = nameOf(tool);
    const here = `${path}[${at}]`;
    if (BUILT_INS.includes(withoutUnderscores(name)))
      warnings.push({
        code: "builtin_implied",
        path: here,
        message: `${withoutUnderscores(name)} is always there.`,
      });
    else if (names.includes(name))
      warnings.push({ code: "duplicate_tool", path: here, message: `${name} is listed twice.` });
    else names.push(name);
  }
  return { names, warnings };
}
