import { createContext, use, useMemo } from "react";
import type { Answer } from "../cairn/protocol/api.ts";
import { PANELS, type Panel } from "./address.ts";

/** `GET /healthz` */
export interface Health {
  readonly status: "ok" | "misconfigured";
  readonly version: string;
  readonly model: string | null;
  readonly rules: boolean;
  readonly auth: "tokens" | "anonymous" | "none";
  /** that plugins add to the page */
  readonly panels: readonly string[];
  readonly problems: readonly { readonly variable: string; readonly message: string }[];
}

/** `GET /api/me` */
export type Me = Answer<"Me">;

export interface Who {
  readonly health: Health;
  readonly me: Me;
  readonly signOut: () => Promise<void>;
}

const WhoContext = createContext<Who | null>(null);
export const WhoProvider = WhoContext;

/** The current user and their view. Below `WhoProvider` only. */
export function useWho(): Who {
  const who = use(WhoContext);
  if (who === null) throw new Error("useWho outside of WhoProvider");
  return who;
}

export type Scope = "read" | "send" | "approve" | "admin";

/** True if the person has this scope; `admin` includes all. */
export function useMay(scope: Scope): boolean {
  const { scopes } = useWho().me;
  return scopes.includes(scope) || scopes.includes("admin");
}

/** Panels that every deployment has; the others are of plugins. */
const OWN_PANELS: readonly string[] = ["trace", "memory", "settings"] satisfies readonly Panel[];

/** The panels of this deployment, in their order. */
export function usePanels(): readonly Panel[] {
  const { panels } = useWho().health;
  return useMemo(
    () => PANELS.filter((panel) => OWN_PANELS.includes(panel) || panels.includes(panel)),
    [panels],
  );
}

/** True where this deployment has a website. */
export const useHasSite = (): boolean => useWho().health.panels.includes("site" satisfies Panel);
