import { digestOf } from "../log/digest.ts";
import type { ProposedCall } from "../log/entry.ts";
import type { Call } from "./state.ts";

/** A call of a reply, before anything was done about it. `seq`: of the reply. */
export function proposed(call: ProposedCall, seq: number): Call {
  return {
    call: call.call,
    tool: call.tool,
    effect: call.effect,
    gate: call.gate,
    argsDigest: digestOf(call.input),
    argsAt: seq,
    twin: call.twin,
    running: false,
    settled: false,
    failed: false,
    status: null,
    attempts: 0,
    lost: 0,
    previewsLost: 0,
    tries: 0,
    asked: 0,
    decision: null,
    ...(call.traits === undefined ? {} : { traits: call.traits }),
    ...(call.access === undefined ? {} : { access: call.access }),
  };
}
