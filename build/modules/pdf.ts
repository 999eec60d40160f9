/**
 * Code that is uploaded beside the worker, not within it (wrangler.toml: base_dir): nothing of it is compiled before it is
 * asked for. `pdfjs.mjs` is a link to the build of pdf.js for workers in the package unpdf.
 */
export const loadPdfJs = () => import("./pdfjs.mjs");
