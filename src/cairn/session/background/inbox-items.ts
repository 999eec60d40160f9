import { asKind, type BodyOf } from "../../core/log/entry.ts";
import { runId } from "../../core/log/names.ts";
import { outcomeClass } from "../../core/log/run.ts";
import { openBudgetQuestion } from "../../core/loop/receive-extension.ts";
import type { State } from "../../core/state/state.ts";
import { receiptText } from "../../core/text/receipt-lines.ts";
import type { Answer } from "../../protocol/api.ts";
import { findBudgetQuestion } from "../../protocol/stream/budget-question.ts";
import { receiptView } from "../../protocol/receipt.ts";
import { isoTime } from "../../protocol/stream/ui-chunk.ts";
import { loadRun } from "../api/log-reader.ts";
import type { Store } from "../engine/ports.ts";
import type { Statement } from "../storage/index-db.ts";

/**
 * Items of a session that wait for its owner, other than approvals, copied to the inbox of all sessions (D1,
 * migrations/0005).
 */

type Reads = Pick<Store, "entriesBefore" | "entriesBetween">;
type Inbox = Answer<"Inbox">;

interface Item {
  readonly id: string;
  readonly kind: "question" | "failed_run" | "budget";
  readonly at: number;
  /** the title of the session is that of its row */
  readonly view:
    | Omit<Inbox["questions"][number], "title">
    | Omit<Inbox["failedRuns"][number], "title">
    | Omit<Inbox["budgetQuestions"][number], "title">;
}

/** Writes what waits now in the place of what waited before. What was dismissed stays so as long as it waits. */
export function waitingStatements(session: string, owner: string, state: State, store: Reads): Statement[] {
  const items = [
    openQuestion(session, state, store),
    openBudget(session, state, store),
    failedRun(session, state, store),
  ].filter((item) => item !== null);
  return [
    [
      "DELETE FROM inbox_items WHERE session_id = ?1 AND id NOT IN (SELECT value FROM json_each(?2))",
      session,
      JSON.stringify(items.map(({ id }) => id)),
    ],
    ...items.map(({ id, kind, at, view }): Statement => [
      `INSERT INTO inbox_items (session_id, id, owner, kind, at, view) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (session_id, id) DO UPDATE SET owner = excluded.owner, at = excluded.at, view = excluded.view`,
      session,
      id,
      owner,
      kind,
      at,
      JSON.stringify(view),
    ]),
  ];
}

function openQuestion(session: string, { run }: State, store: Reads): Item | null {
  if (run?.phase.at !== "waiting_human") return null;
  const { seq } = run.phase.question;
  const request = store.entriesBetween(seq, seq)[0];
  if (request?.kind !== "human_asked") return null;
  const { question: id, text, options, context, default: taken, expiresAt } = request.body;
  return {
    id,
    kind: "question",
    at: request.at,
    view: {
      id,
      sessionId: session,
      runId: runId(session, run.run),
      question: text,
      context,
      options: [...options],
      default: taken,
      askedAt: isoTime(request.at),
      expiresAt: isoTime(expiresAt),
    },
  };
}

function openBudget(session: string, state: State, store: Reads): Item | null {
  const open = openBudgetQuestion(state.run);
  if (open === null) return null;
  const entries = loadRun(store, state, state.run?.run ?? "");
  const view = findBudgetQuestion(session, entries, open.question);
  return view === null ? null : { id: view.id, kind: "budget", at: Date.parse(view.askedAt), view };
}

/** The last run, if a schedule asked for it and it failed for another reason than a person's no. Any later run takes its place. */
function failedRun(session: string, state: State, store: Reads): Item | null {
  const last = state.ended.at(-1);
  if (last === undefined || state.run !== null || last.lastSeq <= state.cleared) return null;
  if (outcomeClass(last.outcome) !== "failed" || last.outcome === "denied") return null;
  const entries = loadRun(store, state, last.run);
  const queued = entries.map((entry) => asKind(entry, "run_queued")).find((entry) => entry !== null);
  const ended = entries.map((entry) => asKind(entry, "run_ended")).find((entry) => entry !== null);
  if (queued?.body.source !== "schedule" || ended === undefined || queued.body.parent !== undefined)
    return null;
  const input = store.entriesBetween(last.inputSeq, last.inputSeq)[0];
  const parts = input?.kind === "user_message" ? input.body.parts : [];
  const answer = entries.map((entry) => asKind(entry, "answer")).findLast((entry) => entry !== null);
  return {
    id: last.run,
    kind: "failed_run",
    at: ended.at,
    view: {
      sessionId: session,
      runId: runId(session, last.run),
      objective: parts.map((part) => (part.type === "text" ? part.text : "")).join("\n"),
      answer: answer === undefined ? null : withReceipt(answer.body, ended.body),
      endedAt: isoTime(ended.at),
    },
  };
}

function withReceipt(answer: BodyOf<"answer">, { class: outcome, reason }: BodyOf<"run_ended">): string {
  const lines = receiptView(answer, { outcome, reason })?.lines ?? [];
  return [receiptText(lines), answer.text].filter((text) => text !== "").join("\n\n");
}
