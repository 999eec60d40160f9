import {
  CHILD_POLL_MS,
  CHILD_POLL_MS_MAX,
  FAMILY_RETRY_MS,
  FAMILY_TRIES_MAX,
  STOP_RETRY_MS_MAX,
} from "../../core/limits.ts";
import { DELIVERY_ALARM_MS_MIN, DELIVERY_LOST_MS } from "../../core/limits.ts";
import type { Entry } from "../../core/log/entry.ts";
import { childName, parentOf } from "../../core/log/names.ts";
import type { State } from "../../core/state/state.ts";
import { loadRunRequest } from "../api/log-reader.ts";
import type { Background } from "../engine/ports.ts";
import type { Cached } from "../storage/cache.ts";
import type { Disk, SqlStore } from "../storage/store.ts";

/** The parent or a child of this session, and the message due to it. */
export interface FamilyMember {
  /** its session */
  readonly name: string;
  /** of a child, the run and the call that have started it; of the parent, this session's run */
  readonly run: string;
  readonly call: string;
  /** child: starting, working (polled), or stopping until it confirms; parent: reporting; either: done */
  readonly state: "starting" | "working" | "stopping" | "reporting" | "done";
  /** when it is spoken to next; null where it is not */
  readonly due: number | null;
  /** in a row that have failed, with the one at work */
  readonly tries: number;
  /** times that a child has answered that it is at work */
  readonly polls: number;
}

interface FamilyMembersDeps {
  readonly session: string;
  readonly store: Pick<SqlStore, "keep" | "entriesBefore" | "entriesBetween">;
}

/**
 * Pending messages to the parent and children, one row each, written by the transaction of the entry that causes them.
 * A row stays as long as the session: deleting the session also deletes its children.
 */
export class FamilyMembers implements Background {
  readonly #disk: Disk;
  readonly #deps: FamilyMembersDeps;
  /** asked for by every alarm, and nearly always empty */
  readonly #open: Cached<readonly FamilyMember[]>;

