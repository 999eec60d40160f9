/** A package without types of its own: the part of it that Cairn uses. */
declare module "js-yaml" {
  export const CORE_SCHEMA: object;
  export function load(
    text: string,
    options: { readonly schema: object; readonly json: boolean; readonly maxDepth: number },
  ): unknown;
}
