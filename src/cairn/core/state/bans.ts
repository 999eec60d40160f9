import { ownValue } from "../log/json.ts";
import { TOOL_COOLDOWN_STEPS, TOOL_FAILURES_MAX, TRANSIENT_BAN_MS, TRANSIENT_BAN_STEPS } from "../limits.ts";
import type { CallMark, CallRecord } from "../log/mark.ts";
import { RETRYABLE, type ErrorClass } from "../log/tool.ts";
import type { Verdict } from "../log/verdict.ts";
import type { Ban, LoopMemory } from "./loop-memory.ts";

/** The memory of failed calls: what is not called again, and until when. */

/** Condition that ends a ban. */
export type Lift =
  | { readonly by: "effect" | "human" | "nothing" }
  | { readonly by: "read"; readonly target: string | null };

/** Verdicts that forbid a call as such; the other skips have a time or a limit of their own. */
const FORBIDDEN = new Set(["NOT_GRANTED", "ADMIN_ONLY", "POLICY_DENY", "CHANNEL_DENY", "AUTONOMY_DENY"]);

/** Errors whose bans no human input lifts: the arguments are wrong for everyone. */
const FOR_GOOD: ReadonlySet<ErrorClass> = new Set(["invalid_args", "too_large"]);

/** The bans, and the counts where a tool was set aside, after a settled call. */
export function banAfter(
  memory: LoopMemory,
  entry: CallRecord,
): { readonly bans: readonly Ban[]; readonly cooled: LoopMemory["counts"] | null } {
  if (entry.status === "skipped") {
    const ban =
      entry.skip !== undefined && FORBIDDEN.has(entry.skip) ? ofSig(entry, "policy", "human") : null;
    return { bans: ban === null ? memory.bans : added(memory.bans, ban), cooled: null };
  }
  if (entry.status !== "error" || entry.error === null) return { bans: memory.bans, cooled: null };
  const ban = banFor(memory, entry, entry.error);
  const bans = ban === null ? memory.bans : added(memory.bans, ban);
  const counted = ownValue(memory.counts, entry.tool);
  if (counted === undefined || (counted.failed ?? 0) < TOOL_FAILURES_MAX) return { bans, cooled: null };
  const again = (counted.cooled ?? 0) > 0;
  const aside: Ban = {
    sig: null,
    tool: entry.tool,
    error: entry.error,
    until: again ? "never" : "step",
    value: again ? null : entry.step + TOOL_COOLDOWN_STEPS + 1,
  };
  const { executed, fresh, cooled = 0 } = counted;
  const others = Object.entries(memory.counts).filter(([tool]) => tool !== entry.tool);
  return {
    bans: added(bans, aside),
    cooled: Object.fromEntries([...others, [entry.tool, { executed, fresh, cooled: cooled + 1 }]]),
  };
}

/** The bans that are left after something that may lift them. */
export function liftBans(bans: readonly Ban[], lift: Lift): readonly Ban[] {
  if (lift.by === "nothing" || bans.length === 0) return bans;
  const left = bans.filter((ban) => {
    switch (lift.by) {
      case "human":
        return FOR_GOOD.has(ban.error) && ban.sig !== null;
      case "effect":
        return ban.until !== "effect";
      case "read":
        // Without a target, any next read lifts the ban.
        return ban.until !== "read" || (ban.target !== undefined && ban.target !== lift.target);
      case "nothing":
        return true;
    }
  });
  return left.length === bans.length ? bans : left;
}

/** `SIG_BANNED`, `TOOL_COOLDOWN` or `TOOL_BANNED` [skip], or null: before_tool 7 and 8. */
export function checkBans(
  memory: LoopMemory,
  call: CallMark,
  now: { readonly step: number; readonly at: number },
): Verdict<"SIG_BANNED" | "TOOL_BANNED" | "TOOL_COOLDOWN"> | null {
  const ban = memory.bans.find((one) => covers(one, call) && holds(one, now));
  if (ban === undefined) return null;
  const evidence = {
    seqs: failures(memory, call, ban).map((entry) => entry.seq),
    sigs: [call.sig],
    names: [call.tool, ban.error],
    ...(ban.value === null ? {} : { numbers: { until: ban.value } }),
  };
  if (ban.sig !== null)
    return { code: "SIG_BANNED", rule: `ban.${ban.error}`, evidence, hint: sigHint(ban, call.tool) };
  const code = ban.until === "step" ? "TOOL_COOLDOWN" : "TOOL_BANNED";
  return { code, rule: `ban.${ban.error}`, evidence, hint: toolHint(ban, call.tool) };
}

