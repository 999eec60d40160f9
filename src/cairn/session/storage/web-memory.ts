import { EMPTY_STATE } from "../../core/state/state.ts";
import { canonicalUrl } from "../../outbound/safe-url.ts";
import type { WebMemory } from "../../outbound/web-memory.ts";
import type { Store } from "../engine/ports.ts";
import { wordsAt } from "../api/log-reader.ts";

const URLS = /https?:\/\/[^\s<>"'`\])}]+/giu;

/** Memory for the web tools: pages that the live run has read, and addresses that it was shown. */
export function sessionWebMemory(store: Pick<Store, "entriesBetween" | "loadCursor" | "sources">): WebMemory {
  const state = () => store.loadCursor()?.state ?? EMPTY_STATE;
  return {
    isTainted: () => state().run?.safety.taint.tainted != null,
    knowsUrl: (url) => {
      const wanted = canonicalUrl(url);
      if (store.sources.knowsUrl(wanted)) return true;
      const { run, ended } = state();
      const messageSeqs = [...ended.flatMap(({ inputs }) => inputs), ...(run?.input.all ?? [])];
      return messageSeqs.some((seq) => isNamedIn(wordsAt(store, seq), wanted));
    },
  };
}

function isNamedIn(words: string, wanted: string): boolean {
  for (const [url] of words.matchAll(URLS)) if (canonicalUrl(withoutEnd(url)) === wanted) return true;
  return false;
}

/** Removes trailing punctuation of a sentence; counted from the end, because a pattern would try each mark. */
function withoutEnd(url: string): string {
  let end = url.length;
  while (".,;:!?".includes(url.charAt(end - 1))) end--;
  return url.slice(0, end);
}
