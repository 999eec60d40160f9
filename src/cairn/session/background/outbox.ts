import { complaintOf, type Redact } from "../../core/text/redact.ts";
import type { Answered } from "./delivery-retry.ts";
import { afterTry } from "./delivery-retry.ts";
import type { Entry } from "../../core/log/entry.ts";
import type { Json } from "../../core/log/json.ts";
import { DELIVERIES_AT_ONCE, DELIVERY_ALARM_MS_MIN, DELIVERY_LOST_MS } from "../../core/limits.ts";
import type { BodyOf } from "../../core/log/entry.ts";
import { runOf } from "../../core/log/names.ts";
import type { State } from "../../core/state/state.ts";
import { signLink } from "../../protocol/signed/approval-link.ts";
import { findApproval, type ApprovalView } from "../../protocol/approval.ts";
import { earlier } from "../engine/transaction.ts";
import { HeldRows, isOfPart, type KnownTimes } from "./held.ts";
import { callNotes } from "./notes.ts";
import {
  findBudgetQuestion,
  runOfBudgetQuestion,
  type BudgetQuestionView,
} from "../../protocol/stream/budget-question.ts";
import { noticesOf, type NoticeContext } from "../../webhooks/notices.ts";
import { isSubscribed, type WebhookTarget } from "../../config/webhook-config.ts";
import { loadRunRequest, loadRun } from "../api/log-reader.ts";
import { findQuestion } from "../api/questions.ts";
import type { Cached } from "../storage/cache.ts";
import type { Background } from "../engine/ports.ts";
import type { Disk, SqlStore } from "../storage/store.ts";
import { logError } from "../../operator-log.ts";

/** One try to deliver to a target. */
export interface Delivery {
  /** `webhook-id`: the same on every try */
  readonly id: string;
  readonly target: string;
  readonly body: string;
  /** with this one */
  readonly tries: number;
}

/** A row that is to be delivered. */
export interface OutboxRow {
  /** the same on every try, and no other row's of its target */
  readonly id: string;
  /** `kind:name` for a part of a plugin; the id of a webhook has no colon */
  readonly target: string;
  readonly type: string;
  /** JSON; `quiet` in it is a `QuietMark` */
  readonly body: string;
}

/** The deliveries of a part of a plugin. */
export interface Deliveries {
  /** kinds of targets that are its own: `place` of `place:telegram:4711` */
  readonly kinds: readonly string[];
  /** types of rows that a person must not get twice: one that may have arrived is not sent again */
  readonly once: readonly string[];
  /** Never throws: a failure is an answer. */
  deliver(delivery: Delivery): Promise<Answered>;
}

/** what became of a delivery, for admins */
export interface DeliveryView {
  readonly id: string;
  readonly target: string;
  readonly type: string;
  /** seq of the reported entry; null if the ID has none */
  readonly seq: number | null;
  /** held: until the end of quiet hours; noted: for a digest, or already in one */
  readonly state: "pending" | "held" | "noted" | "delivered" | "failed" | "unknown";
  readonly tries: number;
  /** HTTP status of the last answer; null when none came */
  readonly lastStatus: number | null;
  readonly createdAt: string;
  /** of the next try, or when it is looked at again */
  readonly nextAt: string | null;
  readonly endedAt: string | null;
}

export interface DeliveryPage {
  readonly items: readonly DeliveryView[];
  readonly nextCursor: string | null;
}

/** A question with options, and its end. */
export interface QuestionState {
  readonly question: BodyOf<"human_asked">;
  /** null before the answer, and if the run ended first */
  readonly answered: BodyOf<"human_answered"> | null;
  readonly isOpen: boolean;
}

/** Facts that an entry alone does not have, for notices about it. */
export interface EntryNoticeContext extends NoticeContext {
  /** subjects who may decide it */
  readonly deciders: (approval: ApprovalView) => readonly string[];
  /** owner of the session; null without one */
  readonly owner: () => string | null;
  /** of a run, where it was open until the entry of this seq; else null */
  readonly budgetQuestion: (run: string, seq: number) => string | null;
}

export interface OutboxDeps {
  readonly session: string;
  readonly targets: readonly WebhookTarget[];
  readonly store: Pick<SqlStore, "entriesBefore" | "entriesBetween" | "keep">;
  readonly inputSchema: (tool: string) => Json;
  readonly redact: Redact;
  /** owner of the session; null without one */
  readonly owner: () => string | null;
  /** of the parts of plugins, once the session is whole; none when left out */
  readonly deliveries?: () => readonly Deliveries[];
  /** null if links are off, or the public URL is unknown */
  readonly links: {
    readonly secrets: readonly string[];
    readonly origin: string;
    /** names of the grants of a subject, which validate their link; absent if no rights can end */
    readonly grantsOf?: (subject: string) => readonly string[];
  } | null;
  /** public URL of the page; absent or null if unknown */
  readonly publicUrl?: string | null;
}

