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
import type { SitePage } from "./site-page.ts";

interface Shown {
  readonly requested: (SitePage & { readonly nonce: number }) | null;
  /** null: this deployment has no site */
  readonly show: ((page: SitePage) => void) | null;
  /** the `nonce` that was gone to last, so that opening the panel again does not go there again */
  readonly handled: RefObject<number>;
}

const ShownContext = createContext<Shown>({ requested: null, show: null, handled: { current: 0 } });

export function ShownProvider({ session, children }: { session: string; children: ReactNode }) {
  const [requested, setRequested] = useState<Shown["requested"]>(null);
  const handled = useRef(0);
  const hasSite = useHasSite();
  const show = useCallback(
    (page: SitePage) => {
      setRequested((before) => ({ ...page, nonce: (before?.nonce ?? 0) + 1 }));
      goTo({ at: "session", session, panel: "site" });
    },
    [session],
  );
  return (
    <ShownContext
      value={useMemo(() => ({ requested, show: hasSite ? show : null, handled }), [requested, hasSite, show])}
    >
      {children}
    </ShownContext>
  );
}

export const useRequestedPage = (): Pick<Shown, "requested" | "handled"> => use(ShownContext);
/** Opens the site panel at a page; null in a deployment without a site. */
export const useShowOnSite = (): ((page: SitePage) => void) | null => use(ShownContext).show;
