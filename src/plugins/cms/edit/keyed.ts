import type * as z from "zod";
import type { ShownChange } from "../../../cairn/core/log/approval.ts";
import type { Verb, EntityRef, Preview, Reach } from "../../../cairn/core/log/tool.ts";
import { defineTool, type Tool } from "../../../cairn/tools/define.ts";
import type { CmsContext, CmsServices, Plan, Written } from "../model/types.ts";
import { basisOf, checkPlan, impactLines, runKeyed } from "../storage/commit.ts";
import { elsewhere } from "../storage/environments.ts";
import { changesNothing } from "../storage/unchanged.ts";
import { loadNames } from "../storage/load.ts";
import { rowsOf } from "../storage/rows.ts";
import { number } from "../model/columns.ts";
import { draftOf, idsIn, ofBatch, shownChanges } from "./shown-changes.ts";

/** A plan's need for approval, with the reason. */
type Need = { readonly need: "none" } | { readonly need: "human"; readonly reason: string };

export const NONE: Need = { need: "none" };
const PROTECTED = "This environment is protected: a person decides about every change.";

interface KeyedDefinition<Input extends z.ZodType, Output extends object> {
  readonly name: string;
  /** a run of the class `lean` is offered it */
  readonly lean?: true;
  readonly version: number;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly verbs: readonly Verb[];
  /** `publish` always needs approval; `write` needs it if `policy` says so, or in a protected environment */
  readonly tier: "write" | "publish";
  /** `external` where it makes content public; what else becomes visible asks by its plan. Default `none` */
  readonly reach?: Reach;
  /** Reads only; everything is refused here, before a person is asked. Called for the preview and again for the write. */
  readonly plan: (input: z.output<Input>, context: CmsContext) => Promise<Plan<Output>>;
  /** it writes nothing of the site, so a protected environment does not ask about it */
  readonly bookkeeping?: true;
  /** from the plan alone; without it, a `write` tool asks in a protected environment only */
  readonly policy?: (input: z.output<Input>, plan: Plan<Output>) => Need;
  readonly entities: (input: z.output<Input>, output: Output) => readonly EntityRef[];
}

async function isProtected(services: CmsServices): Promise<boolean> {
  const [row] = await rowsOf(services, "SELECT is_protected FROM environments WHERE id=?1", services.env);
  return row !== undefined && number(row, "is_protected") === 1;
}

async function changesIn(plan: Plan<object>, services: CmsServices): Promise<ShownChange[]> {
  const names = await loadNames(services, idsIn(plan.changes));
  return shownChanges(plan.changes, plan.impact.changes ?? [], (id) => names.get(id) ?? id);
}

/** Adds a note to a plan's result if it goes into a change set. */
function noteChangeSet<Output extends object>(plan: Plan<Output>, { changeSet }: CmsServices): Plan<Output> {
  if (changeSet === undefined || changesNothing(plan)) return plan;
  const { notes = [] }: Partial<Written> = plan.result;
  const note = `In the change set “${changeSet.name}”: no visitor sees it before the set is published.`;
  return { ...plan, result: { ...plan.result, publicNow: false, notes: [...notes, note] } };
}

/** The preview of a plan. A plan without approval has no preview. */
async function previewOf(plan: Plan<object>, need: Need, services: CmsServices): Promise<Preview> {
  const { title, summary } = plan.impact;
  const basis = basisOf(plan, services.env);
  if (changesNothing(plan))
    return { need: { kind: "none" }, title, summary: "Nothing changes.", impact: [], basis };
  if (need.need === "none")
    return { need: { kind: "none" }, title, summary, impact: impactLines(plan.impact), basis };
  const elsewhereWarning = await elsewhere(services);
  const warnings = [
    ...(elsewhereWarning === null ? [] : [elsewhereWarning]),
    ...(plan.impact.warnings ?? []),
  ];
  const { batch } = plan.impact;
  const changes = batch === undefined ? await changesIn(plan, services) : ofBatch(batch);
  const draft = draftOf(plan.changes);
  return {
    need: { kind: "ask", reason: need.reason },
    title,
    summary,
    impact: impactLines({ ...plan.impact, warnings }),
    basis,
    changes,
    ...(batch === undefined ? {} : { batch }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(draft === null ? {} : { draft }),
  };
}

/**
 * A CMS write as a tool: `preview` and `run` are made from the one `plan`.
 *
 * All of them have the gate `depends`: in a protected environment every write needs approval, and in a change set none
 * does. If nothing else can make a `write` need approval (no `policy`), its preview reads that one flag and plans only
 * if it is set, so that a draft edit in an open environment costs one extra row read, not an extra plan.
 */
export function defineKeyedTool<Input extends z.ZodType, Output extends object>(
  definition: KeyedDefinition<Input, Output>,
): Tool<Input, CmsServices, Output & Written> {
  const { name, version, title, description, input, verbs, tier, reach, plan, policy, entities } = definition;

  const needOf = async (
    given: z.output<Input>,
    planned: Plan<Output>,
    context: CmsContext,
  ): Promise<Need> => {
    // A write into a change set is not visible; publishing the set asks for approval.
    if (context.services.changeSet !== undefined || changesNothing(planned)) return NONE;
    if (tier === "publish") return { need: "human", reason: "It changes what visitors see, or deletes." };
    const own = policy?.(given, planned) ?? NONE;
    if (own.need === "human") return own;
    const asks = definition.bookkeeping !== true && (await isProtected(context.services));
    return asks ? { need: "human", reason: PROTECTED } : NONE;
  };

  const preview = async (given: z.output<Input>, context: CmsContext): Promise<Preview> => {
    const isUnasked =
      context.services.changeSet !== undefined ||
      (tier === "write" && policy === undefined && !(await isProtected(context.services)));
    if (isUnasked) {
      return { need: { kind: "none" }, title, summary: `${title}.`, impact: [], basis: null };
    }
    const planned = await plan(given, context);
    checkPlan(planned);
    return previewOf(planned, await needOf(given, planned, context), context.services);
  };

  return defineTool<CmsServices, Input, Output & Written>({
    name,
    ...(definition.lean === undefined ? {} : { lean: definition.lean }),
    version,
    title,
    description,
    input,
    effect: "keyed",
    verbs,
    tier,
    // The result describes drafts.
    reads: "private",
    reach: reach ?? "none",
    approval: "depends",
    preview,
    entities,
    // The answer that is stored under a key is one that the tool gave.
    run: async (given, context) =>
      (await runKeyed({
        tool: name,
        input: given,
        context,
        plan: async () => noteChangeSet(await plan(given, context), context.services),
        // The plan that was let through may no longer hold, or its change set may be closed.
        needsApproval: async (planned) => (await needOf(given, planned, context)).need === "human",
      })) as Output & Written,
  });
}
