/** What Cairn uses of js-yaml. */
export const CORE_SCHEMA: object;
export function load(
  text: string,
  options: { readonly schema: object; readonly json: boolean; readonly maxDepth: number },
): unknown;
