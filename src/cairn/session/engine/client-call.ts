import { clientAnswered, handOver } from "../../core/entries/client-call.ts";
import { argumentsOf } from "../../core/entries/settle.ts";
import type { ClientAnswered } from "../../core/log/client-tool.ts";
import { runId } from "../../core/log/names.ts";
import type { CallOrder, ToolOutcome } from "../../core/log/tool.ts";
import type { Call } from "../../core/state/run/phase.ts";
import type { LiveRun } from "../../core/state/state.ts";
import { keyOf, liveRunOf, orderOf } from "./claim.ts";
import type { Ports } from "./ports.ts";
import { recordTools } from "./record-outcome.ts";
import type { Transaction } from "./transaction.ts";

/** Calls of client tools. Nothing is performed here, so nothing is claimed: the run waits for its client. */

/** Hands the call over, or settles it where it must not run. */
export function openClientCall(tx: Transaction, run: LiveRun, call: Call, ports: Ports): null {
  const order = orderOf(tx, run, call, ports, call.attempts + 1);
  if (order !== null) tx.append(handOver(run, call, order.key, tx.at));
  return null;
}

/** The answer of a client, and who gave it. */
export interface ClientAnswer extends Omit<ClientAnswered, "expired" | "digest"> {
  readonly digest: string;
  readonly outcome: ToolOutcome;
}

/** The end of the wait, and the result of the call, recorded like that of any tool. */
export function recordClientAnswer(
  tx: Transaction,
  run: LiveRun,
  { outcome, ...answered }: ClientAnswer,
  ports: Ports,
): void {
  const { phase } = run;
  const call = phase.at === "waiting_client" ? phase.calls.find((one) => one.call === answered.call) : null;
  const args = call == null ? null : argumentsOf(tx.entriesOf(run).current, call);
  if (call == null || args === null) throw new Error(`${answered.call} does not wait for its client`);
  tx.append([clientAnswered(run, answered)]);
  const order: CallOrder = {
    call: call.call,
    tool: call.tool,
    input: args.input,
    key: keyOf(ports, call),
    run: runId(ports.facts.session, run.run),
    subject: answered.actor,
    attempt: call.attempts,
    at: tx.at,
    approved: null,
  };
  recordTools(tx, liveRunOf(tx.state), [{ order, outcome }], ports);
}
