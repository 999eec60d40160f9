import type { UIMessage } from "ai";
import { useCallback, useMemo, useState } from "react";
import { sentenceOf } from "../api.ts";
import { useSay } from "../shell/toasts.tsx";

/** The socket brings the newest messages; those before them are fetched when somebody goes back. */
const SOCKET_MESSAGES = 200;
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
  const [loading, setLoading] = useState(false);
  const say = useSay();
  const first = earlier[0] ?? newest[0];
  const load = useCallback(async () => {
    if (first === undefined) return;
    setLoading(true);
    try {
      const query = `limit=${PAGE_MESSAGES}&before=${encodeURIComponent(first.id)}`;
      const response = await fetch(`/api/sessions/${session}/messages?${query}`);
      if (!response.ok) throw new Error("The earlier messages did not come. Try again.");
      const page = (await response.json()) as readonly UIMessage[];
      setEarlier((known) => [...page, ...known]);
      setEnd(response.headers.get("x-cairn-more") !== "true");
    } catch (thrown) {
      say(sentenceOf(thrown), "bad");
    } finally {
      setLoading(false);
    }
  }, [first, session, say]);
  const shown = useMemo(() => {
    const known = new Set(newest.map(({ id }) => id));
    return earlier.filter(({ id }) => !known.has(id));
  }, [earlier, newest]);
  const more = !end && (earlier.length > 0 || newest.length >= SOCKET_MESSAGES);
  return { earlier: shown, more, loading, load };
}
