import { attemptsOf, attemptsReply, rolloutsOf } from "../../../core/family/rollouts.ts";
import { CHILD_OBJECTIVE_CHARS_MAX } from "../../../core/limits.ts";
import type { Entry } from "../../../core/log/entry.ts";
import type { CallModel } from "../../../core/loop/next.ts";
import { judge } from "../../../core/loop/judge-reply.ts";
import { measurePrompt } from "../../../core/prompt/prompt.ts";
import { specOf } from "../../../core/entries/grant.ts";
import type { LiveRun } from "../../../core/state/state.ts";
import type { Ports } from "../ports.ts";
import { checkIn } from "../compose-request.ts";
import type { Transaction } from "../transaction.ts";

/** The first step of a run that is worked several times: its calls are made here, in one transaction, and no model is asked. */

export const beginsAttempts = (entries: readonly Entry[], { n, purpose, opened }: CallModel): boolean =>
  n === 1 && purpose === "step" && !opened && rolloutsOf(specOf(entries)) > 1;

export function openAttempts(tx: Transaction, run: LiveRun, { step, n }: CallModel, ports: Ports): void {
  const entries = tx.entriesOf(run).current;
  const spec = specOf(entries);
  const count = rolloutsOf(spec);
  const objective = wordsOf(tx, run).trim().slice(0, CHILD_OBJECTIVE_CHARS_MAX).toWellFormed();
  const attempts = attemptsOf(tx.state, run, { objective, count, output: spec.output }, tx.at);
  const readTo = tx.state.head;
  const size = { instructions: 0, tools: 0, earlier: 0, run: 0, tail: 0, messages: 0 };
  const nothing = { promptTokens: 0, size, reservedTokens: 0, reservedCost: 0, maxOut: 0 };
  const body = {
    purpose: "step",
    model: run.models.current,
    n,
    window: { from: run.request.inputSeq, to: readTo },
    ...measurePrompt("", []),
    ...nothing,
    attempts: count,
  } as const;
  tx.append([{ kind: "step_started", run: run.run, step, body }]);
  const begun = tx.state.run ?? run;
  const reply = attemptsReply(attempts);
  tx.append(judge(tx.state, reply, readTo, tx.at, tx.entriesOf(begun).current, checkIn(tx, begun, ports)));
}

/** What the person asked for, in words. */
function wordsOf(tx: Transaction, { request }: LiveRun): string {
  const said = tx.entryAt(request.inputSeq);
  const parts = said?.kind === "user_said" ? said.body.parts : [];
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
