import { grantOf, specOf } from "../entries/grant.ts";
import { mayOffer } from "../guards/permissions.ts";
import { FOUND_CHARS_MAX, FOUND_DESCRIPTION_CHARS_MAX, FOUND_TOOLS_MAX } from "../limits.ts";
import type { Entry } from "../log/entry.ts";
import type { ToolOffer } from "../log/model.ts";
import { FIND_TOOL } from "../log/names.ts";
import type { ToolCard } from "../log/tool.ts";
import type { LiveRun } from "../state/state.ts";
import { shortened } from "../text/cut.ts";
import { hasFence } from "../text/untrusted.ts";

/**
 * Tools that a run is not offered from its first step, because their pack has a short list: the model finds them with
 * `find_tool`, and is offered them from the next step on. Found tools are derived from the log alone, so a crash, a
 * replay and a resumed run offer the same list. A call of an unfound tool runs as usual, and offers the tool from then
 * on.
 */

/** Names that the entries of a run found or called, in their order. A call of a tool that was offered anyway adds nothing. */
export function namesFound(entries: readonly Entry[]): readonly string[] {
  const names = new Set<string>();
  for (const { kind, body } of entries) {
    if (kind === "tools_found") for (const tool of body.tools) names.add(tool);
    if (kind === "model_replied") for (const { tool } of body.calls) names.add(tool);
  }
  return [...names];
}

/** True for a tool that the run has to find. Names that its agent or its caller lists are offered at once. */
export const isOnDemand = (
  card: Pick<ToolCard, "name" | "onDemand">,
  named: readonly string[] | null,
): boolean => card.onDemand === true && named?.includes(card.name) !== true;

/** The names that the prompt of a run teaches: those of the short lists, those that it lists, and those that it found. */
export function taughtNames(
  cards: readonly ToolCard[],
  named: readonly string[] | null,
  found: readonly string[],
): ReadonlySet<string> {
  return new Set([...cards.filter((card) => !isOnDemand(card, named)).map(({ name }) => name), ...found]);
}

/** The tools that `find_tool` searches: granted, on demand, and allowed to the person who asked. */
export function hiddenCards(
  cards: readonly ToolCard[],
  run: LiveRun,
  entries: readonly Entry[],
): readonly ToolCard[] {
  const grant = grantOf(entries);
  const { tools } = specOf(entries);
  return cards.filter(
    (card) => isOnDemand(card, tools) && card.gate !== "deny" && grant.has(card.name) && mayOffer(run, card),
  );
}

/** The offer of `find_tool` with the names that it finds: the same for all steps of a run, so that its prefix stays. */
export function finderOffer(offer: ToolOffer, hidden: readonly ToolCard[]): ToolOffer {
  return {
    ...offer,
    description: `${offer.description} ${TOOLS}${hidden.map(({ name }) => name).join(", ")}`,
  };
}

const TOOLS = "Tools: ";

/** The names in the description of `find_tool`, which are tools that may be called too. */
export function namesInFinder({
  name,
  description = "",
}: Pick<ToolOffer, "name"> & { description?: string }): readonly string[] {
  const at = description.lastIndexOf(TOOLS);
  return name === FIND_TOOL && at >= 0 ? description.slice(at + TOOLS.length).split(", ") : [];
}

export interface FoundTools {
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  /** matches beyond the bounds */
  readonly more: number;
}

/**
 * Returns the tools that match the query best, at most FOUND_TOOLS_MAX of them and with at most FOUND_CHARS_MAX
 * characters of schemas. A name contained in the query ranks first, then words of names, of titles, and of
 * descriptions; ties use the order of the cards.
 */
export function findTools(cards: readonly ToolCard[], query: string): FoundTools {
  const lower = query.toLowerCase();
  const wanted = new Set(lower.match(NAME_LIKE) ?? []);
  const words = [...new Set(lower.match(WORD) ?? [])].map(stem);
  const ranked = cards
    .map((card, at) => ({ card, at, score: scoreOf(card, wanted, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.at - b.at);
  const tools: { name: string; description: string }[] = [];
  let chars = 0;
  for (const { card } of ranked) {
    const { name, description, inputSchema } = card;
    chars += description.length + JSON.stringify(inputSchema).length;
    // The best match is always returned, whatever its size: no other call would offer it.
    if (tools.length >= FOUND_TOOLS_MAX || (tools.length > 0 && chars > FOUND_CHARS_MAX)) break;
    tools.push({ name, description: shortDescription(description) });
  }
  return { tools, more: ranked.length - tools.length };
}

/** Text from outside stays in its fence, which a cut would open: it follows with the schema. */
function shortDescription(description: string): string {
  const shown = hasFence(description) ? (description.split("\n", 1)[0] ?? "") : description;
  return shortened(shown, FOUND_DESCRIPTION_CHARS_MAX);
}

const NAME_LIKE = /[a-z][a-z0-9_]*/g;
const WORD = /[\p{L}\p{N}]+/gu;
const NAMED_SCORE = 1_000;
const IN_NAME_SCORE = 10;
const IN_TITLE_SCORE = 5;

/** Plural and singular are one word here. */
const stem = (word: string): string =>
  word.length > 3 ? word.replace(/(?:ies|y)$/, "i").replace(/s$/, "") : word;

function scoreOf(
  { name, title, description }: ToolCard,
  wanted: ReadonlySet<string>,
  words: readonly string[],
): number {
  if (wanted.has(name.toLowerCase())) return NAMED_SCORE;
  const [inName, inTitle, inText] = [stems(name), stems(title), stems(description)];
  const scoreOfWord = (word: string): number =>
    (inName.has(word) ? IN_NAME_SCORE : 0) +
    (inTitle.has(word) ? IN_TITLE_SCORE : 0) +
    (inText.has(word) ? 1 : 0);
  return words.reduce((sum, word) => sum + scoreOfWord(word), 0);
}

const stems = (text: string): ReadonlySet<string> =>
  new Set((text.toLowerCase().match(WORDS_OF_TEXT) ?? []).map(stem));
/** An underscore parts words of a name. */
const WORDS_OF_TEXT = /[\p{L}\p{N}]+/gu;
