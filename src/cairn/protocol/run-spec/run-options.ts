import type { PresetName } from "../../core/guards/budget/profiles.ts";
import type { ClientTool } from "../../core/log/client-tool.ts";
import type { JsonObject } from "../../core/log/json.ts";
import type { CitationRule } from "../../core/log/receipt.ts";
import type { Limits, OnStuck, Questions } from "../../core/log/run.ts";
import type { Dialect, PreviousRun, SpecWarning } from "../../core/log/run-spec.ts";
import type { Targets } from "../../core/log/targets.ts";
import type { Profile, Role } from "../../core/log/verdict.ts";

/**
 * Settings requested for one run, without its message; a missing field comes from its agent, then from the deployment. Parsed from
 * a body of `POST /api/runs` (`RunRequest`), combined with its agent into a `ResolvedRun`, and frozen in its `RunSpec`.
 */
export interface RunOptions {
  readonly agent?: string;
  readonly preset?: PresetName;
  /** auto: by the message, whatever the agent sets */
  readonly profile?: Profile | "auto";
  readonly limits?: Partial<Limits>;
  /** already checked against what the deployment allows, as its fallbacks */
  readonly model?: string;
  readonly fallbacks?: readonly string[];
  readonly temperature?: number;
  readonly dialect?: Dialect | "auto";
  readonly tools?: readonly string[];
  /** that its client brings; a message that joins a run brings none */
  readonly clientTools?: readonly ClientTool[];
  readonly instructions?: string;
  readonly onStuck?: OnStuck;
  readonly questions?: Partial<Questions>;
  readonly onExhausted?: "answer" | "fail";
  readonly showThoughts?: boolean;
  readonly citations?: "off" | CitationRule;
  /** false loosens nothing: an agent may want it of all its runs */
  readonly quarantine?: boolean;
  /** template of the request in the prompt */
  readonly objectiveTemplate?: string;
  /** how often it is worked, side by side, before one answer is made of it */
  readonly rollouts?: number;
  readonly resultKey?: string;
  readonly output?: JsonObject;
  readonly approval?: ApprovalOptions;
  /** approvers of its approvals, if the interface sets them (webhooks) */
  readonly approvers?: readonly string[];
  readonly previous?: PreviousRun;
  /** in the place of those of the session and the agent; empty: the deployment's own */
  readonly targets?: Targets;
  readonly metadata?: JsonObject;
  readonly traceId?: string;
  /** of who asked for it before, where that is not the caller (schedules) */
  readonly role?: Role;
  readonly warnings?: readonly SpecWarning[];
}

/** Can only be stricter than the tools and the agent. */
export interface ApprovalOptions {
  readonly rules?: Readonly<Record<string, "auto" | "ask" | "deny">>;
  readonly needed?: number;
  readonly of?: readonly string[];
  readonly expiresMs?: number;
  readonly denyOnExpiry?: boolean;
}
