import { err } from "../../core/log/result.ts";
import { Approvals } from "./approvals.ts";
import { ChatTurn } from "./chat-turn.ts";
import { FamilyService } from "./family-service.ts";
import { mapCommands, type CommandName, type CommandParts, type SessionApi } from "./commands.ts";
import { SessionLifecycle, type LifecycleDeps } from "./lifecycle.ts";
import { Messages } from "./messages.ts";
import { Schedules, type SchedulesDeps } from "./schedules.ts";
import { SessionService, type ServiceDeps } from "./service.ts";
import { Shares } from "../links/shares.ts";
import type { Ports } from "../engine/ports.ts";
import type { Actor, ApiResult } from "../api/session-api.ts";

/** Dependencies of all commands. */
export type CommandDeps = ServiceDeps &
  Omit<LifecycleDeps, "admit"> &
  Omit<SchedulesDeps, "defaults"> &
  Pick<Ports, "redact">;

type Method = (actor: Actor, ...args: unknown[]) => ApiResult<unknown> | Promise<ApiResult<unknown>>;

/** Creates the commands of a session: each admits the caller by the table, and calls its part. */
export function createCommands(deps: CommandDeps): {
  readonly api: SessionApi;
  readonly service: SessionService;
  readonly schedules: Schedules;
} {
  const service = new SessionService(deps);
  const admit = service.admit.bind(service);
  const lifecycle = new SessionLifecycle({ ...deps, admit });
  const messages = new Messages(deps.engine, deps.store, deps);
  const approvals = new Approvals({ ...deps, admit });
  const parts: CommandParts = {
    service,
    messages,
    approvals,
    chatTurn: new ChatTurn({ ...deps, messages, approvals, admit }),
    schedules: new Schedules({ ...deps, defaults: deps }),
    shares: new Shares(deps),
    lifecycle,
    family: new FamilyService({ ...deps, defaults: deps, lifecycle }),
  };
  const api = mapCommands((name, { part, admits }) => {
    // The types of the table hold each of them against its method.
    const methods = parts[part] as unknown as Readonly<Record<CommandName, Method>>;
    return async (actor, ...args) => {
      await service.touch();
      const refused = admits === "itself" ? null : admit(actor, admits);
      return refused === null ? methods[name](actor, ...args) : err(refused);
    };
  });
  return { api, service, schedules: parts.schedules };
}