  constructor(disk: Disk, deps: FamilyMembersDeps) {
    this.#disk = disk;
    this.#deps = deps;
    this.#open = deps.store.keep(() =>
      this.#disk.exec("SELECT * FROM family WHERE state <> 'done' ORDER BY name").map(memberOf),
    );
  }

  due(): number | null {
    return this.#open
      .get()
      .reduce<number | null>((least, { due }) => (due === null ? least : Math.min(least ?? due, due)), null);
  }

  wrote(entries: readonly Entry[], state: State): void {
    for (const entry of entries) this.#follow(entry, state);
  }

  #follow(entry: Entry, state: State): void {
    const { session, store } = this.#deps;
    switch (entry.kind) {
      case "call_intended": {
        const { share, call } = entry.body;
        if (share === undefined) return;
        const of = [childName(session, call), entry.run, call] as const;
        this.#write(
          "INSERT OR IGNORE INTO family (name, run, call, state, due, tries, polls) VALUES (?, ?, ?, 'starting', NULL, 0, 0)",
          ...of,
        );
        return;
      }
      case "call_deferred":
        this.#set(entry.body.child, "working", entry.body.pollAt);
        return;
      case "call_settled": {
        const begun = this.#open
          .get()
          .find(({ call, state: at }) => call === entry.body.call && at === "starting");
        if (begun === undefined) return;
        // A refused start left no child. After a crash or cancel, one may exist.
        const isThere = entry.body.status === "unknown" || entry.body.status === "cancelled";
        if (isThere) this.#set(begun.name, "stopping", entry.at + DELIVERY_ALARM_MS_MIN);
        else this.#write("DELETE FROM family WHERE name = ?", begun.name);
        return;
      }
      case "child_stopped":
        this.#set(entry.body.child, "stopping", entry.at + DELIVERY_ALARM_MS_MIN);
        return;
      case "child_reported":
        if (entry.body.reason === "child_lost") this.#stopLost(entry.body.child, entry.at);
        else this.#set(entry.body.child, "done", null);
        return;
      case "run_ended": {
        for (const { name, run, state: at } of this.#open.get())
          if (run === entry.run && (at === "starting" || at === "working"))
            this.#set(name, "stopping", entry.at + DELIVERY_ALARM_MS_MIN);
        if (parentOf(session) === null) return;
        const parent = loadRunRequest(store, state, entry.run ?? "")?.parent;
        if (parent === undefined) return;
        this.#write(
          "INSERT OR IGNORE INTO family (name, run, call, state, due, tries, polls) VALUES (?, ?, ?, 'reporting', ?, 0, 0)",
          parent.session,
          entry.run,
          parent.call,
          entry.at + DELIVERY_ALARM_MS_MIN,
        );
        return;
      }
      default:
    }
  }

  /** Claims due messages: until the outcome is written or the isolate must have died, nobody else sends them. */
  claim(at: number): readonly FamilyMember[] {
    const due = this.#open.get().filter((one) => one.due !== null && one.due <= at + DELIVERY_ALARM_MS_MIN);
    for (const { name, tries } of due)
      this.#write(
        "UPDATE family SET due = ?, tries = ? WHERE name = ?",
        at + DELIVERY_LOST_MS,
        tries + 1,
        name,
      );
    return due.map((one) => ({ ...one, tries: one.tries + 1 }));
  }

  /** A child is at work, and is asked again ever later. */
  pollLater({ name, polls }: FamilyMember, at: number): void {
    const wait = Math.min(CHILD_POLL_MS_MAX, CHILD_POLL_MS * 2 ** polls);
    this.#write(
      "UPDATE family SET due = ?, tries = 0, polls = ? WHERE name = ? AND state = 'working'",
      at + wait,
      polls + 1,
      name,
    );
  }

  /**
   * Records a failed try. False: there is no further try, and the failure must be recorded. A child gets stop messages
   * until it confirms, ever more seldom: without a stop it would go on spending and acting.
   */
  failed({ name, tries, state }: FamilyMember, at: number): boolean {
    const isLast = tries >= FAMILY_TRIES_MAX;
    if (isLast && state !== "stopping") return false;
    const most = state === "stopping" ? STOP_RETRY_MS_MAX : CHILD_POLL_MS_MAX;
    const wait = Math.min(most, FAMILY_RETRY_MS * 4 ** (tries - 1));
    this.#write("UPDATE family SET due = ? WHERE name = ? AND state = ?", at + wait, name, state);
    return !isLast;
  }

  /** Stops a child whose report is not awaited any more. An earlier stop continues unchanged. */
  #stopLost(name: string, at: number): void {
    this.#write(
      "UPDATE family SET state = 'stopping', due = ?, tries = 0 WHERE name = ? AND state <> 'stopping'",
      at + CHILD_POLL_MS,
      name,
    );
  }

  /** Schedules an early retry: the recipient was not ready yet. */
  again({ name, state }: FamilyMember, at: number): void {
    this.#write(
      "UPDATE family SET due = ?, tries = 0 WHERE name = ? AND state = ?",
      at + FAMILY_RETRY_MS,
      name,
      state,
    );
  }

  /** Ends the messages to a member. A row that has changed meanwhile is left unchanged. */
  end({ name, state }: FamilyMember): void {
    this.#write("UPDATE family SET state = 'done', due = NULL WHERE name = ? AND state = ?", name, state);
  }

  /** A child was sent a stop, and its report is awaited all the same. */
  awaits({ name, state }: FamilyMember, at: number): void {
    this.#write(
      "UPDATE family SET state = 'working', due = ?, tries = 0 WHERE name = ? AND state = ?",
      at + CHILD_POLL_MS,
      name,
      state,
    );
  }

  /** All that were ever started from here. */
  children(): readonly string[] {
    const { session } = this.#deps;
    return this.#disk
      .exec("SELECT name FROM family ORDER BY name")
      .map((row) => String(row["name"]))
      .filter((name) => parentOf(name)?.session === session);
  }

  #set(name: string, state: FamilyMember["state"], due: number | null): void {
    this.#write("UPDATE family SET state = ?, due = ?, tries = 0 WHERE name = ?", state, due, name);
  }

  #write(query: string, ...values: (string | number | null)[]): void {
    this.#open.forget();
    this.#disk.exec(query, ...values);
  }
}

function memberOf(row: Record<string, string | number | null>): FamilyMember {
  const { name, run, call, state, due = null, tries, polls } = row;
  return {
    name: String(name),
    run: String(run),
    call: String(call),
    state: state as FamilyMember["state"],
    due: due === null ? null : Number(due),
    tries: Number(tries),
    polls: Number(polls),
  };
}
