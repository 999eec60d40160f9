import { accessOf, type AccessBindings, type WebAccess } from "../../outbound/access.ts";
import { LOCAL_WRONG, localOrigins } from "../../outbound/local.ts";

/** The settings of requests to APIs that name where they may go. */
export interface HttpAccessBindings extends AccessBindings {
  readonly HTTP_LOCAL?: unknown;
}

/** The access of the web, and the origins of this machine that an operator has named. */
export function httpAccessOf(env: HttpAccessBindings): WebAccess | { readonly unavailable: string } {
  const { origins, isValid } = localOrigins(env.HTTP_LOCAL);
  if (!isValid) return { unavailable: `HTTP_LOCAL is wrong. ${LOCAL_WRONG}` };
  const access = accessOf(env);
  return { ...access, facts: { ...access.facts, local: origins } };
}
