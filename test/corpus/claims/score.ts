import { wilson } from "../eval-reviews.ts";
import type { ClaimCase } from "./format.ts";
import { faultsOf, playClaim, type PlayedClaim } from "./play.ts";

/** of the true answers, how many may be sent back */
const SENT_BACK_SHARE_MAX = 0.03;

export interface ClaimScore {
  readonly lines: readonly string[];
  readonly passed: boolean;
}

/** Plays every case, one after the other, and says which ones are not met. */
export async function scoreClaims(cases: readonly ClaimCase[], name: string): Promise<ClaimScore> {
  const played: PlayedClaim[] = [];
  for (const one of cases) played.push(await playClaim(one));
  const faults = played.flatMap((one) => faultsOf(one).map((fault) => `${one.one.id}: ${fault}`));
  const falses = played.filter(({ one }) => one.label === "false");
  const trues = played.filter(({ one }) => one.label === "true");
  const unmet = falses.filter((one) => faultsOf(one).length > 0);
  const back = trues.filter(({ sentBack }) => sentBack.length > 0);
  const caught = falses.filter(({ sentBack }) => sentBack.length > 0);
  const partial = trues.filter(({ outcome }) => outcome === "completed_partial");
  const failed = trues.filter(({ outcome }) => outcome !== "completed" && outcome !== "completed_partial");
  const share = trues.length === 0 ? 0 : back.length / trues.length;
  const [low, high] = wilson(back.length, trues.length);
  return {
    passed: faults.length === 0 && share <= SENT_BACK_SHARE_MAX && failed.length === 0,
    lines: [
      ...faults,
      ...back.map(({ one, sentBack }) => `${one.id}: true, sent back for ${sentBack.join(", ")}`),
      `${name}: false answers below a receipt that contradicts them on every surface ${falses.length - unmet.length} of ${falses.length} (${caught.length} sent back first)`,
      `${name}: true answers sent back ${back.length} of ${trues.length} = ${(share * 100).toFixed(1)} % (95 %: ${(low * 100).toFixed(1)} % to ${(high * 100).toFixed(1)} %), partial ${partial.length}, failed ${failed.length}`,
    ],
  };
}
