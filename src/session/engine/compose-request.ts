import { estimateRequest, sizeOf, type PromptSize } from "../../core/state/prompt-size.ts";
import { INPUT_SHARE } from "../../core/guard-limits.ts";
import { mayPlan, UPDATE_PLAN } from "../../core/state/plan.ts";
import { guardConfig } from "../../core/state/loop-memory.ts";
import { requestCap, windowOf } from "../../core/windows.ts";
import { mayOffer } from "../../core/guards/permitted.ts";
import { grantOf, type Grant } from "../../core/log/grant.ts";
import { priceOf } from "../../core/model-tables.ts";
import type { CallRequest } from "../../core/guards/budget/reserve.ts";
import type { PromptMessage, PromptPart, StepPatch, ToolOffer } from "../../core/log/model.ts";
import type { CallModel } from "../../core/loop/next.ts";
import { composeMessages } from "../../core/prompt/prompt.ts";
import type { LiveRun } from "../../core/state/state.ts";
import type { RunRows, Transaction } from "./transaction.ts";
import type { Ports } from "./ports.ts";

/** A request as it would be sent now, with its size. */
export interface Composed {
  readonly model: string;
  readonly instructions: string;
  /** the block that changes every step last */
  readonly messages: readonly PromptMessage[];
  readonly tools: readonly ToolOffer[];
  /** tokens of the whole, estimated */
  readonly tokens: number;
  readonly size: PromptSize;
  /** tokens that a request of this model may have */
  readonly cap: number;
  /** seq of the first row that it is made of */
  readonly from: number;
}

/** The request of a step, made anew from the rows of this transaction, or from these. */
export function composeRequest(
  tx: Pick<Transaction, "state" | "at" | "rowsOf" | "valueOf">,
  run: LiveRun,
  call: Pick<CallModel, "n" | "purpose">,
  patch: StepPatch,
  { facts, tools, redact }: Pick<Ports, "facts" | "tools" | "redact">,
  rows: RunRows = tx.rowsOf(run),
): Composed {
  const model = patch.model ?? run.model;
  const instructions = redact(facts.instructions(tools.prompts()));
  const { n, purpose } = call;
  const { windows = {} } = facts;
  const added = patch.instructions ?? null;
  const inputTokensMax = Math.floor(windowOf(windows, model) * INPUT_SHARE);
  const step = { n, purpose, transcript: facts.transcript(model), inputTokensMax, added };
  const { messages, earlier } = composeMessages(tx.state, run, { ...rows, valueOf: tx.valueOf }, step, tx.at);
  const isOffered = purpose !== "final" && patch.toolChoice !== "none";
  const granted = isOffered ? offered(offersFor(tools, run, grantOf(rows.current)), patch) : [];
  const request = { model, instructions, messages, tools: granted };
  return {
    ...request,
    tokens: estimateRequest(request, tx.state.factors ?? [], run.measured ?? null),
    size: sizeOf(request, earlier),
    cap: Math.min(
      requestCap(windows, model, patch.maxOutputTokens ?? run.limits.outputTokens),
      facts.requestTokens ?? Infinity,
    ),
    from: rows.history[0]?.seq ?? run.said,
  };
}

/** The tools that the run was granted and that whoever asked may have called. */
export function offersFor(tools: Ports["tools"], run: LiveRun, grant: Grant): readonly ToolOffer[] {
  const cards = new Map(tools.cards().map((card) => [card.name, card]));
  const plans = mayPlan(guardConfig(run).profile);
  return tools.offers().filter(({ name }) => {
    const card = cards.get(name);
    if (name === UPDATE_PLAN && !plans) return false;
    return grant.has(name) && card !== undefined && mayOffer(run, card);
  });
}

function offered(granted: readonly ToolOffer[], patch: StepPatch): readonly ToolOffer[] {
  return patch.tools === undefined ? granted : granted.filter((offer) => patch.tools?.includes(offer.name));
}

/** What the first request of a run with these words would weigh, without what was said before. */
export function weighFirst(
  parts: readonly PromptPart[],
  model: string,
  { facts, tools }: Pick<Ports, "facts" | "tools">,
): Omit<CallRequest, "maxOut"> {
  const instructions = facts.instructions(tools.prompts());
  const request = {
    model,
    instructions,
    messages: [{ role: "user", parts }] as const,
    tools: tools.offers(),
  };
  const contextCap = windowOf(facts.windows ?? {}, model);
  return { estimate: estimateRequest(request, [], null), price: priceOf(model, facts.prices), contextCap };
}
