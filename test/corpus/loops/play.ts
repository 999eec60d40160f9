import { checkBlocks, climbLadder } from "../../../src/cairn/core/guards/loops/ladder.ts";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { CallMark } from "../../../src/cairn/core/log/mark.ts";
import type { ErrorClass, ToolTraits } from "../../../src/cairn/core/log/tool.ts";
import type { Climb } from "../../../src/cairn/core/log/verdict.ts";
import { applyClimb } from "../../../src/cairn/core/state/apply-loop-memory.ts";
import {
  markFailure,
  markOutput,
  markCall,
  NO_SHAPE,
  thoughtWords,
  type CallShape,
} from "../../../src/cairn/core/state/call-digest.ts";
import {
  NO_LOOP_MEMORY,
  type GuardConfig,
  type LoopMemory,
} from "../../../src/cairn/core/state/loop-memory.ts";
import {
  finishTurn,
  recordPersonInput,
  noteCompaction,
  recordProposal,
  recordResult,
} from "../../../src/cairn/core/state/record-call.ts";
import type { Trace, TraceEvent, TraceTool } from "./trace.ts";

/**
 * Plays a trace through the fold and the ladder that the loop uses. What a trace cannot show is decided here: a reply
 * without calls ends the run where the trace ends or a person speaks next, and was sent back everywhere else.
 */

/** A climb, and the turn (from 1) at which it came. */
export interface Raised extends Climb {
  readonly turn: number;
}

export interface Played {
  /** signatures of the calls of each turn */
  readonly turns: readonly (readonly string[])[];
  readonly raised: readonly Raised[];
  readonly memory: LoopMemory;
}

/** work, bookkeeping, or a send */
const BOOKKEEPING = new Set([
  "update_plan",
  "store_memory",
  "retrieve_memory",
  "log_progress",
  "read_observation",
]);
const SENDS = new Set(["send_message", "ask_human"]);
/** refused before they are calls at all: the reply was unusable */
const UNUSABLE = new Set(["UNKNOWN_TOOL", "BAD_ARGS"]);

type Reply = Extract<TraceEvent, { t: "reply" }>;
type Result = Extract<TraceEvent, { t: "result" }>;

interface OpenTurn {
  readonly reply: Reply;
  readonly seq: number;
  readonly calls: ReadonlyMap<string, { readonly id: string; readonly mark: CallMark; readonly args: Json }>;
  readonly unusable: number;
}

interface Play {
  readonly trace: Trace;
  readonly config: GuardConfig;
  readonly memory: LoopMemory;
  readonly turn: number;
  readonly sigs: readonly (readonly string[])[];
  readonly open: OpenTurn | null;
  readonly raised: readonly Raised[];
  /** seq of each reply and of its last result */
  readonly spans: readonly { readonly from: number; readonly to: number }[];
}

export function playTrace(trace: Trace): Played {
  return finish(playFrom(begin(trace), trace, 0, trace.events.length));
}

/** The same with a crash before event `at`: what was folded goes through `store` and is gone on with. */
export function resumeTrace(trace: Trace, at: number, store: (memory: LoopMemory) => LoopMemory): Played {
  const before = playFrom(begin(trace), trace, 0, at);
  const stored = { ...before, memory: store(before.memory) };
  return finish(playFrom(stored, trace, at, trace.events.length));
}

function playFrom(start: Play, trace: Trace, from: number, to: number): Play {
  let play = start;
  for (let index = from; index < to; index++) {
    const event = trace.events[index];
    if (event !== undefined) play = step(play, event, index, trace.events[index + 1]);
  }
  return play;
}

function finish(play: Play): Played {
  const { sigs, raised, memory } = closeTurn(play, true);
  return { turns: sigs, raised, memory };
}

export function configOf(trace: Trace): GuardConfig {
  const { iterations } = trace.config.onStuck ?? {};
  return {
    profile: trace.config.profile ?? "standard",
    onStuck: { action: "force_answer", ...(iterations === undefined ? {} : { iterations }) },
  };
}

export function traitsOf(tool: string, declared: TraceTool | undefined): ToolTraits {
  return {
    tool,
    effect: declared?.cls ?? (SENDS.has(tool) ? "once" : "read"),
    kind: BOOKKEEPING.has(tool) ? "bookkeeping" : SENDS.has(tool) ? "send" : "work",
    polling: declared?.polling ?? null,
    repeatable: false,
    freshMs: 600_000,
    maxCalls: null,
  };
}

export function shapeOf(declared: TraceTool | undefined): CallShape {
  if (declared === undefined) return NO_SHAPE;
  const { volatile = [], cursors = [], query = null, ids = null, target, value } = declared;
  return {
    volatile,
    cursors,
    query,
    ids,
    target: target === undefined ? [] : [target],
    value: value === undefined ? null : [value],
  };
}

