import { offered, type Plugin } from "../../cairn/plugin.ts";
import { skillsPack } from "./pack.ts";

/** Texts about how work is done here, which the agent reads when it needs them. */
export const skills = (): Plugin => ({
  name: "skills",
  tools: ({ services: { skills: shelf = null } }) => [offered(skillsPack, { skills: shelf })],
});
