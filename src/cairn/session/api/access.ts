import { startOf } from "../../core/text/cut.ts";
import type { Policy } from "../../core/log/approval.ts";
import type { KnownTools } from "../../core/guards/named-tools.ts";
import type { Agents } from "../../agents/define.ts";
import type { PromptPart } from "../../core/log/model.ts";
import type { Targets } from "../../core/log/targets.ts";
import type { KnownTargets } from "../runs/targets.ts";
import type { Standing, VoterNow } from "../runs/standing.ts";
import type { Meta } from "../storage/meta.ts";
import type { SqlStore } from "../storage/store.ts";
import type { Actor, Scope } from "./session-api.ts";

/** Permission checks of a session, and ownership of a new one. */

/** `admin` holds every scope; no other implies another. */
export function allows(actor: Pick<Actor, "scopes">, scope: Scope): boolean {
  return actor.scopes.includes(scope) || actor.scopes.includes("admin");
}

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

/** Files that a message names by a path of this deployment. */
export interface SentFiles {
  /**
   * Adds the tools' data about each of these files. Never throws: an unknown file is left unchanged, and so is one that
   * could not be looked up, for which `failed` is called.
   */
  identify(
    parts: readonly PromptPart[],
    targets: Targets,
    failed?: () => void,
  ): Promise<readonly PromptPart[]>;
  /** The oldest files that were sent to this session for reading, as parts. Never throws: without the bucket there are none. */
  waiting(most: number, failed?: () => void): Promise<readonly PromptPart[]>;
  /** Those of this session alone go with it. Throws where they cannot be deleted. */
  drop(): Promise<void>;
}

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
