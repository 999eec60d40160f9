import type { Json } from "./json.ts";
import type { EffectClass } from "./tool.ts";

/** What a person is asked, and what they say; stored as it stands here. */

export interface ApprovalRecord {
  readonly approval: string;
  readonly call: string;
  readonly tool: string;
  readonly title: string;
  readonly summary: string;
  readonly impact: readonly string[];
  readonly reason: string;
  readonly args: Json;
  readonly effect: EffectClass;
  readonly digest: string;
  readonly basis: string | null;
  readonly requester: string;
  readonly approvers: readonly string[];
  readonly needed: number;
  readonly expiresAt: number;
  readonly onExpiry: "deny" | "escalate";
}

/** What of a call's impact was shown to whoever decided. */
export interface ShownImpact {
  readonly title: string;
  readonly summary: string;
  readonly impact: readonly string[];
  readonly basis: string | null;
}

export type Decision = "approve" | "deny" | "edit" | "expired";
export type Via = "http" | "socket" | "link" | "chat" | "policy" | "clock";
