import { costText, tokensText } from "../../parts/amount-text.ts";
import type { Event } from "../../../cairn/protocol/views.ts";

/** Runs below a run, from its own log: how many, how many are running, and the usage of those that ended. */
export interface Below {
  /** started by it, without those below them */
  readonly children: number;
  readonly atWork: number;
  /** steps of all ended runs below it, as far as they are reported */
  readonly steps: number;
  readonly tokens: number;
  /** millionths of a US dollar */
  readonly cost: number;
}

/** Null of a run that has started none. `entries` are those of one run. */
export function belowOf(entries: readonly Event[]): Below | null {
  const atWork = new Set<string>();
  let [children, steps, tokens, cost] = [0, 0, 0, 0];
  for (const { kind, body } of entries) {
    if (kind === "call_deferred") {
      children += 1;
      atWork.add(body.child);
    }
    if (kind === "child_stopped") atWork.delete(body.child);
    if (kind !== "child_reported") continue;
    atWork.delete(body.child);
    steps += body.used.steps;
    tokens += body.used.tokens;
    cost += body.used.cost;
  }
  return children === 0 ? null : { children, atWork: atWork.size, steps, tokens, cost };
}

/** `30K tokens, $0.0500` */
export const wholeText = (tokens: number, cost: number): string =>
  [tokensText(tokens), costText(cost / 1e6)].filter((part) => part !== null).join(", ");
