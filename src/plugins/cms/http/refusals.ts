import { refusal } from "../../../cairn/session/api/session-api.ts";

/** Refusals of the routes of environments. */

export const ID_TAKEN = refusal(
  409,
  "id_taken",
  "There is an environment of this name.",
  "Choose another name.",
);
export const OWN_ENVIRONMENT_FIXED = refusal(
  409,
  "own_environment",
  "Everybody may use the deployment's own environment.",
  "Make another one to share it with some.",
);
export const ENVIRONMENTS_LISTED = "GET /api/cms/environments lists those that you may use.";
/** The same for a site that does not exist and for one of others. */
export const UNKNOWN_SITE = refusal(422, "unknown_site", "There is no such site.", ENVIRONMENTS_LISTED);
