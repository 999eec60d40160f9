import { runId } from "../../core/log/names.ts";
import { waitsForPerson, type State } from "../../core/state/state.ts";
import { runView, type RunView } from "../../wire/views.ts";
import { loadRun } from "./log-reader.ts";
import { livePolicies } from "./approvals.ts";
import type { SessionDetail, SessionView } from "./session-api.ts";
import type { Store } from "../engine/ports.ts";
import type { Meta } from "../storage/meta.ts";

/** What a session tells about itself (interface 3, Session). */
export function sessionView(
  house: { readonly session: string; readonly model: string | null },
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
  house: { readonly session: string; readonly model: string | null },
  meta: Meta,
  state: State,
  store: Pick<Store, "entriesBefore" | "entriesBetween">,
  at: number,
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
    policies: livePolicies(meta, at).map(({ id, tool, match, decision, by, expiresAt }) => ({
      id,
      tool,
      match,
      decision,
      expiresAt: new Date(expiresAt).toISOString(),
      by: by.subject,
    })),
  };
}

/** The run that is live; null when none is. */
export function liveRunView(
  session: string,
  state: State,
  store: Pick<Store, "entriesBefore" | "entriesBetween">,
): RunView | null {
  const { run } = state;
  return run === null ? null : namedRunView(session, state, store, run.run);
}

/** A run by its local name; null when it never was. */
export function namedRunView(
  session: string,
  state: State,
  store: Pick<Store, "entriesBefore" | "entriesBetween">,
  run: string,
): RunView | null {
  const rows = loadRun(store, state, run);
  const [first] = rows;
  return first?.kind === "run_queued" ? runView(session, state, rows, wordsAt(store, first.body.said)) : null;
}

export function wordsAt(store: Pick<Store, "entriesBetween">, seq: number): string {
  const [said] = store.entriesBetween(seq, seq);
  const parts = said?.kind === "user_said" ? said.body.parts : [];
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");
}
