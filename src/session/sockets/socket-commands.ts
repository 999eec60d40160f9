import { sha256Hex } from "../../core/log/digest.ts";
import type { Json } from "../../core/log/json.ts";
import { localRun, runId } from "../../core/log/names.ts";
import type { State } from "../../core/state/state.ts";
import { parseInput } from "../../wire/chat-body.ts";
import type { NativeFrame } from "../../wire/frames.ts";
import { isAnswerText } from "../../wire/stream/question.ts";
import type { Actor, Answer, DoorError, Scope, SessionDoor } from "../api/session-api.ts";

/** What a native frame asks of the session, as a value: the result for its ack, or the refusal. */

export interface Acked {
  readonly result: Json;
  /** seq of the entry that it made, null for the head of the log */
  readonly seq: number | null;
}

/** Frames that change something; the others only read. */
export type Command = Exclude<
  NativeFrame,
  { type: "cairn:resume" | "cairn:subscribe" | "cairn:unsubscribe" }
>;

export const SCOPES: { readonly [Type in NativeFrame["type"]]: Scope } = {
  "cairn:send": "send",
  "cairn:answer": "send",
  "cairn:steer": "send",
  "cairn:cancel": "send",
  "cairn:approve": "approve",
  "cairn:resume": "read",
  "cairn:subscribe": "read",
  "cairn:unsubscribe": "read",
};

export function isCommand(frame: NativeFrame): frame is Command {
  return (
    frame.type !== "cairn:resume" && frame.type !== "cairn:subscribe" && frame.type !== "cairn:unsubscribe"
  );
}

export async function performCommand(
  door: SessionDoor,
  actor: Actor,
  frame: Command,
  messageBytesMax: number,
): Promise<Answer<Acked>> {
  switch (frame.type) {
    case "cairn:send":
      return send(door, actor, frame, messageBytesMax);
    case "cairn:approve": {
      const { approvalId: approval, decision, args = null, reason = null, digest = null } = frame;
      const { remember = null } = frame;
      if (decision === "edit" && remember !== null)
        return refuse(400, "invalid_request", "An edit is not remembered.");
      if (decision !== "edit" && args !== null)
        return refuse(400, "invalid_request", "Only an edit has args.");
      const decided = await door.decide(actor, { approval, decision, args, reason, digest, remember });
      if (!decided.ok) return decided;
      return accept({ ...decided.value.approval });
    }
    case "cairn:cancel": {
      const { runId: run = null, all = false, reason = null } = frame;
      const id = idOfEvent(actor, frame.eventId);
      const cancelled = await door.cancel(actor, { id, runId: run, all, reason });
      return cancelled.ok ? accept({ cancelled: cancelled.value.cancelled }) : cancelled;
    }
    case "cairn:steer": {
      const input = parseInput([{ type: "text", text: frame.text }], messageBytesMax);
      if ("kind" in input) return refuse(input.status, input.code, input.message);
      const steered = await door.steer(actor, {
        id: frame.id ?? idOfEvent(actor, frame.eventId),
        parts: input,
      });
      if (!steered.ok) return steered;
      const { runId: run, seq } = steered.value;
      return { ok: true, value: { result: { runId: run, seq }, seq } };
    }
    case "cairn:answer": {
      const { questionId: question, value } = frame;
      if (!isAnswerText(value, messageBytesMax)) return refuse(422, "invalid_answer", "An answer is a text.");
      const answered = await door.answer(actor, { runId: null, question, value });
      return answered.ok ? accept({ ...answered.value }) : answered;
    }
  }
}

async function send(
  door: SessionDoor,
  actor: Actor,
  frame: Extract<Command, { type: "cairn:send" }>,
  messageBytesMax: number,
): Promise<Answer<Acked>> {
  const { text, parts, eventId, id, mode = null } = frame;
  if ((text === undefined) === (parts === undefined)) {
    return refuse(400, "invalid_request", "Send either text or parts.");
  }
  const input = parseInput(parts ?? [{ type: "text", text }], messageBytesMax);
  if ("kind" in input) return refuse(input.status, input.code, input.message);
  const said = await door.say(actor, {
    id: id ?? idOfEvent(actor, eventId),
    parts: input,
    mode,
    source: "web",
    request: null,
    model: null,
  });
  if (!said.ok) return said;
  const { duplicate: _duplicate, ...result } = said.value;
  return { ok: true, value: { result, seq: said.value.seq } };
}

/** A command without an id gets one from its event, so that a repeat after a crash is found by the session itself. */
function idOfEvent(actor: Actor, eventId: string): string {
  return `evt_${sha256Hex(JSON.stringify([actor.subject, eventId])).slice(0, 40)}`;
}

/** Which run a stock client means by a request or segment id: `<request>`, `<runId>` or `<runId>.c1`. */
export function runOfSegment(session: string, state: State, id: string): string | null {
  const runs = [...(state.run === null ? [] : [state.run]), ...state.queue];
  const asked = runs.find((run) => run.request === id);
  if (asked !== undefined) return runId(session, asked.run);
  const name = localRun(session, id.replace(/\.c[1-9]\d*$/, ""));
  return runs.some((run) => run.run === name) && name !== null ? runId(session, name) : null;
}

const accept = (result: Json): Answer<Acked> => ({ ok: true, value: { result, seq: null } });

export function refuse<Value>(status: number, code: string, message: string): Answer<Value> {
  const error: DoorError = { status, code, message };
  return { ok: false, error };
}
