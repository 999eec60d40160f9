/** The environment that the seed makes: the deployment's own, which its public site shows. */
export const OWN_ENVIRONMENT = "env_main";

/** The root path of an environment's pages: `/site/`, or `/site/~<id>/` for all but the deployment's own. */
export function siteRoot(environment: string): string {
  return environment === OWN_ENVIRONMENT ? "/site/" : `/site/~${environment}/`;
}
