import type { AnyTool } from "../../../cairn/tools/define.ts";
import type { CmsContext, CmsServices } from "../model/types.ts";
import { inSet, openSetOf } from "../storage/change-sets.ts";

/** A tool of the site as its session has it: on the site, or on the open change set of the session, asked at each call. */
export function withinSet(tool: AnyTool<CmsServices>): AnyTool<CmsServices> {
  const { definition } = tool;
  const { run, preview } = definition;
  const placed = async (context: CmsContext): Promise<CmsContext> => {
    if (context.services.changeSet !== undefined) return context;
    const set = await openSetOf(context.services, context.facts.session, context.facts.createdAt);
    return set === null ? context : { ...context, services: inSet(context.services, set) };
  };
  return {
    definition: {
      ...definition,
      run: async (input, context) => run(input, await placed(context)),
      ...(preview === undefined
        ? {}
        : { preview: async (input, context) => preview(input, await placed(context)) }),
    },
  };
}
