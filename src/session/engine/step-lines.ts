import { asKind, type Entry } from "../../core/log/entry.ts";
import { isLogged, logEvent } from "../../operator-log.ts";

/**
 * One line in the operator's tail for each step that ended by these entries: the last of its calls has its result, or its
 * reply had none. Made of what is in memory already: nothing is read for it.
 */
export function logSteps(session: string, committed: readonly Entry[], current: readonly Entry[]): void {
  if (!isLogged("info")) return;
  const moved = committed.flatMap(({ kind, step }) =>
    (kind === "model_replied" || kind === "call_settled") && step !== null ? [step] : [],
  );
  for (const step of new Set(moved)) {
    const entries = current.filter((entry) => entry.step === step);
    const begun = entries.find((entry) => entry.kind === "step_started");
    const reply = lastReply(entries);
    if (reply === null || begun === undefined) continue;
    const settled = entries.flatMap((entry) => (entry.kind === "call_settled" ? [entry] : []));
    const { model, usage, calls, ms } = reply.body;
    if (settled.length < calls.length) continue;
    logEvent("info", "step", {
      session,
      run: reply.run,
      step,
      model,
      tools: settled.map(({ body }) => ({ tool: body.tool, status: body.status, ms: body.ms })),
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      modelMs: ms,
      ms: (settled.at(-1)?.at ?? reply.at) - begun.at,
    });
  }
}

function lastReply(entries: readonly Entry[]): Entry<"model_replied"> | null {
  const last = entries.findLast((entry) => entry.kind === "model_replied");
  return last === undefined ? null : asKind(last, "model_replied");
}
