import { NO_WORDS } from "./core/guards/no-words.ts";
import type { PlainWords } from "./core/guards/words.ts";
import { present, type OnDemand } from "./core/on-demand.ts";
import { complaintOf, type Redact } from "./core/text/redact.ts";
import { logError } from "./operator-log.ts";
import { PluginFaults } from "./plugin-faults.ts";
import { wordsOnDemand } from "./plugin-words.ts";
import type { LoadsDue } from "./session/background/due-loads.ts";
import type { PartProblem, Plugin, SharedPart, StartedPlugin } from "./plugin.ts";

/** The plugins of a project in one environment. */
export interface Started {
  /** those that started, in the order of the project, with their settings */
  readonly plugins: readonly StartedPlugin[];
  /** of the plugins that have one, by their names */
  readonly shared: ReadonlyMap<string, SharedPart>;
  /** of the plugin that has some; NO_WORDS where none has */
  readonly words: OnDemand<PlainWords>;
  readonly faults: PluginFaults;
  /** what is wrong with the variables, and what has thrown */
  problems(): readonly PartProblem[];
}

/** Reads the settings of each plugin and makes its shared part. One that throws is left out, and the others start. */
export function startPlugins(plugins: readonly Plugin[], env: object, redact: Redact): Started {
  const faults = new PluginFaults(redact);
  const problems: PartProblem[] = [];
  const shared = new Map<string, SharedPart>();
  const started = plugins.flatMap((plugin) => {
    const { name } = plugin;
    let part = "settings";
    try {
      const settings = plugin.settings?.(env, (about, message) =>
        problems.push({ about, message: redact(message), plugin: name }),
      );
      part = "shared part";
      const own = plugin.shared?.(env, redact, settings);
      if (own !== undefined) {
        refuseTargetsOfOthers(own, shared);
        shared.set(name, own);
      }
      return [withSettings(plugin, settings)];
    } catch (error) {
      logError(`the plugin ${name} does not start: its ${part} failed`, complaintOf(error, redact));
      faults.note(name, part, error);
      return [];
    }
  });
  return {
    plugins: started,
    shared,
    words: plainWordsOf(started, faults, redact),
    faults,
    problems: () => [...problems, ...faults.problems],
  };
}

/** The words of the only plugin that has some. */
function plainWordsOf(
  plugins: readonly StartedPlugin[],
  faults: PluginFaults,
  redact: Redact,
): OnDemand<PlainWords> {
  for (const { name, words } of plugins)
    if (words !== undefined)
      return wordsOnDemand(words, {
        failed: (what, error) => {
          logError(`the words of the plugin ${name} failed: ${what}`, complaintOf(error, redact));
          // An error message may quote a request or an answer, and /healthz is public.
          faults.note(name, "words", new Error(`${what}, see the log`));
        },
        loaded: () => faults.clear(name, "words"),
      });
  return present(NO_WORDS);
}

/** Loads of plugins before a session runs. */
export const sharedLoads = (shared: Started["shared"]): Readonly<Record<string, LoadsDue>> =>
  Object.fromEntries(
    [...shared].flatMap(([name, { loadDue }]) => (loadDue === undefined ? [] : [[name, { loadDue }]])),
  );

/** Throws where another plugin names the same target: a run would work on the wrong one. */
function refuseTargetsOfOthers({ targets = {} }: SharedPart, shared: ReadonlyMap<string, SharedPart>): void {
  for (const [other, part] of shared)
    for (const target of Object.keys(part.targets ?? {}))
      if (Object.hasOwn(targets, target))
        throw new Error(`the target ${target} is that of the plugin ${other}`);
}

/** Fields without settings stay as they are. */
function withSettings(plugin: Plugin, settings: unknown): StartedPlugin {
  const { settings: _read, shared: _made, tools, session, routes, scheduled, ...others } = plugin;
  return {
    ...others,
    ...(tools === undefined ? {} : { tools: (at, part) => plugin.tools?.(at, part, settings) ?? [] }),
    ...(session === undefined ? {} : { session: (host) => session.call(plugin, host, settings) }),
    ...(routes === undefined ? {} : { routes: (mounts, deps) => plugin.routes?.(mounts, deps, settings) }),
    ...(scheduled === undefined ? {} : { scheduled: (at) => plugin.scheduled?.(at, settings) ?? {} }),
  };
}
