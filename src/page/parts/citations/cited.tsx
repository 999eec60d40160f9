import { useMemo, useState, type ReactNode } from "react";
import type { CitationView } from "../../../cairn/protocol/receipt.ts";
import { citedById, type Cited as CitedPassage } from "./citations.ts";
import { CitingContext } from "./context.ts";
import { QuoteDialog } from "./quote-dialog.tsx";
import "./citations.css";

interface CitedProps {
  readonly citations: readonly CitationView[];
  /** where the pages are kept; null: whoever looks may not read them */
  readonly session: string | null;
  readonly children: ReactNode;
}

/** Around an answer: its marks open what they stand for. */
export function Cited({ citations, session, children }: CitedProps) {
  const [opened, setOpened] = useState<CitedPassage | null>(null);
  const citing = useMemo(() => ({ byId: citedById(citations), open: setOpened }), [citations]);
  return (
    <CitingContext value={citing}>
      {children}
      {opened === null ? null : (
        <QuoteDialog cited={opened} session={session} close={() => setOpened(null)} />
      )}
    </CitingContext>
  );
}
