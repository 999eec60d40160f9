import { EMPTY_STATE } from "../../core/state/state.ts";
import { canonicalUrl } from "../../tools/web/safe-url.ts";
import type { WebMemory } from "../../tools/web/services.ts";
import { wordsAt } from "../api/views.ts";
import type { Store } from "../engine/ports.ts";

const URLS = /https?:\/\/[^\s<>"'`\])}]+/giu;

/** What this session lends to the tools of the web: what its live run has read, and which addresses it was shown. */
export function sessionWebMemory(store: Pick<Store, "entriesBetween" | "loadCursor" | "sources">): WebMemory {
  const state = () => store.loadCursor()?.state ?? EMPTY_STATE;
  return {
    isTainted: () => state().run?.safety.taint.tainted != null,
    knowsUrl: (url) => {
      const wanted = canonicalUrl(url);
      if (store.sources.knowsUrl(wanted)) return true;
      const { run, ended } = state();
      const said = [...ended.flatMap(({ inputs }) => inputs), ...(run?.input.all ?? [])];
      return said.some((seq) => isNamedIn(wordsAt(store, seq), wanted));
    },
  };
}

const isNamedIn = (words: string, wanted: string): boolean =>
  Array.from(words.matchAll(URLS), ([url]) => canonicalUrl(url.replace(/[.,;:!?]+$/u, ""))).includes(wanted);
