import { createSkillCatalog, type SkillCatalog } from "./catalog.ts";

/** Environment variables that locate the skills. */
interface SkillBindings {
  readonly MEDIA?: R2Bucket;
  readonly SKILLS_PREFIX?: string;
}

/** The skills of a deployment: the files of its project, and what lies in the bucket. */
export function deploymentSkills(files: Readonly<Record<string, string>>, env: object): SkillCatalog {
  // A deployment may have neither.
  const { MEDIA: bucket, SKILLS_PREFIX: named = "" }: SkillBindings = env;
  const prefix = named.trim();
  const stored = prefix === "" ? null : { bucket: bucket ?? null, prefix: folderOf(prefix) };
  return createSkillCatalog({ files, stored });
}

/** `skills` and `/skills/` mean the same folder. */
const folderOf = (prefix: string): string => `${prefix.replace(/^\/+|\/+$/g, "")}/`;