function banFor(memory: LoopMemory, entry: CallRecord, error: ErrorClass): Ban | null {
  const failedBefore = memory.calls.some(
    (other) =>
      other.id !== entry.id && other.sig === entry.sig && other.status === "error" && other.error === error,
  );
  if (RETRYABLE.has(error)) {
    // Once; after that the detector decides.
    if (failedBefore) return null;
    const until = entry.at + TRANSIENT_BAN_MS;
    return { ...ofSig(entry, error, "time"), value: until, orStep: entry.step + TRANSIENT_BAN_STEPS };
  }
  switch (error) {
    case "invalid_args":
    case "too_large":
      return ofSig(entry, error, "never");
    case "not_found":
      return ofSig(entry, error, "effect");
    case "conflict":
      return { ...ofSig(entry, error, "read"), ...(entry.target === null ? {} : { target: entry.target }) };
    case "policy":
      return ofSig(entry, error, "human");
    case "internal":
      return failedBefore ? ofSig(entry, error, "never") : null;
    case "auth":
    case "permission":
      return {
        sig: null,
        tool: entry.tool,
        error,
        until: "never",
        value: null,
        ...(entry.scope === undefined ? {} : { scope: entry.scope }),
      };
    default:
      return null;
  }
}

function ofSig(entry: CallRecord, error: ErrorClass, until: Ban["until"]): Ban {
  return { sig: entry.sig, tool: null, error, until, value: null };
}

/** A newer ban replaces an older one of the same thing. */
function added(bans: readonly Ban[], ban: Ban): readonly Ban[] {
  const same = (one: Ban): boolean =>
    one.sig === ban.sig && one.tool === ban.tool && one.scope === ban.scope && one.until === ban.until;
  return [...bans.filter((one) => !same(one)), ban];
}

function covers(ban: Ban, call: CallMark): boolean {
  if (ban.sig !== null) return ban.sig === call.sig;
  return ban.tool === call.tool && (ban.scope === undefined || ban.scope === call.scope);
}

function holds(ban: Ban, now: { readonly step: number; readonly at: number }): boolean {
  if (ban.until === "step") return now.step < (ban.value ?? 0);
  if (ban.until === "time")
    return now.at < (ban.value ?? 0) && now.step < (ban.orStep ?? Number.MAX_SAFE_INTEGER);
  return true;
}

function failures(memory: LoopMemory, call: CallMark, ban: Ban): CallRecord[] {
  const own = (entry: CallRecord): boolean =>
    ban.sig === null ? entry.tool === call.tool : entry.sig === call.sig;
  return memory.calls.filter((entry) => own(entry) && entry.status === "error").slice(-TOOL_FAILURES_MAX);
}

function sigHint(ban: Ban, tool: string): string {
  const failed = `This exact call of ${tool} has failed (${ban.error}) and was not run again.`;
  switch (ban.until) {
    case "time":
      return `${failed} It may be tried again in a minute or two steps later; do something else until then.`;
    case "effect":
      return `${failed} What it asks for is not there. Look for it another way, or create it first.`;
    case "read":
      return `${failed} Read what it changes first, then call with what you have read.`;
    case "human":
      return `${failed} It is not allowed here unless the person says otherwise; do not try a way around it.`;
    default:
      return `${failed} The same arguments will fail again: change them, or use another tool.`;
  }
}

function toolHint(ban: Ban, tool: string): string {
  if (ban.until === "step")
    return `${tool} has failed ${TOOL_FAILURES_MAX} times in a row (${ban.error}) and rests for ${TOOL_COOLDOWN_STEPS} steps. Use another tool, or answer with what you have.`;
  return `${tool} is not called again in this run (${ban.error}). Use another tool, or tell the person what is missing.`;
}
