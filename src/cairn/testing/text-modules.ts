/** Endings of files that a worker imports as text: the rule `type = "Text"` of wrangler.toml. */
export const TEXT_ENDINGS = [".xml", ".md"] as const;

/** JavaScript of a text file, whose default export is the text; null: it is no text file. `id`: its path or address. */
export const textModule = (id: string, text: string): string | null =>
  TEXT_ENDINGS.some((ending) => id.endsWith(ending)) ? `export default ${JSON.stringify(text)};` : null;

/** The plugin of `textModules`, as Vite takes it. */
export interface TextModules {
  readonly name: string;
  readonly enforce: "pre";
  transform(text: string, id: string): { code: string; map: null; moduleType: "js" } | null;
}

/**
 * A plugin of Vite that imports `.xml` and `.md` files as text, as the worker does. For tests that import a file with prompts:
 *
 *     // vitest.config.ts
 *     export default defineConfig({ plugins: [textModules()] });
 */
export const textModules = (): TextModules => ({
  name: "cairn-text-modules",
  enforce: "pre",
  transform: (text, id) => {
    const code = textModule(id, text);
    return code === null ? null : { code, map: null, moduleType: "js" };
  },
});
