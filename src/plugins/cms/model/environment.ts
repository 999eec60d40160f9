/** The environment that the seed makes: the deployment's own, which its public site shows. */
export const OWN_ENVIRONMENT = "env_main";

/** Where the pages of an environment stand: `/site/`, and `/site/~<id>/` of one that is not the deployment's own. */
export function siteRoot(environment: string): string {
  return environment === OWN_ENVIRONMENT ? "/site/" : `/site/~${environment}/`;
}
