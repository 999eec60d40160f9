import type { Limits, RequestedLimits } from "../../log/entry.ts";
import type { PromptPart } from "../../log/model.ts";
import type { Profile } from "../../log/verdict.ts";
import { endOf, entryOf } from "./amounts.ts";
import { classify, readMode } from "./classify.ts";
import { checkLimits, limitsFor, type LimitFault } from "./profiles.ts";
import type { CallRequest } from "./reserve.ts";
import { NO_WORDS } from "../no-words.ts";

/** Budget that a caller requests for a run. */
export interface BudgetRequest {
  readonly profile: Profile | null;
  readonly limits: Partial<Limits>;
  /** may ask for more than the class has */
  readonly mayRaise: boolean;
}

/** `/lean` and the like at the start request the class and are removed, unless there is no other text. */
export function readBudgetRequest(parts: readonly PromptPart[]): {
  readonly parts: readonly PromptPart[];
  readonly profile: Profile | null;
} {
  const [first, ...others] = parts;
  if (first?.type !== "text" || first.foreign === true) return { parts, profile: null };
  const { profile, text } = readMode(first.text);
  if (profile === null) return { parts, profile };
  return { parts: text === "" ? parts : [{ ...first, text }, ...others], profile };
}

/**
 * Combines the deployment's limits with the request. A named class takes its own row, and the deployment's limits
 * become its maximum. A caller without the right to raise limits can only lower them.
 */
export function requestedLimits(defaults: RequestedLimits, request: BudgetRequest): RequestedLimits {
  const { profile, limits, mayRaise } = request;
  const own = profile === null ? defaults.limits : {};
  // Time and cost of a capsule are always requested, no matter by whom.
  const free = profile === "time_capsule" ? capsuleLimits(limits) : {};
  const caps = [defaults.caps ?? {}, profile === null ? {} : defaults.limits, mayRaise ? {} : limits].reduce(
    lower,
  );
  const named = profile ?? defaults.profile;
  return {
    limits: mayRaise ? { ...own, ...limits } : { ...own, ...free },
    ...(Object.keys(caps).length === 0 ? {} : { caps }),
    ...(named === undefined ? {} : { profile: named }),
    ...(defaults.onExhausted === undefined ? {} : { onExhausted: defaults.onExhausted }),
  };
}

const capsuleLimits = ({ activeMs, cost }: Partial<Limits>): Partial<Limits> => ({
  ...(activeMs === undefined ? {} : { activeMs }),
  ...(cost === undefined ? {} : { cost }),
});

function lower(a: Partial<Limits>, b: Partial<Limits>): Partial<Limits> {
  const both: { -readonly [Name in keyof Limits]?: number } = { ...a };
  for (const name of Object.keys(b) as (keyof Limits)[])
    both[name] = Math.min(both[name] ?? Infinity, b[name] ?? Infinity);
  return both;
}

/**
 * Returns null if a run with these limits could make one model call and then answer, else the amount that is too small.
 * An unnamed class is derived from the form of the message, because word lists load only when a run begins.
 */
export function wantedFault(
  wanted: RequestedLimits,
  parts: readonly PromptPart[],
  request: Omit<CallRequest, "maxOut">,
): LimitFault | null {
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const attachments = parts.filter((part) => part.type !== "text").length;
  const explicit = wanted.profile ?? null;
  const found = classify(
    { text, attachments, explicit, resumed: null, open: null, canResearch: false },
    NO_WORDS,
  );
  const caps = wanted.caps === undefined ? {} : { caps: entryOf(wanted.caps) };
  const entry = limitsFor(found.profile, entryOf(wanted.limits), caps);
  if (!entry.ok) return entry.faults[0] ?? null;
  const ends = endOf(found.profile, wanted.onExhausted);
  return checkLimits(entry.limits, { ...request, maxOut: entry.limits.outputTokens }, ends);
}
