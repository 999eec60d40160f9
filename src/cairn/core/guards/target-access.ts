import { canonicalJson } from "../log/json.ts";
import type { Targets } from "../log/targets.ts";

/** The people who may work on a target of a run. */

export interface TargetMembers {
  /** the deployment's own, on which runs work that name none */
  readonly isOwn: boolean;
  /** subjects, or `*` for everybody; admins are not named */
  readonly members: readonly string[];
}

export interface Visitor {
  readonly subject: string;
  readonly isAdmin: boolean;
}

/** The deployment's own target is everybody's; another is its members' and the admins'. */
export function mayUseTarget({ isOwn, members }: TargetMembers, { subject, isAdmin }: Visitor): boolean {
  return isAdmin || isOwn || members.includes("*") || members.includes(subject);
}

export const sameTargets = (one: Targets = {}, other: Targets = {}): boolean =>
  canonicalJson(one) === canonicalJson(other);
