import {
  beatMs,
  cameToSomething,
  decideLook,
  heartbeatText,
  type Heartbeat,
  type Lead,
} from "../../core/heartbeat.ts";
import { laneOf } from "../../core/guards/permissions.ts";
import { HEARTBEAT_LEAD_MS, HEARTBEAT_USER_MS } from "../../core/limits.ts";
import { outcomeClass, type Entry } from "../../core/log/entry.ts";
import { receiveSend } from "../../core/loop/receive.ts";
import { promptNote } from "../../prompt-notes.ts";
import type { State } from "../../core/state/state.ts";
import type { Background, OpenLog } from "../engine/ports.ts";
import { roleNow } from "../runs/standing.ts";
import { isUnread, loadRunParts, resolveRun } from "../runs/resolve-run.ts";
import type { SqlStore } from "../storage/store.ts";
import type { ScheduleStore } from "./schedules.ts";
import type { RunDefaults } from "../runs/run-defaults.ts";

export interface HeartbeatDeps {
  readonly defaults: RunDefaults;
  readonly store: Pick<SqlStore, "loadMeta" | "saveMeta" | "entriesBefore">;
  readonly schedules: Pick<ScheduleStore, "all">;
}

/** entries that are read at once on the way back */
const PAGE_ENTRIES = 100;
/** and at most: what lies further back is no lead any more */
const BACK_ENTRIES_MAX = 2_000;

/**
 * The heartbeat of a session: off until enabled, then an alarm at each of its times. A time without work starts no run,
 * but is counted. Its state is in the session's row, and is deleted with it.
 */
export class SessionHeartbeat implements Background {
  readonly #deps: HeartbeatDeps;

  constructor(deps: HeartbeatDeps) {
    this.#deps = deps;
  }

  due(): number | null {
    const beat = this.#beat();
    return beat === null ? null : beat.nextAt;
  }

  /** Reads what its run is accepted under, before it falls due, which waits for nothing. */
  async loadDue(at: number): Promise<void> {
    const { defaults, store } = this.#deps;
    const beat = this.#beat();
    if (beat !== null && beat.nextAt <= at) await loadRunParts(defaults, store.loadMeta(), askOf(beat));
  }

  fallDue(log: OpenLog): void {
    const beat = this.#beat();
    if (beat === null || beat.nextAt > log.at) return;
    const decided = decideLook(log.state, beat, { at: log.at, ...this.#looked(log) });
    if ("closed" in decided) return this.#close(beat, decided.closed, log.at);
    const now = this.#deps.defaults.standing?.(beat.by, log.at);
    const role = roleNow(beat.role, now === undefined ? "unknown" : now);
    if (role === null) return this.#close(beat, "access_ended", log.at);
    const sent = this.#send(log, beat, { role, leads: decided.leads });
    // Due in the middle of a wake: its own alarm first loads its input.
    if (sent === "unread") return;
    if (!sent) return this.#close(beat, "busy", log.at);
    this.#save({ ...beat, lastAt: log.at, nextAt: log.at + beatMs(beat) });
  }

  /** The result of a heartbeat run, or a person's message, changes the time of the next look. */
  wrote(entries: readonly Entry[], state: State): void {
    const beat = this.#beat();
    if (beat === null) return;
    const hasPersonInput = entries.some(
      (entry) => entry.kind === "user_message" && laneOf(entry.body.source) === "user",
    );
    const ended = entries.find((entry) => entry.kind === "run_ended");
    const own = ended === undefined ? null : this.#ownRun(ended.run, entries);
    if (!hasPersonInput && own === null) return;
    const idle = hasPersonInput || (own !== null && cameToSomething(own)) ? 0 : beat.idle + 1;
    if (idle === beat.idle) return;
    const { lastAt } = beat;
    const from = hasPersonInput || lastAt === null ? state.at : lastAt;
    this.#save({ ...beat, idle, nextAt: from + beatMs({ ...beat, idle }) });
  }

  #beat(): Heartbeat | null {
    const beat = this.#deps.store.loadMeta()?.heartbeat;
    return beat?.enabled === true ? beat : null;
  }

  #close(beat: Heartbeat, why: keyof Heartbeat["closed"], at: number): void {
    const closed = { ...beat.closed, [why]: (beat.closed[why] ?? 0) + 1 };
    const after = why === "user_active" ? HEARTBEAT_USER_MS : beat.everyMs;
    this.#save({ ...beat, closed, skipped: { at, why }, nextAt: at + after });
  }

