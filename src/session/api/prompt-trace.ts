import { apply } from "../../core/state/apply.ts";
import type { Entry } from "../../core/log/entry.ts";
import type { JsonObject } from "../../core/log/json.ts";
import { promptDigest } from "../../core/prompt/prompt.ts";
import { EMPTY_STATE, type Fact, type LiveRun, type State } from "../../core/state/state.ts";
import { factValue, readRunRows, type RunRows } from "../engine/transaction.ts";
import type { Ports } from "../engine/ports.ts";
import { composeRequest } from "../engine/compose-request.ts";

export type PromptParts = Pick<Ports, "store" | "facts" | "tools" | "redact">;

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

function promptOf(parts: PromptParts, state: State, entry: Entry<"step_started">): JsonObject {
  const { store } = parts;
  const { run } = state;
  if (run === null) throw new Error(`step ${entry.step} began without a run`);
  const { patch = {}, promptDigest: sent = null } = entry.body;
  const rowsOf = (live: LiveRun): RunRows => readRunRows(store, state, live);
  const moment = { state, at: entry.at, rowsOf, valueOf: (fact: Fact) => factValue(store, fact) };
  const { model, instructions, messages, tools } = composeRequest(moment, run, entry.body, patch, parts);
  return {
    ...{ model, instructions, messages, tools },
    exact: sent === null ? null : sent === promptDigest(instructions, messages),
  } as unknown as JsonObject;
}
