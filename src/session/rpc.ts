import { err, ok } from "../core/log/result.ts";
import { DurableObject } from "cloudflare:workers";
import type { Entry } from "../core/log/entry.ts";
import type { LinkDoor } from "./api/approval-link.ts";
import type { SessionRecord } from "./api/lifecycle.ts";
import type { Scheduling } from "./api/schedules.ts";
import type { Reception } from "./api/service.ts";
import type {
  Actor,
  AnswerCommand,
  CancelCommand,
  ChangeCommand,
  CreateCommand,
  DecideCommand,
  DeliveryDoor,
  ExtendCommand,
  Once,
  RegenerateCommand,
  SayCommand,
  Scope,
  SessionApi,
  SessionKeeping,
  SettleCommand,
  SteerCommand,
  ScheduleCommand,
  ScheduleDoor,
} from "./api/session-api.ts";
import type { SessionOutbox } from "./background/outbox.ts";

/**
 * What the worker may call of a session: each method hands over to the part that does it. Only methods of a class are
 * reached by RPC, so they stand here one by one; the parts are fields, which nobody outside reaches.
 */
export abstract class SessionRpc
  extends DurableObject<Env>
  implements SessionApi, SessionKeeping, DeliveryDoor, LinkDoor, ScheduleDoor
{
  protected abstract readonly reception: Reception;
  protected abstract readonly record: SessionRecord;
  protected abstract readonly outbox: SessionOutbox;
  protected abstract readonly scheduling: Scheduling;

  say(actor: Actor, command: SayCommand): ReturnType<SessionApi["say"]> {
    return this.reception.say(actor, command);
  }

  answer(actor: Actor, command: AnswerCommand): ReturnType<SessionApi["answer"]> {
    return this.reception.answer(actor, command);
  }

  cancel(actor: Actor, command: CancelCommand): ReturnType<SessionApi["cancel"]> {
    return this.reception.cancel(actor, command);
  }

  decide(actor: Actor, command: DecideCommand): ReturnType<SessionApi["decide"]> {
    return this.reception.decide(actor, command);
  }

  extend(actor: Actor, command: ExtendCommand): ReturnType<SessionApi["extend"]> {
    return this.reception.extend(actor, command);
  }

  approval(actor: Actor, id: string): ReturnType<SessionApi["approval"]> {
    return this.reception.approval(actor, id);
  }

  revoke(actor: Actor, policy: string): ReturnType<SessionApi["revoke"]> {
    return this.reception.revoke(actor, policy);
  }

  events(actor: Actor, after: number, limit: number): ReturnType<SessionApi["events"]> {
    return this.reception.events(actor, after, limit);
  }

  messages(actor: Actor, limit: number, before: string | null): ReturnType<SessionApi["messages"]> {
    return this.reception.messages(actor, limit, before);
  }

  readRun(actor: Actor, id: string): ReturnType<SessionApi["readRun"]> {
    return this.reception.readRun(actor, id);
  }

  view(actor: Actor): ReturnType<SessionApi["view"]> {
    return this.reception.view(actor);
  }

  readTrace(
    actor: Actor,
    run: string | null,
    format: "json" | "jsonl",
    prompts = false,
  ): ReturnType<SessionApi["readTrace"]> {
    return this.reception.readTrace(actor, run, format, prompts);
  }

  steer(actor: Actor, command: SteerCommand): ReturnType<SessionApi["steer"]> {
    return this.reception.steer(actor, command);
  }

  regenerate(actor: Actor, command: RegenerateCommand): ReturnType<SessionApi["regenerate"]> {
    return this.reception.regenerate(actor, command);
  }

  create(actor: Actor, command: CreateCommand): ReturnType<SessionKeeping["create"]> {
    return this.record.create(actor, command);
  }

  change(actor: Actor, command: ChangeCommand): ReturnType<SessionKeeping["change"]> {
    return this.record.change(actor, command);
  }

  remove(actor: Actor): ReturnType<SessionKeeping["remove"]> {
    return this.record.remove(actor);
  }

  copyPoint(actor: Actor, scope: Scope, atSeq: number | null): ReturnType<SessionKeeping["copyPoint"]> {
    return this.record.copyPoint(actor, scope, atSeq);
  }

  copyRows(actor: Actor, scope: Scope, after: number, upTo: number): ReturnType<SessionKeeping["copyRows"]> {
    return this.record.copyRows(actor, scope, after, upTo);
  }

  copyNames(actor: Actor, scope: Scope): ReturnType<SessionKeeping["copyNames"]> {
    return this.record.copyNames(actor, scope);
  }

  copyText(actor: Actor, scope: Scope, name: string): ReturnType<SessionKeeping["copyText"]> {
    return this.record.copyText(actor, scope, name);
  }

  recall(actor: Actor, once: Once): ReturnType<SessionKeeping["recall"]> {
    return this.record.recall(actor, once);
  }

  adopt(
    actor: Actor,
    rows: readonly Entry[],
    texts: readonly (readonly [string, string])[],
  ): ReturnType<SessionKeeping["adopt"]> {
    return this.record.adopt(actor, rows, texts);
  }

  settle(actor: Actor, command: SettleCommand): ReturnType<SessionKeeping["settle"]> {
    return this.record.settle(actor, command);
  }

  linked(actor: Actor, approval: string): ReturnType<LinkDoor["linked"]> {
    return this.reception.linked(actor, approval);
  }

  memory(actor: Actor): ReturnType<SessionApi["memory"]> {
    return this.reception.memory(actor);
  }

  schedule(actor: Actor, command: ScheduleCommand): ReturnType<ScheduleDoor["schedule"]> {
    return this.scheduling.schedule(actor, command);
  }

  schedules(actor: Actor): ReturnType<ScheduleDoor["schedules"]> {
    return this.scheduling.schedules(actor);
  }

  unschedule(actor: Actor, id: string): ReturnType<ScheduleDoor["unschedule"]> {
    return this.scheduling.unschedule(actor, id);
  }

  async deliveries(...[actor, limit, cursor]: Parameters<DeliveryDoor["deliveries"]>) {
    const refused = this.reception.admit(actor, "admin");
    return refused === null ? ok(this.outbox.page(limit, cursor)) : err(refused);
  }
}
