import type { EntryDraft } from "../log/entry.ts";
import type { Call, LiveRun } from "../state/state.ts";
import type { ToolAccess, ToolCard } from "../log/tool.ts";
import { ASKS, judgePermit, laneOf, type Asked, type Permit } from "./permissions.ts";
import { guardRow } from "../rows/verdict.ts";
import { RULE_OF_TWO } from "../state/safety.ts";
import { asksByRuleOfTwo, UNTAINTED, type Taint } from "../state/taint.ts";
import type { Role } from "../state/loop-memory.ts";

/** The permit of a call in its run: looked at before it runs, again after a person's yes, and when tools are offered. */

export function accessOf({ tier, reads, reach, public: isPublic }: ToolCard): ToolAccess {
  return { tier, reads, reach, public: isPublic };
}

/** Whether a run may be offered a tool at all. */
export function mayOffer(run: LiveRun, card: ToolCard): boolean {
  const call = { tool: card.name, gate: card.gate, argsAt: run.firstSeq, access: accessOf(card) };
  return permitOf(run, call).act !== "deny";
}

type Proposed = Pick<Call, "tool" | "gate" | "argsAt" | "access">;

/** Of a run that was accepted before roles were kept. */
const ROLE_OF_BEFORE: Role = "member";
/** Nothing sends anywhere but to the origin yet. */
const NO_TARGETS: ReadonlySet<string> = new Set();

export const roleOfRun = (run: Pick<LiveRun, "role">): Role => run.role ?? ROLE_OF_BEFORE;

/** What becomes of this call by the table, the rule of two and its tool's own gate. Whether it was granted is the shell's to see. */
export function permitOf(run: LiveRun, call: Proposed, taint: Taint = run.safety.taint): Permit {
  const { tool, gate, argsAt: seq, access } = call;
  if (access === undefined) return ofBefore(gate);
  const asked: Asked = { tool, seq, gate, granted: true, send: null, ...access };
  const scheduled = new Set(run.unattended);
  const asker = { role: roleOfRun(run), lane: laneOf(run.source), scheduled, autonomyAllowed: NO_TARGETS };
  return judgePermit(asked, asker, null, taint);
}

/** A call that was proposed before the tiers were kept with it is asked about as it was then. */
function ofBefore(gate: Call["gate"]): Permit {
  const row = "before";
  if (gate === "never") return { act: "allow", row };
  if (gate === "depends") return { act: "preview", row };
  return { act: "gate", row, reason: ASKS, people: "one" };
}

/** The verdict by which the rule of two first turns a call of the run into a gate, or null. */
export function ruleOfTwoRow(run: LiveRun, call: Call): EntryDraft<"guard_fired"> | null {
  const { taint, told } = run.safety;
  const { tainted, private: hidden } = taint;
  const { access } = call;
  if (told !== null || access === undefined || tainted === null || hidden === null) return null;
  if (!asksByRuleOfTwo(taint, access.reach) || permitOf(run, call, UNTAINTED).act === "gate") return null;
  const hint =
    `Read so far: content from outside (${tainted.by}) and what is not public (${hidden.by}). ` +
    `So a person is asked before anything reaches outside: ${call.tool} waits for their yes.`;
  const seqs = [tainted.seq, hidden.seq, call.argsAt].filter((seq) => seq > 0);
  const verdict = { code: "NEEDS_APPROVAL", rule: RULE_OF_TWO, evidence: { seqs }, hint };
  return guardRow(run, "before_tool", verdict, "note", { call: call.call });
}
