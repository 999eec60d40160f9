import type { Bindings } from "../bindings.ts";
import type { Isolate } from "../isolate.ts";
import type { StartedPlugin } from "../plugin.ts";
import type { Config } from "../config/config.ts";
import { grantsOf, type People } from "../config/rights.ts";
import { modelText, type Model } from "../core/log/model.ts";
import { priceOf } from "../core/model-tables.ts";
import { complaintOf } from "../core/text/redact.ts";
import type { Extractor } from "../documents/extract.ts";
import type { ValueReader } from "../documents/value-reader.ts";
import { createExtractor } from "../models/extract.ts";
import { createValueReader } from "../models/read-page.ts";
import { logError } from "../operator-log.ts";
import type { SessionPlan, WholeSession } from "./assemble.ts";
import type { Callers } from "./commands/callers.ts";
import { sessionView } from "./commands/views.ts";
import { SessionIndex } from "./background/session-index.ts";
import { SessionTitle } from "./background/session-title.ts";
import { createPost } from "./background/webhook-sender.ts";
import type { Engine } from "./engine/engine.ts";
import type { SessionHost } from "./part.ts";
import { SessionParts } from "./parts.ts";
import { readTargets } from "./runs/targets.ts";
import { createStanding, createVoterNow } from "./runs/standing.ts";
import { SessionSockets } from "./sockets/platform.ts";
import { indexDb, objectDisk } from "./storage/durable-disk.ts";
import { sessionFiles } from "./storage/files.ts";
import type { Disk, SqlStore } from "./storage/store.ts";
import { pluginOf, pluginTables } from "./storage/tables.ts";

/** The parts that a deployment gives each of its sessions. */

/** A session that is being made. */
interface Making {
  readonly isolate: Isolate;
  readonly session: string;
  readonly store: SqlStore;
  readonly engine: Engine;
}

/** name of the deployment's model; null while there is none */
const modelOf = ({ models }: Config): string | null => (models === null ? null : modelText(models.primary));

/** The disk of the session. `plugins`: those whose tables are there. */
export function openDisk(
  storage: DurableObjectStorage,
  { started, redact }: Isolate,
): { readonly disk: Disk; readonly plugins: () => readonly StartedPlugin[] } {
  const withoutTables = new Set<string>();
  const disk = objectDisk(storage, {
    parts: pluginTables(started.plugins),
    failed: (part, error) => {
      const plugin = pluginOf(part);
      withoutTables.add(plugin);
      logError(`the tables of a plugin could not be made: ${plugin}`, complaintOf(error, redact));
      started.faults.note(plugin, "tables", error);
    },
  });
  return { disk, plugins: () => started.plugins.filter(({ name }) => !withoutTables.has(name)) };
}

export const pluginParts = (
  plugins: readonly StartedPlugin[],
  host: SessionHost,
  { started, redact }: Isolate,
): SessionParts =>
  new SessionParts(plugins, host, (part, error) => {
    logError(`the session's part of a plugin failed: ${part}`, complaintOf(error, redact));
    started.faults.note(part, "part of a session", error);
  });

/** Values that every run of the session begins with. */
export function runDefaults({
  isolate,
  env,
  session,
  store,
  people,
}: Omit<Making, "engine"> & {
  readonly env: Bindings;
  readonly people: People | null;
}): SessionPlan<SessionParts>["defaults"] {
  const { config, project, redact } = isolate;
  const { admins } = project.agents.deployment;
  return {
    model: modelOf(config),
    fallbacks: config.models?.fallbacks.map(modelText) ?? [],
    admins,
    targets: readTargets({
      kinds: isolate.targets,
      clock: Date.now,
      report: (error) => logError("a target was not read", complaintOf(error, redact)),
    }),
    files: sessionFiles(
      env,
      isolate.pictures,
      session,
      () => store.loadMeta()?.createdAt ?? null,
      (error) => logError("sent files were not looked up", complaintOf(error, redact)),
    ),
    messagesPerMinute: config.limits.messagesPerMinute,
    ...(people === null
      ? {}
      : { standing: createStanding(people, admins), voterNow: createVoterNow(people, admins) }),
  };
}

/** Webhooks, and the links in them. */
export function noticesOf(
  { webhookTargets: targets, linkSecrets, publicUrl }: Config,
  people: People | null,
): SessionPlan<SessionParts>["notices"] {
  const grants =
    people === null ? {} : { grantsOf: (subject: string) => grantsOf(people, subject, Date.now()) };
  const isLinked = linkSecrets.length > 0 && publicUrl !== null;
  return {
    targets,
    links: isLinked ? { secrets: linkSecrets, origin: publicUrl, ...grants } : null,
    publicUrl,
    post: createPost(Date.now),
  };
}

/** The model that reads pages for tools; null where none is set. */
export function createReading(
  model: Model | null,
  { extractorModel, prices }: Config,
): { readonly extractor: Extractor | null; readonly reader: ValueReader | null } {
  if (model === null || extractorModel === null) return { extractor: null, reader: null };
  const price = priceOf(extractorModel, prices);
  return {
    extractor: createExtractor(model, extractorModel, price),
    reader: createValueReader(model, extractorModel, price),
  };
}

/** Names the session; null where sessions are not named. */
export function createTitle({
  isolate,
  session,
  store,
  engine,
  model,
}: Making & { readonly model: Model | null }): SessionTitle | null {
  const { config, project, redact } = isolate;
  if (!config.titles) return null;
  return new SessionTitle({
    session,
    store,
    redact,
    engine,
    clock: Date.now,
    model,
    modelName: modelOf(config),
    prices: config.prices,
    day: project.agents.deployment.budget.day,
    report: (error) => logError("the session was not named", complaintOf(error, redact)),
  });
}

/** Maintains the session's row in D1. */
export function createIndex({
  isolate,
  env,
  session,
  store,
  engine,
}: Making & { readonly env: Bindings }): SessionIndex {
  const { config, redact } = isolate;
  return new SessionIndex({
    session,
    store,
    state: () => engine.log.cachedState(),
    view: (meta, state) => sessionView({ session, model: modelOf(config) }, meta, state),
    db: indexDb(env.DB),
    clock: Date.now,
    rearm: (body) => engine.rearm(body),
    report: (error) => logError("the index of sessions was not written", complaintOf(error, redact)),
  });
}

export function createSockets({
  isolate,
  session,
  store,
  engine,
  whole,
  callers,
}: Making & {
  readonly whole: Pick<WholeSession<SessionParts>, "api" | "service">;
  readonly callers: Callers;
}): SessionSockets {
  const { config, redact } = isolate;
  const { api, service } = whole;
  return new SessionSockets({
    session,
    store,
    state: () => service.state(),
    api: { ...api, admit: (actor, scope) => service.admit(actor, scope) },
    clock: Date.now,
    touch: () => engine.restoreAlarm(),
    limits: config.limits,
    models: config.models,
    callers,
    redact,
  });
}
