import { sha256Hex } from "../../cairn/core/log/digest.ts";

/** Under which names a model calls the tools of a server. */

const NAME_CHARS_MAX = 48;
const MARK_CHARS = 5;

/** Prefix of all names of a server's tools. */
export const prefixOf = (server: string): string => `mcp_${server}_`;

/** `getWeather` → `get_weather`, `get-sum` → `get_sum`; empty if no character is valid in a name */
function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
}

/**
 * `mcp_<server>_<tool>`, for each. One that is too long, or that another would have too, ends in a mark made of the tool's
 * own name: it is the same however the server orders its list.
 */
export function namesOf(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const prefix = prefixOf(server);
  const whole = new Map(tools.map((tool) => [tool, prefix + snakeCase(tool)]));
  const used = new Map<string, number>();
  for (const name of whole.values()) used.set(name, (used.get(name) ?? 0) + 1);
  return new Map(
    Array.from(whole, ([tool, name]) => {
      const isItsOwn = name === prefix + tool;
      const isPlain = name !== prefix && name.length <= NAME_CHARS_MAX;
      if (isPlain && (isItsOwn || used.get(name) === 1)) return [tool, name];
      const mark = sha256Hex(tool).slice(0, MARK_CHARS - 1);
      return [tool, `${name.slice(0, NAME_CHARS_MAX - MARK_CHARS).replace(/_+$/, "")}_${mark}`];
    }),
  );
}
