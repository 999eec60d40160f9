import { BLOCKS_STORED } from "../limits.ts";
import type { Entry } from "../log/entry.ts";
import type { CallRecord } from "../log/mark.ts";
import type { Block, Climb } from "../log/verdict.ts";
import type { LoopMemory, Stuck, OpenTurn } from "./loop-memory.ts";
import { callsOf, isSettled, type Phased } from "./run/phase.ts";
import {
  recordEdit,
  finishTurn,
  recordPersonInput,
  noteCompaction,
  noteRefusal,
  recordProposal,
  recordResult,
} from "./record-call.ts";

type Run = Phased & { readonly step: number };

/** Applies an entry of the live run to the guards' memory. `run` is the state before the entry. */
export function changeLoop(memory: LoopMemory, entry: Entry, run: Run): LoopMemory {
  switch (entry.kind) {
    case "model_replied":
      return replied(memory, entry, run);
    case "call_settled":
      return settled(memory, entry, run);
    case "user_message":
      // An answer counts as input where it is read, as the result of a call.
      return entry.body.mode === "answer" ? memory : applyPersonInput(memory, entry.seq);
    case "approval_decided":
    case "approval_voted": {
      // A person's text or an edit is new information; a bare yes or no is not.
      const { decision, reason, call, mark } = entry.body;
      const isFeedback = decision === "edit" || (decision !== "expired" && reason !== null);
      const known = mark === undefined ? memory : recordEdit(memory, call, mark);
      return isFeedback ? applyPersonInput(known, entry.seq) : known;
    }
    case "human_answered": {
      const { expired, call } = entry.body;
      if (!expired) return applyPersonInput(memory, entry.seq);
      return call === null ? applyUnanswered(memory) : memory;
    }
    case "verdict": {
      const { climb, again } = entry.body;
      const climbed = climb === undefined ? memory : applyClimb(memory, climb);
      return again === true ? applyRetryWithHint(climbed) : climbed;
    }
    case "plan_changed": {
      const { open } = memory;
      const isProgress = open !== undefined && (entry.body.done ?? []).length > 0;
      return isProgress ? { ...memory, open: { ...open, progress: true } } : memory;
    }
    case "compacted": {
      const { from, to } = entry.body;
      return to === 0 ? memory : noteCompaction(memory, { seq: entry.seq, from, to });
    }
    case "review":
      return entry.body.accept ? memory : entry.body.codes.reduce(noteRefusal, memory);
    default:
      return memory;
  }
}

function replied(memory: LoopMemory, { seq, at, body }: Entry<"model_replied">, { step }: Run): LoopMemory {
  const { words, calls, finish } = body;
  if (finish === "aborted") return memory;
  // A reply without calls that is accepted ends the run, and its memory with it: one that is remembered was sent back.
  if (calls.length === 0)
    return finishTurn(memory, { step, seq, at, calls: [], words, refused: true, progress: false });
  const proposed = calls.reduce(
    (sum, { call, mark }) =>
      mark === undefined ? sum : recordProposal(sum, { id: call, seq, step, at, mark }),
    memory,
  );
  const open: OpenTurn = {
    seq,
    words,
    refused: calls.every(({ refused }) => refused !== null),
    progress: false,
  };
  return { ...proposed, open };
}

function settled(memory: LoopMemory, { seq, at, body }: Entry<"call_settled">, run: Run): LoopMemory {
  const { call, tool, mark = null, failure } = body;
  const status = statusOf(body);
  const skip = status === "skipped" ? (body.skip ?? failure?.code ?? body.status) : null;
  const after = recordResult(memory, {
    id: call,
    seq,
    at,
    status,
    mark,
    error: status === "error" ? (failure?.class ?? null) : null,
    skip,
  });
  const { open, ...rest } = after;
  if (open === undefined) return after;
  const calls = callsOf(run);
  const isOver = calls.every((one) => one.call === call || isSettled(one));
  // A fact that was stored is progress, though its call is bookkeeping.
  const progress = open.progress || (tool === "store_memory" && status === "ok");
  if (!isOver) return progress === open.progress ? after : { ...after, open: { ...open, progress } };
  return finishTurn(rest, { ...open, step: run.step, at, calls: calls.map((one) => one.call), progress });
}

function statusOf({
  status,
  skip,
  reusedFrom,
}: Entry<"call_settled">["body"]): Exclude<CallRecord["status"], "pending"> {
  if (skip !== undefined) return "skipped";
  if (status === "refused" || status === "denied" || status === "cancelled") return "skipped";
  return reusedFrom === null ? status : "reused";
}

/** Nothing to start anew while nothing was done. */
function applyPersonInput(memory: LoopMemory, seq: number): LoopMemory {
  return memory.turns.length === 0 && memory.calls.length === 0 ? memory : recordPersonInput(memory, seq);
}

/** The memory after a climb. */
export function applyClimb(memory: LoopMemory, { verdict, level, step, blocks }: Climb): LoopMemory {
  const { stuck } = memory;
  const next: Stuck = {
    ...stuck,
    level,
    lastTurn: step,
    good: 0,
    rule: verdict.rule,
    blocked: newestBlocks([...stuck.blocked, ...blocks]).slice(-BLOCKS_STORED),
  };
  return { ...memory, stuck: next };
}

/** The memory after `on_stuck` was `retry_with_hint`: back to level 1, once. */
export function applyRetryWithHint(memory: LoopMemory): LoopMemory {
  const { stuck } = memory;
  return { ...memory, stuck: { ...stuck, level: 1, good: 0, retries: stuck.retries + 1 } };
}

/** Returns the memory after a guard's question expired: it is not asked again. */
export function applyUnanswered(memory: LoopMemory): LoopMemory {
  return { ...memory, stuck: { ...memory.stuck, retries: memory.stuck.retries + 1 } };
}

/** The newest of each, in order. */
export function newestBlocks(blocks: readonly Block[]): Block[] {
  const key = (block: Block): string => `${block.by} ${block.value}`;
  return blocks.filter((block, index) => blocks.findLastIndex((one) => key(one) === key(block)) === index);
}
