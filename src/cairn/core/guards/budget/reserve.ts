import {
  ANSWER_RESERVE_MS,
  CALL_MS_MIN,
  FINAL_GROWTH_TOKENS,
  FINAL_OUTPUT_TOKENS_MAX,
  OUTPUT_TOKENS_MIN,
  RESERVE_SHARE,
} from "../../limits.ts";
import { reservedUsage, type TokenUsage, type Usage } from "../../log/model.ts";
import { chargeUsage, costOf, type Price } from "../../model-tables.ts";
import {
  addAmounts,
  leftOf,
  NO_AMOUNTS,
  type AmountName,
  type Amounts,
  type Account,
  type RunLimits,
} from "./amounts.ts";

/**
 * Reserve, then settle. A model call's maximum is reserved before it is sent, plus the maximum of the forced answer
 * after it; the actual cost replaces the reservation. So a limit is exceeded by the error of one estimate at most.
 */

/** A model call that is about to be made. */
export interface CallRequest {
  /** tokens of the present request, by `estimateRequest` */
  readonly estimate: number;
  /** tokens of output wanted */
  readonly maxOut: number;
  readonly price: Price;
  /** tokens that a request may have, by `requestCap` */
  readonly contextCap: number;
}

export type Reserved =
  | { readonly ok: true; readonly need: Amounts; readonly final: Amounts; readonly maxOut: number }
  | { readonly ok: false; readonly what: AmountName; readonly needed: number; readonly left: number };

/** Active milliseconds that are reserved for the answer. */
export function finalWallMs(limits: Pick<RunLimits, "wall">): number {
  return Math.floor(Math.min(ANSWER_RESERVE_MS, limits.wall / 5));
}

/** Active milliseconds that are reserved for the answer of this run. */
export const reservedWallMs = ({ limit, ends }: Pick<Account, "limit" | "ends">): number =>
  ends === undefined ? finalWallMs(limit) : ends === "capsule" ? CAPSULE_RESERVE_MS : 0;

/** A capsule answers behind its time: no more is reserved than lets the last call come back within it. */
const CAPSULE_RESERVE_MS = 1_000;

/** Active milliseconds without which no call is begun: all of them are used where no answer comes after it. */
const callMsMin = ({ limit, ends }: Account): number =>
  ends === "fail" ? 1 : Math.floor(Math.min(CALL_MS_MIN, limit.wall / 5));

/**
 * Returns the maximum cost of the forced answer after a call with `maxOut` output tokens and the results of its tools.
 */
export function finalAmounts(limits: RunLimits, request: CallRequest, maxOut: number): Amounts {
  const input = Math.min(request.estimate + maxOut + FINAL_GROWTH_TOKENS, request.contextCap);
  const output = Math.min(FINAL_OUTPUT_TOKENS_MAX, limits.outputTokens);
  return {
    steps: 1,
    messages: 1,
    tokens: input + output,
    cost: costOf(request.price, { input, output }),
    wall: finalWallMs(limits),
    calls: 0,
  };
}

/** The reservation for the answer after a call: nothing where the run ends without one. */
const reservedAmounts = ({ limit, ends }: Account, request: CallRequest, maxOut: number): Amounts =>
  ends === "fail" ? NO_AMOUNTS : finalAmounts(limit, request, maxOut);

/** Returns the maximum cost of a call with this much output. */
function needOf(request: CallRequest, maxOut: number): Amounts {
  const input = Math.ceil(RESERVE_SHARE * request.estimate);
  const tokens = input + maxOut;
  return { ...NO_AMOUNTS, steps: 1, tokens, cost: costOf(request.price, { input, output: maxOut }) };
}

/** Returns the first amount, in checking order, that cannot cover the call and the answer after it. */
function shortOf(
  account: Account,
  request: CallRequest,
  maxOut: number,
): Extract<Reserved, { ok: false }> | null {
  const left = leftOf(account);
  const wanted = addAmounts(needOf(request, maxOut), reservedAmounts(account, request, maxOut));
  const needed: Amounts = { ...wanted, wall: reservedWallMs(account) + callMsMin(account) };
  const what = MODEL_CALL_AMOUNTS.find((name) => needed[name] > left[name]);
  return what === undefined ? null : { ok: false, what, needed: needed[what], left: left[what] };
}

