import { skills } from "../../skills.ts";
import { createSkillShelf, type SkillShelf } from "./shelf.ts";

/** What of the environment says where skills lie. */
export interface SkillBindings {
  readonly MEDIA?: R2Bucket;
  readonly SKILLS_PREFIX?: string;
}

const shelves = new WeakMap<object, SkillShelf>();

/** The skills of this deployment: one shelf for all that share an environment. */
export function deploymentSkills(env: SkillBindings): SkillShelf {
  const known = shelves.get(env);
  if (known !== undefined) return known;
  const prefix = (env.SKILLS_PREFIX ?? "").trim();
  const stored = prefix === "" ? null : { bucket: env.MEDIA ?? null, prefix: folderOf(prefix) };
  const made = createSkillShelf({ files: skills, stored });
  shelves.set(env, made);
  return made;
}

/** `skills` and `/skills/` mean the same folder. */
const folderOf = (prefix: string): string => `${prefix.replace(/^\/+|\/+$/g, "")}/`;