  #save(heartbeat: Heartbeat): void {
    const { store } = this.#deps;
    const meta = store.loadMeta();
    if (meta !== null) store.saveMeta({ ...meta, heartbeat });
  }

  /** When a person spoke last, when a run failed, and when a schedule was missed. */
  #looked({ state, at }: OpenLog): { userAt: number; failedAt: number | null; missedAt: number | null } {
    const { store, schedules } = this.#deps;
    let userAt: number | null = null;
    let failedAt: number | null = null;
    for (const entry of this.#back(state.head + 1)) {
      if (entry.kind === "user_message" && laneOf(entry.body.source) === "user") userAt ??= entry.at;
      if (entry.kind === "run_ended" && /failed|partial/.test(outcomeClass(entry.body.outcome)))
        failedAt ??= entry.at;
      if (userAt !== null && (failedAt !== null || at - entry.at > HEARTBEAT_LEAD_MS)) break;
    }
    const missed = schedules.all().flatMap((one) => (one.missed === null ? [] : [one.missed.at]));
    return {
      userAt: userAt ?? store.loadMeta()?.createdAt ?? 0,
      failedAt,
      missedAt: missed.length === 0 ? null : Math.max(...missed),
    };
  }

  /** Returns the entries of a heartbeat run; null for any other. `fresh` are not in the store yet. */
  #ownRun(run: string | null, fresh: readonly Entry[]): readonly Entry[] | null {
    const own: Entry[] = [];
    const isBegin = (entry: Entry): entry is Entry<"run_queued"> => entry.kind === "run_queued";
    for (const entry of this.#backFrom(fresh)) {
      if (entry.run !== run) continue;
      own.push(entry);
      if (isBegin(entry)) return entry.body.source === "heartbeat" ? own : null;
    }
    return null;
  }

  *#backFrom(fresh: readonly Entry[]): Generator<Entry> {
    yield* fresh.toReversed();
    yield* this.#back(fresh[0]?.seq ?? 1);
  }

  *#back(before: number): Generator<Entry> {
    let seq = before;
    while (before - seq < BACK_ENTRIES_MAX) {
      const page = this.#deps.store.entriesBefore(seq, PAGE_ENTRIES);
      if (page.length === 0) return;
      yield* page;
      seq = page.at(-1)?.seq ?? 0;
    }
  }

  /** Queues the run of a look. Returns true if it was queued. */
  #send(
    log: OpenLog,
    beat: Heartbeat,
    { role, leads }: Pick<Heartbeat, "role"> & { readonly leads: readonly Lead[] },
  ): boolean | "unread" {
    const { defaults, store } = this.#deps;
    const actor = { subject: beat.by, scopes: [] };
    const ask = askOf({ ...beat, role });
    if (isUnread(defaults, store.loadMeta(), actor, ask)) return "unread";
    const resolved = resolveRun(defaults, store, actor, ask);
    if (!resolved.ok) return false;
    const received = receiveSend(log.state, {
      id: `heartbeat.${log.at}`,
      author: beat.by,
      source: "heartbeat",
      mode: "queue",
      request: null,
      parts: [{ type: "text", text: heartbeatText(leads, promptNote) }],
      ...resolved.value,
    });
    if (received.ok) log.append(received.entries);
    return received.ok;
  }
}

const askOf = ({ role }: Heartbeat) => ({ role, profile: "heartbeat" }) as const;
