import * as z from "zod";
import type { Match } from "../core/log/entry.ts";
import { POLICY_SECONDS_MAX } from "../core/limits.ts";

/** That a decision holds for later calls of its session too: those with equal arguments, or all of its tool. */
export const rememberSchema = z.strictObject({
  match: z.enum(["args", "tool"]),
  seconds: z.int().min(1).max(POLICY_SECONDS_MAX),
});

/** A decision that holds for later calls too, until it ends or is revoked. */
export type PolicyView = {
  readonly id: string;
  readonly tool: string;
  readonly match: Match;
  readonly decision: "approve" | "deny";
  readonly expiresAt: string;
  readonly by: string;
};
