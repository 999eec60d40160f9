import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";

/** The extensions that `remark-parse` reads from the data of its processor. */
interface Reading {
  micromarkExtensions?: unknown[];
  fromMarkdownExtensions?: unknown[];
}

/**
 * Tables, task lists, strikethrough and bare links, for reading only: `remark-gfm` would include the serializer too.
 * A plugin of unified, which calls it with its processor as `this`.
 */
export function readGfm(this: { data: () => object }): void {
  const data: Reading = this.data();
  (data.micromarkExtensions ??= []).push(gfm());
  (data.fromMarkdownExtensions ??= []).push(gfmFromMarkdown());
}
