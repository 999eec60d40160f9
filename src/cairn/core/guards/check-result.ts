import type { EntryDraft } from "../log/entry.ts";
import { isObject, type Json } from "../log/json.ts";
import { readInputName, runOf } from "../log/names.ts";
import type { CallResult } from "../entries/settle.ts";
import { faultEntry, verdictEntry } from "../entries/verdict.ts";
import { guardConfig } from "../state/loop-memory.ts";
import { taintOf, UNKNOWN_RUN } from "../state/safety.ts";
import type { State, EndedRun, LiveRun } from "../state/state.ts";
import type { Call } from "../state/run/phase.ts";
import { removeHidden, fence } from "../text/untrusted.ts";
import { checkOveruse } from "./quotas.ts";

/** As `overuseOf`; what throws there is written down and passed over. */
export function overuseEntries(state: State, settled: readonly EntryDraft[]): EntryDraft[] {
  try {
    return overuseOf(state, settled);
  } catch (error) {
    return state.run === null ? [] : [faultEntry(state.run, "after_result", error)];
  }
}

/** Returns notes on overused tools with few new results, for the calls that these entries settled. */
function overuseOf({ run }: State, settled: readonly EntryDraft[]): EntryDraft[] {
  if (run === null) return [];
  return settled.flatMap((entry) => {
    const call =
      entry.kind === "call_settled" ? run.loop.calls.find((one) => one.id === entry.body.call) : undefined;
    const verdict = call === undefined ? null : checkOveruse(run.loop, call, guardConfig(run));
    return verdict === null
      ? []
      : [verdictEntry(run, "after_result", verdict, "note", { call: call?.id ?? null })];
  });
}

/** Outside content as it is stored and shown: without hidden characters, and fenced as data. */

const READ_OBSERVATION = "read_observation";

/** The earlier run in whose stored result this call reads on; undefined where it reads in its own, or is no such call. */
export function readFromOf(run: LiveRun, tool: string, input: Json): string | undefined {
  if (tool !== READ_OBSERVATION) return undefined;
  const id = isObject(input) ? input["id"] : undefined;
  if (typeof id !== "string") return undefined;
  const inputName = readInputName(id);
  if (inputName !== null) return run.input.all.includes(inputName.seq) ? undefined : UNKNOWN_RUN;
  const from = runOf(id);
  return from === run.run ? undefined : (from ?? UNKNOWN_RUN);
}

/** True if a result contains outside content: its tool reads outside, or it continues reading in a run that did. */
export function bringsOutside(
  run: LiveRun,
  ended: readonly EndedRun[],
  call: Pick<Call, "tool" | "access">,
  from: string | undefined,
): boolean {
  if (call.access?.reads === "outside") return true;
  if (call.tool !== READ_OBSERVATION) return false;
  return (from === undefined ? run.safety.taint : taintOf(from, ended)).tainted !== null;
}

/** A value without hidden characters in its texts and keys. */
export function unhide<Value>(value: Value): Value {
  return walk(value as Json) as Value;
}

function walk(value: Json): Json {
  if (typeof value === "string") return removeHidden(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => walk(item));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [removeHidden(key), walk(item)]));
}

/** The result with its observation fenced, named after its call. */
export function fenceResult(result: CallResult, call: string): CallResult {
  return { ...result, observation: fence(result.observation, call) };
}
