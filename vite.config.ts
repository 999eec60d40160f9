import path from "node:path";
import { defineConfig } from "vite";

/** The page at `/`: `src/ui` becomes the static files of `dist/page`, which the worker's assets are (wrangler.toml). */
export default defineConfig({
  root: "src/ui",
  resolve: {
    alias: {
      // Reached by a transport of `agents` that Cairn refuses; the stand-in says so.
      capnweb: path.join(import.meta.dirname, "build/stubs/capnweb.ts"),
      "property-information": path.join(import.meta.dirname, "build/stubs/property-names.ts"),
    },
  },
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
      onLog: (level, log, tell) => (log.code === "MODULE_LEVEL_DIRECTIVE" ? undefined : tell(level, log)),
    },
  },
});
