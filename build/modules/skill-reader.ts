import type { SkillBucket } from "./skills.mjs";

export type { SkillBucket };

/** The reader of skills with its YAML parser, loaded where a deployment has skills (pdf.ts says why it lies here). */
export const loadSkillReader = () => import("./skills.mjs");
