import { canonicalJson, isTooDeep, type JsonObject } from "./json.ts";

/**
 * Values that an agent sets for plugins, by the names of the plugins. A plugin reads its own; the kernel stores them in each run
 * and hands them to the plugin.
 */
export type PluginOptions = Readonly<Record<string, JsonObject>>;

const NAME = /^[a-z][a-z0-9-]{0,63}$/;
const NAMES_MAX = 32;
/** of all of them as JSON: they are in the log of each run */
const BYTES_MAX = 32_768;
/** levels of lists and objects, with the record itself */
const DEPTH_MAX = 16;

/** Why these cannot be options of an agent, whatever the plugins take; null: they can. */
export function optionsFault(options: PluginOptions): string | null {
  if (Object.keys(options).length > NAMES_MAX) return `It must name at most ${NAMES_MAX} plugins.`;
  if (!Object.keys(options).every((name) => NAME.test(name)))
    return "It must have names of plugins: at most 64 of a-z, 0-9 and -, with a letter first.";
  if (isTooDeep(options, DEPTH_MAX)) return `It must be nested at most ${DEPTH_MAX} levels deep.`;
  if (new TextEncoder().encode(canonicalJson(options)).length > BYTES_MAX)
    return `As JSON it must have at most ${BYTES_MAX} bytes.`;
  return null;
}