function begin(trace: Trace): Play {
  return {
    trace,
    config: configOf(trace),
    memory: NO_LOOP_MEMORY,
    turn: 0,
    sigs: [],
    open: null,
    raised: [],
    spans: [],
  };
}

function step(play: Play, event: TraceEvent, index: number, following: TraceEvent | undefined): Play {
  const seq = index + 1;
  switch (event.t) {
    case "human": {
      const closed = closeTurn(play, true);
      return { ...closed, memory: recordPersonInput(closed.memory, seq) };
    }
    case "compact": {
      const closed = closeTurn(play, following === undefined);
      const from = closed.spans[event.from - 1]?.from ?? 0;
      const to = closed.spans[event.to - 1]?.to ?? 0;
      return { ...closed, memory: noteCompaction(closed.memory, { seq, from, to }) };
    }
    case "reply":
      return propose(closeTurn(play, false), event, seq);
    case "result":
      return settle(play, event, seq);
  }
}

function propose(play: Play, reply: Reply, seq: number): Play {
  const turn = play.turn + 1;
  let { memory } = play;
  const calls = new Map<string, { id: string; mark: CallMark; args: Json }>();
  for (const [index, { id: name, tool, args }] of reply.calls.entries()) {
    const declared = play.trace.tools[tool];
    const mark = markCall(traitsOf(tool, declared), shapeOf(declared), args as Json);
    const id = `r1s${turn}c${index}`;
    calls.set(name, { id, mark, args: args as Json });
    memory = recordProposal(memory, { id, seq, step: turn, at: reply.at, mark });
  }
  return {
    ...play,
    memory,
    turn,
    sigs: [...play.sigs, [...calls.values()].map((call) => call.mark.sig)],
    open: { reply, seq, calls, unusable: 0 },
    spans: [...play.spans, { from: seq, to: seq }],
  };
}

function settle(play: Play, event: Result, seq: number): Play {
  const { open, memory } = play;
  const call = open?.calls.get(event.call);
  if (open === null || call === undefined)
    throw new Error(`${play.trace.id}: a result of ${event.call}, which the last reply has not asked for`);
  const block = checkBlocks(memory, call.mark, play.turn);
  const shape = shapeOf(play.trace.tools[call.mark.tool]);
  const error = event.error as { class: ErrorClass; code: string; message: string } | undefined;
  const refused = error !== undefined && (error.class === "policy" || UNUSABLE.has(error.code));
  const skip = block === null ? (refused ? error.code : null) : "LOOP_BLOCK";
  const mark =
    skip !== null
      ? null
      : error === undefined
        ? markOutput(call.mark.tool, shape, call.args, (event.output ?? null) as Json)
        : markFailure(error);
  const settled = recordResult(memory, {
    id: call.id,
    seq,
    at: event.at,
    status: skip !== null ? "skipped" : error === undefined ? "ok" : "error",
    mark,
    error: skip !== null ? "policy" : (error?.class ?? null),
    skip,
  });
  const unusable = open.unusable + (error !== undefined && UNUSABLE.has(error.code) ? 1 : 0);
  const spans = [...play.spans.slice(0, -1), { from: open.seq, to: seq }];
  return { ...play, memory: settled, open: { ...open, unusable }, spans };
}

/** `last`: nothing follows in this run, so that a reply without calls was its answer. */
function closeTurn(play: Play, last: boolean): Play {
  const { open } = play;
  if (open === null) return play;
  const { reply, seq, calls, unusable } = open;
  const prose = reply.calls.length === 0;
  const closed = { ...play, open: null };
  // An accepted answer ends the run: no rule looks at it any more.
  if (prose && last && reply.text.trim() !== "") return closed;
  const memory = finishTurn(play.memory, {
    step: play.turn,
    seq,
    at: reply.at,
    calls: [...calls.values()].map((call) => call.id),
    words: thoughtWords(reply.text),
    refused: prose || unusable === reply.calls.length,
    progress: storesFact(play.memory, open),
  });
  const up = climbLadder(memory, play.config);
  if (up === null) return { ...closed, memory };
  return {
    ...closed,
    memory: applyClimb(memory, up),
    raised: [...play.raised, { ...up, turn: play.turn }],
  };
}

/** A new memory fact is progress: an ok `store_memory` that the run has not made before. */
function storesFact(memory: LoopMemory, { calls }: OpenTurn): boolean {
  return [...calls.values()].some(
    ({ id, mark }) =>
      mark.tool === "store_memory" &&
      memory.calls.some((entry) => entry.id === id && entry.status === "ok" && entry.fresh),
  );
}
