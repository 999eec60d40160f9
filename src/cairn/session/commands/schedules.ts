import { parentOf } from "../../core/log/names.ts";
import { err, ok } from "../../core/log/result.ts";
import { roleOf } from "../../core/guards/permissions.ts";
import { HEARTBEAT_EVERY_MS, SCHEDULES_MAX } from "../../core/limits.ts";
import { readTiming, type Calendar } from "../../core/schedule.ts";
import type { Redact } from "../../core/text/redact.ts";
import { scheduleView, type Schedule, type ScheduleStore } from "../background/schedules.ts";
import type { Engine } from "../engine/engine.ts";
import type { SqlStore } from "../storage/store.ts";
import { isOfAnother, isOwner, claimSession } from "./access.ts";
import { agentError } from "../runs/resolve-run.ts";
import { ID_TAKEN, KEY_CONFLICT, missingScope, MODEL_UNAVAILABLE, NOT_FOUND } from "../api/errors.ts";
import type { Heartbeat } from "../../core/heartbeat.ts";
import { type HeartbeatCommand, type HeartbeatView, allows } from "../api/session-api.ts";
import type { ScheduleCommand, ScheduleView, Actor, ApiResult, ApiError } from "../api/session-api.ts";
import type { RunDefaults } from "../runs/run-defaults.ts";

/** Owner of a schedule, and the permissions of its runs. */
export type Maker = Pick<Schedule, "by" | "role" | "origin" | "tools" | "targets" | "wished"> & {
  readonly agent?: string | null;
};

export interface SchedulesDeps {
  readonly engine: Engine;
  readonly store: SqlStore;
  readonly scheduleStore: ScheduleStore;
  readonly defaults: RunDefaults;
  readonly calendar: Calendar;
  readonly clock: () => number;
  readonly redact: Redact;
}

/** Commands on a session's schedules. Each change sets the alarm for the next of them, in its transaction. */
export class Schedules {
  readonly #deps: SchedulesDeps;

  constructor(deps: SchedulesDeps) {
    this.#deps = deps;
  }

  /** The first caller of an unused session ID becomes its owner. 422 `invalid_schedule`. */
  async schedule(
    actor: Actor,
    command: ScheduleCommand,
  ): Promise<ApiResult<{ readonly schedule: ScheduleView; readonly replayed: boolean }>> {
    const { engine, store, scheduleStore, defaults } = this.#deps;
    const sessionAt = store.loadMeta()?.createdAt ?? null;
    if (command.agent !== null) await defaults.agents.load(command.agent);
    if (!allows(actor, "send")) return err(missingScope("send"));
    const meta = store.loadMeta();
    if (meta !== null && !isOwner(actor, meta)) return err(ID_TAKEN);
    if (meta === null && parentOf(defaults.session) !== null) return err(NOT_FOUND);
    // The session may have been deleted during the wait, and its name used again.
    if (isOfAnother(meta, { sessionAt })) return err(NOT_FOUND);
    const { id, digest } = command;
    const before = store.seen("scheduled", id);
    if (before !== null) {
      const known = JSON.parse(before) as { digest: string; view: ScheduleView };
      if (known.digest !== digest) return err(KEY_CONFLICT);
      return ok({ schedule: known.view, replayed: true });
    }
    if (defaults.model === null) return err(MODEL_UNAVAILABLE);
    const { agent } = command;
    if (agent !== null) {
      const found = defaults.agents.find(agent);
      if (!found.ok) return err(agentError(agent, found.error, defaults.agents));
    }
    const role = roleOf(actor, defaults.admins) ?? "guest";
    const read = this.#read({ by: actor.subject, role, agent, wished: true }, command);
    if (!read.ok) return read;
    const view = scheduleView(defaults.session, read.value);
    engine.rearm(() => {
      scheduleStore.save(read.value);
      store.remember("scheduled", id, JSON.stringify({ digest, view }), read.value.createdAt);
      claimSession(store, actor, [{ type: "text", text: read.value.text }], read.value.createdAt);
    });
    return ok({ schedule: view, replayed: false });
  }

