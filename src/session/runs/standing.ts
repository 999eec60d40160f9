import { roleOf } from "../../core/guards/permissions.ts";
import type { Role } from "../../core/log/verdict.ts";
import { receiveCancel } from "../../core/loop/receive.ts";
import type { RunRequest } from "../../core/state/state.ts";
import { actorOfGrant, type People } from "../../wire/config/rights.ts";
import type { Background, OpenLog } from "../engine/ports.ts";

/**
 * Work that goes on without its person: runs that are live or wait in the queue, schedules, heartbeats. Sessions belong to
 * subjects, so any grant of the subject lets their work go on, and a new token does not end it.
 */

/** A person's role now; null when their access has ended; "unknown" for senders that are no people. */
export type Standing = (subject: string, at: number) => Role | null | "unknown";

/** `admins`: as `RunDefaults.admins` */
export function createStanding(people: People, admins: readonly string[] | null): Standing {
  return (subject, at) => {
    // A webhook acts by a rule of the deployment, and the session itself by nobody's.
    if (subject === "" || subject.startsWith("hook:")) return "unknown";
    const now = actorOfGrant(people, { subject, grants: null, scopes: ["admin"] }, at);
    return now === null ? null : roleOf(now, admins);
  };
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

  #objection({ actor, role, source }: RunRequest, at: number): string | null {
    if (source === "webhook") return null;
    const left = roleNow(role, this.#standing(actor, at));
    if (left === null) return `The access of ${actor} has ended.`;
    return left === role ? null : `${actor} was ${role} when this run was accepted, and is ${left} now.`;
  }
}
