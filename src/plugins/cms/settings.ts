import type { Problem } from "../../cairn/plugin.ts";
import { parseEmbedding, type Embedding } from "./embedding/settings.ts";
import { isObject, parseSwitch } from "../../cairn/config/variables.ts";

const AUTOSEED = "CMS_AUTOSEED";

export interface CmsSettings {
  /** the first visit of a new site writes the sample pages */
  readonly autoseed: boolean;
  /** the model that says what texts mean; null: the site is searched by words alone */
  readonly embedding: Embedding | null;
}

/** Reads what the site needs of the environment. A value that cannot be read counts as unset. */
export function cmsSettings(env: Readonly<Record<string, unknown>>, problem: Problem): CmsSettings {
  const autoseed = parseSwitch(env[AUTOSEED], ["1", "true"], ["0", "false"]);
  if (autoseed === "malformed") problem(AUTOSEED, "Must be 1 or 0.");
  if (!isObject(env["MEDIA"])) problem("MEDIA", "No bucket is bound, so there are no images.");
  return { autoseed: autoseed !== false, embedding: parseEmbedding(env, problem) };
}
