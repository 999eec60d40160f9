import type { ModelOutcome } from "../../core/log/model.ts";
import type { CallOrder, PreviewOutcome, ToolOutcome } from "../../core/log/tool.ts";
import type { Claimed } from "./claim.ts";
import { Draft } from "./draft.ts";
import type { ChildStarted, Ports } from "./ports.ts";
import { ShownProgress } from "./progress.ts";

/** Outcome of an effect before it is on disk. */
export type Performed =
  | { readonly kind: "model" | "label"; readonly outcome: ModelOutcome }
  | { readonly kind: "tools"; readonly results: readonly Ran[] }
  | { readonly kind: "preview"; readonly outcome: PreviewOutcome }
  | { readonly kind: "child"; readonly started: ChildStarted };

type Ran = { readonly order: CallOrder; readonly outcome: ToolOutcome };

/** Performs a claimed effect, outside of any transaction. `ms`: how long it took. */
export async function perform(
  claimed: Claimed,
  ports: Ports,
  signal: AbortSignal,
): Promise<{ readonly outcome: Performed; readonly ms: number }> {
  const began = ports.clock();
  return { outcome: await run(claimed, ports, signal), ms: ports.clock() - began };
}

async function run(
  claimed: Claimed,
  { audience, family, model, store, clock, redact }: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  switch (claimed.kind) {
    case "model": {
      const { request, base } = claimed;
      const { step, attempt } = request;
      const address = { run: claimed.run, step, attempt, base };
      // Late output of a stopped call is dropped: its session may be deleted.
      const save = (index: number, pieces: Parameters<typeof store.saveDraft>[3]): void =>
        signal.aborted ? undefined : store.saveDraft(step, attempt, index, pieces);
      const draft = new Draft(address, (piece) => audience.draft(piece), save, clock, redact);
      if (model === null) throw new Error(NO_MODEL);
      const outcome: ModelOutcome =
        claimed.fault === null
          ? await model.call(request, (piece) => draft.push(piece), signal)
          : { kind: "failed", failure: claimed.fault };
      draft.end();
      return { kind: "model", outcome };
    }
    case "label":
      if (model === null) throw new Error(NO_MODEL);
      return { kind: "label", outcome: await model.call(claimed.request, () => {}, signal) };
    case "tools": {
      const shown = new ShownProgress((progress) => audience.progress?.(progress), clock);
      const call = async (order: CallOrder): Promise<Ran> => ({
        order,
        outcome: await claimed.tools.run(order, signal, (progress) =>
          shown.push({ ...progress, call: order.call }),
        ),
      });
      const results = await Promise.all(claimed.orders.map(call));
      shown.end();
      return { kind: "tools", results };
    }
    case "child":
      if (family === undefined) throw new Error(NO_FAMILY);
      return { kind: "child", started: await family.start(claimed.order, signal) };
    case "preview":
      return { kind: "preview", outcome: await claimed.tools.preview(claimed.order, signal) };
  }
}

const NO_FAMILY = "a child was claimed where there can be none";
const NO_MODEL = "a model was claimed where there is none";
