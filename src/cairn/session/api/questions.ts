import { err, ok } from "../../core/log/result.ts";
import type { BodyOf, Entry } from "../../core/log/entry.ts";
import { localRun, runId, runOf } from "../../core/log/names.ts";
import { answerEntries, questionOf, readAnswer } from "../../core/entries/question.ts";
import type { State } from "../../core/state/state.ts";
import type { Actor, ApiResult, AnswerCommand, ApiError } from "./session-api.ts";
import type { Transaction } from "../engine/transaction.ts";
import { ALREADY_ANSWERED, NO_QUESTION, NOT_WAITING, WAITING_FOR_APPROVAL } from "./errors.ts";

/**
 * Takes a person's answer to a question inside a transaction; answers with the run that goes on. Refuses one that is not
 * open: 404 unknown, 409 `already_answered`, `not_waiting`, `waiting_for_approval`; and 422 `invalid_answer`, which leaves
 * it open. The same answer by the same person again is the first one. `rowsOf` reads a run by its local name.
 */
export function takeAnswer(
  tx: Transaction,
  session: string,
  actor: Actor,
  command: AnswerCommand,
  entriesOf: (run: string) => readonly Entry[],
): ApiResult<{ readonly runId: string }> {
  const { value } = command;
  const open = questionOf(tx.state.run, tx.at);
  const run = command.runId === null ? null : localRun(session, command.runId);
  if (command.runId !== null && (run === null || entriesOf(run).length === 0)) return err(NO_QUESTION);
  const name = command.question ?? (run === null || run === tx.state.run?.run ? open?.question : undefined);
  if (name === undefined) return err(notWaiting(tx.state, run));
  const owner = runOf(name);
  if (owner === null || (run !== null && run !== owner)) return err(NO_QUESTION);
  const { question, answered } = findQuestion(entriesOf(owner), name);
  if (question === null) return err(NO_QUESTION);
  if (open?.question !== name) {
    const again =
      answered !== null &&
      answered.actor === actor.subject &&
      answered.value === readAnswer(question, value, false);
    if (again && !answered.expired) return ok({ runId: runId(session, owner) });
    return err(answered === null || answered.expired ? NOT_WAITING : ALREADY_ANSWERED);
  }
  const read = readAnswer(question, value, false);
  if (read === null) return err(invalidAnswer(question));
  const live = tx.state.run;
  if (live?.phase.at !== "waiting_human") return err(NOT_WAITING);
  const by = { actor: actor.subject, via: actor.via, message: null, request: null };
  tx.append(answerEntries(live, live.phase, { value: read, ...by }));
  return ok({ runId: runId(session, owner) });
}

/** The question of that name in the entries of its run, and its answer; null for what is not there. */
export function findQuestion(
  entries: readonly Entry[],
  name: string,
): { readonly question: BodyOf<"human_asked"> | null; readonly answered: BodyOf<"human_answered"> | null } {
  let question: BodyOf<"human_asked"> | null = null;
  let answered: BodyOf<"human_answered"> | null = null;
  for (const entry of entries) {
    if (entry.kind === "human_asked" && entry.body.question === name) question = entry.body;
    if (entry.kind === "human_answered" && entry.body.question === name) answered = entry.body;
  }
  return { question, answered };
}

function notWaiting({ run }: State, wanted: string | null): ApiError {
  const decides = run?.phase.at === "waiting_approval" && (wanted === null || wanted === run.run);
  return decides ? WAITING_FOR_APPROVAL : NOT_WAITING;
}

function invalidAnswer({ form, options }: BodyOf<"human_asked">): ApiError {
  const hint = form === "choice" ? `One of: ${options.join(", ")}.` : "Words that say something.";
  const issues = [{ path: "value", code: "invalid_answer", message: hint }];
  return { status: 422, code: "invalid_answer", message: "This does not answer the question.", hint, issues };
}
