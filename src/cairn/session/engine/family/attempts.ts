import { startOf } from "../../../core/text/cut.ts";
import { attemptsOf, attemptsReply, rolloutsOf } from "../../../core/family/rollouts.ts";
import { CHILD_OBJECTIVE_CHARS_MAX } from "../../../core/limits.ts";
import type { Entry } from "../../../core/log/entry.ts";
import type { PromptPart } from "../../../core/log/model.ts";
import { inputName } from "../../../core/log/names.ts";
import type { CallModel } from "../../../core/loop/next.ts";
import { judgeReply } from "../../../core/loop/judge-reply.ts";
import { measurePrompt } from "../../../core/prompt/measure.ts";
import { specOf } from "../../../core/entries/grant.ts";
import { isStrangers } from "../../../core/state/safety.ts";
import type { LiveRun } from "../../../core/state/state.ts";
import { fence } from "../../../core/text/untrusted.ts";
import { promptNote } from "../../../prompt-notes.ts";
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
  const objective = objectiveOf(tx, run);
  const attempts = attemptsOf(tx.state, run, { objective, count, output: spec.output }, tx.at, promptNote);
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
  const means = { check: checkIn(tx, begun, ports), cite: () => null, words: ports.facts.words };
  tx.append(judgeReply(tx.state, reply, readTo, tx.at, tx.entriesOf(begun).current, means));
}

/** The request in words. A child takes its objective as trusted text, so the words of strangers are fenced here. */
function objectiveOf(tx: Transaction, { request }: LiveRun): string {
  const message = tx.entryAt(request.inputSeq);
  if (message?.kind !== "user_message") return "";
  const { seq, body } = message;
  let space = CHILD_OBJECTIVE_CHARS_MAX;
  const texts = body.parts.flatMap((part, index): string[] => {
    const words = part.type === "text" ? part.text : fileWords(part);
    if (words === "" || space <= 0) return [];
    const text = isStrangers(body.source, part)
      ? fenceWithin(words, inputName(seq, index), space)
      : startOf(words, space);
    space -= text.length + 1;
    return [text];
  });
  return texts.join("\n").trim().toWellFormed();
}

/** Attempts read the files of the run by their ids. */
const fileWords = ({ file }: Extract<PromptPart, { type: "file" }>): string =>
  file === undefined ? "" : `File ${file.id}: ${file.name}`;

/** The beginning of a text that fits into so many characters together with its fence; empty where not even that fits. */
function fenceWithin(text: string, source: string, limit: number): string {
  for (let chars = Math.min(text.length, limit); chars > 0; chars = Math.floor(chars / 2)) {
    const fenced = fence(startOf(text, chars), source);
    if (fenced.length <= limit) return fenced;
  }
  return "";
}
