import { BUILTIN_PACK } from "../../core/loop/internal-tools.ts";
import { definePack } from "../define.ts";
import { askHuman } from "./ask.ts";
import { complete } from "./complete.ts";
import { retrieveMemory, storeMemory } from "./memory.ts";
import { findTool } from "./find-tool.ts";
import { planTool } from "./plan.ts";
import { logProgress } from "./progress.ts";
import { readObservation, type Observations } from "./observations.ts";

/** Session services for the built-in tools. */
export interface SessionServices {
  readonly observations: Observations;
}

/** The tools that every run has. */
export const builtinPack = definePack<SessionServices, SessionServices>({
  name: BUILTIN_PACK,
  tools: [complete, askHuman, readObservation, storeMemory, retrieveMemory, planTool, logProgress, findTool],
  prompts: ["questions", "memory", "plan"],
  services: (session) => session,
});
