import type { Bindings } from "../../../../cairn/bindings.ts";
import { err, ok } from "../../../../cairn/core/log/result.ts";
import type { Visitor } from "../../../../cairn/core/guards/target-access.ts";
import { NOT_FOUND } from "../../../../cairn/http/kit/responses.ts";
import { refusedAs } from "../../../../cairn/http/kit/tool-refusal.ts";
import type { ApiResult } from "../../../../cairn/session/api/session-api.ts";
import { ToolError } from "../../../../cairn/tools/define.ts";
import { OWN_ENVIRONMENT } from "../../model/environment.ts";
import type { CmsContext, CmsServices } from "../../model/types.ts";
import { servicesOf } from "../../pack.ts";
import { findEnvironment } from "../../storage/environments.ts";
import { NOT_CONFIGURED } from "./preview-link.ts";

/** Actions of a person on the site through the API, in no run. */

export type Seed = (env: Bindings, now: number) => Promise<void>;

/** Acts on the environment that is asked for, if it is open to the visitor; what a tool refuses is refused in its words. */
export async function onSite<Value>(
  seed: Seed,
  env: Bindings,
  { environment, visitor }: { readonly environment: string | null; readonly visitor: Visitor },
  at: number,
  act: (services: CmsServices) => Promise<Value>,
): Promise<ApiResult<Value>> {
  await seed(env, at);
  const services = servicesOf(env);
  if (services === null) return err(NOT_CONFIGURED);
  const found = await findEnvironment(services.db, environment ?? OWN_ENVIRONMENT, visitor);
  if (found === null) return err(environment === null ? NOT_CONFIGURED : NOT_FOUND);
  try {
    return ok(await act({ ...services, env: found.environmentId, actor: `user:${visitor.subject}` }));
  } catch (error) {
    if (error instanceof ToolError) return err(refusedAs(error.failure));
    throw error;
  }
}

/** The context of a call that a person makes by hand. `session`: of whose change set; none where it is left out. */
export const byHand = (
  services: CmsServices,
  call: {
    readonly key: string;
    readonly subject: string;
    readonly at: number;
    readonly session?: string;
    readonly createdAt?: number;
  },
): CmsContext => ({
  key: call.key,
  call: "",
  attempt: 1,
  at: call.at,
  services,
  approved: null,
  signal: new AbortController().signal,
  facts: {
    session: call.session ?? "",
    run: "",
    subject: call.subject,
    ...(call.createdAt === undefined ? {} : { createdAt: call.createdAt }),
  },
  log: () => {},
  progress: () => {},
  spend: () => {},
});
