import { isListedName, type ListedNames } from "../core/guards/named-tools.ts";
import { canonicalJson } from "../core/log/json.ts";
import type { ToolCard } from "../core/log/tool.ts";
import { STORED_PACK } from "./stored/pack.ts";

/** Most tools of one run (OpenAI: "A max of 128 functions are supported", API reference of `tools`). */
export const OFFERED_TOOLS_MAX = 128;
/** Names, descriptions and schemas of the tools that are data, together: about 15,000 tokens of every request. */
export const OFFERED_DATA_CHARS_MAX = 60_000;

/** Tools that an administrator or a server adds without a deployment: their number is not the project's choice. */
const isData = ({ name, pack }: ToolCard, listed: readonly ListedNames[]): boolean =>
  pack === STORED_PACK || isListedName(name, listed);

const sizeOf = ({ name, description, inputSchema }: ToolCard): number =>
  name.length + description.length + canonicalJson(inputSchema).length;

/**
 * The stored and listed tools that a run is not offered, because its request would be too long. The tools of the code and
 * those in `named` come first, and the others in their order, so that the same list is cut at the same place each time.
 */
export function leftOutOf(
  cards: readonly ToolCard[],
  named: readonly string[] | null,
  listed: readonly ListedNames[],
): ReadonlySet<string> {
  const names = new Set(named);
  const offered = cards.filter((card) => card.gate !== "deny");
  const spare = offered.filter((card) => isData(card, listed) && !names.has(card.name));
  const wanted = offered.filter((card) => isData(card, listed) && names.has(card.name));
  let free = OFFERED_TOOLS_MAX - (offered.length - spare.length);
  let chars = OFFERED_DATA_CHARS_MAX - wanted.reduce((sum, card) => sum + sizeOf(card), 0);
  const left = new Set<string>();
  for (const card of spare) {
    const size = sizeOf(card);
    if (free < 1 || size > chars) {
      left.add(card.name);
      continue;
    }
    free -= 1;
    chars -= size;
  }
  return left;
}

const listWords = new Intl.ListFormat("en-GB");

/** Why a tool is left out, in words. */
export function leftOutWords(listed: readonly ListedNames[]): string {
  const data = listWords.format(["stored tools", ...listed.map(({ from }) => `tools of ${from}`)]);
  return `It is left out of runs that do not name it: with it they would be offered more than ${OFFERED_TOOLS_MAX} tools, or more than ${OFFERED_DATA_CHARS_MAX.toLocaleString("en")} characters of ${data}. List it by its name in \`tools\` of the agent or of the run, with what else that needs.`;
}
