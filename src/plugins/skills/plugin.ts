import { offered, type Plugin } from "../../cairn/plugin.ts";
import { deploymentSkills } from "./deployment.ts";
import { skillsPack } from "./pack.ts";
import { skillProblems } from "./problems.ts";
import type { SkillShelf } from "./shelf.ts";

/**
 * Texts about how work is done here, which the agent reads when it needs them. `files`: those of the project as text, by their
 * paths such as `release-notes/SKILL.md`.
 */
export const skills = (files: Readonly<Record<string, string>> = {}): Plugin => {
  const shelves = new WeakMap<object, SkillShelf>();
  const shelfOf = (env: object): SkillShelf => {
    const shelf = shelves.get(env) ?? deploymentSkills(files, env);
    shelves.set(env, shelf);
    return shelf;
  };
  return {
    name: "skills",
    tools: ({ env }) => [offered(skillsPack, { skills: shelfOf(env) })],
    shared: (env) => {
      const shelf = shelfOf(env);
      return {
        ready: (at) => shelf.ready(at),
        loadDue: (at) => shelf.loadDue(at),
        prompt: (prompts, rules) => (prompts.includes("skills") ? shelf.listed(rules) : ""),
        problems: (at, agents) => skillProblems(shelf, agents, at),
      };
    },
  };
};
