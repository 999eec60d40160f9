import { laneOf } from "../../core/guards/permissions.ts";
import { receiveSend } from "../../core/loop/receive.ts";
import type { Limits } from "../../core/log/entry.ts";
import { runId } from "../../core/log/names.ts";
import type { OwnCapsules } from "../../tools/messaging/services.ts";
import type { RunDefaults } from "../api/access.ts";
import { tooSmall } from "../api/budget.ts";
import type { AskedRun } from "../api/session-api.ts";
import type { Engine } from "../engine/engine.ts";
import type { SqlStore } from "../storage/store.ts";
import { OF_A_CHILD } from "./own-schedules.ts";
import { loadRunParts, resolveRun } from "./resolve-run.ts";

/** What stands behind the tool by which a run starts a time capsule. */
export interface OwnCapsuleParts {
  readonly engine: Engine;
  readonly store: SqlStore;
  readonly defaults: RunDefaults;
}

/**
 * A capsule that a run starts: queued behind it, in the name and under the role of who asked, with the agent, the tools, the
 * site and the origin of that run. The same id again is the same capsule.
 */
export function ownCapsules(parts: () => OwnCapsuleParts): OwnCapsules {
  return {
    start: async (name, { id, goal, minutes, costUsdMillionths: cost }) => {
      const { engine, store, defaults } = parts();
      const { run } = engine.log.state();
      const { spec } = engine;
      if (run === null || spec === null || !name.endsWith(`.${run.run}`))
        return { ok: false, error: { code: "not_live", message: "The run that asks has ended." } };
      if (run.request.parent !== undefined) return { ok: false, error: OF_A_CHILD };
      const { actor: by, role, origin, source, askedAt: asked } = run.request;
      const limits: Partial<Limits> = { activeMs: minutes * 60_000, cost };
      const ask: AskedRun = {
        ...{ role, agent: spec.agent, profile: "time_capsule", limits },
        ...(spec.tools === null ? {} : { tools: spec.tools }),
        ...(spec.site === null ? {} : { site: spec.site }),
      };
      await loadRunParts(defaults, store.loadMeta(), ask);
      const words = [{ type: "text", text: goal }] as const;
      return engine.record((tx) => {
        const before = store.seen("capsule", id);
        if (before !== null) return { ok: true, value: { run: runId(defaults.session, before) } };
        const resolved = resolveRun(defaults, store, { subject: by, scopes: [] }, ask);
        if (!resolved.ok) return resolved;
        const small = tooSmall(engine, resolved.value, words);
        if (small !== null) return { ok: false, error: small };
        const askedAt = laneOf(source) === "user" ? tx.at : asked;
        const received = receiveSend(tx.state, {
          ...{ id, author: by, source: "capsule", mode: "queue", request: null, parts: words },
          ...(origin === undefined ? {} : { origin }),
          ...(askedAt === undefined ? {} : { askedAt }),
          ...resolved.value,
        });
        if (!received.ok) return { ok: false, error: received };
        tx.append(received.entries);
        store.remember("capsule", id, received.value.run, tx.at);
        return { ok: true, value: { run: runId(defaults.session, received.value.run) } };
      });
    },
  };
}
