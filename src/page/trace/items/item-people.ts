import type { BodyOf } from "../../../cairn/core/log/entry.ts";
import type { Json } from "../../../cairn/core/log/json.ts";
import type { Event } from "../../../cairn/protocol/views.ts";
import { add, begin, type Reading } from "../reading.ts";
import { moment, timeOf, type Item } from "./item.ts";
import { oneLine } from "../../parts/one-line.ts";
import { QUOTE_CHARS, unstopped } from "../../log-text/codes.ts";

/** Questions to people and their answers: approvals with their votes, questions, remembered decisions. */

export function personItem(reading: Reading, entry: Event): boolean {
  if (
    (entry.kind === "approval_voted" || entry.kind === "approval_decided") &&
    entry.body.decision === "edit"
  )
    changeInput(reading, entry.body);
  switch (entry.kind) {
    case "approval_requested": {
      const { approval, title, policy, approvers, needed } = entry.body;
      const who = `asked of ${approvers.join(", ")}${needed > 1 ? `, ${needed} of whom must agree` : ""}`;
      const waiting: Partial<Item> =
        policy === undefined
          ? { note: who, tone: "waits", waits: true, to: null }
          : { note: "a remembered decision holds" };
      begin(
        reading,
        approval,
        moment("person", entry, `Approval requested: ${unstopped(title)}`, {
          ...waiting,
          input: entry.body.args,
        }),
      );
      return true;
    }
    case "approval_voted":
      return extend(
        reading,
        entry.body.approval,
        entry,
        `${entry.body.actor} approved${entry.body.decision === "edit" ? " with changes" : ""}`,
      );
    case "approval_escalated":
      return extend(
        reading,
        entry.body.approval,
        entry,
        `nobody decided in time, so ${entry.body.approvers.join(", ")} may too`,
      );
    case "approval_decided":
      return end(
        reading,
        entry.body.approval,
        entry,
        decision(entry.body),
        entry.body.decision === "approve" || entry.body.decision === "edit" ? "good" : "bad",
      );
    case "approval_explained": {
      const note = `because: “${oneLine(entry.body.reason, QUOTE_CHARS)}”`;
      return (
        extend(reading, entry.body.approval, entry, note) ||
        single(reading, entry, `${entry.body.actor} gave the reason for declining`, note)
      );
    }
    case "approval_cancelled":
      return end(reading, entry.body.approval, entry, "not asked any more", "plain");
    case "policy_remembered": {
      const { approval, match, decision: decided } = entry.body;
      const note = `${decided === "approve" ? "a yes" : "a no"} is remembered for ${match === "tool" ? "every call of this tool" : "the same call"}`;
      return (
        extend(reading, approval, entry, note) || single(reading, entry, "A decision is remembered", note)
      );
    }
    case "policy_revoked":
      return single(reading, entry, "A remembered decision was revoked", entry.body.actor);
    case "human_asked": {
      const note =
        entry.body.call === null ? "it repeats itself, and asks what to do" : "waits for an answer";
      const waiting = { note, tone: "waits", waits: true, to: null } as const;
      begin(
        reading,
        entry.body.question,
        moment("person", entry, `It asked: “${oneLine(entry.body.text, QUOTE_CHARS)}”`, waiting),
      );
      return true;
    }
    case "human_answered": {
      const { question, actor, value, expired } = entry.body;
      const answerText = value === null ? "" : `: “${oneLine(value, QUOTE_CHARS)}”`;
      const note = expired
        ? `nobody answered in time${value === null ? "" : ", so its default was taken"}${answerText}`
        : `${actor} answered${answerText}`;
      return end(reading, question, entry, note, expired ? "bad" : "good");
    }
    case "client_asked": {
      const { call, tool } = entry.body;
      const waiting = { note: "waits for the client", tone: "waits", waits: true, to: null } as const;
      begin(reading, clientName(call), moment("person", entry, `The client runs ${tool}`, waiting));
      return true;
    }
    case "client_answered": {
      const { call, actor, expired } = entry.body;
      const note = expired ? "no client answered in time" : `the client of ${actor} answered`;
      return end(reading, clientName(call), entry, note, expired ? "bad" : "good");
    }
    case "command_queued": {
      const { actor, command, reason, superseded } = entry.body;
      if (command === "retry_now") {
        endWait(reading, entry);
        return single(reading, entry, `${actor} had it tried again at once`, null);
      }
      if (command === "extend") return single(reading, entry, `${actor} gave it more`, null);
      if (superseded) return single(reading, entry, "A newer message took its place", null);
      return single(
        reading,
        entry,
        `${actor} stopped it`,
        reason === null ? null : oneLine(reason, QUOTE_CHARS),
      );
    }
    default:
      return false;
  }
}

/** The wait for a time is over, and the announced attempt begins now. */
function endWait(reading: Reading, entry: Event): void {
  const at = timeOf(entry);
  const wait = reading.items.findLastIndex(({ waits, to }) => waits && to !== null && to > at);
  const item = reading.items[wait];
  if (item !== undefined) reading.items[wait] = { ...item, to: at };
  if (reading.again !== null) reading.again = at;
}

/** The call runs with the person's edited arguments. */
function changeInput(reading: Reading, { call, args }: { readonly call: string; readonly args: Json }): void {
  const proposed = reading.calls.get(call);
  if (proposed !== undefined) reading.calls.set(call, { ...proposed, input: args });
}

function decision({ decision: decided, actor, reason, via }: BodyOf<"approval_decided">): string {
  if (decided === "expired") return "nobody decided in time";
  const how = via === "policy" ? ", by a decision remembered before" : via === "link" ? ", by a link" : "";
  const words = { approve: "approved", deny: "declined", edit: "approved with changes" }[decided];
  return `${actor} ${words}${how}${reason === null || reason === "" ? "" : `: “${oneLine(reason, QUOTE_CHARS)}”`}`;
}

/** Adds an entry to an open item. False if there is none of this name. */
function extend(
  reading: Reading,
  name: string,
  entry: Event,
  note: string,
  more: Partial<Item> = {},
): boolean {
  const item = reading.items[reading.open.get(name) ?? -1];
  const before = item?.note ?? null;
  return add(reading, name, entry, { note: before === null ? note : `${before}; ${note}`, ...more });
}

function end(reading: Reading, name: string, entry: Event, note: string, tone: Item["tone"]): boolean {
  return (
    extend(reading, name, entry, note, { tone, to: timeOf(entry) }) ||
    single(reading, entry, "A decision", note)
  );
}

function single(reading: Reading, entry: Event, title: string, note: string | null): boolean {
  reading.items.push(moment("person", entry, title, { note }));
  return true;
}

/** The call has its own item. */
const clientName = (call: string): string => `${call} client`;
