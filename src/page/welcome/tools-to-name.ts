import type { Answer } from "../../cairn/protocol/api.ts";

type Tool = Answer<"Tools">["items"][number];

/** Packs of tools that every deployment has. */
const EVERYWHERE: readonly (string | null)[] = ["builtin", "agents", "messaging"];
/** the tools that a project names by themselves */
const OWN = "own";
const SHOWN_MAX = 12;

/** The tools that only this deployment has, its own ones first. `more`: how many are left out. */
export function toolsToName(tools: readonly Tool[]): {
  readonly shown: readonly Tool[];
  readonly more: number;
} {
  const found = tools.filter(({ available, pack }) => available && !EVERYWHERE.includes(pack));
  const ordered = [...found.filter(({ pack }) => pack === OWN), ...found.filter(({ pack }) => pack !== OWN)];
  return { shown: ordered.slice(0, SHOWN_MAX), more: Math.max(0, ordered.length - SHOWN_MAX) };
}
