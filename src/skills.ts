import { skills } from "./plugins/skills/plugin.ts";

/**
 * The skills of this deployment: files of `skills/`, by their paths in it. A skill is a folder with a SKILL.md (docs/skills.md).
 * Import each file as text, and name it here:
 *
 *     import releaseNotes from "../skills/release-notes/SKILL.md";
 *     export const projectSkills = skills({ "release-notes/SKILL.md": releaseNotes });
 */
export const projectSkills = skills({});
