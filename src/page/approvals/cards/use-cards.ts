import { useMemo, useState } from "react";
import type { ApprovalView } from "../../../cairn/protocol/approval.ts";
import { mergeCards } from "../inbox-cards.ts";

/** Cards stay where they are: decided ones show their outcome in place, and new ones come on top. */
export function useCards(items: readonly ApprovalView[]): readonly ApprovalView[] {
  const [cards, setCards] = useState<readonly ApprovalView[]>(items);
  const merged = useMemo(() => mergeCards(cards, items), [cards, items]);
  if (merged !== cards) setCards(merged);
  return merged;
}