  /** One that the live run makes, under its name and no more than its rights. The same id again is the same schedule. */
  scheduleFor(maker: Maker, command: Omit<ScheduleCommand, "agent" | "digest">): ApiResult<ScheduleView> {
    const { engine, store, scheduleStore, defaults } = this.#deps;
    const before = store.seen("scheduled", command.id);
    if (before !== null) return ok((JSON.parse(before) as { view: ScheduleView }).view);
    const read = this.#read(maker, command);
    if (!read.ok) return read;
    const view = scheduleView(defaults.session, read.value);
    engine.rearm(() => {
      scheduleStore.save(read.value);
      store.remember("scheduled", command.id, JSON.stringify({ digest: "", view }), read.value.createdAt);
    });
    return ok(view);
  }

  /** Why `scheduleFor` would refuse it now; null where it would not. */
  refusalOf(maker: Maker, command: Omit<ScheduleCommand, "agent" | "digest">): ApiError | null {
    if (this.#deps.store.seen("scheduled", command.id) !== null) return null;
    const read = this.#read(maker, command);
    return read.ok ? null : read.error;
  }

  /** the oldest first */
  schedules(_actor: Actor): ApiResult<{ readonly items: readonly ScheduleView[] }> {
    const { scheduleStore, defaults } = this.#deps;
    return ok({ items: scheduleStore.all().map((schedule) => scheduleView(defaults.session, schedule)) });
  }

  /** Removes a schedule. Removing a missing one is not an error. */
  unschedule(_actor: Actor, id: string): ApiResult<null> {
    const { engine, scheduleStore } = this.#deps;
    engine.rearm(() => scheduleStore.drop(id));
    return ok(null);
  }

  heartbeat(_actor: Actor): ApiResult<HeartbeatView> {
    return ok(heartbeatView(this.#deps.store.loadMeta()?.heartbeat));
  }

  /** Sets the heartbeat. Its looks run on behalf of the person who set it. A disabled heartbeat has no alarm. */
  setHeartbeat(actor: Actor, { enabled, everyMinutes }: HeartbeatCommand): ApiResult<HeartbeatView> {
    const { engine, store, defaults, clock } = this.#deps;
    const meta = store.loadMeta();
    if (meta === null) return err(NOT_FOUND);
    const { everyMs: known = HEARTBEAT_EVERY_MS, lastAt = null, closed = {} } = meta.heartbeat ?? {};
    const everyMs = everyMinutes === undefined ? known : everyMinutes * 60_000;
    const role = roleOf(actor, defaults.admins) ?? "guest";
    const nextAt = clock() + everyMs;
    const heartbeat = { enabled, everyMs, by: actor.subject, role, idle: 0, lastAt, nextAt, closed };
    engine.rearm(() => store.saveMeta({ ...meta, heartbeat }));
    return ok(heartbeatView(heartbeat));
  }

  #read(
    { agent = null, ...maker }: Maker,
    { id, text, timing: asked, catchUp }: Omit<ScheduleCommand, "agent" | "digest">,
  ): ApiResult<Schedule> {
    const { scheduleStore, calendar, clock, redact } = this.#deps;
    const createdAt = clock();
    const read = readTiming(asked, createdAt, calendar);
    if (!read.ok) return err(invalid(read.message, read.hint));
    if (scheduleStore.all().length >= SCHEDULES_MAX)
      return err(
        invalid(`This session has ${SCHEDULES_MAX} schedules, and cannot have more.`, "Delete one."),
      );
    const { timing, nextAt } = read;
    const fresh = { lastRun: null, missed: null };
    return ok({
      id,
      text: redact(text),
      agent,
      timing,
      catchUp,
      nextAt,
      createdAt,
      ...maker,
      ...fresh,
    });
  }
}

function heartbeatView(beat: Heartbeat | undefined): HeartbeatView {
  const time = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
  const enabled = beat?.enabled === true;
  const skipped = beat?.skipped;
  return {
    enabled,
    everyMinutes: (beat?.everyMs ?? HEARTBEAT_EVERY_MS) / 60_000,
    nextAt: enabled ? time(beat.nextAt) : null,
    lastAt: time(beat?.lastAt ?? null),
    idle: beat?.idle ?? 0,
    closed: beat?.closed ?? {},
    skipped: skipped === undefined ? null : { at: new Date(skipped.at).toISOString(), why: skipped.why },
    by: beat?.by ?? null,
  };
}

const invalid = (message: string, hint: string): ApiError => ({
  status: 422,
  code: "invalid_schedule",
  message,
  hint,
});
