import type { Problem } from "../../cairn/plugin.ts";
import { parseEmbedding, type Embedding } from "./embedding/settings.ts";
import { isObject, isSet, parseSwitch, text } from "../../cairn/protocol/variables.ts";

/** Variables that are secrets. */
export const CMS_SECRETS = ["EMBEDDING_API_KEY", "PEXELS_API_KEY", "PREVIEW_SECRET"];

const PREVIEW = "PREVIEW_SECRET";
const PREVIEW_SECRET_BYTES_MIN = 16;
const AUTOSEED = "CMS_AUTOSEED";

export interface CmsSettings {
  /** the first visit of a new site writes the sample pages */
  readonly autoseed: boolean;
  /** the embedding model; null: full-text search only */
  readonly embedding: Embedding | null;
  /** signs links to drafts; null: the secret is one that the database stores */
  readonly previewSecret: string | null;
}

/** Reads what the site needs of the environment. A value that cannot be read counts as unset. */
export function cmsSettings(env: Readonly<Record<string, unknown>>, problem: Problem): CmsSettings {
  const autoseed = parseSwitch(env[AUTOSEED], ["1", "true"], ["0", "false"]);
  if (autoseed === "malformed") problem(AUTOSEED, "Must be 1 or 0.");
  if (!isObject(env["MEDIA"])) problem("MEDIA", "No bucket is bound, so there are no images.");
  const previewSecret = parsePreviewSecret(env[PREVIEW]);
  if (previewSecret === "malformed")
    problem(PREVIEW, `Must be text of at least ${PREVIEW_SECRET_BYTES_MIN} bytes.`);
  return {
    autoseed: autoseed !== false,
    embedding: parseEmbedding(env, problem),
    previewSecret: previewSecret === "malformed" ? null : previewSecret,
  };
}

function parsePreviewSecret(value: unknown): string | "malformed" | null {
  if (!isSet(value)) return null;
  const secret = text(value) ?? "";
  return new TextEncoder().encode(secret).length >= PREVIEW_SECRET_BYTES_MIN ? secret : "malformed";
}
