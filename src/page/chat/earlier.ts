import type { UIMessage } from "ai";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { sentenceOf } from "../api.ts";
import { useToast } from "../parts/toasts.tsx";
import type { MessageMetadata } from "./turn.ts";

/** The socket loads the newest messages; earlier ones are fetched on scroll. */
const PAGE_MESSAGES = 200;

export function useEarlier(
  session: string,
  newest: readonly UIMessage[],
): {
  readonly earlier: readonly UIMessage[];
  readonly more: boolean;
  readonly loading: boolean;
  readonly load: () => Promise<void>;
} {
  const [earlier, setEarlier] = useState<readonly UIMessage[]>([]);
  const [end, setEnd] = useState(false);
  const last = useRef(newest);
  const [loading, setLoading] = useState(false);
  // The button and the place near the top can both ask for the same page before anything is drawn anew.
  const requested = useRef<string | null>(null);
  const showToast = useToast();
  const first = earlier[0] ?? newest[0];
  // The list is sent anew now and then, by then without its oldest; those stay. An empty one was cleared.
  useEffect(() => {
    const before = last.current;
    last.current = newest;
    if (newest.length === 0) {
      requested.current = null;
      setEarlier([]);
      return setEnd(false);
    }
    const left = before.findIndex(({ id }) => id === newest[0]?.id);
    if (left > 0) setEarlier((known) => [...known, ...before.slice(0, left)]);
  }, [newest]);
  const load = useCallback(async () => {
    if (first === undefined || requested.current === first.id) return;
    requested.current = first.id;
    setLoading(true);
    try {
      const query = `limit=${PAGE_MESSAGES}&before=${encodeURIComponent(first.id)}`;
      const response = await fetch(`/api/sessions/${session}/messages?${query}`);
      if (!response.ok) throw new Error("Earlier messages could not be loaded. Try again.");
      const page = (await response.json()) as readonly UIMessage[];
      setEarlier((known) => [...page, ...known]);
      setEnd(response.headers.get("x-cairn-more") !== "true");
    } catch (thrown) {
      requested.current = null;
      showToast(sentenceOf(thrown), "bad");
    } finally {
      setLoading(false);
    }
  }, [first, session, showToast]);
  const shown = useMemo(() => {
    const known = new Set(newest.map(({ id }) => id));
    return earlier.filter(({ id }) => !known.has(id));
  }, [earlier, newest]);
  // The first message of a session is the first entry of its log.
  const more = !end && ((first?.metadata as MessageMetadata | undefined)?.seq ?? 1) > 1;
  return { earlier: shown, more, loading, load };
}
