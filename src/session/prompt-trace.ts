import { apply } from "../core/apply.ts";
import type { Entry } from "../core/entries.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { composeMessages, promptDigest } from "../core/prompt.ts";
import { EMPTY_STATE, type State } from "../core/state.ts";
import { factValue } from "./ledger.ts";
import type { Ports } from "./ports.ts";

export type PromptParts = Pick<Ports, "store" | "facts" | "tools">;

/**
 * The request that the first attempt of each step of a run sent to its model, by step: made again from the log, because
 * nothing of it is stored but its digest. `exact` says whether it is the one that was sent: a deployment whose prompts
 * have changed since makes another. Folds the log up to the run's last step.
 */
export function promptsOf(parts: PromptParts, run: string, lastSeq: number): ReadonlyMap<string, JsonObject> {
  const prompts = new Map<string, JsonObject>();
  let state = EMPTY_STATE;
  while (state.head < lastSeq) {
    const page = parts.store.entriesAfter(state.head, PAGE_ROWS);
    if (page.length === 0) break;
    for (const entry of page) {
      if (entry.kind === "step_started" && entry.run === run && entry.step !== null)
        prompts.set(entry.step, promptOf(parts, state, entry));
      state = apply(state, entry);
    }
  }
  return prompts;
}

const PAGE_ROWS = 200;

function promptOf(
  { store, facts, tools }: PromptParts,
  state: State,
  entry: Entry<"step_started">,
): JsonObject {
  const { run } = state;
  if (run === null) throw new Error(`step ${entry.step} began without a run`);
  const { n, purpose, patch, promptDigest: sent = null } = entry.body;
  const instructions = facts.instructions(tools.prompts());
  const current = store
    .entriesBetween(run.said, state.head)
    .filter((row) => row.run === run.run || row.seq === run.said);
  const history = state.ended
    .flatMap((ended) => (ended.answer === null ? ended.inputs : [...ended.inputs, ended.answer]))
    .flatMap((seq) => store.entriesBetween(seq, seq));
  const rows = {
    history,
    current,
    valueOf: (fact: Parameters<typeof factValue>[1]) => factValue(store, fact),
  };
  const step = { n, purpose, transcript: facts.transcript, added: patch?.instructions ?? null };
  const messages = composeMessages(state, run, rows, step, entry.at);
  return {
    instructions,
    messages: messages as unknown as Json,
    exact: sent === null ? null : sent === promptDigest(instructions, messages),
  };
}
