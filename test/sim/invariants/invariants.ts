import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import { OF_APPROVALS } from "./approvals.ts";
import { OF_BUDGETS } from "./budget.ts";
import { OF_CHANNELS } from "../channels/invariants.ts";
import { OF_DELIVERIES } from "./deliveries.ts";
import { OF_EFFECTS } from "./effects.ts";
import { OF_THE_LOG } from "./log.ts";
import { OF_WHAT_IS_KEPT } from "./kept.ts";
import { OF_SOURCES } from "./sources.ts";
import { OF_SCHEDULES } from "./schedules.ts";
import { OF_WHAT_IS_TOLD } from "./told.ts";
import type { Client } from "../platform/client.ts";
import type { Rule, Conversation } from "../scripts/conversation.ts";
import type { FakePlatform } from "../platform/platform.ts";

/** A rule that was broken, and the plan that shows it. */
export interface Fault {
  readonly rule: string;
  readonly plan: string;
}

/** Invariants of every session, each by its name. */
export const INVARIANTS: Readonly<Record<string, Rule>> = {
  ...OF_THE_LOG,
  ...OF_EFFECTS,
  ...OF_APPROVALS,
  ...OF_BUDGETS,
  ...OF_WHAT_IS_TOLD,
  ...OF_CHANNELS,
  ...OF_DELIVERIES,
  ...OF_SCHEDULES,
  ...OF_WHAT_IS_KEPT,
  ...OF_SOURCES,
};

/** Names of the rules that the run breaks. */
export function checkPlatform(
  platform: FakePlatform,
  client: Client | null = null,
  log: readonly Entry[] = platform.log,
): string[] {
  const conversation: Conversation = { platform, log, state: platform.state, client };
  return Object.entries(INVARIANTS).flatMap(([name, holds]) => (holds(conversation) ? [] : [name]));
}

/** How it all ended, for one to be held against another; `unknown` when an outcome could not be known. */
export function endingOf(
  platform: FakePlatform,
  log: readonly Entry[] = platform.log,
): { readonly all: string; readonly unknown: boolean } {
  const entries = log.flatMap((entry): unknown[] => {
    switch (entry.kind) {
      case "answer":
        return [[entry.run, entry.body.text]];
      case "run_ended":
        return [[entry.run, entry.body.outcome, entry.body.reason]];
      case "call_settled":
        return [[entry.body.call, entry.body.status, entry.body.observation]];
      case "approval_decided":
        return [[entry.body.call, entry.body.decision]];
      default:
        return [];
    }
  });
  const unknown = log.some((entry) => entry.kind === "call_settled" && entry.body.status === "unknown");
  const { entities, focus, facts } = platform.state.memory;
  const remembered = [entities.map((entity) => entity.id), focus, facts.map((fact) => fact.key)];
  return {
    all: JSON.stringify([entries, [...platform.effects.keyed.keys()].toSorted(), remembered]),
    unknown,
  };
}