/**
 * Notices to the outside, in rows in addition to the log. The transaction that writes an entry also writes its notice,
 * so none is lost and none reports what did not happen. `outbox` holds due rows, `deliveries` their outcomes; the store
 * creates both tables and empties them with the session.
 */
export class SessionOutbox implements Background {
  readonly #disk: Disk;
  readonly #deps: OutboxDeps;
  /** asked for by every alarm, and nearly always null */
  readonly #due: Cached<number | null>;
  readonly held: HeldRows;

  constructor(disk: Disk, deps: OutboxDeps) {
    this.#disk = disk;
    this.#deps = deps;
    this.#due = deps.store.keep(() => this.#readDue());
    this.held = new HeldRows(disk, deps.store);
  }

  /** Changes what waits. */
  #write(query: string, ...values: (string | number | null)[]): void {
    this.#due.forget();
    this.#disk.exec(query, ...values);
  }

  wrote(entries: readonly Entry[], state: State): void {
    const { session, targets, redact, owner } = this.#deps;
    try {
      for (const entry of entries) {
        const around = this.around(state);
        if (targets.length > 0)
          for (const { id, type, body } of noticesOf(session, entry, around))
            for (const { id: target } of targets.filter((one) => isSubscribed(one, type)))
              this.keep({ id, target, type, body }, entry.at);
        callNotes(this.held, entry, { requestOf: around.requestOf, owner: owner() });
      }
    } catch (error) {
      // A failed notice must not stop the run.
      logError("a notice could not be written", complaintOf(error, redact));
    }
  }

  /** Stores a row that waits until then. */
  keepUntil(row: OutboxRow, at: number, until: number): void {
    this.keep(row, at);
    this.held.hold(row.id, row.target, until);
    this.#due.forget();
  }

  /** Stores a row that is due `waitMs` from now, in the transaction of the entry that it reports. */
  keep({ id, target, type, body }: OutboxRow, at: number, waitMs = 0): void {
    this.#write(
      "INSERT INTO outbox (id, target, type, body, at, due, tries, status) VALUES (?, ?, ?, ?, ?, ?, 0, NULL)",
      id,
      target,
      type,
      body,
      at,
      at + waitMs + DELIVERY_ALARM_MS_MIN,
    );
  }

  /** New notices are sent at once; their alarm, a little later, is for those that were lost on the way. */
  due(): number | null {
    return earlier(this.#due.get(), this.held.due());
  }

  #readDue(): number | null {
    const due = this.#disk.exec("SELECT min(due) AS due FROM outbox")[0]?.["due"];
    return due === null || due === undefined ? null : Number(due);
  }

  /**
   * Claims due rows: until the outcome is written or the isolate must have died, nobody else sends them. `times`:
   * settings of each of `held.subjectsDue`, read before.
   */
  claim(at: number, times: KnownTimes = new Map()): Delivery[] {
    if (this.held.release(at)) this.#due.forget();
    const rows = this.#disk.exec(
      "SELECT id, target, type, body, tries, status FROM outbox WHERE due <= ? ORDER BY due, at LIMIT ?",
      at + DELIVERY_ALARM_MS_MIN,
      DELIVERIES_AT_ONCE,
    );
    return rows.flatMap((row) => {
      // The isolate crashed while sending, and the outcome is unknown: a person must not get a message twice.
      const wasBegun = Number(row["tries"]) > 0 && row["status"] === null;
      if (wasBegun && this.#isOnce(String(row["target"]), String(row["type"]))) {
        const { id, target, tries } = row;
        const died = { id: String(id), target: String(target), body: "", tries: Number(tries) };
        this.settle(died, { status: null, retryAfterMs: null, lost: true }, at);
        return [];
      }
      if (this.held.holds(row, times, at)) {
        this.#due.forget();
        return [];
      }
      const delivery = {
        id: String(row["id"]),
        target: String(row["target"]),
        body: String(row["body"]),
        tries: Number(row["tries"]) + 1,
      };
      this.#write(
        "UPDATE outbox SET tries = ?, due = ?, status = CASE ? WHEN 1 THEN ? ELSE status END WHERE id = ? AND target = ?",
        delivery.tries,
        at + DELIVERY_LOST_MS,
        this.#isOnce(delivery.target, String(row["type"])) ? 1 : 0,
        NOT_BEGUN,
        delivery.id,
        delivery.target,
      );
      return [delivery];
    });
  }

  /**
   * Marks a claimed delivery as begun to send: from here on it may have arrived. False: another attempt has taken it
   * meanwhile, so this one must not send it.
   */
  begin({ id, target, tries }: Pick<Delivery, "id" | "target" | "tries">, at: number): boolean {
    const row = this.#disk.exec("SELECT tries FROM outbox WHERE id = ? AND target = ?", id, target)[0];
    if (row === undefined || Number(row["tries"]) !== tries) return false;
    this.#write(
      "UPDATE outbox SET status = NULL, due = ? WHERE id = ? AND target = ?",
      at + DELIVERY_LOST_MS,
      id,
      target,
    );
    return true;
  }

  /** Writes the outcome of a try. If another sender has since claimed the row, only a success counts. */
  settle({ id, target, tries }: Delivery, answered: Answered, at: number): void {
    const row = this.#disk.exec(
      "SELECT type, at, tries FROM outbox WHERE id = ? AND target = ?",
      id,
      target,
    )[0];
    const after = afterTry(tries, answered, at);
    if (row === undefined || (after.then !== "delivered" && Number(row["tries"]) !== tries)) return;
    if (after.then === "retry") {
      this.#write(
        "UPDATE outbox SET due = ?, status = ?, body = coalesce(?, body) WHERE id = ? AND target = ?",
        after.at,
        answered.status,
        answered.rest ?? null,
        id,
        target,
      );
      return;
    }
    this.#write("DELETE FROM outbox WHERE id = ? AND target = ?", id, target);
    this.#disk.exec(
      "INSERT INTO deliveries (id, target, type, at, tries, status, outcome, ended_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      id,
      target,
      String(row["type"]),
      Number(row["at"]),
      tries,
      answered.status,
      after.then,
      at,
    );
  }

  /** Returns an approval in its present state. */
  approval(id: string, state: State): ApprovalView | null {
    return this.around(state).approval(id);
  }

  /** Returns a run's budget question in its present state. */
  budgetQuestion(id: string, state: State): BudgetQuestionView | null {
    const { session, store } = this.#deps;
    return findBudgetQuestion(session, loadRun(store, state, runOfBudgetQuestion(id) ?? ""), id);
  }

  /** The question of a run as it is now; null where there is none of that name. */
  question(id: string, state: State): QuestionState | null {
    const run = runOf(id);
    const { question: record, answered } = findQuestion(loadRun(this.#deps.store, state, run ?? ""), id);
    return record === null
      ? null
      : { question: record, answered, isOpen: answered === null && state.run?.run === run };
  }

  /** The page on which this person decides it without logging in; null where links are off, or they are none who decides. */
  linkTo(approval: ApprovalView, subject: string): string | null {
    return this.#linksTo(approval)?.[subject] ?? null;
  }

  /** Returns the address of the session on the page, for people who can log in; null if the public URL is unknown. */
  shownAt(): string | null {
    const { session, publicUrl = null } = this.#deps;
    return publicUrl === null ? null : `${publicUrl}/#/s/${session}`;
  }

  /** The part of a plugin that delivers to this target; null for a webhook, and where the plugin is gone. */
  deliveriesFor(target: string): Deliveries | null {
    const [kind = ""] = target.split(":", 1);
    if (!isOfPart(target)) return null;
    return this.#deps.deliveries?.().find(({ kinds }) => kinds.includes(kind)) ?? null;
  }

  #isOnce(target: string, type: string): boolean {
    return this.deliveriesFor(target)?.once.includes(type) === true;
  }

  /** True while the row waits to be delivered. */
  waits(target: string): boolean {
    return this.#disk.exec("SELECT 1 FROM outbox WHERE target = ? LIMIT 1", target).length > 0;
  }

  /**
   * Returns waiting rows, then ended ones, newest first: all, or those to people. `cursor` is from the previous page.
   */
  page(limit: number, cursor: number | null, whose: "all" | "people" = "all"): DeliveryPage {
    const those = whose === "all" ? "true" : TO_PEOPLE;
    const waiting =
      cursor === null
        ? [
            ...this.#disk.exec(
              `SELECT *, 'pending' AS outcome, NULL AS ended_at FROM outbox WHERE ${those} ORDER BY at DESC, id DESC LIMIT ?`,
              limit,
            ),
            ...this.held.list(limit),
          ].slice(0, limit)
        : [];
    const left = limit - waiting.length;
    const ended = this.#disk.exec(
      `SELECT *, NULL AS due FROM deliveries WHERE n < ? AND ${those} ORDER BY n DESC LIMIT ?`,
      cursor ?? Number.MAX_SAFE_INTEGER,
      left + 1,
    );
    const shown = ended.slice(0, left);
    const last = shown.at(-1)?.["n"] ?? cursor ?? Number.MAX_SAFE_INTEGER;
    return {
      items: [...waiting, ...shown].map(viewOf),
      nextCursor: ended.length > left ? String(last) : null,
    };
  }

  /** Facts about the entries that led to this state. */
  around(state: State): EntryNoticeContext {
    const { session, store, inputSchema } = this.#deps;
    return {
      answer: (run) => {
        const seq = state.ended.find((ended) => ended.run === run)?.answer ?? null;
        const row = seq === null ? undefined : store.entriesBetween(seq, seq)[0];
        return row?.kind === "answer" ? row.body : null;
      },
      requestOf: (run) => loadRunRequest(store, state, run),
      deciders: (approval) => this.#decidersOf(approval),
      approval: (id) => {
        const found = findApproval(session, loadRun(store, state, runOf(id) ?? ""), id);
        return found === null ? null : { ...found, argsSchema: inputSchema(found.tool) };
      },
      links: (approval) => this.#linksTo(approval),
      owner: this.#deps.owner,
      budgetQuestion: (run, seq) => {
        const before = loadRun(store, state, run).filter((entry) => entry.seq < seq);
        const budgetAsked = before.find((entry) => entry.kind === "budget_asked");
        if (budgetAsked?.kind !== "budget_asked") return null;
        const { question } = budgetAsked.body;
        return findBudgetQuestion(session, before, question)?.state === "open" ? question : null;
      },
    };
  }

  /** Returns a link for each person named by the approval. `*` names no person, and a webhook source cannot decide. */
  #linksTo(approval: ApprovalView): { [subject: string]: string } | null {
    const { links, session } = this.#deps;
    if (links === null) return null;
    const { id, digest, createdAt, expiresAt } = approval;
    const requestedAt = Date.parse(createdAt);
    const ends = Math.ceil(Date.parse(expiresAt) / 1_000);
    const found: { [subject: string]: string } = {};
    for (const subject of this.#decidersOf(approval)) {
      const grants = links.grantsOf?.(subject);
      const token = signLink(links.secrets, {
        approval: id,
        digest,
        ends,
        session,
        asked: requestedAt,
        subject,
        ...(grants === undefined ? {} : { grants }),
      });
      found[subject] = `${links.origin}/a/${token}`;
    }
    return found;
  }

  #decidersOf({ approvers, requester, requesterMayApprove }: ApprovalView): string[] {
    const owner = this.#deps.owner();
    return approvers.flatMap((name) => {
      const subject = name === "owner" ? owner : name;
      if (subject === null || subject === "*" || subject.startsWith("hook:")) return [];
      return subject === requester && !requesterMayApprove ? [] : [subject];
    });
  }
}

