import { ownValue } from "./core/log/json.ts";
import agents from "../../prompts/agents.xml";
import approvals from "../../prompts/approvals.xml";
import base from "../../prompts/base.xml";
import cmsChanges from "../../prompts/cms-changes.xml";
import cmsHistory from "../../prompts/cms-history.xml";
import cmsImages from "../../prompts/cms-images.xml";
import cmsNavigation from "../../prompts/cms-navigation.xml";
import cmsPages from "../../prompts/cms-pages.xml";
import cmsPosts from "../../prompts/cms-posts.xml";
import cmsSettings from "../../prompts/cms-settings.xml";
import files from "../../prompts/files.xml";
import finalAnswer from "../../prompts/final-answer.xml";
import memory from "../../prompts/memory.xml";
import plan from "../../prompts/plan.xml";
import messages from "../../prompts/messages.xml";
import questions from "../../prompts/questions.xml";
import react from "../../prompts/react.xml";
import schedules from "../../prompts/schedules.xml";
import skills from "../../prompts/skills.xml";
import web from "../../prompts/web.xml";

/** The modules by name. Packs name theirs (tools/define.ts); the first three stand in every prompt. */
export const modules: Readonly<Record<string, string>> = {
  base,
  react,
  approvals,
  messages,
  questions,
  memory,
  plan,
  "cms-pages": cmsPages,
  "cms-posts": cmsPosts,
  "cms-images": cmsImages,
  "cms-navigation": cmsNavigation,
  "cms-history": cmsHistory,
  "cms-changes": cmsChanges,
  "cms-settings": cmsSettings,
  files,
  agents,
  schedules,
  skills,
  web,
  "final-answer": finalAnswer,
};
const ALWAYS = ["base", "react", "approvals"];

/** The static prefix: the same text for the same modules, so that providers can cache it. Throws on a module that is not there. */
export function instructions(names: readonly string[]): string {
  return [...ALWAYS, ...names]
    .map((name) => {
      const text = ownValue(modules, name);
      if (text === undefined) throw new Error(`there is no prompt module ${name}`);
      return text.trim();
    })
    .join("\n\n");
}

/** The prompt modules, the list of skills, then the words of the run: its agent's, and its caller's. */
export function prefixOf(names: readonly string[], own: string, lists: readonly string[] = []): string {
  return [instructions(names), ...lists, own].filter((text) => text !== "").join("\n\n");
}
