import type { Entry, ProposedCall } from "../../../src/cairn/core/log/entry.ts";
import type { State } from "../../../src/cairn/core/state/state.ts";
import type { Client } from "../platform/client.ts";
import type { FakePlatform } from "../platform/platform.ts";

/** A look at the whole of a platform at rest. */
export interface Conversation {
  readonly platform: FakePlatform;
  readonly log: readonly Entry[];
  readonly state: State;
  readonly client: Client | null;
}

/** True if the invariant holds. */
export type Rule = (conversation: Conversation) => boolean;

/** Every call that a reply of the log asks for, in order. */
export function proposed(log: readonly Entry[]): readonly ProposedCall[] {
  return log.flatMap((entry) => (entry.kind === "model_replied" ? entry.body.calls : []));
}

export function count(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
