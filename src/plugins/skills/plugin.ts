import skillsPrompt from "../../../prompts/skills/skills.xml";
import { offered, type Plugin, type SessionPart } from "../../cairn/plugin.ts";
import { deploymentSkills } from "./deployment.ts";
import { skillOptions, type SkillOptions } from "./options.ts";
import { skillsPack } from "./pack.ts";
import { skillProblems } from "./problems.ts";
import type { SkillCatalog } from "./catalog.ts";

/**
 * Texts about how work is done here, which the agent reads when it needs them. `files`: those of the project as text, by their
 * paths such as `release-notes/SKILL.md`.
 */
export const skills = (
  files: Readonly<Record<string, string>> = {},
): Plugin<SessionPart, unknown, SkillOptions> => {
  const shared = new WeakMap<object, SkillCatalog>();
  const skillsOf = (env: object): SkillCatalog => {
    const known = shared.get(env) ?? deploymentSkills(files, env);
    shared.set(env, known);
    return known;
  };
  return {
    name: "skills",
    prompts: { skills: skillsPrompt },
    options: skillOptions,
    tools: ({ env }) => [offered(skillsPack, { skills: skillsOf(env) })],
    shared: (env) => {
      const known = skillsOf(env);
      return {
        ready: (at) => known.ready(at),
        loadDue: (at) => known.loadDue(at),
        prompt: (prompts, options) => (prompts.includes("skills") ? known.listed(options) : ""),
        problems: (at, agents) => skillProblems(known, agents, at),
      };
    },
  };
};
