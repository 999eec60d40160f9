import type { ToolCard } from "../log/tool.ts";
import { nearestWords } from "../text/nearest.ts";

/** Tools that a caller names: whether they are there. */

/** The tools of the deployment, as far as needed to resolve names. */
export interface KnownTools {
  cards(): readonly ToolCard[];
  notOffered(): readonly { readonly tool: string; readonly why: string }[];
  /** names of tools that are listed elsewhere: which of them there are is known when a run begins */
  listedNames(): readonly ListedNames[];
}

/** Names of the tools that one plugin lists before each run, such as those of servers. */
export interface ListedNames {
  /** Packs are named `<prefix><name>`, their tools `<prefix><name>_<tool>`. `<name>` consists of a-z and 0-9. */
  readonly prefix: string;
  /** where the tools come from, in the plural and for people, such as `MCP servers` */
  readonly from: string;
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
  // Agents are resolved where they are known; the tool that starts them is offered to any list that names it.
  if (name.startsWith("agent:") || name === "run_agent") return null;
  const cards = tools.cards();
  const packs = new Set(cards.map(({ pack }) => `pack:${pack}`));
  return faultAmong(name, [...cards.map((card) => card.name), ...packs], tools);
}

/** True for names of listed tools and packs. Which of them there are is known when a run begins. */
export const isListedName = (name: string, listed: readonly ListedNames[]): boolean =>
  listed.some(({ prefix }) => name.replace(/^pack:/, "").startsWith(prefix));

/** The pack of a listed tool, by its name: `sky_air` of `sky_air_get_weather` with the prefix `sky_`; null for other names. */
export function listedPackOf(tool: string, listed: readonly ListedNames[]): string | null {
  const prefix = listed.find((one) => tool.startsWith(one.prefix))?.prefix ?? null;
  if (prefix === null) return null;
  const [name] = /^[a-z0-9]+(?=_)/.exec(tool.slice(prefix.length)) ?? [];
  return name === undefined ? null : prefix + name;
}

function faultAmong(name: string, names: readonly string[], tools: KnownTools): NameFault | null {
  if (names.includes(name) || isListedName(name, tools.listedNames())) return null;
  const off = tools.notOffered().find(({ tool }) => tool === name);
  if (off !== undefined)
    return { code: "tool_not_available", message: `${name} is not offered here. ${off.why}` };
  const [near] = nearestWords(name, names);
  const suggestion = near === undefined ? {} : { suggestion: near };
  return { code: "unknown_tool", message: `There is no tool ${name}.`, ...suggestion };
}
