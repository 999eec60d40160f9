import { dollars } from "../guards/budget/amounts.ts";
import type { Amount } from "../log/child.ts";
import { sha256Hex } from "../log/digest.ts";
import { isObject, type Json, type JsonObject } from "../log/json.ts";
import type { RunSpec } from "../log/run-spec.ts";

/** Request for a child run. A missing field means the same as in the parent run. */
export interface ChildAsk {
  readonly objective: string;
  readonly agent?: string;
  readonly instructions?: string;
  readonly tools?: readonly string[];
  readonly model?: string;
  readonly temperature?: number;
  readonly output?: JsonObject;
  readonly resultKey?: string;
  /** only ever less than its share */
  readonly limits?: Partial<Amount>;
}

/** The tool by which a run starts another. */
export const RUN_AGENT = "run_agent";

const AGENT_TOOL = "agent_";

/** Prefix in a list of tools: the agent of this name, offered as a separate tool. */
export const AGENT_ENTRY = "agent:";

/** Names of the agents in a list of tools. */
export const agentsIn = (tools: readonly string[] | null): readonly string[] =>
  (tools ?? []).flatMap((name) => (name.startsWith(AGENT_ENTRY) ? [name.slice(AGENT_ENTRY.length)] : []));

const TOOL_NAME_CHARS_MAX = 48;
const MARK_CHARS = 8;

/** `agent_seo_writer` of the agent `seo-writer`. A longer name than a tool may have is cut, and ends in a mark of the whole name. */
export function agentTool(agent: string): string {
  const name = `${AGENT_TOOL}${agent.replaceAll("-", "_")}`;
  if (name.length <= TOOL_NAME_CHARS_MAX) return name;
  const mark = sha256Hex(agent).slice(0, MARK_CHARS);
  return `${name.slice(0, TOOL_NAME_CHARS_MAX - MARK_CHARS - 1)}_${mark}`;
}

/** The second of two agents in a list of tools that would be called by the same name, such as `seo-writer` and `seo_writer`. */
export function agentNamedTwice(
  tools: readonly string[] | null,
): { readonly first: string; readonly second: string } | null {
  const named = new Map<string, string>();
  for (const agent of agentsIn(tools)) {
    const first = named.get(agentTool(agent));
    if (first !== undefined && first !== agent) return { first, second: agent };
    named.set(agentTool(agent), agent);
  }
  return null;
}

/** For people: why two agents cannot be in one list of tools. */
export const namedTwice = ({ first, second }: { readonly first: string; readonly second: string }): string =>
  `The agents ${first} and ${second} would both be the tool ${agentTool(first)}: rename one, or list only one of them.`;

/** Parses the input of `run_agent`, or of a tool that stands for an agent. The input has passed its schema. */
export function readAsk(
  tool: string,
  input: Json,
  agents: RunSpec["agents"],
): { readonly ask: ChildAsk; readonly wait: boolean } {
  const given = isObject(input) ? input : {};
  const text = (name: string): string | undefined => {
    const value = given[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const agent =
    tool === RUN_AGENT ? text("agent") : agents?.find(({ name }) => agentTool(name) === tool)?.name;
  const instructions = text("instructions");
  const { tools, output, wait, temperature } = given;
  const limits = limitsIn(given);
  return {
    ask: {
      objective: text("objective") ?? "",
      ...(agent === undefined ? {} : { agent }),
      ...(instructions === undefined ? {} : { instructions }),
      ...(Array.isArray(tools) ? { tools: tools.filter((name) => typeof name === "string") } : {}),
      ...(isObject(output) ? { output } : {}),
      ...(typeof temperature === "number" ? { temperature } : {}),
      ...(Object.keys(limits).length === 0 ? {} : { limits }),
    },
    wait: wait !== false,
  };
}

function limitsIn({ max_iterations: steps, timeout_ms: activeMs, budget }: JsonObject): Partial<Amount> {
  const { tokens, cost_usd: cost, tool_calls: toolCalls, messages } = isObject(budget) ? budget : {};
  const numbers = {
    steps,
    activeMs,
    tokens,
    toolCalls,
    messages,
    cost: typeof cost === "number" ? dollars(cost) : undefined,
  };
  return Object.fromEntries(Object.entries(numbers).filter(([, value]) => typeof value === "number"));
}
