import type { Engine } from "../engine/engine.ts";
import { laneOf } from "../../core/guards/permissions.ts";
import type { Calendar } from "../../core/schedule.ts";
import type { KnownSchedule, OwnSchedules, ScheduleRefusal } from "../../tools/messaging/services.ts";
import { err, ok, type Result } from "../../core/log/result.ts";
import type { Maker, Schedules } from "./schedules.ts";
import type { Actor, ScheduleView } from "../api/session-api.ts";
import type { SqlStore } from "../storage/store.ts";

/** Dependencies of the tools that schedule messages. */
export interface OwnScheduleParts {
  readonly engine: Pick<Engine, "log" | "spec">;
  readonly schedules: Schedules;
  readonly store: Pick<SqlStore, "loadMeta">;
  readonly calendar: Calendar;
}

/** A child session ends with the tree, so nothing would receive the message. */
export const OF_A_CHILD = {
  code: "child_run",
  message:
    "This run was started by another one, which schedules for both. Say in your answer what it should.",
};

/** Actor for listing and deleting by the run itself: it acts on its own session. */
const SELF: Actor = { subject: "", scopes: [], via: "http" };

/**
 * The schedules of a session, for its own runs: what one of them makes has its maker's name and role, its origin, tools and
 * targets. `parts` are asked for when a tool is at work, because the session is made of both.
 */
export function ownSchedules(parts: () => OwnScheduleParts): OwnSchedules {
  const zone = (): string | null => {
    const { store, calendar } = parts();
    const named = store.loadMeta()?.metadata?.["timeZone"];
    return typeof named === "string" && calendar.isZone(named) ? named : null;
  };
  return {
    zone,
    at: (local, timeZone) => {
      const { calendar } = parts();
      return calendar.isZone(timeZone) ? calendar.at(local, timeZone) : null;
    },
    refusal: (name, request) => {
      const maker = makerOf(parts(), name);
      return maker.ok ? parts().schedules.refusalOf(maker.value, request) : maker.error;
    },
    make: (name, request) => {
      const maker = makerOf(parts(), name);
      if (!maker.ok) return maker;
      const made = parts().schedules.scheduleFor(maker.value, request);
      return made.ok ? { ok: true, value: known(made.value) } : made;
    },
    list: () => {
      const listed = parts().schedules.schedules(SELF);
      return listed.ok ? listed.value.items.map(known) : [];
    },
    cancel: (id) => void parts().schedules.unschedule(SELF, id),
  };
}

/** The live run of this name as the maker of a schedule. */
function makerOf({ engine }: OwnScheduleParts, name: string): Result<Maker, ScheduleRefusal> {
  const { run } = engine.log.state();
  const { spec } = engine;
  if (run === null || spec === null || !name.endsWith(`.${run.run}`))
    return err({ code: "not_live", message: "The run that asks has ended." });
  if (run.request.parent !== undefined) return err(OF_A_CHILD);
  const { actor: by, role, origin, source } = run.request;
  return ok({
    by,
    role,
    agent: spec.agent,
    ...(origin === undefined ? {} : { origin }),
    ...(laneOf(source) === "user" ? ({ wished: true } as const) : {}),
    ...(spec.tools === null ? {} : { tools: spec.tools }),
    ...(spec.targets === undefined ? {} : { targets: spec.targets }),
  });
}

const known = ({ id, text, kind, nextAt, everyMs, cron, timeZone, missed }: ScheduleView): KnownSchedule => ({
  id,
  text,
  kind,
  nextAt,
  everyMs,
  cron,
  timeZone,
  missed: missed?.reason ?? null,
});

/** Returns the local time in a zone, as `2030-12-24T18:00, Tuesday, Europe/Berlin`; null without a zone. */
export function localTime(at: number, zone: string | null): string | null {
  if (zone === null) return null;
  const show = (locale: string, options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: zone }).format(at);
  // Swedish writes dates as ISO 8601 does.
  const clock = show("sv-SE", { dateStyle: "short", timeStyle: "short" }).replace(" ", "T");
  return `${clock}, ${show("en", { weekday: "long" })}, ${zone}`;
}
