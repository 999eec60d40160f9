import { laneOf } from "../../core/guards/permissions.ts";
import { receiveSend } from "../../core/loop/receive.ts";
import type { Limits } from "../../core/log/entry.ts";
import { runId } from "../../core/log/names.ts";
import { err, ok, type Result } from "../../core/log/result.ts";
import type { CapsuleRequest, OwnCapsules, ScheduleRefusal } from "../../tools/messaging/services.ts";
import { tooSmall } from "./budget.ts";
import type { RunOptions } from "../../protocol/run-spec/run-options.ts";
import type { Engine } from "../engine/engine.ts";
import type { SqlStore } from "../storage/store.ts";
import { OF_A_CHILD } from "./own-schedules.ts";
import { loadRunParts, resolveRun } from "../runs/resolve-run.ts";
import type { RunDefaults } from "../runs/run-defaults.ts";

/** Dependencies of the tool that starts a time capsule. */
export interface OwnCapsuleParts {
  readonly engine: Engine;
  readonly store: SqlStore;
  readonly defaults: RunDefaults;
}

/**
 * A capsule that a run starts: queued behind it, in the name and under the role of who asked, with the agent, the tools, the
 * targets and the origin of that run. The same id again is the same capsule.
 */
export function ownCapsules(parts: () => OwnCapsuleParts): OwnCapsules {
  return {
    refusal: async (name, request) => {
      const { engine, store, defaults } = parts();
      const options = askOf(engine, name, request);
      if (!options.ok) return options.error;
      if (store.seen("capsule", request.id) !== null) return null;
      await loadRunParts(defaults, store.loadMeta(), options.value);
      const checked = resolveCapsule(parts(), options.value, request);
      return checked.ok ? null : checked.error;
    },
    start: async (name, request) => {
      const { engine, store, defaults } = parts();
      const options = askOf(engine, name, request);
      if (!options.ok) return options;
      const { run } = engine.log.state();
      if (run === null) return err(NOT_LIVE);
      const { actor: by, origin, source, askedAt: before } = run.request;
      await loadRunParts(defaults, store.loadMeta(), options.value);
      return engine.record((tx) => {
        const known = store.seen("capsule", request.id);
        if (known !== null) return { ok: true, value: { run: runId(defaults.session, known) } };
        const checked = resolveCapsule(parts(), options.value, request);
        if (!checked.ok) return checked;
        const askedAt = laneOf(source) === "user" ? tx.at : before;
        const received = receiveSend(tx.state, {
          id: request.id,
          author: by,
          source: "capsule",
          mode: "queue",
          request: null,
          parts: goalParts(request),
          ...(origin === undefined ? {} : { origin }),
          ...(askedAt === undefined ? {} : { askedAt }),
          ...checked.value,
        });
        if (!received.ok) return { ok: false, error: received };
        tx.append(received.entries);
        store.remember("capsule", request.id, received.value.run, tx.at);
        return { ok: true, value: { run: runId(defaults.session, received.value.run) } };
      });
    },
  };
}

const NOT_LIVE: ScheduleRefusal = { code: "not_live", message: "The run that asks has ended." };

const goalParts = ({ goal }: CapsuleRequest) => [{ type: "text", text: goal }] as const;

/** The run that the live run of this name asks for. */
function askOf(
  { log, spec }: Engine,
  name: string,
  { minutes, costUsdMillionths: cost }: CapsuleRequest,
): Result<RunOptions, ScheduleRefusal> {
  const { run } = log.state();
  if (run === null || spec === null || !name.endsWith(`.${run.run}`)) return err(NOT_LIVE);
  if (run.request.parent !== undefined) return err(OF_A_CHILD);
  const limits: Partial<Limits> = { activeMs: minutes * 60_000, cost };
  return ok({
    role: run.request.role,
    agent: spec.agent,
    profile: "time_capsule",
    limits,
    ...(spec.tools === null ? {} : { tools: spec.tools }),
    ...(spec.targets === undefined ? {} : { targets: spec.targets }),
  });
}

/** The request as it would be queued, or why it cannot be worked at. */
function resolveCapsule(
  { engine, store, defaults }: OwnCapsuleParts,
  ask: RunOptions,
  request: CapsuleRequest,
) {
  const by = engine.log.state().run?.request.actor ?? "";
  const resolved = resolveRun(defaults, store, { subject: by, scopes: [] }, ask);
  if (!resolved.ok) return resolved;
  const small = tooSmall(engine, resolved.value, goalParts(request));
  return small === null ? resolved : err(small);
}
