import type { AskedTiming, CatchUp, Missed, Timing } from "../../core/schedule.ts";
import type { Actor, Answer } from "./session-api.ts";

/** Something to say later, once or again and again. */
export interface ScheduleCommand {
  /** one per request: the same one again is no second schedule */
  readonly id: string;
  /** of the body: the same id with another is 409 `idempotency_conflict` */
  readonly digest: string;
  readonly text: string;
  readonly timing: AskedTiming;
  readonly catchUp: CatchUp;
}

export interface ScheduleView {
  readonly id: string;
  readonly kind: Timing["kind"];
  readonly text: string;
  /** of the kind `once` */
  readonly at: string | null;
  /** of the kind `interval` */
  readonly everyMs: number | null;
  /** of the kind `cron`, as the next */
  readonly cron: string | null;
  readonly timeZone: string | null;
  readonly catchUp: CatchUp;
  /** null when it will not come any more */
  readonly nextAt: string | null;
  readonly lastRunId: string | null;
  /** the last time at which nothing was said */
  readonly missed: { readonly at: string; readonly reason: Missed["reason"] } | null;
  readonly createdAt: string;
  /** who made it */
  readonly by: string;
}

/** What a session is to say to itself. Not history: a copy of a session has none of it. */
export interface ScheduleDoor {
  /** A name that nobody uses becomes its caller's. 422 `invalid_schedule`. */
  schedule(
    actor: Actor,
    command: ScheduleCommand,
  ): Promise<Answer<{ readonly schedule: ScheduleView; readonly replayed: boolean }>>;
  /** the oldest first */
  schedules(actor: Actor): Promise<Answer<{ readonly items: readonly ScheduleView[] }>>;
  /** It will not come any more; one that is not there is no refusal. */
  unschedule(actor: Actor, id: string): Promise<Answer<null>>;
}
