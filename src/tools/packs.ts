import type { SiteTarget } from "../core/log/run-spec.ts";
import type { Redact } from "../core/text/redact.ts";
import { builtinPack, type SessionServices } from "./builtin/pack.ts";
import type { CmsBindings } from "./cms/model/types.ts";
import { cmsPack, imagesPack } from "./cms/pack.ts";
import { Registry } from "./registry.ts";

/**
 * The tools of this deployment. To add your own: `defineTool`, put it in a pack by `definePack`, and add the pack here.
 * Those of the site work on the environment of `target`, else on the deployment's own. Throws when two tools share a name.
 */
export function createTools(
  env: CmsBindings,
  session: string,
  clock: () => number,
  services: SessionServices,
  redact?: Redact,
  target: SiteTarget | null = null,
): Registry {
  const tools = new Registry(session, clock, redact);
  tools.add(builtinPack, services);
  const site = target === null ? env : { ...env, environment: target.environmentId };
  tools.add(cmsPack, site);
  tools.add(imagesPack, site);
  return tools;
}
