import type { AnyTool } from "./define.ts";

/** Names, descriptions and schemas of one such pack in each request of a run: about 2,000 tokens. */
export const AT_ONCE_CHARS_MAX = 8_000;

/**
 * The short list of a pack whose tools come from a list (an MCP server, stored tools): nobody chose how many there are. The first
 * ones that fit are offered at once; a run finds the others with `find_tool`. Undefined where all of them fit.
 *
 * @example
 * shortListOf(tools); // ["tickets_create", "tickets_find"]
 */
export function shortListOf(tools: readonly AnyTool[]): readonly string[] | undefined {
  const names: string[] = [];
  let chars = 0;
  for (const { definition } of tools) {
    const { name, description, inputSchema } = definition;
    chars += name.length + description.length + JSON.stringify(inputSchema ?? {}).length;
    if (chars > AT_ONCE_CHARS_MAX) return names;
    names.push(name);
  }
  return undefined;
}
