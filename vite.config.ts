import path from "node:path";
import { defineConfig, type Plugin } from "vite";

/**
 * A browser that could not fetch a module never fetches that address again. So each `import()` of the page goes through a
 * function of its own (src/page/parts/fetch-part.ts), which asks for another address the next time.
 */
const importAnew: Plugin = {
  name: "import-anew",
  enforce: "post",
  generateBundle: (_, bundle) => {
    for (const chunk of Object.values(bundle))
      if (chunk.type === "chunk")
        chunk.code = chunk.code.replace(
          /\bimport\(([`"']\.\/[\w.-]+\.js[`"'])\)/g,
          "importPart($1,(address)=>import(address))",
        );
  },
};

/** The page at `/`: `src/page` becomes the static files of `dist/page`, which the worker's assets are (wrangler.toml). */
export default defineConfig({
  root: "src/page",
  resolve: { alias: { capnweb: path.join(import.meta.dirname, "src/page/no-rpc.ts") } },
  plugins: [importAnew],
  build: {
    outDir: "../../dist/page",
    emptyOutDir: true,
    target: "es2023",
    // `_headers` lets no script but the page's own files run, so none may stand in the HTML.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // One sheet of 30 kB: a part that comes late needs no other.
    cssCodeSplit: false,
    // A test weighs what the first load needs (test/house/page-weight.test.ts).
    chunkSizeWarningLimit: 600,
    // A note of swr to other frameworks.
    rolldownOptions: {
      input: {
        index: path.join(import.meta.dirname, "src/page/index.html"),
        "push-worker": path.join(import.meta.dirname, "src/page/push-worker.ts"),
      },
      // A browser asks for its service worker by the same address for ever, and its scope is the folder that it lies in.
      output: {
        entryFileNames: ({ name }) => (name === "push-worker" ? "[name].js" : "assets/[name]-[hash].js"),
      },
      onLog: (level, log, tell) => (log.code === "MODULE_LEVEL_DIRECTIVE" ? undefined : tell(level, log)),
    },
  },
});
