import type { Agents } from "../../agents/define.ts";
import type { KnownTools } from "../../core/guards/named-tools.ts";
import type { SentFiles } from "../storage/files.ts";
import type { Standing, VoterNow } from "./standing.ts";
import type { KnownTargets } from "./targets.ts";

/** Defaults that every run of a session starts from. */
export interface RunDefaults {
  readonly session: string;
  /** null while none can be called: nothing starts then */
  readonly model: string | null;
  readonly agents: Agents;
  readonly targets: KnownTargets;
  readonly files: SentFiles;
  /** of the deployment: names that a run may ask for */
  readonly tools: KnownTools;
  readonly fallbacks: readonly string[];
  readonly messagesPerMinute: number;
  /** who of those with the scope admin is one; null: all of them. An empty list means no admins */
  readonly admins: readonly string[] | null;
  /** present rights of absent people; absent if no rights can end */
  readonly standing?: Standing;
  /** present votes of absent people; absent if no rights can end */
  readonly voterNow?: VoterNow;
}
