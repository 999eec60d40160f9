import { ID_PATTERN } from "../../../cairn/core/log/names.ts";
import * as z from "zod";
import type { Targets } from "../../../cairn/core/log/targets.ts";

/** The name under which runs name an environment of the site in their `targets`. */
export const SITE_TARGET = "site";

export const siteTargetSchema = z.strictObject({
  siteId: z.string().regex(ID_PATTERN),
  environmentId: z.string().regex(ID_PATTERN),
});
export type SiteTarget = z.output<typeof siteTargetSchema>;

/** The id of the environment that is named; null for the deployment's own. Throws for a value that `find` has not accepted. */
export function environmentIn(targets: Targets): string | null {
  const target = targets[SITE_TARGET];
  return target === undefined ? null : siteTargetSchema.parse(target).environmentId;
}
