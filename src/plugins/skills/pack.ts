import { definePack } from "../../cairn/tools/define.ts";
import { readSkill } from "./read-skill.ts";
import type { SkillCatalog } from "./catalog.ts";

/** The tool that reads skills, where a deployment names a place with any. */
export const skillsPack = definePack<{ readonly skills: SkillCatalog | null }, SkillCatalog>({
  name: "skills",
  tools: [readSkill],
  prompts: ["skills"],
  services: ({ skills }) => {
    if (skills?.any === true) return skills;
    if (skills !== null && skills.missing !== null) return { unavailable: skills.missing };
    return { unavailable: "This deployment has no skills (docs/skills.md of Cairn).", wanted: false };
  },
  ready: async ({ skills }, at) => skills?.loadDue(at),
});
