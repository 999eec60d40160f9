import { startOf } from "../../core/text/cut.ts";
import type { Policy } from "../../core/log/approval.ts";
import type { PromptPart } from "../../core/log/model.ts";
import type { Meta } from "../storage/meta.ts";
import type { SqlStore } from "../storage/store.ts";
import type { Actor } from "../api/session-api.ts";

/** Ownership of a session, and its remembered decisions. */

export function isOwner(actor: Actor, meta: Meta): boolean {
  return meta.owner === actor.subject || actor.scopes.includes("admin");
}

export function newMeta(actor: Actor, at: number): Meta {
  return { owner: actor.subject, title: "", titleSource: "auto", model: null, createdAt: at, version: 1 };
}

/**
 * True for a command about another session of the same name: names can be reused after a deletion. A command without a
 * creation time is about the present session.
 */
export function isOfAnother(
  meta: Pick<Meta, "createdAt"> | null,
  { sessionAt = null }: { readonly sessionAt?: number | null | undefined },
): boolean {
  return sessionAt !== null && sessionAt !== meta?.createdAt;
}

const TITLE_CHARS_MAX = 60;

/** Decisions that are remembered and have not ended. */
export function livePolicies({ policies = [] }: Meta, at: number): readonly Policy[] {
  return policies.filter((policy) => policy.expiresAt > at);
}

/** The first words make the session their author's and give it a title. */
export function claimSession(
  store: Pick<SqlStore, "loadMeta" | "saveMeta">,
  actor: Actor,
  parts: readonly PromptPart[],
  at: number,
): void {
  const meta = store.loadMeta() ?? newMeta(actor, at);
  if (meta.title !== "") return;
  const text = textOf(parts).replace(/\s+/g, " ").trim();
  // Not half of a pair at the cut.
  const title = startOf(text, TITLE_CHARS_MAX);
  store.saveMeta({ ...meta, title });
}

function textOf(parts: readonly PromptPart[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join(" ");
}
