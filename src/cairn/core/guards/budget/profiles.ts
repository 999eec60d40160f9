import { RUN_LIMITS } from "../../limits.ts";
import type { Dialect, RunSpec } from "../../log/run-spec.ts";
import type { CitationRule } from "../../log/receipt.ts";
import type { Profile } from "../../log/verdict.ts";
import type { GuardConfig } from "../../state/loop-memory.ts";
import { AMOUNT_NAMES, dollars, entryOf, type Account, type RunLimits, NO_AMOUNTS } from "./amounts.ts";
import { finalAmounts, reserveCall, type CallRequest } from "./reserve.ts";

/** Default limits for each run class, and the presets of the systems that Cairn replaces. */

const entry = (
  steps: number,
  messages: number,
  tokens: number,
  outputTokens: number,
  minutes: number,
  costUsd: number,
  calls: number,
): RunLimits => ({
  steps,
  messages,
  tokens,
  outputTokens,
  wall: minutes * 60_000,
  cost: dollars(costUsd),
  calls,
});

export const PROFILES: Readonly<Record<Profile, RunLimits>> = {
  trivial: entry(6, 3, 150_000, 1_024, 5, 0.6, 8),
  simple: entry(12, 4, 350_000, 2_048, 10, 1.5, 25),
  standard: entryOf(RUN_LIMITS),
  complex: entry(40, 12, 2_000_000, 4_096, 60, 8, 150),
  research: entry(100, 12, 8_000_000, 10_000, 150, 25, 250),
  time_capsule: entry(500, 100, 20_000_000, 4_096, 60, 10, 1_000),
  heartbeat: entry(6, 3, 150_000, 1_024, 5, 0.6, 10),
  lean: entry(6, 4, 150_000, 1_024, 5, 0.6, 12),
};

/** Minutes of real time that a capsule may be asked for, in milliseconds. */
export const CAPSULE_WALL_MS = { min: 5 * 60_000, max: 720 * 60_000 } as const;

/** Returns the tokens of one request of a run, if its agent sets none: sources come and go, and their names stay. */
export const requestTokensOf = (profile: Profile): number | null =>
  profile === "research" ? RESEARCH_REQUEST_TOKENS : null;
const RESEARCH_REQUEST_TOKENS = 110 * 1_024;

export type PresetName =
  | "cms"
  | "hyphen"
  | "hyphen_router"
  | "hyphen_orchestrator"
  | "deepresearch"
  | "orcbot";

/** Numbers, and the tools that its runs need: the forced answer, the review, the gates and the detector stay on. */
export interface Preset {
  /** the class whose row the numbers replace; null: whatever class the input has */
  readonly profile: Profile | null;
  readonly limits: Partial<RunLimits>;
  readonly temperature: number | null;
  readonly transcript: "window" | "compact" | "none";
  /** tokens that one request may have */
  readonly requestTokens: number | null;
  readonly dialect: Dialect | "auto";
  /** packs whose tools its runs have next to the built-in ones; null: whatever their agent has */
  readonly tools: readonly `pack:${string}`[] | null;
  /** how strict its runs are with marks of evidence; null: as their agent and their class are */
  readonly citations: CitationRule | null;
  /** whether its prompt offers the line that ends a run */
  readonly marker: boolean;
  readonly classLabel: boolean;
  readonly planFirst: boolean;
  readonly onStuck: GuardConfig["onStuck"] | null;
  readonly observationChars: RunSpec["observationChars"];
  /** milliseconds for which its questions wait; null: as everywhere */
  readonly questionMs: number | null;
}

const PLAIN: Preset = {
  profile: "standard",
  limits: {},
  temperature: null,
  transcript: "compact",
  requestTokens: null,
  dialect: "auto",
  tools: null,
  citations: null,
  marker: false,
  classLabel: false,
  planFirst: false,
  onStuck: null,
  observationChars: null,
  questionMs: null,
};
/** The prompt holds the whole run: nothing is summarized before it exceeds every window. */
const HYPHEN: Preset = {
  ...PLAIN,
  temperature: 0.7,
  transcript: "none",
  dialect: "json",
  onStuck: { action: "fail", iterations: 3 },
};

