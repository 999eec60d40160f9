import { useMemo, useState, type ReactNode } from "react";
import type { CitationView } from "../../../cairn/protocol/receipt.ts";
import { citedById, type Cited as CitedPassage } from "./citations.ts";
import { CitingContext } from "./context.ts";
import { QuoteDialog } from "./quote-dialog.tsx";
import "./citations.css";

interface CitedProps {
  readonly citations: readonly CitationView[];
  /** the session that stores the pages; null: the viewer may not read them */
  readonly session: string | null;
  readonly children: ReactNode;
}

/** Provides citations to an answer: its marks open their sources. */
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
