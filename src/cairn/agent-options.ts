import type { Agent } from "./agents/define.ts";
import { readOptions, withOptions, type OptionSchemas } from "./agents/stored/read-options.ts";
import { ownValue, type JsonObject } from "./core/log/json.ts";
import type { Plugin } from "./plugin.ts";
import type { ToolProblem } from "./tools/rules.ts";

/** Options that the agents of the code set for plugins. */

export const optionSchemas = (plugins: readonly Plugin[]): OptionSchemas =>
  new Map(plugins.flatMap(({ name, options }) => (options === undefined ? [] : [[name, options]])));

/**
 * The agents with their options as the plugins read them. Throws a sentence where a plugin refuses them, or where a name is nearly
 * that of a plugin: without its options an agent may do more. Options of a plugin that is not there are problems, and the agent works
 * without them.
 */
export function readAgents(
  agents: Readonly<Record<string, Agent>>,
  schemas: OptionSchemas,
): { readonly agents: Readonly<Record<string, Agent>>; readonly problems: readonly ToolProblem[] } {
  const problems: ToolProblem[] = [];
  const read = Object.entries(agents).map(([name, agent]): [string, Agent] => {
    const { options, faults, absent } = readOptions(agent.spec.options ?? {}, schemas);
    const [fault] = faults;
    if (fault !== undefined)
      throw new Error(`createCairn: ${fault.path} of the agent ${name} does not fit. ${fault.message}`);
    for (const { path, message, suggestion } of absent) {
      if (suggestion !== undefined)
        throw new Error(`createCairn: ${path} of the agent ${name}: ${message} Is it ${suggestion}?`);
      const next = "Add the plugin, or remove the options.";
      problems.push({ about: `src/agents: ${name}, ${path}`, message: `${message} ${next}` });
    }
    return [name, withOptions(agent, options)];
  });
  return { agents: Object.fromEntries(read), problems };
}

/** Options of one plugin, by the agents that set any. */
export const optionsFor = (
  agents: Readonly<Record<string, Agent>>,
  plugin: string,
): Readonly<Record<string, JsonObject>> =>
  Object.fromEntries(
    Object.entries(agents).flatMap(([name, { spec }]) => {
      const own = ownValue(spec.options, plugin);
      return own === undefined ? [] : [[name, own]];
    }),
  );
