import { startOf } from "../../../cairn/core/text/cut.ts";
import { complaintOf, createRedactor } from "../../../cairn/core/text/redact.ts";
import { logError } from "../../../cairn/operator-log.ts";
import { rowsOf } from "../storage/rows.ts";
import { number } from "../model/columns.ts";

/**
 * Attempts at work that is due at a time. Owns the table `due_attempts`. Work is claimed before it is attempted, so that a
 * worker that dies has used up an attempt, and work that waits for its next attempt leaves its place in the queue to others.
 */

/** After so many attempts the work is given up, and a person gets a message. */
export const DUE_ATTEMPTS_MAX = 6;
const MINUTE_MS = 60_000;
const WAIT_MS_MAX = 60 * MINUTE_MS;
const ERROR_CHARS_MAX = 300;

/** Milliseconds to the next attempt after this many: 1, 2, 4, … minutes, at most an hour. */
export const waitAfter = (attempts: number): number =>
  Math.min(WAIT_MS_MAX, MINUTE_MS * 2 ** Math.min(attempts - 1, 10));

/** SQL: the moment at which work of this key may be attempted, null before its first attempt. `key` is a trusted expression. */
export const retryAt = (key: string): string =>
  `(SELECT retry_at FROM due_attempts WHERE due_attempts.key=${key})`;

/** The number of this attempt, counted from 1; null where another pass has claimed it, or it is not due yet. */
export async function claimAttempt(db: D1Database, key: string, now: number): Promise<number | null> {
  const [row] = await rowsOf(
    { db },
    `INSERT INTO due_attempts(key,attempts,retry_at) VALUES(?1,1,?2+${waitAfter(1)})
      ON CONFLICT(key) DO UPDATE SET attempts=attempts+1,
        retry_at=?2+min(${WAIT_MS_MAX}, ${MINUTE_MS}*(1<<min(attempts,10))) WHERE retry_at<=?2
      RETURNING attempts`,
    key,
    now,
  );
  return row === undefined ? null : number(row, "attempts");
}

/** Stores why an attempt failed. Never throws: the attempt is counted already. */
export async function failAttempt(db: D1Database, key: string, why: string): Promise<void> {
  try {
    await rowsOf({ db }, "UPDATE due_attempts SET error=?2 WHERE key=?1", key, startOf(why, ERROR_CHARS_MAX));
  } catch {
    // The database does not answer; the next attempt finds out more.
  }
}

export const NOT_TAKEN = "The database did not take it.";
export const OTHERS_WRITE = "Others kept writing to the same things.";

/**
 * One attempt at work that is due. Never throws. `work` settles it, or throws; after the last attempt `giveUp` takes it out
 * of the queue with the reason. Null: another pass has claimed it.
 */
export async function attempt<Became extends string>(
  db: D1Database,
  key: string,
  now: number,
  { work, giveUp }: { readonly work: () => Promise<Became>; readonly giveUp: (why: string) => Promise<void> },
): Promise<Became | "later" | "left" | null> {
  let attempts = 0;
  try {
    const claimed = await claimAttempt(db, key, now);
    if (claimed === null) return null;
    attempts = claimed;
    // The worker died in each of the attempts before this one: it would die in this one too.
    if (attempts > DUE_ATTEMPTS_MAX) throw new Error("The work was interrupted each time.");
    const became = await work();
    await clearStatement(db, key).run();
    return became;
  } catch (error) {
    const why = complaintOf(error, createRedactor([]));
    logError("scheduled work failed", key, why);
    if (attempts === 0) return "later";
    await failAttempt(db, key, why);
    if (attempts < DUE_ATTEMPTS_MAX) return "later";
    return (await gaveUp(db, key, () => giveUp(reasonOf(error, attempts)))) ? "left" : "later";
  }
}

const reasonOf = (error: unknown, attempts: number): string => {
  const known = error instanceof Error && (error.message === NOT_TAKEN || error.message === OTHERS_WRITE);
  return `${known ? error.message : "Something went wrong on our side; the operator's log has the error."} It was attempted ${attempts} times. Ask for publishing again.`;
};

async function gaveUp(db: D1Database, key: string, giveUp: () => Promise<void>): Promise<boolean> {
  try {
    await giveUp();
    await clearStatement(db, key).run();
    return true;
  } catch (error) {
    logError("scheduled work could not be given up", key, complaintOf(error, createRedactor([])));
    return false;
  }
}

/** Forgets the attempts of work that is done or given up. */
export const clearStatement = (db: D1Database, key: string): D1PreparedStatement =>
  db.prepare("DELETE FROM due_attempts WHERE key=?1").bind(key);
