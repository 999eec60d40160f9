import type { SkillBucket } from "./skills.mjs";

export type { SkillBucket };

/** What reads skills, with its parser of YAML, loaded where a deployment has any (pdf.ts says why it lies here). */
export const loadSkillReader = () => import("./skills.mjs");
