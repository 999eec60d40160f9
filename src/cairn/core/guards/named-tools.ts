import type { ToolCard } from "../log/tool.ts";
import { nearestWords } from "../text/nearest.ts";

/** Tools that a caller names: whether they are there. */

/** The tools of the deployment, as far as names are told from each other. */
export interface KnownTools {
  cards(): readonly ToolCard[];
  notOffered(): readonly { readonly tool: string; readonly why: string }[];
}

export interface NameFault {
  readonly code: "unknown_tool" | "tool_not_available";
  readonly message: string;
  /** the name that may have been meant */
  readonly suggestion?: string;
}

/** Why this is the name of no tool here, or null. */
export function toolNameFault(name: string, tools: KnownTools): NameFault | null {
  return faultAmong(
    name,
    tools.cards().map((card) => card.name),
    tools,
  );
}

/** As `toolNameFault`, of an entry of a list, which may be a `pack:<name>` too. */
export function listedNameFault(name: string, tools: KnownTools): NameFault | null {
  // Which agents there are is known where they are; what starts a run of one is offered to whoever lists it.
  if (name.startsWith("agent:") || name === "run_agent") return null;
  const cards = tools.cards();
  const packs = new Set(cards.map(({ pack }) => `pack:${pack}`));
  return faultAmong(name, [...cards.map((card) => card.name), ...packs], tools);
}

/** Names of packs that are listed elsewhere, such as by servers, begin with it. */
export const LISTED_PREFIX = "mcp_";
const LISTED_PACK = new RegExp(`^${LISTED_PREFIX}[a-z0-9]+(?=_)`);

/** True for names of listed tools and packs. Which of them there are is known when a run begins. */
export const isListedName = (name: string): boolean => name.replace(/^pack:/, "").startsWith(LISTED_PREFIX);

/** The pack of a listed tool, by its name: `mcp_sky` of `mcp_sky_get_weather`; null for other names. */
export const listedPackOf = (tool: string): string | null => LISTED_PACK.exec(tool)?.[0] ?? null;

function faultAmong(name: string, names: readonly string[], tools: KnownTools): NameFault | null {
  if (names.includes(name) || isListedName(name)) return null;
  const off = tools.notOffered().find(({ tool }) => tool === name);
  if (off !== undefined)
    return { code: "tool_not_available", message: `${name} is not offered here. ${off.why}` };
  const [near] = nearestWords(name, names);
  const suggestion = near === undefined ? {} : { suggestion: near };
  return { code: "unknown_tool", message: `There is no tool ${name}.`, ...suggestion };
}
