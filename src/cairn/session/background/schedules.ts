import { isObject, ownValue, readJson, type Json } from "../../core/log/json.ts";
import { DUE_LOAD_RETRY_MS, DUE_LOAD_RETRY_MS_MAX } from "../../core/limits.ts";
import type { Address } from "../../core/address.ts";
import { runId } from "../../core/log/names.ts";
import type { Targets } from "../../core/log/targets.ts";
import type { Role } from "../../core/log/verdict.ts";
import { receiveSend } from "../../core/loop/receive.ts";
import {
  firingId,
  isTooLate,
  nextTime,
  retryTime,
  type Calendar,
  type CatchUp,
  type Missed,
  type Timing,
} from "../../core/schedule.ts";
import { roleNow } from "../runs/standing.ts";
import { isUnread, loadRunParts, resolveRun } from "../runs/resolve-run.ts";
import type { ScheduleView } from "../api/session-api.ts";
import type { RunOptions } from "../../protocol/run-spec/run-options.ts";
import type { Background, OpenLog } from "../engine/ports.ts";
import type { Cached } from "../storage/cache.ts";
import type { Disk, SqlStore } from "../storage/store.ts";
import type { RunDefaults } from "../runs/run-defaults.ts";

/** A schedule as stored in its row, next to `nextAt`. */
export interface Schedule {
  readonly id: string;
  readonly text: string;
  readonly timing: Timing;
  readonly catchUp: CatchUp;
  /** milliseconds; null: it will not come any more */
  readonly nextAt: number | null;
  readonly createdAt: number;
  readonly by: string;
  /** of who made it, when they did */
  readonly role: Role;
  /** null: the session's, when it comes */
  readonly agent: string | null;
  /** of one that a run made: where its input came from, the tools that it had at most, and what it worked on */
  readonly origin?: Address;
  readonly tools?: readonly string[];
  readonly targets?: Targets;
  /** requested by a person, not by an unattended run */
  readonly wished?: true;
  /** local name */
  readonly lastRun: string | null;
  readonly missed: Missed | null;
}

type Ripe = Schedule & { readonly nextAt: number };

export interface ScheduleStoreDeps {
  readonly defaults: RunDefaults;
  readonly store: Pick<SqlStore, "seen" | "remember" | "loadMeta" | "keep">;
  readonly calendar: Calendar;
  /** called once for each row that cannot be read when it is due */
  readonly reportUnread: (id: string) => void;
}

/** A row that cannot be read: it stays, and is looked at again ever later, because another version may be able to. */
interface Unread {
  readonly id: string;
  readonly nextAt: number | null;
}

/**
 * The schedules of a session, in rows in addition to the log. A due schedule sends its text and moves on to its next
 * time in one transaction: each time makes one run or is noted as missed, whatever crashes. The store empties the table
 * with the session.
 */
export class ScheduleStore implements Background {
  readonly #disk: Disk;
  readonly #deps: ScheduleStoreDeps;
  /** asked for by every alarm, several times */
  readonly #due: Cached<number | null>;

  constructor(disk: Disk, deps: ScheduleStoreDeps) {
    this.#disk = disk;
    this.#deps = deps;
    this.#due = deps.store.keep(() => this.#readDue());
  }

  due(): number | null {
    return this.#due.get();
  }

