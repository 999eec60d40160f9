import { defaultAgent } from "./default.ts";
import type { Agent } from "../cairn/definitions.ts";

/** The agents of this deployment, by name. To add one, write its file beside this one and name it here. */
export const agents: Readonly<Record<string, Agent>> = {
  default: defaultAgent,
};