export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  cms: { ...PLAIN, limits: { steps: 15, outputTokens: 4_096 }, transcript: "window", marker: true },
  hyphen: { ...HYPHEN, limits: { steps: 10, wall: 300_000 } },
  hyphen_router: { ...HYPHEN, limits: { steps: 8, wall: 60_000 } },
  hyphen_orchestrator: { ...HYPHEN, limits: { steps: 20, wall: 600_000 } },
  deepresearch: {
    ...PLAIN,
    profile: "research",
    limits: { steps: 100, wall: 150 * 60_000, outputTokens: 10_000 },
    requestTokens: RESEARCH_REQUEST_TOKENS,
    temperature: 0.6,
    dialect: "tags",
    // The model that it is for was trained without marks: an answer is not partial because it has none.
    citations: "check",
    // Those of a site would be most of each prompt. The last one is what a quarantined run reads with.
    tools: [
      ...(["pack:search", "pack:web", "pack:scholar", "pack:files"] as const),
      ...(["pack:code", "pack:networked-code", "pack:values"] as const),
    ],
  },
  orcbot: {
    ...PLAIN,
    // A model may name the class; the steps, messages and minutes are those below in each.
    profile: null,
    classLabel: true,
    planFirst: true,
    limits: { steps: 15, messages: 10, wall: 30 * 60_000 },
    observationChars: { reads: 1_400, others: 500 },
    questionMs: 60 * 60_000,
  },
};

export interface LimitFault {
  readonly code: "limit_malformed" | "capsule_wall" | "capsule_cost" | "limits_too_small";
  readonly what: keyof RunLimits;
  /** what the limit is, and what it would have to be at least (at most, for a capsule's time) */
  readonly given: number | null;
  readonly needed: number | null;
}

export type LimitsFor =
  | { readonly ok: true; readonly limits: RunLimits; readonly clipped: readonly (keyof RunLimits)[] }
  | { readonly ok: false; readonly faults: readonly LimitFault[] };

export const LIMIT_NAMES: readonly (keyof RunLimits)[] = [...AMOUNT_NAMES, "outputTokens"];

/**
 * The limits of a run: the row of its class, each field replaced where the run specification sets it, none above `caps`
 * (the deployment's, or a parent's). Without `mayRaise` nothing is set above the row either. What was cut is named. Refused
 * are numbers that are no positive integers, a capsule without a cost, and a capsule's time outside 5 to 720 minutes.
 */
export function limitsFor(
  profile: Profile,
  overrides: Partial<RunLimits>,
  { caps = {}, mayRaise = true }: { caps?: Partial<RunLimits>; mayRaise?: boolean } = {},
): LimitsFor {
  const given = LIMIT_NAMES.flatMap((name) => {
    const value = overrides[name];
    return value === undefined ? [] : [{ name, value }];
  });
  const faults: LimitFault[] = given
    .filter(({ value }) => !Number.isSafeInteger(value) || value <= 0)
    .map(({ name, value }) => ({ code: "limit_malformed", what: name, given: value, needed: 1 }));
  if (profile === "time_capsule") {
    const { wall, cost } = overrides;
    if (cost === undefined) faults.push({ code: "capsule_cost", what: "cost", given: null, needed: null });
    if (wall !== undefined && wall < CAPSULE_WALL_MS.min)
      faults.push({ code: "capsule_wall", what: "wall", given: wall, needed: CAPSULE_WALL_MS.min });
    if (wall !== undefined && wall > CAPSULE_WALL_MS.max)
      faults.push({ code: "capsule_wall", what: "wall", given: wall, needed: CAPSULE_WALL_MS.max });
  }
  if (faults.length > 0) return { ok: false, faults };
  const base = PROFILES[profile];
  const isCapsule = profile === "time_capsule"; // its entry says what is usual; time and cost are asked for
  const clipped: (keyof RunLimits)[] = [];
  const limits: Record<keyof RunLimits, number> = { ...base };
  for (const name of LIMIT_NAMES) {
    const wanted = overrides[name] ?? base[name];
    const free = mayRaise || (isCapsule && (name === "wall" || name === "cost"));
    const most = Math.min(caps[name] ?? Infinity, free ? Infinity : base[name]);
    limits[name] = Math.min(wanted, most);
    if (limits[name] < wanted) clipped.push(name);
  }
  return { ok: true, limits, clipped };
}

/**
 * Null where the limits can hold one model call, and the answer after it where one is wanted; else the first that cannot.
 * With a single step there is only that answer, which is a plain completion without tools.
 */
export function checkLimits(
  limits: RunLimits,
  request: CallRequest,
  ends: Pick<Account, "ends"> = {},
): LimitFault | null {
  const account: Account = { used: NO_AMOUNTS, open: NO_AMOUNTS, limit: limits, ...ends };
  if (limits.steps === 1 && ends.ends !== "fail") {
    const final = { ...finalAmounts(limits, request, 0), wall: 0 };
    const what = AMOUNT_NAMES.find((name) => final[name] > limits[name]);
    return what === undefined ? null : tooSmall(limits, what, final[what]);
  }
  const reserved = reserveCall(account, request);
  return reserved.ok ? null : tooSmall(limits, reserved.what, reserved.needed);
}

const tooSmall = (limits: RunLimits, what: keyof RunLimits, needed: number): LimitFault => ({
  code: "limits_too_small",
  what,
  given: limits[what],
  needed,
});