  #readDue(): number | null {
    const { read, unread } = this.#rows();
    const looks = unread.flatMap(({ id, nextAt }) =>
      nextAt === null ? [] : [Math.max(nextAt, this.#looked(id)?.again ?? nextAt)],
    );
    const times = [...read.flatMap(({ nextAt }) => (nextAt === null ? [] : [nextAt])), ...looks];
    return times.length === 0 ? null : Math.min(...times);
  }

  fallDue(log: OpenLog, since: number): void {
    const due = this.due();
    if (due === null || due > log.at) return;
    const { read, unread } = this.#rows();
    for (const schedule of read) if (isRipe(schedule, log.at)) this.#fire(log, schedule, since);
    for (const row of unread) if (row.nextAt !== null && row.nextAt <= log.at) this.#lookLater(row, log.at);
  }

  /** The tries to read a row that was due, and when it is looked at again; null: it was never found unreadable. */
  #looked(id: string): { readonly tries: number; readonly again: number } | null {
    const row = this.#disk.exec(
      "SELECT answer, at FROM seen WHERE source = 'unread_schedule' AND id = ?",
      id,
    )[0];
    return row === undefined ? null : { tries: Number(row["answer"]), again: Number(row["at"]) };
  }

  #lookLater({ id }: Unread, at: number): void {
    const looked = this.#looked(id);
    if (looked !== null && looked.again > at) return;
    if (looked === null) this.#deps.reportUnread(id);
    const tries = (looked?.tries ?? 0) + 1;
    const wait = Math.min(DUE_LOAD_RETRY_MS_MAX, DUE_LOAD_RETRY_MS * 2 ** (tries - 1));
    this.#due.forget();
    this.#disk.exec(
      "INSERT OR REPLACE INTO seen (source, id, answer, at) VALUES ('unread_schedule', ?, ?, ?)",
      id,
      String(tries),
      at + wait,
    );
  }

  /** Reads what the runs of what is due at `at` are accepted under, before it falls due, which waits for nothing. */
  async loadDue(at: number): Promise<void> {
    const { defaults, store } = this.#deps;
    const due = this.due();
    if (due === null || due > at) return;
    for (const schedule of this.all())
      if (isRipe(schedule, at)) await loadRunParts(defaults, store.loadMeta(), askOf(schedule));
  }

  /** those that can be read, the oldest first */
  all(): readonly Schedule[] {
    return this.#rows().read.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  }

  #rows(): { readonly read: readonly Schedule[]; readonly unread: readonly Unread[] } {
    const read: Schedule[] = [];
    const unread: Unread[] = [];
    for (const row of this.#disk.exec("SELECT id, next_at, body FROM schedules")) {
      const nextAt = row["next_at"] === null ? null : Number(row["next_at"]);
      const body = readBody(String(row["body"]));
      if (body === null) unread.push({ id: String(row["id"]), nextAt });
      else read.push({ ...body, nextAt });
    }
    return { read, unread };
  }

  save({ nextAt, ...body }: Schedule): void {
    this.#due.forget();
    this.#disk.exec(
      "INSERT OR REPLACE INTO schedules (id, next_at, body) VALUES (?, ?, ?)",
      body.id,
      nextAt,
      JSON.stringify(body),
    );
  }

  drop(id: string): void {
    this.#due.forget();
    this.#disk.exec("DELETE FROM schedules WHERE id = ?", id);
  }

  #fire(log: OpenLog, schedule: Ripe, since: number): void {
    const { timing, nextAt: at } = schedule;
    const { calendar } = this.#deps;
    const nextAt = nextTime(timing, at, log.at, calendar);
    if (isTooLate(schedule, since)) return this.save({ ...schedule, nextAt, missed: { at, reason: "late" } });
    const sent = this.#send(log, schedule);
    // Due in the middle of a wake: its own alarm first loads its input.
    if (sent === "unread") return;
    if ("missed" in sent) {
      const missed = { at, reason: sent.missed };
      return this.save({ ...schedule, nextAt: retryTime(schedule, log.at, calendar), missed });
    }
    // A single time that has come is over: its run is what there is of it.
    if (timing.kind === "once") return this.drop(schedule.id);
    this.save({ ...schedule, nextAt, lastRun: sent.run });
  }

  /** The run that works it, or why there is none. */
  #send(
    log: OpenLog,
    schedule: Ripe,
  ): { readonly run: string } | { readonly missed: Missed["reason"] } | "unread" {
    const { defaults, store } = this.#deps;
    const id = firingId(schedule);
    const before = store.seen("schedule", id);
    if (before !== null) return { run: before };
    // The run gets the role that the requester had when making the schedule, at most their present one.
    const now = defaults.standing?.(schedule.by, log.at);
    const role = roleNow(schedule.role, now === undefined ? "unknown" : now);
    if (role === null) return { missed: "access_ended" };
    const actor = { subject: schedule.by, scopes: [] };
    const ask = askOf({ ...schedule, role });
    if (isUnread(defaults, store.loadMeta(), actor, ask)) return "unread";
    const resolved = resolveRun(defaults, store, actor, ask);
    if (!resolved.ok) return { missed: ownValue(MISSED, resolved.error.code) ?? "model_unavailable" };
    const received = receiveSend(log.state, {
      id,
      author: schedule.by,
      source: "schedule",
      mode: "queue",
      request: null,
      parts: [{ type: "text", text: schedule.text }],
      ...(schedule.origin === undefined ? {} : { origin: schedule.origin }),
      ...(schedule.wished === true ? { askedAt: askedAtOf(schedule) } : {}),
      ...resolved.value,
    });
    if (!received.ok) return { missed: "queue_full" };
    log.append(received.entries);
    store.remember("schedule", id, received.value.run, log.at);
    return { run: received.value.run };
  }
}

