import {
  createContext,
  use,
  useCallback,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from "react";
import { goTo } from "../route.ts";
import { useHasSite } from "../who.tsx";
import type { Place } from "./place.ts";

interface Shown {
  readonly asked: (Place & { readonly nonce: number }) | null;
  /** null: this deployment has no site */
  readonly show: ((place: Place) => void) | null;
  /** the `nonce` that was gone to last, so that opening the panel again does not go there again */
  readonly handled: RefObject<number>;
}

const ShownContext = createContext<Shown>({ asked: null, show: null, handled: { current: 0 } });

export function ShownProvider({ session, children }: { session: string; children: ReactNode }) {
  const [asked, setAsked] = useState<Shown["asked"]>(null);
  const handled = useRef(0);
  const hasSite = useHasSite();
  const show = useCallback(
    (place: Place) => {
      setAsked((before) => ({ ...place, nonce: (before?.nonce ?? 0) + 1 }));
      goTo({ at: "session", session, panel: "site" });
    },
    [session],
  );
  return (
    <ShownContext
      value={useMemo(() => ({ asked, show: hasSite ? show : null, handled }), [asked, hasSite, show])}
    >
      {children}
    </ShownContext>
  );
}

export const useAsked = (): Pick<Shown, "asked" | "handled"> => use(ShownContext);
/** Opens the site beside the chat at a place; null where there is no site. */
export const useShowOnSite = (): ((place: Place) => void) | null => use(ShownContext).show;