const MODEL_CALL_AMOUNTS = ["wall", "cost", "tokens", "steps"] as const;

/**
 * Reserves a step's model call and the answer after it, or returns the first amount that is too small. Output alone may
 * shrink to fit, to no less than 512 tokens.
 */
export function reserveCall(account: Account, request: CallRequest): Reserved {
  const short = shortOf(account, request, request.maxOut);
  if (short === null) return reservedWith(account, request, request.maxOut);
  let fits = Math.min(OUTPUT_TOKENS_MIN, request.maxOut);
  if (shortOf(account, request, fits) !== null) return shortOf(account, request, fits) ?? short;
  // Both need and final grow with the output, so what fits is found by halving.
  let tooMuch = request.maxOut;
  while (tooMuch - fits > 1) {
    const middle = Math.floor((fits + tooMuch) / 2);
    if (shortOf(account, request, middle) === null) fits = middle;
    else tooMuch = middle;
  }
  return reservedWith(account, request, fits);
}

function reservedWith(account: Account, request: CallRequest, maxOut: number): Reserved {
  return {
    ok: true,
    need: needOf(request, maxOut),
    final: reservedAmounts(account, request, maxOut),
    maxOut,
  };
}

/**
 * Reserves the forced answer, paid from the reserve. If this refuses, the request is compacted first; if it refuses
 * again, the answer without a model is given. Time never refuses it: the answer may use all that is left.
 */
export function reserveFinal(account: Account, request: CallRequest): Reserved {
  const left = leftOf(account);
  const most = Math.min(FINAL_OUTPUT_TOKENS_MAX, account.limit.outputTokens);
  const { estimate: input, price } = request;
  const costs = (output: number): Amounts => ({
    ...NO_AMOUNTS,
    steps: 1,
    tokens: input + output,
    cost: costOf(price, { input, output }),
  });
  const shortIn = (output: number): AmountName | undefined =>
    (["cost", "tokens", "steps"] as const).find((name) => costs(output)[name] > left[name]);
  let maxOut = most;
  const least = Math.min(OUTPUT_TOKENS_MIN, most);
  while (maxOut > least && shortIn(maxOut) !== undefined) maxOut = Math.max(least, Math.floor(maxOut / 2));
  const what = shortIn(maxOut);
  if (what !== undefined) return { ok: false, what, needed: costs(maxOut)[what], left: left[what] };
  return { ok: true, need: costs(maxOut), final: NO_AMOUNTS, maxOut };
}

/** By what a call is charged once it is over. */
export interface Charging extends Pick<CallRequest, "estimate" | "price"> {
  readonly reserved: Pick<Amounts, "tokens" | "cost">;
}

/**
 * Returns the charge for a call: usage as the provider reported it. If the report is partly an estimate, the request
 * counts at least as much as estimated before; after an unknown outcome the whole reservation is charged.
 */
export function chargeCall({ reserved, estimate, price }: Charging, usage: TokenUsage | null): Usage {
  if (usage === null) {
    const rough = price.estimated ? ({ priceEstimated: true } as const) : {};
    return { ...reservedUsage(reserved.tokens, reserved.cost), ...rough };
  }
  const counted = usage.estimated
    ? { ...usage, inputTokens: Math.max(usage.inputTokens, estimate), cachedInputTokens: 0 }
    : usage;
  return chargeUsage(price, counted);
}

/**
 * Returns the timeout of an effect in milliseconds: the wanted one, cut to the time before the answer's reserve, at
 * least one second; never beyond the deadline of a run that ends without an answer.
 */
export function timeoutFor(wantedMs: number, account: Account): number {
  const least = account.ends === "fail" ? 1 : 1_000;
  return Math.max(least, Math.min(wantedMs, leftOf(account).wall - reservedWallMs(account)));
}
