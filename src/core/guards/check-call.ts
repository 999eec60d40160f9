import type { Call, LiveRun } from "../state/state.ts";
import { checkCircuit, type Breakers } from "../state/breakers.ts";
import { checkBans } from "../state/bans.ts";
import { checkCaps, checkPoll } from "./quotas.ts";
import { guardError } from "../rows/fault.ts";
import { checkBlocks } from "./loops/ladder.ts";
import { permitOf } from "./permitted.ts";
import { checkQuestion } from "./questions.ts";
import { checkUnknown, findReuse } from "./reuse.ts";
import type { GuardConfig, GuardMemory, Verdict } from "../state/loop-memory.ts";

/** What the guards say of a call that is about to run for the first time (guards 1.5, before_tool 2 to 10). */
export type Objection =
  /** not run: answered with the verdict, and with the result of an earlier call where there is one */
  | { readonly act: "skip"; readonly verdict: Verdict; readonly stored: string | null }
  /** not run: answered with the result of an earlier call */
  | { readonly act: "reuse"; readonly verdict: Verdict; readonly stored: string }
  | { readonly act: "wait"; readonly verdict: Verdict; readonly until: number }
  /** a person decides */
  | { readonly act: "gate"; readonly verdict: Verdict };

interface Now {
  readonly step: number;
  readonly at: number;
  readonly breakers: Breakers;
}

/**
 * The first objection in the fixed order, or null. An attempt that was begun overrides them all; a person's yes overrides
 * all but the lack of a right. A guard that throws denies the call.
 */
export function objectionTo(run: LiveRun, call: Call, config: GuardConfig, now: Now): Objection | null {
  if (call.attempts > 0) return null;
  try {
    const permit = permitOf(run, call);
    if (permit.act === "deny") return { act: "skip", verdict: permit.verdict, stored: null };
    return habitObjection(run.guard, call, config, now);
  } catch (error) {
    return { act: "skip", verdict: guardError("before_tool", error), stored: null };
  }
}

/** Loops, reuse, bans, caps, breakers and questions; of a call that a person has allowed, the breakers alone. */
function habitObjection(
  memory: GuardMemory,
  call: Pick<Call, "call" | "decision" | "traits">,
  config: GuardConfig,
  now: Now,
): Objection | null {
  const row = memory.calls.find((one) => one.id === call.call);
  const { traits } = call;
  if (row === undefined || traits === undefined) return null;
  const circuit = checkCircuit(now.breakers, row, now.at);
  const open = circuit === null ? null : ({ act: "skip", verdict: circuit, stored: null } as const);
  if (call.decision !== null) return open;
  const block = checkBlocks(memory, row, now.step);
  if (block !== null) return { act: "skip", ...block };
  const reuse = findReuse(memory, row, traits, now.at);
  if (reuse !== null) return { act: "reuse", verdict: reuse.verdict, stored: reuse.from };
  const ban = checkBans(memory, row, now);
  if (ban !== null) return { act: "skip", verdict: ban, stored: null };
  const poll = checkPoll(memory, row, traits, now.at);
  if (poll !== null) return { act: "wait", ...poll };
  const cap = checkCaps(memory, row, traits, config, { id: row.id, ...now });
  if (cap !== null) return { act: "skip", verdict: cap, stored: null };
  if (open !== null) return open;
  const asked = checkQuestion(memory, row, config);
  if (asked !== null) return { act: "skip", ...asked };
  const unknown = checkUnknown(memory, row);
  return unknown === null ? null : { act: "gate", verdict: unknown };
}
