import { NO_HOOKS, type Hooks } from "../core/hooks.ts";
import type { TranscriptPolicy } from "../core/transcript.ts";

/** How the runs of a deployment are led: words beside the prompt modules, what a prompt holds, and hooks. */
export interface Agent {
  /** for people */
  readonly description: string;
  /** added after the prompt modules, never replacing them */
  readonly instructions: string;
  readonly transcript: TranscriptPolicy;
  readonly hooks: Hooks;
}

const INSTRUCTIONS_CHARS_MAX = 20_000;

/** Declares an agent. Throws at load on instructions of more than 20 000 characters. */
export function defineAgent(agent: Partial<Agent> & Pick<Agent, "description">): Agent {
  const { instructions = "", transcript = "whole", hooks = NO_HOOKS } = agent;
  if (instructions.length > INSTRUCTIONS_CHARS_MAX) {
    throw new Error(`instructions of an agent have at most ${INSTRUCTIONS_CHARS_MAX} characters`);
  }
  return { description: agent.description, instructions, transcript, hooks };
}
