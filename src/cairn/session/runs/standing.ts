import { roleOf } from "../../core/guards/permissions.ts";
import type { Policy, Voter } from "../../core/log/approval.ts";
import type { Role } from "../../core/log/verdict.ts";
import { receiveCancel } from "../../core/loop/receive.ts";
import type { AcceptedRun } from "../../core/state/state.ts";
import { actorOfGrant, includesScope, isAdminGrant, type People } from "../../config/rights.ts";
import type { Background, OpenLog } from "../engine/ports.ts";
import type { Meta } from "../storage/meta.ts";

/**
 * Work that goes on without its person: runs that are live or wait in the queue, schedules, heartbeats. Sessions belong to
 * subjects, so any grant of the subject lets their work go on, and a new token does not end it.
 */

/** A person's role now; null when their access has ended; "unknown" for senders that are no people. */
export type Standing = (subject: string, at: number) => Role | null | "unknown";

/** `admins`: as `RunDefaults.admins` */
export function createStanding(people: People, admins: readonly string[] | null): Standing {
  return (subject, at) => {
    // A webhook acts by a rule of the deployment, and the session itself without rights.
    if (subject === "" || subject.startsWith("hook:")) return "unknown";
    const now = actorOfGrant(people, { subject, grants: null, scopes: ["admin"] }, at);
    return now === null ? null : roleOf(now, admins);
  };
}

/** The vote that a person has now in a session of this owner; null when the grant by which they voted may not approve any more. */
export type VoterNow = (
  given: Pick<Voter, "subject" | "grant" | "maker">,
  owner: string | null,
  at: number,
) => Voter | null;

/** `admins`: as `RunDefaults.admins`. A vote of an earlier release names no grant: any grant of its subject is good for it. */
export function createVoterNow(people: People, admins: readonly string[] | null): VoterNow {
  return ({ subject, grant, maker }, owner, at) => {
    const isOwner = subject === owner;
    if (maker !== undefined)
      return isAdminGrant(people, maker, at) ? { subject, owner: isOwner, admin: false, maker } : null;
    const held = { subject, grants: grant === undefined ? null : [grant], scopes: ["approve", "admin"] };
    const now = actorOfGrant(people, held, at);
    if (now === null || !includesScope(now.scopes, "approve")) return null;
    const by = { subject, owner: isOwner, admin: roleOf(now, admins) === "admin" };
    return grant === undefined ? by : { ...by, grant };
  };
}

/** Remembered decisions as votes of today: those whose people may not decide any more are left out. */
export function policiesNow(
  meta: Pick<Meta, "policies" | "owner"> | null,
  voterNow: VoterNow | undefined,
  at: number,
): readonly Policy[] {
  const { policies = [], owner = null } = meta ?? {};
  if (voterNow === undefined) return policies;
  return policies.flatMap((policy) => {
    const by = voterNow(policy.by, owner, at);
    return by === null ? [] : [{ ...policy, by: { ...by, admin: by.admin && policy.by.admin } }];
  });
}

const RANK: Readonly<Record<Role, number>> = { guest: 0, member: 1, admin: 2 };

/** The role that is left of one that was given before. */
export function roleNow(given: Role, now: Role | null | "unknown"): Role | null {
  if (now === "unknown" || now === null) return now === null ? null : given;
  return RANK[now] < RANK[given] ? now : given;
}

/** At each wake, stops the runs whose person has lost their access, or the role under which the run was accepted. */
export class StandingWatch implements Background {
  readonly #standing: Standing;

  constructor(standing: Standing) {
    this.#standing = standing;
  }

  /** No right ends without a new version of the deployment, but for a grant's time, which the next wake sees. */
  due(): null {
    return null;
  }

  fallDue(log: OpenLog): void {
    const { run, queue } = log.state;
    const live = run === null || run.cancel !== null ? [] : [run];
    for (const { run: name, request } of [...live, ...queue]) {
      const reason = this.#objection(request, log.at);
      if (reason === null) continue;
      const cancel = { id: `standing-${name}`, actor: "policy", run: name, all: false, reason };
      log.append(receiveCancel(log.state, cancel).entries);
    }
  }

  #objection({ actor, role, source }: AcceptedRun, at: number): string | null {
    if (source === "webhook") return null;
    const left = roleNow(role, this.#standing(actor, at));
    if (left === null) return `The access of ${actor} has ended.`;
    return left === role ? null : `${actor} was ${role} when this run was accepted, and is ${left} now.`;
  }
}
