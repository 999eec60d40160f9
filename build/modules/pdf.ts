/**
 * Code that is uploaded beside the worker, not within it (wrangler.toml: base_dir): nothing of it is compiled before it is
 * asked for. `pdfjs.mjs` is the build of pdf.js for workers in the package unpdf, with a budget of steps;
 * src/cli/start/build-pdf-reader.ts makes it.
 */
export const loadPdfJs = () => import("./pdfjs.mjs");
