import { useMemo } from "react";
import type { Event } from "../../../cairn/protocol/views.ts";
import { SentList } from "../../sent/sent-list.tsx";
import { useSent } from "../../sent/use-sent.ts";

interface RunSentProps {
  readonly session: string;
  readonly run: string;
  /** of its session */
  readonly events: readonly Event[];
}

/**
 * Messages that a run sent outside by itself: its answer, its questions, its cards. Messages sent by a call are in
 * the timeline.
 */
export function RunSent({ session, run, events }: RunSentProps) {
  const { items } = useSent(session, events);
  const own = useMemo(() => (items ?? []).filter((item) => item.run === run && !item.isCall), [items, run]);
  if (own.length === 0) return null;
  return (
    <div className="run-sent">
      <h3 className="small soft">Sent to people</h3>
      <SentList items={own} label="Sent to people" />
    </div>
  );
}
