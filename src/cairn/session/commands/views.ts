import type { Entry } from "../../core/log/entry.ts";
import { type JsonObject, ownValue } from "../../core/log/json.ts";
import { DEFAULT_AGENT, runId } from "../../core/log/names.ts";
import { estimateTokens, measurePrompt } from "../../core/prompt/measure.ts";
import { specOf } from "../../core/entries/grant.ts";
import { apply } from "../../core/state/apply.ts";
import { renderFacts, renderMemory } from "../../core/state/memory.ts";
import { type State, type Entity, EMPTY_STATE, type Fact } from "../../core/state/state.ts";
import { waitingRuns } from "../../core/state/queue.ts";
import { waitsForPerson } from "../../core/state/run/phase.ts";
import { withoutThoughts } from "../../core/text/thoughts.ts";
import { type EntityView, type MemoryView, runView, type RunView } from "../../protocol/views.ts";
import type { Composed } from "../engine/compose-request.ts";
import type { Store, Ports } from "../engine/ports.ts";
import { factValue, readRunEntries, type RunEntries } from "../engine/transaction.ts";
import type { WakeModule } from "../engine/wake-module.ts";
import type { Meta } from "../storage/meta.ts";
import { policiesNow } from "../runs/standing.ts";
import { livePolicies } from "./access.ts";
import { keepsThoughts, loadRun, wordsAt } from "../api/log-reader.ts";
import type { SessionDetail, SessionView } from "../api/session-api.ts";
import type { RunDefaults } from "../runs/run-defaults.ts";

/** Returns the public view of a session. */
export function sessionView(
  defaults: { readonly session: string; readonly model: string | null },
  meta: Meta,
  state: State,
): SessionView {
  const { createdAt, title, titleSource, owner, version } = meta;
  const phase = state.run?.phase;
  // A call at a client goes on without a word of anybody.
  const waits = phase !== undefined && phase.at !== "waiting_client" && waitsForPerson(phase);
  const works = state.run !== null || (state.queue.length > 0 && !state.held);
  return {
    id: defaults.session,
    title,
    titleSource,
    owner,
    agent: meta.agent ?? DEFAULT_AGENT,
    targets: meta.targets ?? null,
    model: meta.model ?? defaults.model,
    status: waits ? "waiting" : works ? "running" : "idle",
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
  defaults: Pick<RunDefaults, "session" | "model" | "voterNow">,
  meta: Meta,
  state: State,
  store: Pick<Store, "entriesBefore" | "entriesBetween">,
  at: number,
): SessionDetail {
  const { session, voterNow } = defaults;
  const valid = new Set(policiesNow(meta, voterNow, at).map(({ id }) => id));
  return {
    ...sessionView(defaults, meta, state),
    activeRun: liveRunView(session, state, store),
    held: state.held,
    queue: waitingRuns(state).map((item, index) => ({
      runId: runId(session, item.run),
      position: index + 1,
      text: wordsAt(store, item.request.inputSeq),
      source: item.request.source,
    })),
    policies: livePolicies(meta, at).map(({ id, tool, match, decision, by, expiresAt }) => ({
      id,
      tool,
      match,
      decision,
      expiresAt: new Date(expiresAt).toISOString(),
      by: by.subject,
      ...(valid.has(id) ? {} : { ended: true as const }),
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
  const entries = loadRun(store, state, run);
  const [first] = entries;
  return first?.kind === "run_queued"
    ? runView(session, state, entries, wordsAt(store, first.body.inputSeq))
    : null;
}

/** Reads the entry of each fact; the entities are in the snapshot. */
export function memoryView({ memory, head }: State, store: Pick<Store, "entriesBetween">): MemoryView {
  const facts = memory.facts.map((fact) => ({ key: fact.key, value: factValue(store, fact), seq: fact.seq }));
  const values = new Map(facts.map(({ seq, value }) => [seq, value]));
  const shown = [renderMemory(memory), ...renderFacts(memory.facts, ({ seq }) => values.get(seq) ?? "")];
  return {
    entities: memory.entities.map((entity) =>
      entityView(entity, ownValue(memory.focus, entity.type) === entity.id),
    ),
    facts,
    tokens: memory.entities.length + facts.length === 0 ? 0 : estimateTokens(shown.join("\n").length),
    seq: head,
  };
}

function entityView({ slug, parent, ...entity }: Entity, focus: boolean): EntityView {
  const { type, id, name, tool, step, seq } = entity;
  const fields = { ...(slug === undefined ? {} : { slug }), ...(parent === undefined ? {} : { parent }) };
  return { type, id, name, fields, focus, tool, step, seq };
}

export type PromptParts = Pick<Ports, "store" | "facts" | "tools" | "redact" | "partsOf">;

/**
 * Returns the request that the first attempt of each step of a run sent to its model, by step: reconstructed from the
 * log, which stores only its digest. `exact` is true if the digest matches: after a change of prompts it does not.
 * Folds the log up to the run's last step. `whole`: with restricted thoughts.
 */
export function promptsOf(
  parts: PromptParts & Pick<WakeModule, "composeRequest">,
  run: string,
  lastSeq: number,
  whole: boolean,
): ReadonlyMap<string, JsonObject> {
  const prompts = new Map<string, JsonObject>();
  /** runs whose thoughts are not shown */
  const keeping = new Set<string | null>();
  const show = (entry: Entry): Entry => (keeping.has(entry.run) ? withoutThoughts(entry) : entry);
  let state = EMPTY_STATE;
  while (state.head < lastSeq) {
    const page = parts.store.entriesAfter(state.head, PAGE_ENTRIES);
    if (page.length === 0) break;
    for (const entry of page) {
      if (!whole && keepsThoughts(entry)) keeping.add(entry.run);
      if (entry.kind === "step_started" && entry.run === run && entry.step !== null)
        prompts.set(entry.step, promptOf(parts, state, entry, keeping.size === 0 ? null : show));
      state = apply(state, entry);
    }
  }
  return prompts;
}

const PAGE_ENTRIES = 200;

function promptOf(
  parts: PromptParts & Pick<WakeModule, "composeRequest">,
  state: State,
  entry: Entry<"step_started">,
  show: ((entry: Entry) => Entry) | null,
): JsonObject {
  const { store } = parts;
  const { run } = state;
  if (run === null) throw new Error(`step ${entry.step} began without a run`);
  const { patch = {}, promptDigest: sent } = entry.body;
  const entries = readRunEntries(store, state, run);
  const valueOf = (fact: Fact): string => factValue(store, fact);
  const own = { ...parts, ...parts.partsOf?.(specOf(entries.current)) };
  const compose = (of: RunEntries): Composed =>
    parts.composeRequest({ state, at: entry.at, entriesOf: () => of, valueOf }, run, entry.body, patch, own);
  const { model, instructions, messages, tools } = compose(entries);
  const shown =
    show === null
      ? messages
      : compose({ ...entries, history: entries.history.map(show), current: entries.current.map(show) })
          .messages;
  return {
    model,
    instructions,
    messages: shown,
    tools,
    exact: sent === measurePrompt(instructions, messages).promptDigest,
  } as unknown as JsonObject;
}
