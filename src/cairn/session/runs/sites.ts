import { mayUseSite, type SiteMembers, type Visitor } from "../../core/guards/site-access.ts";
import { SITE_KEPT_MS } from "../../core/limits.ts";
import type { SiteTarget } from "../../core/log/run-spec.ts";
import { err, ok, type Result } from "../../core/log/result.ts";
import { SITE_UNAVAILABLE, UNKNOWN_SITE } from "../api/errors.ts";
import type { ApiError } from "../api/session-api.ts";

/** The sites that runs may work on beside the deployment's own. */
export interface Sites {
  /** as `load` has read it a moment ago */
  find(target: SiteTarget, visitor: Visitor): Result<{ readonly isOwn: boolean }, SiteFault>;
  /** Makes `find` know a site. Never throws. */
  load(target: SiteTarget): Promise<void>;
}

/** `unknown`: it is not there, or is not the visitor's; `unread`: nobody has loaded it a moment ago */
export type SiteFault = "unknown" | "unread" | "unavailable";

export interface SitesDeps {
  readonly read: (target: SiteTarget) => Promise<SiteMembers | null>;
  readonly clock: () => number;
  /** a fault, for the operator's log */
  readonly report: (error: unknown) => void;
}

interface Read {
  readonly at: number;
  readonly found: Result<SiteMembers, SiteFault>;
}

/** What was read is taken as it was for SITE_KEPT_MS: whoever is no member any more starts no run a moment later. */
export function readSites({ read, clock, report }: SitesDeps): Sites {
  const known = new Map<string, Read>();
  const look = async (target: SiteTarget): Promise<Result<SiteMembers, SiteFault>> => {
    try {
      const found = await read(target);
      return found === null ? err("unknown") : ok(found);
    } catch (error) {
      report(error);
      return err("unavailable");
    }
  };
  return {
    find: (target, visitor) => {
      const kept = known.get(keyOf(target));
      if (kept === undefined || kept.at + SITE_KEPT_MS < clock()) return err("unread");
      if (!kept.found.ok) return kept.found;
      return mayUseSite(kept.found.value, visitor) ? ok({ isOwn: kept.found.value.isOwn }) : err("unknown");
    },
    load: async (target) => {
      const found = await look(target);
      const at = clock();
      for (const [key, kept] of known) if (kept.at + SITE_KEPT_MS < at) known.delete(key);
      known.set(keyOf(target), { at, found });
    },
  };
}

const keyOf = ({ siteId, environmentId }: SiteTarget): string => `${siteId}/${environmentId}`;

export const siteError = (fault: SiteFault): ApiError =>
  fault === "unknown" ? UNKNOWN_SITE : SITE_UNAVAILABLE;
