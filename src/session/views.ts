import { canonicalJson } from "../core/json.ts";
import { runId } from "../core/names.ts";
import { waitsForPerson, type State } from "../core/state.ts";
import type { ApprovalView } from "../wire/approval.ts";
import { runView, type RunView } from "../wire/run-view.ts";
import { loadRun } from "./chat-log.ts";
import type { Actor, Answer, DecideCommand, SessionDetail, SessionView } from "./door.ts";
import type { Store } from "./ports.ts";
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
    agent: meta.agent ?? null,
    model: meta.model ?? house.model,
    status: waits ? "waiting" : state.run !== null || state.queue.length > 0 ? "running" : "idle",
    archived: meta.archived ?? false,
    messageCount: state.messages,
    runCount: state.runs,
    queued: state.queue.length,
    pendingApprovals: phase?.at === "waiting_approval" ? 1 : 0,
    lastSeq: state.head,
    version,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(Math.max(createdAt, meta.changedAt ?? 0, state.at)).toISOString(),
    forkedFrom: meta.forkedFrom ?? null,
    imported: meta.imported ?? false,
    metadata: meta.metadata ?? {},
  };
}

/** With what is live and what waits. */
export function sessionDetail(
  house: { readonly session: string; readonly model: string },
  meta: Meta,
  state: State,
  store: Pick<Store, "entriesBefore" | "entriesBetween">,
): SessionDetail {
  const { session } = house;
  return {
    ...sessionView(house, meta, state),
    activeRun: liveRunView(session, state, store),
    queue: state.queue.map((item, index) => ({
      runId: runId(session, item.run),
      position: index + 1,
      text: wordsAt(store, item.said),
    })),
    policies: [],
  };
}

/** The run that is live; null when none is. */
export function liveRunView(
  session: string,
  state: State,
  store: Pick<Store, "entriesBefore" | "entriesBetween">,
): RunView | null {
  const { run } = state;
  return run === null
    ? null
    : runView(session, state, loadRun(store, state, run.run), wordsAt(store, run.said));
}

function wordsAt(store: Pick<Store, "entriesBetween">, seq: number): string {
  const [said] = store.entriesBetween(seq, seq);
  const parts = said?.kind === "user_said" ? said.body.parts : [];
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");
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

/** Whoever an approval names as its approver may see and decide it, and nothing else of a session that is not theirs. */
export function isNamed(actor: Actor, approval: ApprovalView | null): boolean {
  const may = actor.scopes.includes("approve") || actor.scopes.includes("admin");
  return may && approval?.approvers.includes(actor.subject) === true;
}
