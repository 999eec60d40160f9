import type { ApprovalView } from "../../cairn/protocol/approval.ts";
import { laterOf } from "./approval-words.ts";

export const keyOf = ({ sessionId, id }: Pick<ApprovalView, "sessionId" | "id">): string =>
  `${sessionId}/${id}`;

/**
 * The cards on the screen after a new list has come: present cards stay where they are, even decided ones, and new
 * ones come on top. Returns the same array if nothing changed.
 */
export function mergeCards(
  cards: readonly ApprovalView[],
  items: readonly ApprovalView[],
): readonly ApprovalView[] {
  const known = new Map(items.map((item) => [keyOf(item), item]));
  const here = new Set(cards.map(keyOf));
  const news = items.filter((item) => !here.has(keyOf(item)));
  const latest = cards.map((card) => laterOf(card, known.get(keyOf(card)) ?? card));
  return news.length === 0 && latest.every((card, index) => card === cards[index])
    ? cards
    : [...news, ...latest];
}
