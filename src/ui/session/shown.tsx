import { createContext, use, useCallback, useMemo, useState, type ReactNode } from "react";
import { goTo } from "../route.ts";
import type { Place } from "./place.ts";

interface Shown {
  readonly asked: (Place & { readonly nonce: number }) | null;
  readonly show: (place: Place) => void;
}

const ShownContext = createContext<Shown>({ asked: null, show: () => {} });

export function ShownProvider({ session, children }: { session: string; children: ReactNode }) {
  const [asked, setAsked] = useState<Shown["asked"]>(null);
  const show = useCallback(
    (place: Place) => {
      setAsked((before) => ({ ...place, nonce: (before?.nonce ?? 0) + 1 }));
      goTo({ at: "session", session, panel: "site" });
    },
    [session],
  );
  return <ShownContext value={useMemo(() => ({ asked, show }), [asked, show])}>{children}</ShownContext>;
}

export const useAsked = (): Shown["asked"] => use(ShownContext).asked;
/** Opens the site beside the chat at a place. */
export const useShowOnSite = (): ((place: Place) => void) => use(ShownContext).show;
