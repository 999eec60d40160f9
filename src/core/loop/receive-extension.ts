import { dayOf, type DayCaps } from "../guards/budget/admit.ts";
import { accountOf, limitsOf, type Amounts } from "../guards/budget/amounts.ts";
import { extendByPerson } from "../guards/budget/extend.ts";
import { working } from "../state/run/phase.ts";
import type { State } from "../state/state.ts";
import type { Received } from "./receive.ts";

export interface Extend {
  readonly id: string;
  readonly actor: string;
  readonly run: string;
  /** what is added */
  readonly wish: Partial<Amounts>;
}

/**
 * A person gives the live run more, once: any amount, never above what the day has left. Refused: `not_live`, `run_ending`
 * (its answer is being written), `already_extended`, `nothing_asked`, `invalid_budget`, `above_cap`.
 */
export function receiveExtend(state: State, extend: Extend, at: number, caps: DayCaps): Received<null> {
  const refuse = (code: string, message: string): Received<null> => ({ ok: false, code, message });
  const { run } = state;
  if (run === null || run.run !== extend.run || run.cancel !== null)
    return refuse("not_live", "This run is not at work.");
  const phase = working(run.phase);
  if (phase.at === "ending" || (phase.at === "thinking" && phase.why === "final"))
    return refuse("run_ending", "This run is writing its answer already.");
  const { used, limit } = dayOf(state, at, caps);
  const found = extendByPerson(accountOf(state, run, at), extend.wish, {
    extended: run.used.once.includes("EXTENDED_BY_PERSON"),
    dayLeft: { tokens: limit.tokens - used.tokens, cost: limit.cost - used.cost },
  });
  if (!found.ok) {
    const { fault } = found;
    switch (fault.code) {
      case "already_extended":
        return refuse(fault.code, "A run is extended by a person once.");
      case "nothing_asked":
        return refuse(fault.code, "Say what the run gets: steps, tokens, costUsd or minutes.");
      case "wish_malformed":
        return refuse("invalid_budget", `What is added to ${fault.what} is a positive whole number.`);
      case "above_cap":
        return refuse(fault.code, `The day of this session has no such ${fault.what} left.`);
    }
  }
  const { id, actor } = extend;
  const body = {
    id,
    actor,
    command: "extend",
    limits: limitsOf(found.limits),
    reason: null,
    superseded: false,
  } as const;
  return { ok: true, entries: [{ kind: "command_queued", run: run.run, step: null, body }], value: null };
}