/**
 * Status of a message that was claimed and not begun to send: its isolate may die, and it is due again. No HTTP status is
 * zero; null is that of a message begun to send, of which no answer is known.
 */
const NOT_BEGUN = 0;

/** As `isOfPart`, of rows. */
const TO_PEOPLE = "(target GLOB '*:*')";

/** `7` of `ses_demo.7.1735689600000.origin` */
const seqOf = (id: string): number | null => {
  const seq = /\.(\d+)\.\d+(?:\.[a-z_]+)?$/.exec(id)?.[1];
  return seq === undefined ? null : Number(seq);
};

function viewOf(row: Record<string, string | number | null>): DeliveryView {
  const time = (value: string | number | null | undefined): string | null =>
    value === null || value === undefined ? null : new Date(Number(value)).toISOString();
  const status = row["status"] ?? null;
  return {
    id: String(row["id"]),
    target: String(row["target"]),
    type: String(row["type"]),
    seq: seqOf(String(row["id"])),
    state: row["outcome"] as DeliveryView["state"],
    tries: Number(row["tries"]),
    lastStatus: status === null || status === NOT_BEGUN ? null : Number(status),
    createdAt: time(row["at"]) ?? "",
    nextAt: time(row["due"]),
    endedAt: time(row["ended_at"]),
  };
}
