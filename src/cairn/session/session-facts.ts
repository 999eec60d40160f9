import { version } from "../../../package.json";
import type { Isolate } from "../isolate.ts";
import { dialectOf } from "../config/config.ts";
import { ownValue } from "../core/log/json.ts";
import { NO_WORDS } from "../core/guards/no-words.ts";
import { isRulesName } from "../core/log/model.ts";
import type { Facts } from "./engine/ports.ts";
import { localTime } from "./commands/own-schedules.ts";

/** The facts of a session in a deployment. `zone`: time zone of its person; null where it is not known. */
export function sessionFacts(
  { project, config, shared, started, words }: Isolate,
  session: string,
  reachable: readonly string[],
  zone: () => string | null,
): Facts {
  return {
    session,
    harness: version,
    get words() {
      return words.loaded ?? NO_WORDS;
    },
    instructions: (prompts, own, options) =>
      project.prompts.prefix(
        prompts,
        own,
        Array.from(shared, ([plugin, part]) => {
          try {
            return part.prompt?.(prompts, ownValue(options, plugin)) ?? "";
          } catch (error) {
            started.faults.note(plugin, "prompt", error);
            return "";
          }
        }),
      ),
    // Rules cannot read a summary: they walk through every call of their run again.
    transcript: (name, wanted) => (isRulesName(name) ? "none" : wanted),
    dialect: (name) => dialectOf(config, name),
    reachable,
    windows: config.windows,
    prices: config.prices,
    day: project.agents.deployment.budget.day,
    localTime: (at) => localTime(at, zone()),
  };
}
