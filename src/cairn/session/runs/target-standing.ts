import { BUILTIN_PACK } from "../../core/loop/internal-tools.ts";
import type { Targets } from "../../core/log/targets.ts";
import type { ToolFailure } from "../../core/log/tool.ts";
import type { AcceptedRun } from "../../core/state/state.ts";
import type { Tools } from "../engine/ports.ts";
import type { KnownTargets } from "./targets.ts";

/** The tools of a run that names targets: each call looks up first whether its person may still work on them. */
export function onTargets(
  tools: Tools,
  targets: Targets,
  {
    known,
    asking,
  }: { readonly known: KnownTargets; readonly asking: () => Pick<AcceptedRun, "actor" | "role"> | null },
): Tools {
  const objection = async (tool: string): Promise<ToolFailure | null> => {
    // Tools of the session itself touch no target.
    if (tools.cards().find((card) => card.name === tool)?.pack === BUILTIN_PACK) return null;
    const run = asking();
    if (run === null) return null;
    await known.load(targets);
    const found = known.find(targets, { subject: run.actor, isAdmin: run.role === "admin" });
    if (found.ok) return null;
    const { fault, target } = found.error;
    return fault === "unknown" ? endedOf(target) : unreadOf(target);
  };
  return {
    cards: () => tools.cards(),
    prompts: (taught) => tools.prompts(taught),
    notOffered: () => tools.notOffered(),
    offers: () => tools.offers(),
    check: (...call) => tools.check(...call),
    preview: async (order, signal) => {
      const failure = await objection(order.tool);
      return failure === null ? tools.preview(order, signal) : { kind: "failed", failure };
    },
    run: async (order, signal, tell) => {
      const failure = await objection(order.tool);
      return failure === null
        ? tools.run(order, signal, tell)
        : { kind: "failed", failure, lost: false, ms: 0 };
    },
  };
}

const endedOf = (target: string): ToolFailure => ({
  class: "auth",
  code: "target_access_ended",
  message: `The person who asked for this run may not work on this ${target} any more. Nothing was done.`,
  retryable: false,
  hint: `Do not try again. Say in your answer that the access to the ${target} has ended.`,
});
const unreadOf = (target: string): ToolFailure => ({
  class: "server",
  code: "target_unavailable",
  message: `The people who may work on this ${target} could not be read. Nothing was done.`,
  retryable: true,
});
