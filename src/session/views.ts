import { canonicalJson, type JsonObject } from "../core/json.ts";
import type { PromptPart } from "../core/model.ts";
import { runId } from "../core/names.ts";
import { waitsForPerson, type State } from "../core/state.ts";
import { budgetView, usageView } from "../wire/data-parts.ts";
import { isoTime } from "../wire/ui-chunk.ts";
import type { ApprovalView } from "../wire/approval.ts";
import type { Actor, Answer, DecideCommand, SessionView } from "./door.ts";
import { ALREADY_DECIDED, APPROVAL_CANCELLED, APPROVAL_EXPIRED } from "./refusals.ts";
import type { Meta } from "./store.ts";

/** What a session tells about itself (interface 3, Session). */
export function sessionView(
  house: { readonly session: string; readonly model: string },
  meta: Meta,
  state: State,
): SessionView {
  const { createdAt, title, titleSource, owner, version } = meta;
  const phase = state.run?.phase;
  const waits = phase !== undefined && waitsForPerson(phase);
  return {
    id: house.session,
    title,
    titleSource,
    owner,
    agent: null,
    model: meta.model ?? house.model,
    status: waits ? "waiting" : state.run !== null || state.queue.length > 0 ? "running" : "idle",
    archived: false,
    messageCount: state.messages,
    runCount: state.runs,
    queued: state.queue.length,
    pendingApprovals: phase?.at === "waiting_approval" ? 1 : 0,
    lastSeq: state.head,
    version,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(Math.max(createdAt, state.at)).toISOString(),
  };
}

/** The same person's same decision again is the first result; any other comes too late. */
export function decidedBefore(
  found: ApprovalView,
  actor: Actor,
  command: DecideCommand,
): Answer<{ readonly approval: ApprovalView; readonly replayed: boolean }> {
  const beside = { approval: found };
  if (found.state === "cancelled") return { ok: false, error: { ...APPROVAL_CANCELLED, beside } };
  if (found.state === "expired") return { ok: false, error: { ...APPROVAL_EXPIRED, beside } };
  const same =
    command.decision !== "edit" || canonicalJson(found.result?.args) === canonicalJson(command.args);
  if (same && found.result?.decision === command.decision && found.result.by === actor.subject) {
    return { ok: true, value: { approval: found, replayed: true } };
  }
  return { ok: false, error: { ...ALREADY_DECIDED, beside } };
}

/** The live run (interface 3, Run), as far as it is at work; `{}` when none is. */
export function liveRunView(session: string, { run, at }: State): JsonObject {
  if (run === null) return {};
  const waits = waitsForPerson(run.phase);
  return {
    id: runId(session, run.run),
    sessionId: session,
    status: waits ? "paused" : "running",
    partial: false,
    outcome: null,
    reason: null,
    source: run.source,
    requester: run.actor,
    model: run.model,
    profile: run.profile,
    steps: run.step,
    usage: usageView(run.usage),
    budgets: budgetView(run),
    firstSeq: run.firstSeq,
    startedAt: isoTime(run.startedAt),
    updatedAt: isoTime(at),
    endedAt: null,
  };
}

const TITLE_CHARS_MAX = 60;

/** What a session is called after its first message. */
export function titleOf(parts: readonly PromptPart[]): string {
  const said = parts.map((part) => (part.type === "text" ? part.text : "")).join(" ");
  // Not half of a pair at the cut.
  return said
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, TITLE_CHARS_MAX)
    .replace(/[\uD800-\uDBFF]$/, "");
}
