import { err, ok } from "../core/log/result.ts";
import { DurableObject } from "cloudflare:workers";
import type { Entry } from "../core/log/entry.ts";
import type { ApprovalLinkApi } from "./api/approval-link.ts";
import type { SessionLifecycle } from "./api/lifecycle.ts";
import type { Schedules } from "./api/schedules.ts";
import type { SessionService } from "./api/service.ts";
import type {
  Actor,
  AnswerCommand,
  CancelCommand,
  ChangeCommand,
  CreateCommand,
  DecideCommand,
  DeliveriesApi,
  ExtendCommand,
  Once,
  RegenerateCommand,
  SayCommand,
  Scope,
  SessionApi,
  LifecycleApi,
  SettleCommand,
  SteerCommand,
  ScheduleCommand,
  SchedulesApi,
} from "./api/session-api.ts";
import type { SessionOutbox } from "./background/outbox.ts";

/**
 * What the worker may call of a session: each method hands over to the part that does it. Only methods of a class are
 * reached by RPC, so they stand here one by one; the parts are fields, which nobody outside reaches.
 */
export abstract class SessionRpc
  extends DurableObject<Env>
  implements SessionApi, LifecycleApi, DeliveriesApi, ApprovalLinkApi, SchedulesApi
{
  protected abstract readonly service: SessionService;
  protected abstract readonly record: SessionLifecycle;
  protected abstract readonly outbox: SessionOutbox;
  protected abstract readonly scheduling: Schedules;

  say(actor: Actor, command: SayCommand): ReturnType<SessionApi["say"]> {
    return this.service.say(actor, command);
  }

  answer(actor: Actor, command: AnswerCommand): ReturnType<SessionApi["answer"]> {
    return this.service.answer(actor, command);
  }

  cancel(actor: Actor, command: CancelCommand): ReturnType<SessionApi["cancel"]> {
    return this.service.cancel(actor, command);
  }

  decide(actor: Actor, command: DecideCommand): ReturnType<SessionApi["decide"]> {
    return this.service.decide(actor, command);
  }

  extend(actor: Actor, command: ExtendCommand): ReturnType<SessionApi["extend"]> {
    return this.service.extend(actor, command);
  }

  approval(actor: Actor, id: string): ReturnType<SessionApi["approval"]> {
    return this.service.approval(actor, id);
  }

  revoke(actor: Actor, policy: string): ReturnType<SessionApi["revoke"]> {
    return this.service.revoke(actor, policy);
  }

  events(actor: Actor, after: number, limit: number): ReturnType<SessionApi["events"]> {
    return this.service.events(actor, after, limit);
  }

  messages(actor: Actor, limit: number, before: string | null): ReturnType<SessionApi["messages"]> {
    return this.service.messages(actor, limit, before);
  }

  readRun(actor: Actor, id: string): ReturnType<SessionApi["readRun"]> {
    return this.service.readRun(actor, id);
  }

  view(actor: Actor): ReturnType<SessionApi["view"]> {
    return this.service.view(actor);
  }

  readTrace(
    actor: Actor,
    run: string | null,
    format: "json" | "jsonl",
    prompts = false,
  ): ReturnType<SessionApi["readTrace"]> {
    return this.service.readTrace(actor, run, format, prompts);
  }

  steer(actor: Actor, command: SteerCommand): ReturnType<SessionApi["steer"]> {
    return this.service.steer(actor, command);
  }

  regenerate(actor: Actor, command: RegenerateCommand): ReturnType<SessionApi["regenerate"]> {
    return this.service.regenerate(actor, command);
  }

  create(actor: Actor, command: CreateCommand): ReturnType<LifecycleApi["create"]> {
    return this.record.create(actor, command);
  }

  change(actor: Actor, command: ChangeCommand): ReturnType<LifecycleApi["change"]> {
    return this.record.change(actor, command);
  }

  remove(actor: Actor): ReturnType<LifecycleApi["remove"]> {
    return this.record.remove(actor);
  }

  copyPoint(actor: Actor, scope: Scope, atSeq: number | null): ReturnType<LifecycleApi["copyPoint"]> {
    return this.record.copyPoint(actor, scope, atSeq);
  }

  copyRows(actor: Actor, scope: Scope, after: number, upTo: number): ReturnType<LifecycleApi["copyRows"]> {
    return this.record.copyRows(actor, scope, after, upTo);
  }

  copyNames(actor: Actor, scope: Scope): ReturnType<LifecycleApi["copyNames"]> {
    return this.record.copyNames(actor, scope);
  }

  copyText(actor: Actor, scope: Scope, name: string): ReturnType<LifecycleApi["copyText"]> {
    return this.record.copyText(actor, scope, name);
  }

  recall(actor: Actor, once: Once): ReturnType<LifecycleApi["recall"]> {
    return this.record.recall(actor, once);
  }

  adopt(
    actor: Actor,
    rows: readonly Entry[],
    texts: readonly (readonly [string, string])[],
  ): ReturnType<LifecycleApi["adopt"]> {
    return this.record.adopt(actor, rows, texts);
  }

  settle(actor: Actor, command: SettleCommand): ReturnType<LifecycleApi["settle"]> {
    return this.record.settle(actor, command);
  }

  linked(actor: Actor, approval: string): ReturnType<ApprovalLinkApi["linked"]> {
    return this.service.linked(actor, approval);
  }

  memory(actor: Actor): ReturnType<SessionApi["memory"]> {
    return this.service.memory(actor);
  }

  schedule(actor: Actor, command: ScheduleCommand): ReturnType<SchedulesApi["schedule"]> {
    return this.scheduling.schedule(actor, command);
  }

  schedules(actor: Actor): ReturnType<SchedulesApi["schedules"]> {
    return this.scheduling.schedules(actor);
  }

  unschedule(actor: Actor, id: string): ReturnType<SchedulesApi["unschedule"]> {
    return this.scheduling.unschedule(actor, id);
  }

  async deliveries(...[actor, limit, cursor]: Parameters<DeliveriesApi["deliveries"]>) {
    const refused = this.service.admit(actor, "admin");
    return refused === null ? ok(this.outbox.page(limit, cursor)) : err(refused);
  }
}
