import { mayUseTarget, type TargetMembers, type Visitor } from "../../core/guards/target-access.ts";
import { TARGET_TTL_MS } from "../../core/limits.ts";
import { canonicalJson, type JsonObject } from "../../core/log/json.ts";
import type { Targets } from "../../core/log/targets.ts";
import { err, ok, type Result } from "../../core/log/result.ts";
import { targetUnavailable, unknownTarget } from "../api/errors.ts";
import type { ApiError } from "../api/session-api.ts";

/** The targets that runs may name in the place of the deployment's own: each by the plugin that knows it. */
export interface KnownTargets {
  /** Those that are not the deployment's own, as `load` has read them a moment ago. */
  find(targets: Targets, visitor: Visitor): Result<Targets, TargetProblem>;
  /** Makes `find` know targets. Never throws. */
  load(targets: Targets): Promise<void>;
}

export interface TargetProblem {
  /** its name in `targets` */
  readonly target: string;
  readonly fault: TargetFault;
  /** of its plugin */
  readonly hint?: string;
}

/** `unknown`: it does not exist, or is not the visitor's; `unread`: not loaded recently */
export type TargetFault = "unknown" | "unread" | "unavailable";

/** Something that runs may work on, of a plugin. */
export interface TargetKind {
  /** How a person learns which there are. */
  readonly hint?: string;
  /** Null: none is named by this value, or the value is malformed. May throw. */
  readonly find: (value: JsonObject) => Promise<TargetMembers | null>;
}

export interface TargetDeps {
  /** by the names under which runs name them */
  readonly kinds: ReadonlyMap<string, TargetKind>;
  readonly clock: () => number;
  /** a fault, for the operator's log */
  readonly report: (error: unknown) => void;
}

interface Read {
  readonly at: number;
  readonly found: Result<TargetMembers, TargetFault>;
}

/** A result is valid for TARGET_KEPT_MS: a member who was removed starts no run after that. */
export function readTargets({ kinds, clock, report }: TargetDeps): KnownTargets {
  const known = new Map<string, Read>();
  const look = async (name: string, value: JsonObject): Promise<Result<TargetMembers, TargetFault>> => {
    try {
      const found = (await kinds.get(name)?.find(value)) ?? null;
      return found === null ? err("unknown") : ok(found);
    } catch (error) {
      report(error);
      return err("unavailable");
    }
  };
  const membersOf = (name: string, value: JsonObject): Result<TargetMembers, TargetFault> => {
    const read = known.get(keyOf(name, value));
    return read === undefined || read.at + TARGET_TTL_MS < clock() ? err("unread") : read.found;
  };
  return {
    find: (targets, visitor) => {
      const others: [string, JsonObject][] = [];
      for (const [target, value] of Object.entries(targets)) {
        const { hint } = kinds.get(target) ?? {};
        const problem = (fault: TargetFault): Result<Targets, TargetProblem> =>
          err({ target, fault, ...(hint === undefined ? {} : { hint }) });
        const found = membersOf(target, value);
        if (!found.ok) return problem(found.error);
        if (!mayUseTarget(found.value, visitor)) return problem("unknown");
        if (!found.value.isOwn) others.push([target, value]);
      }
      return ok(Object.fromEntries(others));
    },
    load: async (targets) => {
      for (const [name, value] of Object.entries(targets)) {
        const found = await look(name, value);
        const at = clock();
        for (const [key, read] of known) if (read.at + TARGET_TTL_MS < at) known.delete(key);
        known.set(keyOf(name, value), { at, found });
      }
    },
  };
}

const keyOf = (name: string, value: JsonObject): string => `${name}/${canonicalJson(value)}`;

export const targetError = ({ target, fault, hint }: TargetProblem): ApiError =>
  fault === "unknown" ? unknownTarget(target, hint) : targetUnavailable(target);