type Body = Omit<Schedule, "nextAt">;

/** Null for a body that is no JSON, or lacks what a schedule needs to fall due. */
function readBody(text: string): Body | null {
  const body = readJson(text);
  return isBody(body) ? body : null;
}

function isBody(body: Json | undefined): body is Json & Body {
  return (
    isObject(body) &&
    ["id", "text", "by", "role"].every((name) => typeof body[name] === "string") &&
    typeof body["createdAt"] === "number" &&
    isTiming(body["timing"])
  );
}

function isTiming(timing: Json | undefined): boolean {
  if (!isObject(timing)) return false;
  const { kind, at, everyMs, cron, timeZone } = timing;
  if (kind === "once") return typeof at === "number";
  if (kind === "interval") return typeof everyMs === "number" && everyMs > 0;
  return kind === "cron" && typeof cron === "string" && typeof timeZone === "string";
}

/** by the code of the refusal */
const MISSED: Readonly<Record<string, Missed["reason"]>> = {
  unknown_agent: "unknown_agent",
  invalid_agent: "invalid_agent",
  // A tool that it had is there no more.
  invalid_run: "invalid_agent",
  agents_unavailable: "agents_unavailable",
  unknown_target: "unknown_target",
  target_unavailable: "target_unavailable",
};

const askOf = ({ role, agent, tools, targets }: Schedule): RunOptions => ({
  role,
  ...(agent === null ? {} : { agent }),
  ...(tools === undefined ? {} : { tools }),
  ...(targets === undefined ? {} : { targets }),
});

/** Request time of a run: the time itself if the person named a single one, else when they made the schedule. */
const askedAtOf = ({ timing, createdAt }: Schedule): number =>
  timing.kind === "once" ? timing.at : createdAt;

const isRipe = (schedule: Schedule, at: number): schedule is Ripe =>
  schedule.nextAt !== null && schedule.nextAt <= at;

export function scheduleView(session: string, schedule: Schedule): ScheduleView {
  const { id, text, timing, catchUp, agent, nextAt, lastRun, missed, createdAt, by } = schedule;
  const time = (at: number): string => new Date(at).toISOString();
  return {
    id,
    kind: timing.kind,
    text,
    at: timing.kind === "once" ? time(timing.at) : null,
    everyMs: timing.kind === "interval" ? timing.everyMs : null,
    cron: timing.kind === "cron" ? timing.cron : null,
    timeZone: timing.kind === "cron" ? timing.timeZone : null,
    catchUp,
    nextAt: nextAt === null ? null : time(nextAt),
    lastRunId: lastRun === null ? null : runId(session, lastRun),
    missed: missed === null ? null : { ...missed, at: time(missed.at) },
    agent,
    createdAt: time(createdAt),
    by,
  };
}
