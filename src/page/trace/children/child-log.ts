import { useEffect, useState } from "react";
import type { Event } from "../../../cairn/protocol/views.ts";
import { ask } from "../../api.ts";

/** The log of a session below the open one: read when it is looked at, and read on while its run is at work. */
export interface ChildLog {
  readonly events: readonly Event[];
  readonly loading: boolean;
  /** null: it is read, or will be tried again */
  readonly failure: unknown;
  readonly again: () => void;
}

const PAGE_ROWS = 1_000;
/** between looks at what is at work */
const LOOK_MS = 1_500;

interface Page {
  readonly items: readonly Event[];
  readonly more: boolean;
}

export const hasEnded = (events: readonly Event[]): boolean =>
  events.some((entry) => entry.kind === "run_ended");

export function useChildLog(session: string): ChildLog {
  const [state, setState] = useState<Omit<ChildLog, "again">>({ events: [], loading: true, failure: null });
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    void follow(session, signal, (events) => {
      if (!signal.aborted) setState({ events, loading: false, failure: null });
    }).catch((failure: unknown) => {
      if (!signal.aborted) setState((before) => ({ ...before, loading: false, failure }));
    });
    return () => leaving.abort();
  }, [session, tries]);
  return { ...state, again: () => setTries(tries + 1) };
}

/** Resolves when the run has ended, or when the view is closed. Throws if a page cannot be read. */
async function follow(
  session: string,
  signal: AbortSignal,
  onEvents: (events: readonly Event[]) => void,
): Promise<void> {
  let events: readonly Event[] = [];
  while (!signal.aborted) {
    for (let more = true; more;) {
      const after = events.at(-1)?.seq ?? 0;
      const path = `/api/sessions/${session}/events?limit=${PAGE_ROWS}&after=${after}`;
      const page = await ask<Page>(path, { signal });
      const news = page.items.filter(({ seq }) => seq > after);
      if (news.length > 0 || after === 0) onEvents((events = [...events, ...news]));
      more = page.more;
    }
    if (hasEnded(events)) return;
    await pause(LOOK_MS, signal);
  }
}

/** A hidden page pauses. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (document.hidden && !signal.aborted) return void setTimeout(look, ms);
      resolve();
    };
    const timer = setTimeout(look, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
