import type { Entry, EntryDraft } from "../log/entry.ts";
import type { ToolFailure } from "../log/tool.ts";
import type { Verdict } from "../log/verdict.ts";
import { failureText, settleCall } from "../entries/settle.ts";
import { guardError } from "../entries/verdict.ts";
import { checkBans } from "../state/bans.ts";
import { checkCircuit } from "../state/breakers.ts";
import { decisionOf, type Call } from "../state/run/phase.ts";
import type { GuardConfig } from "../state/loop-memory.ts";
import type { Breakers, LiveRun, Sent } from "../state/state.ts";
import { checkBlocks } from "./loops/ladder.ts";
import { permissionOf } from "./permissions.ts";
import { checkQuestion, checkCaps, checkPoll } from "./quotas.ts";
import { checkUnknown, findReuse } from "./reuse.ts";
import { checkHeartbeatSend, checkSend } from "./sends.ts";

/** A guard's objection to a call that is about to run for the first time. */
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
  /** what was sent last, by this run and those before it */
  readonly sent: readonly Sent[];
}

/**
 * The first objection in the fixed order, or null. An attempt that was begun overrides them all; a person's yes overrides
 * all but the lack of a right and an open breaker. A guard that throws denies the call.
 */
export function objectionTo(run: LiveRun, call: Call, config: GuardConfig, now: Now): Objection | null {
  if (call.attempts > 0) return null;
  try {
    const permit = permissionOf(run, call);
    if (permit.act === "deny") return { act: "skip", verdict: permit.verdict, stored: null };
    const withheld = checkHeartbeatSend(run, call, now.sent, now.at);
    if (withheld !== null) return { act: "skip", verdict: withheld, stored: null };
    return habitObjection(run, call, config, now);
  } catch (error) {
    return { act: "skip", verdict: guardError("before_tool", error), stored: null };
  }
}

/** Loops, reuse, bans, caps, breakers and questions; of a call that a person has allowed, the breakers alone. */
function habitObjection(
  run: LiveRun,
  call: Pick<Call, "call" | "state" | "traits">,
  config: GuardConfig,
  now: Now,
): Objection | null {
  const { loop: memory } = run;
  const entry = memory.calls.find((one) => one.id === call.call);
  const { traits } = call;
  if (entry === undefined || traits === undefined) return null;
  const circuit = checkCircuit(now.breakers, entry, now.at);
  const open = circuit === null ? null : ({ act: "skip", verdict: circuit, stored: null } as const);
  if (decisionOf(call) !== null) return open;
  const block = checkBlocks(memory, entry, now.step);
  if (block !== null) return { act: "skip", ...block };
  const send = checkSend(run, entry, now.sent, now);
  if (send !== null) return send;
  const reuse = findReuse(memory, entry, traits, now.at);
  if (reuse !== null) return { act: "reuse", verdict: reuse.verdict, stored: reuse.from };
  const ban = checkBans(memory, entry, now);
  // A message that reached nobody did not fail by its content: it may be sent again unchanged.
  const isResend = entry.message !== undefined && ban?.code === "SIG_BANNED";
  if (ban !== null && !isResend) return { act: "skip", verdict: ban, stored: null };
  const poll = checkPoll(memory, entry, traits, now.at);
  if (poll !== null) return { act: "wait", ...poll };
  const cap = checkCaps(memory, entry, traits, config, { id: entry.id, ...now });
  if (cap !== null) return { act: "skip", verdict: cap, stored: null };
  if (open !== null) return open;
  const questionVerdict = checkQuestion(memory, entry, config);
  if (questionVerdict !== null) return { act: "skip", ...questionVerdict };
  const unknown = checkUnknown(memory, entry);
  return unknown === null ? null : { act: "gate", verdict: unknown };
}

/**
 * Returns the entries of a call that a guard stopped: the verdict with the earlier result if there is one, or the
 * earlier result itself with its focus.
 */
export function settleObjected(
  run: LiveRun,
  calls: readonly Call[],
  entries: readonly Entry[],
  call: Call,
  { act, verdict, stored }: Extract<Objection, { act: "skip" | "reuse" }>,
): EntryDraft[] {
  const earlier = stored === null ? null : settledOf(entries, stored);
  if (act === "reuse" && earlier !== null) {
    const { status, observation, chars, whole, failure, mark, changes } = earlier;
    const noted = `${observation}\n[${verdict.hint}]`;
    const result = { status, observation: noted, chars, failure, ms: 0, ...(mark ? { mark } : {}) };
    // Reading a thing again puts it back in focus.
    const again = changes?.map((change) => ({ ...change, op: "touch" as const }));
    const wholeFlag = whole === undefined ? {} : { whole };
    return settleCall(
      run,
      calls,
      call,
      { ...result, ...wholeFlag, ...(again ? { changes: again } : {}) },
      stored,
    );
  }
  const failure: ToolFailure = {
    class: "policy",
    code: verdict.code.toLowerCase(),
    message: verdict.hint,
    retryable: false,
    details: { rule: verdict.rule },
  };
  const text = failureText(failure);
  const observation =
    earlier === null ? text : `${text}\nIts last result, from ${stored}:\n${earlier.observation}`;
  const result = { status: "refused", chars: observation.length, ms: 0, skip: verdict.code } as const;
  return settleCall(run, calls, call, { ...result, observation, failure });
}

function settledOf(entries: readonly Entry[], call: string): Entry<"call_settled">["body"] | null {
  const entry = entries.findLast((entry) => entry.kind === "call_settled" && entry.body.call === call);
  return entry?.kind === "call_settled" ? entry.body : null;
}
