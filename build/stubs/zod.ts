import * as zod from "zod";

/**
 * What `wrangler.toml` puts in the place of `zod/v4`. `@ai-sdk/openai-compatible` takes all of zod as one value, so that
 * every locale is bundled; this `z` is exactly the functions that it calls (a test reads them from its code). The other
 * importers take single names, which a bundler can shake.
 */
export * from "zod";
export const z = {
  any: zod.any,
  array: zod.array,
  boolean: zod.boolean,
  enum: zod.enum,
  literal: zod.literal,
  looseObject: zod.looseObject,
  number: zod.number,
  object: zod.object,
  record: zod.record,
  string: zod.string,
  union: zod.union,
  unknown: zod.unknown,
};
