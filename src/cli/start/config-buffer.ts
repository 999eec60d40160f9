import module from "node:module";

/**
 * A third of the processor time of a start in Node, measured on 29 November 2026. Miniflare writes the configuration of workerd, which holds every module of the
 * worker, into one buffer. When something more does not fit, the buffer grows by just that and is copied: five megabytes,
 * hundreds of times. Doubled, it is copied some ten times. Nothing that workerd receives is different, because the unused
 * end of the buffer is not sent.
 */

const GROWS_BY_NEED =
  "minSize = minSize < MIN_SINGLE_SEGMENT_GROWTH ? MIN_SINGLE_SEGMENT_GROWTH : padToWord$1(minSize);";
const DOUBLES = "minSize = Math.max(padToWord$1(minSize), srcBuffer.byteLength);";

/** The source of miniflare with a buffer that doubles; as it was where a version has other words. */
export const doubling = (source: string): string => source.replace(GROWS_BY_NEED, () => DOUBLES);

/** Calls `load`, which loads wrangler, and changes miniflare as it is read. */
export function withDoublingBuffer<Loaded>(load: () => Loaded): Loaded {
  const hooks = module.registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const { source } = loaded;
      if (!url.endsWith("/miniflare/dist/src/index.js") || source === undefined || source === null)
        return loaded;
      const text = typeof source === "string" ? source : new TextDecoder().decode(source);
      return { ...loaded, source: doubling(text) };
    },
  });
  try {
    return load();
  } finally {
    hooks.deregister();
  }
}
