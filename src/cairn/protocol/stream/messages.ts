import type { Entry } from "../../core/log/entry.ts";
import { RunStream } from "./stream.ts";
import { shownPart, isoTime, type UiMessage } from "./ui-chunk.ts";

/**
 * Returns the messages of a part of the log, oldest first: those of people, and one per run whose `run_queued` is in
 * it, up to its last closed segment. A run follows the message that requested it; runs are in the order in which they
 * began. A message that joined a run keeps its position, unless it was left over and got its own run. Entries up to
 * `cleared` are hidden.
 */
export function uiMessages(session: string, entries: readonly Entry[], cleared: number): UiMessage[] {
  const turns = new Set<Turn>();
  const runs = new Map<string, Turn>();
  const turnsBySeq = new Map<number, Turn>();
  for (const entry of entries) {
    if (entry.seq <= cleared) continue;
    if (entry.kind === "user_message") {
      // A heartbeat's request is not a person's message.
      const message = entry.body.source === "heartbeat" ? null : userMessage(entry);
      const turn: Turn = { at: entry.seq, message, joined: [], stream: null };
      turnsBySeq.set(entry.seq, turn);
      const waiting = entry.body.mode === "join" ? runs.get(entry.run ?? "") : undefined;
      if (waiting !== undefined && waiting.at > NOT_BEGUN && message !== null) {
        waiting.joined.push(message);
        continue;
      }
      if (entry.body.mode === "join" || entry.body.mode === "answer") turns.add(turn);
    }
    if (entry.kind === "answer_hidden") {
      const hidden = runs.get(entry.body.run);
      if (hidden !== undefined) hidden.stream = null;
    }
    if (entry.run === null) continue;
    if (entry.kind === "run_queued") {
      // The message stood alone, or before the hidden answer of a run that this one repeats.
      const inputTurn = turnsBySeq.get(entry.body.inputSeq);
      if (inputTurn !== undefined) turns.delete(inputTurn);
      const message = inputTurn?.message ?? null;
      const turn: Turn = {
        at: NOT_BEGUN + entry.seq,
        message,
        joined: [],
        stream: new RunStream(session, entry.run),
      };
      turnsBySeq.set(entry.body.inputSeq, turn);
      runs.set(entry.run, turn);
      turns.add(turn);
    }
    const turn = runs.get(entry.run);
    if (turn === undefined) continue;
    const ends = entry.kind === "run_ended" && turn.at > NOT_BEGUN;
    if (entry.kind === "run_started" || ends) turn.at = entry.seq;
    turn.stream?.accept(entry);
    // A silent look.
    if (turn.message === null && entry.kind === "answer" && entry.body.text === "") turn.stream = null;
  }
  return [...turns]
    .sort((a, b) => a.at - b.at)
    .flatMap(({ message, joined, stream }) => [message, ...joined, stream?.toMessage("closed") ?? null])
    .filter((message) => message !== null);
}

/** Queued runs come last, in queue order. */
const NOT_BEGUN = 2 ** 50;

interface Turn {
  at: number;
  readonly message: UiMessage | null;
  /** messages that joined its run before that began */
  readonly joined: UiMessage[];
  /** null where nothing answers it, or nothing that is shown */
  stream: RunStream | null;
}

export function userMessage(entry: Entry<"user_message">): UiMessage {
  const { id, parts, author, source } = entry.body;
  return {
    id,
    role: "user",
    parts: parts.map(shownPart),
    metadata: { seq: entry.seq, createdAt: isoTime(entry.at), author, source },
  };
}
