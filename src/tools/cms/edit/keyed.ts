import type * as z from "zod";
import type { Verb, EntityRef, Preview, Reach } from "../../../core/log/tool.ts";
import { defineTool, type Tool } from "../../define.ts";
import type { CmsContext, CmsServices, Plan, Written } from "../model/types.ts";
import { basisOf, impactLines, runKeyed } from "../storage/commit.ts";
import { elsewhere } from "../storage/environments.ts";
import { loadNames, rowsOf } from "../storage/load.ts";
import { number } from "../storage/rows.ts";
import { draftOf, idsIn, shownChanges } from "./shown-changes.ts";

/** Whether a person is asked about a plan, and why. */
type Need = { readonly need: "none" } | { readonly need: "human"; readonly reason: string };

export const NONE: Need = { need: "none" };
const PROTECTED = "This environment is protected: a person decides about every change.";

interface KeyedDefinition<Input extends z.ZodType, Output extends object> {
  readonly name: string;
  readonly version: number;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly verbs: readonly Verb[];
  /** `publish` always asks a person; `write` asks when `policy` says so, or in a protected environment */
  readonly tier: "write" | "publish";
  /** `external` where it makes content public; what else becomes visible asks by its plan. Default `none` */
  readonly reach?: Reach;
  /** Reads only; everything is refused here, before a person is asked. Called for the preview and again for the write. */
  readonly plan: (input: z.output<Input>, context: CmsContext) => Promise<Plan<Output>>;
  /** from the plan alone; without it, a `write` tool asks in a protected environment only */
  readonly policy?: (input: z.output<Input>, plan: Plan<Output>) => Need;
  readonly entities: (input: z.output<Input>, output: Output) => readonly EntityRef[];
}

async function isProtected(services: CmsServices): Promise<boolean> {
  const [row] = await rowsOf(services, "SELECT is_protected FROM environments WHERE id=?1", services.env);
  return row !== undefined && number(row, "is_protected") === 1;
}

/** A plan as a person is shown it. What nobody is asked about is not shown. */
async function previewOf(plan: Plan<object>, need: Need, services: CmsServices): Promise<Preview> {
  const { title, summary } = plan.impact;
  const basis = basisOf(plan, services.env);
  if (need.need === "none")
    return { need: { kind: "none" }, title, summary, impact: impactLines(plan.impact), basis };
  const place = await elsewhere(services);
  const warnings = [...(place === null ? [] : [place]), ...(plan.impact.warnings ?? [])];
  const names = await loadNames(services, idsIn(plan.changes));
  const changes = shownChanges(plan.changes, plan.impact.changes ?? [], (id) => names.get(id) ?? id);
  const draft = draftOf(plan.changes);
  return {
    need: { kind: "ask", reason: need.reason },
    ...{ title, summary, impact: impactLines({ ...plan.impact, warnings }), basis },
    changes,
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(draft === null ? {} : { draft }),
  };
}

/**
 * A CMS write as a tool: `preview` and `run` are made from the one `plan`.
 *
 * Every `write` tool has the gate `depends`, because a protected environment asks about every write. Where nothing else
 * can make it ask (no `policy`), its preview reads that one flag and plans only if it is set, so that a draft edit in an
 * open environment costs one row read more, not a plan more.
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
    if (tier === "publish") return { need: "human", reason: "It changes what visitors see, or deletes." };
    const own = policy?.(given, planned) ?? NONE;
    if (own.need === "human") return own;
    return (await isProtected(context.services)) ? { need: "human", reason: PROTECTED } : NONE;
  };

  const preview = async (given: z.output<Input>, context: CmsContext): Promise<Preview> => {
    if (tier === "write" && policy === undefined && !(await isProtected(context.services))) {
      return { need: { kind: "none" }, title, summary: `${title}.`, impact: [], basis: null };
    }
    const planned = await plan(given, context);
    return previewOf(planned, await needOf(given, planned, context), context.services);
  };

  return defineTool<CmsServices, Input, Output & Written>({
    name,
    version,
    title,
    description,
    input,
    effect: "keyed",
    verbs,
    tier,
    // It answers with what it has changed: drafts.
    reads: "private",
    reach: reach ?? "none",
    ...(tier === "publish" ? {} : { approval: "depends" as const }),
    preview,
    entities,
    // The answer that is stored under a key is one that the tool gave.
    run: async (given, context) =>
      (await runKeyed({
        tool: name,
        input: given,
        context,
        plan: () => plan(given, context),
        // A tool that always asks is never run unasked by the loop. One that asks by its plan may have been let through
        // on a plan that no longer holds.
        needsApproval: async (planned) =>
          tier === "write" && (await needOf(given, planned, context)).need === "human",
      })) as Output & Written,
  });
}
